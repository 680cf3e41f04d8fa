// LinearRegression and Ridge: fit and predict. Coefficients are compared with those of double-double arithmetic before
// anything is timed; `digits` says how many agree.
//
// Rows are named WHAT/n:N/d:D/dtype:T/device:V. X is standard normal, y a plane of it plus noise. The limit is the
// larger of reading X and y once and the products of half the Gram matrix in float64.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include <tilelearn/linear_regression.hpp>
#include <tilelearn/ridge.hpp>

#include "support/kept_data.hpp"
#include "support/rows.hpp"
#include "support/timing.hpp"

namespace tilelearn::benchmarks {

namespace {

constexpr int runs = 5;

struct Shape {
  std::int64_t n;
  std::int64_t d;
};

/// y_i = 3 + sum_j (1 + j mod 7) x_ij + 0.1 noise_i, of the array that was generated last.
template <typename T>
const Vector<T>& targets(const KeptData<T>& data, const Shape& shape) {
  static Vector<T> kept;
  static Shape of{0, 0};
  if (of.n == shape.n && of.d == shape.d) return kept;
  constexpr std::int64_t coefficients = 7;
  constexpr double noise_deviation = 0.1;
  const Matrix<T> noise = generate<T>({"normal", shape.n, 1, 1, 1.0, 2});
  Vector<T> y(shape.n);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < shape.n; ++i) {
    double sum = 3.0;
    for (std::int64_t j = 0; j < shape.d; ++j)
      sum += static_cast<double>(1 + j % coefficients) * static_cast<double>(data.host.data()[i * shape.d + j]);
    y.data()[i] = static_cast<T>(sum + noise_deviation * static_cast<double>(noise.data()[i]));
  }
  kept = std::move(y);
  of = shape;
  return kept;
}

/// Digits of the worst coefficient; y is where X is.
template <typename T>
double digits_of(const Matrix<double>& coef, const KeptData<T>& data, const Vector<T>& y) {
  constexpr double most_digits = 16.0;
  constexpr double fewest_digits = 4.0;
  LinearRegression<T> exact({.solver = LeastSquaresSolver::double_double});
  exact.fit(data.X.view(), y.view());
  double digits = most_digits;
  for (std::int64_t j = 0; j < coef.columns(); ++j) {
    const double error = std::abs(coef(0, j) / exact.coef()(0, j) - 1.0);
    if (error > 0.0) digits = std::min(digits, -std::log10(error));
  }
  if (digits < fewest_digits) throw Error("coefficients agree in " + std::to_string(digits) + " digits only");
  return digits;
}

template <typename T>
Work work_of(const Shape& shape) {
  const auto n = static_cast<double>(shape.n);
  const auto p = static_cast<double>(shape.d + 2);
  // a multiply-add in float64 is worth two in float32, which the ceiling counts
  return {n * static_cast<double>(shape.d + 1) * sizeof(T), 2.0 * n * p * (p + 1.0), 0.0};
}

template <typename T>
void fit(benchmark::State& state, const Shape& shape, const Device& device) {
  const KeptData<T>& data = kept_data<T>({"normal", shape.n, shape.d}, device);
  const Vector<T> y = targets(data, shape).to(device);
  LinearRegression<T> model;
  const double time = best_seconds(device, runs, [&] { model.fit(data.X.view(), y.view()); });
  state.counters["digits"] = digits_of(model.coef(), data, y);
  state.counters["solver"] = static_cast<double>(model.solver_used());
  report(state, time, work_of<T>(shape), device);
}

/// Penalty 1.
template <typename T>
void fit_ridge(benchmark::State& state, const Shape& shape, const Device& device) {
  const KeptData<T>& data = kept_data<T>({"normal", shape.n, shape.d}, device);
  const Vector<T> y = targets(data, shape).to(device);
  Ridge<T> model;
  const double time = best_seconds(device, runs, [&] { model.fit(data.X.view(), y.view()); });
  report(state, time, work_of<T>(shape), device);
}

template <typename T>
void predict(benchmark::State& state, const Shape& shape, const Device& device) {
  const KeptData<T>& data = kept_data<T>({"normal", shape.n, shape.d}, device);
  const Vector<T> y = targets(data, shape).to(device);
  LinearRegression<T> model;
  model.fit(data.X.view(), y.view());
  const double time = best_seconds(device, runs, [&] { static_cast<void>(model.predict(data.X.view())); });
  const auto n = static_cast<double>(shape.n);
  const auto d = static_cast<double>(shape.d);
  report(state, time, {n * (d + 1.0) * sizeof(T), 4.0 * n * d, 0.0}, device);
}

template <typename T, typename Measure>
void add(const std::string& what, const Shape& shape, const Device& device, Measure measure) {
  std::ostringstream name;
  name << what << "/n:" << shape.n << "/d:" << shape.d
       << "/dtype:" << (sizeof(T) == sizeof(float) ? "float32" : "float64")
       << "/device:" << (device.is_cpu() ? "cpu" : "cuda");
  add_row(name.str(), [=](benchmark::State& state) { measure(state, shape, device); });
}

template <typename T>
void add_all_of(const Shape& shape, const Device& device) {
  add<T>("fit", shape, device, fit<T>);
  add<T>("fit_ridge", shape, device, fit_ridge<T>);
  add<T>("predict", shape, device, predict<T>);
}

const bool registered = [] {
  for (const Shape& shape : {Shape{1'000'000, 20}, Shape{200'000, 100}, Shape{20'000, 1000}, Shape{150, 4}}) {
    add_all_of<float>(shape, Device::cpu());
    add_all_of<double>(shape, Device::cpu());
  }
  if (Device::cuda_device_count() == 0) return true;
  for (const Shape& shape :
       {Shape{100'000'000, 10}, Shape{10'000'000, 100}, Shape{1'000'000, 1000}, Shape{1'000'000, 20}, Shape{150, 4}}) {
    add_all_of<float>(shape, Device::cuda(0));
    add_all_of<double>(shape, Device::cuda(0));
  }
  return true;
}();

}  // namespace

}  // namespace tilelearn::benchmarks
