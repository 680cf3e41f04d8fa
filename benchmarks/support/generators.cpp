// Philox bits, numbered by element, made into values.
#include "support/generators.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "core/philox.hpp"

namespace tilelearn::benchmarks {

namespace {

enum Stream : std::uint64_t { values, centers, choice, spreads, places, curves };

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

/// A uniform number that belongs to an index of a stream.
double uniform_at(std::uint64_t seed, Stream stream, std::uint64_t index) {
  return uniform(philox::bits(seed, stream, index));
}

std::uint64_t blob_of(const DataSpec& spec, std::int64_t row) {
  return philox::bits(spec.seed, choice, static_cast<std::uint64_t>(row)) % static_cast<std::uint64_t>(spec.blobs);
}

/// x = centre + sd x for normal values x; sd_of gives a blob's standard deviation.
template <typename T, typename SdOf>
void move_to_blobs(Matrix<T>& X, const DataSpec& spec, const SdOf& sd_of) {
  T* data = X.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < spec.n; ++row) {
    const std::uint64_t blob = blob_of(spec, row);
    const double sd = sd_of(blob);
    for (std::int64_t column = 0; column < spec.d; ++column) {
      const std::uint64_t index = blob * static_cast<std::uint64_t>(spec.d) + static_cast<std::uint64_t>(column);
      const double center = box * (2.0 * uniform_at(spec.seed, centers, index) - 1.0);
      T& value = data[row * spec.d + column];
      value = static_cast<T>(static_cast<double>(value) * sd + center);
    }
  }
}

template <typename T>
void fill_blobs(Matrix<T>& X, const DataSpec& spec) {
  fill_normal(X, spec.seed);
  move_to_blobs(X, spec, [&](std::uint64_t /*blob*/) { return spec.sd; });
}

template <typename T>
void fill_varied(Matrix<T>& X, const DataSpec& spec) {
  constexpr double halvings = 5.0;
  constexpr std::int64_t rows_for_one_anywhere = 1000;
  fill_normal(X, spec.seed);
  move_to_blobs(X, spec, [&](std::uint64_t blob) {
    return spec.sd * std::exp2(-halvings * uniform_at(spec.seed, spreads, blob));
  });
  const std::int64_t size = spec.n * spec.d;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i)
    if (i / spec.d % rows_for_one_anywhere == 0)
      X.data()[i] = static_cast<T>(box * (2.0 * uniform_at(spec.seed, places, static_cast<std::uint64_t>(i)) - 1.0));
}

/// Curve `k` at t in [0, 1) in one column: a few waves around a centre.
double curve_at(std::uint64_t seed, std::uint64_t k, std::uint64_t column, double t) {
  constexpr std::uint64_t waves = 4;
  constexpr double height = 2.0;
  double value = 0.0;
  for (std::uint64_t wave = 0; wave <= waves; ++wave) {
    const double u = uniform_at(seed, curves, (k * 2 + column) * (waves + 1) + wave);
    value += wave == 0 ? (box - height) * (2.0 * u - 1.0)
                       : height / static_cast<double>(wave) * std::sin(two_pi * (static_cast<double>(wave) * t + u));
  }
  return value;
}

template <typename T>
void fill_roads(Matrix<T>& X, const DataSpec& spec) {
  constexpr double steps = 1024.0;
  constexpr double width = 0.002;
  constexpr double stops = 7.0;
  constexpr double share_at_stops = 0.2;
  if (spec.d != 2) throw InvalidArgument("generator 'roads' makes 2 columns, not " + std::to_string(spec.d));
  fill_normal(X, spec.seed);
  T* data = X.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < spec.n; ++row) {
    const std::uint64_t k = blob_of(spec, row);
    const double u = uniform_at(spec.seed, places, static_cast<std::uint64_t>(row));
    const bool at_stop = u < share_at_stops;
    const double t = at_stop ? std::floor(u / share_at_stops * stops) / stops : u;
    for (std::int64_t column = 0; column < 2; ++column) {
      T& value = data[row * 2 + column];
      const double beside = at_stop ? 0.0 : width * static_cast<double>(value);
      const double x = curve_at(spec.seed, k, static_cast<std::uint64_t>(column), t) + beside;
      value = static_cast<T>(std::round(x * steps) / steps);
    }
  }
}

}  // namespace

template <typename T>
Matrix<T> generate(const DataSpec& spec) {
  Matrix<T> X(spec.n, spec.d);
  if (spec.generator == "uniform")
    fill_uniform(X, spec.seed);
  else if (spec.generator == "normal")
    fill_normal(X, spec.seed);
  else if (spec.generator == "blobs")
    fill_blobs(X, spec);
  else if (spec.generator == "varied")
    fill_varied(X, spec);
  else if (spec.generator == "roads")
    fill_roads(X, spec);
  else
    throw InvalidArgument("generator '" + spec.generator + "': must be normal, blobs, varied, roads or uniform");
  return X;
}

template Matrix<float> generate<float>(const DataSpec&);
template Matrix<double> generate<double>(const DataSpec&);

}  // namespace tilelearn::benchmarks
