#include "linear/row_units.hpp"

#include <algorithm>
#include <cmath>

#include <tilelearn/error.hpp>

#include "core/finite.hpp"
#include "core/row_blocks.hpp"
#include "core/text.hpp"

namespace tilelearn::linear {

namespace {

/// Squares from here on keep all their digits, also after products with small weights.
constexpr double least_square = 0x1p-800;
/// Keeps powers of two finite and normal.
constexpr int scale_exponent_limit = 1000;

/// A power of 4, whose root is a power of 2.
double against(double largest) {
  if (!(largest > 0.0)) return 1.0;
  return std::ldexp(1.0, -2 * (std::clamp(std::ilogb(largest), -scale_exponent_limit, scale_exponent_limit) / 2));
}

template <typename T>
void append_row(const MatrixView<const T>& X, std::int64_t row, std::vector<double>& values) {
  const MatrixView<const T> view(X.data() + row * X.row_stride(), 1, X.columns(), X.row_stride(), X.column_stride(),
                                 X.device());
  const Matrix<T> copy = copy_to(view, Device::cpu());
  values.insert(values.end(), copy.data(), copy.data() + X.columns());
}

/// Half the largest |x - shift| of each column, which does not overflow.
template <typename T>
void append_extents(const MatrixView<const T>& X, const double* shift, std::vector<double>& extents) {
  std::vector<double> largest(static_cast<std::size_t>(X.columns()), 0.0);
  detail::for_rows(X, [&](const T* row, std::int64_t /*number*/) {
    for (std::int64_t j = 0; j < X.columns(); ++j) {
      double& extent = largest[static_cast<std::size_t>(j)];
      extent = std::max(extent, std::abs(static_cast<double>(row[j]) / 2.0 - shift[j] / 2.0));
    }
    return true;
  });
  extents.insert(extents.end(), largest.begin(), largest.end());
}

/// True where a square is too small to keep its digits although the column is not 0, which its products show where the
/// square itself is 0.
bool vanished(const Gram& gram, std::int64_t column) {
  if (gram.at(column, column).high >= least_square) return false;
  for (std::int64_t j = 0; j < gram.p; ++j)
    if (gram.at(column, j).high != 0.0) return true;
  return false;
}

}  // namespace

template <typename T>
void throw_if_invalid(const VectorView<const T>& weights, const WeightFacts& facts) {
  if (facts.first_invalid < 0) return;
  const VectorView<const T> one(weights.data() + facts.first_invalid * weights.stride(), 1, weights.device());
  throw InvalidArgument("a linear model: the weight of row " + std::to_string(facts.first_invalid) + " is " +
                        detail::shortest_text(copy_to(one, Device::cpu())[0]) + ", must be finite and 0 or more");
}

bool squares_left_range(const Gram& gram) {
  for (std::int64_t j = 0; j < gram.p - 1; ++j)
    if (!std::isfinite(gram.at(j, j).high) || !std::isfinite(gram.sum(j).high) || vanished(gram, j)) return true;
  return false;
}

template <typename T>
Units RowFacts<T>::units(bool shifted) const {
  return {shifted ? pilot : std::vector<double>(pilot.size(), 0.0), std::vector<double>(pilot.size(), 1.0),
          weight_scale};
}

template <typename T>
RowFacts<T> inspect_rows(const Backend<T>& backend, const Rows<T>& rows) {
  RowFacts<T> facts;
  facts.observations = rows.X.rows();
  std::int64_t pilot = 0;
  if (rows.weights) {
    const WeightFacts weights = backend.inspect_weights(*rows.weights);
    throw_if_invalid(*rows.weights, weights);
    if (weights.first_positive < 0)
      throw InvalidArgument("a linear model: all " + std::to_string(rows.weights->size()) + " weights are zero");
    facts.observations = weights.positive;
    facts.weight_scale = against(weights.largest);
    pilot = weights.first_positive;
  }
  append_row(rows.X, pilot, facts.pilot);
  append_row(rows.Y, pilot, facts.pilot);
  return facts;
}

template <typename T>
bool improve_scales(const Rows<T>& rows, const Gram& gram, Units& units) {
  if (!squares_left_range(gram)) return false;
  detail::throw_if_not_finite(rows.X, "a linear model");
  detail::throw_if_not_finite(rows.Y, "a linear model: the targets");
  std::vector<double> extents;
  append_extents(rows.X, units.shift.data(), extents);
  append_extents(rows.Y, units.shift.data() + rows.X.columns(), extents);
  std::transform(extents.begin(), extents.end(), units.scale.begin(), against);
  return true;
}

void shift_to(const std::vector<DoubleDouble>& means, Units& units) {
  for (std::size_t j = 0; j < means.size(); ++j)
    units.shift[j] = (units.shift[j] * units.scale[j] + means[j].high) / units.scale[j];
}

template struct RowFacts<float>;
template struct RowFacts<double>;
template void throw_if_invalid(const VectorView<const float>&, const WeightFacts&);
template void throw_if_invalid(const VectorView<const double>&, const WeightFacts&);
template RowFacts<float> inspect_rows(const Backend<float>&, const Rows<float>&);
template RowFacts<double> inspect_rows(const Backend<double>&, const Rows<double>&);
template bool improve_scales(const Rows<float>&, const Gram&, Units&);
template bool improve_scales(const Rows<double>&, const Gram&, Units&);

}  // namespace tilelearn::linear
