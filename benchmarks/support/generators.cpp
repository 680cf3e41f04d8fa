// Philox bits, numbered by element, made into normal and uniform values.
#include "support/generators.hpp"

#include <cmath>
#include <utility>

#include "core/philox.hpp"

namespace tilelearn::benchmarks {

namespace {

enum Stream : std::uint64_t { values, centers, choice };

constexpr double two_pi = 6.283185307179586;
constexpr double box = 10.0;

double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Two independent standard normal values from 64 bits (Box and Muller, Annals of Mathematical Statistics 29, 1958).
std::pair<double, double> normal_pair(std::uint64_t bits) {
  const double u = (static_cast<double>(bits >> 32) + 1.0) * 0x1p-32;  // in (0, 1]
  const double v = static_cast<double>(bits & 0xFFFFFFFF) * 0x1p-32;
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {radius * std::cos(two_pi * v), radius * std::sin(two_pi * v)};
}

template <typename T>
void fill_normal(Matrix<T>& X, std::uint64_t seed) {
  const std::int64_t size = X.rows() * X.columns();
  T* data = X.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t pair = 0; pair < (size + 1) / 2; ++pair) {
    const auto [first, second] = normal_pair(philox::bits(seed, values, static_cast<std::uint64_t>(pair)));
    data[2 * pair] = static_cast<T>(first);
    if (2 * pair + 1 < size) data[2 * pair + 1] = static_cast<T>(second);
  }
}

template <typename T>
void fill_uniform(Matrix<T>& X, std::uint64_t seed) {
  const std::int64_t size = X.rows() * X.columns();
  T* data = X.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i)
    data[i] = static_cast<T>(uniform(philox::bits(seed, values, static_cast<std::uint64_t>(i))));
}

template <typename T>
void add_centers(Matrix<T>& X, const DataSpec& spec) {
  T* data = X.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < spec.n; ++row) {
    const std::uint64_t blob =
        philox::bits(spec.seed, choice, static_cast<std::uint64_t>(row)) % static_cast<std::uint64_t>(spec.blobs);
    for (std::int64_t column = 0; column < spec.d; ++column) {
      const std::uint64_t index = blob * static_cast<std::uint64_t>(spec.d) + static_cast<std::uint64_t>(column);
      const double center = box * (2.0 * uniform(philox::bits(spec.seed, centers, index)) - 1.0);
      T& value = data[row * spec.d + column];
      value = static_cast<T>(static_cast<double>(value) + center);
    }
  }
}

}  // namespace

template <typename T>
Matrix<T> generate(const DataSpec& spec) {
  Matrix<T> X(spec.n, spec.d);
  if (spec.generator == "uniform") {
    fill_uniform(X, spec.seed);
  } else if (spec.generator == "normal" || spec.generator == "blobs") {
    fill_normal(X, spec.seed);
    if (spec.generator == "blobs") add_centers(X, spec);
  } else {
    throw InvalidArgument("generator '" + spec.generator + "': must be normal, blobs or uniform");
  }
  return X;
}

template Matrix<float> generate<float>(const DataSpec&);
template Matrix<double> generate<double>(const DataSpec&);

}  // namespace tilelearn::benchmarks
