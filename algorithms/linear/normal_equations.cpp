#include "linear/normal_equations.hpp"

#include <algorithm>
#include <cmath>

namespace tilelearn::linear {

namespace {

/// The power of two that brings a column of this square near length 1; 0 for zeros.
double equilibrating(double square) {
  if (!(square > 0.0)) return 0.0;
  return std::ldexp(1.0, -static_cast<int>(std::lrint(std::log2(square) / 2.0)));
}

}  // namespace

NormalEquations normal_equations(const Gram& gram, std::int64_t d, bool centre, const std::vector<double>& penalty) {
  NormalEquations result;
  const std::int64_t columns = gram.p - 1;
  result.d = d;
  result.t = columns - d;
  result.centred = centre;
  result.weight = gram.sum(columns);
  result.mean.resize(static_cast<std::size_t>(columns));
  for (std::int64_t j = 0; j < columns && centre; ++j)
    result.mean[static_cast<std::size_t>(j)] = gram.sum(j) / result.weight;
  const auto centred = [&](std::int64_t i, std::int64_t j) {
    const DoubleDouble value = gram.at(i, j);
    return centre ? value - gram.sum(i) * result.mean[static_cast<std::size_t>(j)] : value;
  };
  for (std::int64_t j = 0; j < columns; ++j) {
    const double before = gram.at(j, j).high;
    const double after = centred(j, j).high;
    if (before > 0.0) result.lost = std::max(result.lost, before / std::max(after, 0.0));
    if (j >= d) continue;
    result.equilibration.push_back(equilibrating(after));
    if (result.equilibration.back() == 0.0) ++result.zero_columns;
  }
  result.gram.resize(static_cast<std::size_t>(d * d));
  result.products.resize(static_cast<std::size_t>(d * result.t));
  for (std::int64_t i = 0; i < d; ++i) {
    const double of_row = result.equilibration[static_cast<std::size_t>(i)];
    for (std::int64_t j = i; j < d; ++j) {
      const double factor = of_row * result.equilibration[static_cast<std::size_t>(j)];
      const DoubleDouble value = centred(i, j);
      result.gram[static_cast<std::size_t>(i * d + j)] = {value.high * factor, value.low * factor};
      result.gram[static_cast<std::size_t>(j * d + i)] = {value.high * factor, value.low * factor};
    }
    for (std::int64_t k = 0; k < result.t; ++k) {
      const DoubleDouble value = centred(i, d + k);
      result.products[static_cast<std::size_t>(i * result.t + k)] = {value.high * of_row, value.low * of_row};
    }
  }
  for (std::int64_t j = 0; j < d && !penalty.empty(); ++j) {
    const double unit = result.equilibration[static_cast<std::size_t>(j)];
    result.penalty.push_back(penalty[static_cast<std::size_t>(j)] * unit * unit);
    result.gram[static_cast<std::size_t>(j * d + j)] += DoubleDouble(result.penalty.back());
  }
  for (std::int64_t k = 0; k < result.t; ++k) result.squares.push_back(centred(d + k, d + k));
  return result;
}

}  // namespace tilelearn::linear
