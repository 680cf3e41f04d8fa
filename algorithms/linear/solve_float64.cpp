// Normal equations by a Cholesky factor in float64, with an estimate of the condition that says how far to trust it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "linear/normal_equations.hpp"

namespace tilelearn::linear {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Steps of the power method: the estimate of a norm grows towards it, three steps are within a factor of two mostly.
constexpr int power_steps = 8;

/// The largest eigenvalue of a symmetric map, from below.
template <typename Map>
double largest_eigenvalue(Eigen::Index d, const Map& map) {
  Eigen::VectorXd vector(d);
  for (Eigen::Index i = 0; i < d; ++i)
    vector(i) = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + static_cast<double>(i) / static_cast<double>(d));
  double value = 0.0;
  for (int step = 0; step < power_steps; ++step) {
    vector /= vector.norm();
    vector = map(vector);
    value = vector.norm();
  }
  return value;
}

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

RowMatrix rounded(const std::vector<DoubleDouble>& values, std::int64_t rows, std::int64_t columns) {
  RowMatrix result(rows, columns);
  std::transform(values.begin(), values.end(), result.data(), [](const DoubleDouble& value) { return value.high; });
  return result;
}

}  // namespace

bool solve_float64(const NormalEquations& equations, double most_condition, Solution& solution) {
  const std::int64_t d = equations.d;
  RowMatrix gram = rounded(equations.gram, d, d);
  for (std::int64_t j = 0; j < d; ++j)
    if (equations.equilibration[at(j)] == 0.0) gram(j, j) = 1.0;  // its coefficient is 0
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  if (factor.info() != Eigen::Success) return false;
  const double largest = largest_eigenvalue(d, [&](const Eigen::VectorXd& v) -> Eigen::VectorXd { return gram * v; });
  const double inverse =
      largest_eigenvalue(d, [&](const Eigen::VectorXd& v) -> Eigen::VectorXd { return factor.solve(v); });
  solution.condition = std::sqrt(largest * inverse);
  if (!(solution.condition <= most_condition)) return false;
  const RowMatrix products = rounded(equations.products, d, equations.t);
  const RowMatrix coef = factor.solve(products);
  solution.coef.assign(coef.data(), coef.data() + coef.size());
  solution.rank = d - equations.zero_columns;
  const RowMatrix upper = factor.matrixU();
  solution.factor = {d, {upper.data(), upper.data() + upper.size()}, {}, std::vector<std::int64_t>(at(d))};
  std::iota(solution.factor.order.begin(), solution.factor.order.end(), std::int64_t{0});
  const RowMatrix projected = factor.matrixL().solve(products);
  solution.projected.assign(projected.data(), projected.data() + projected.size());
  solution.rest.clear();
  for (std::int64_t k = 0; k < equations.t; ++k)
    solution.rest.emplace_back(equations.squares[at(k)].high - coef.col(k).dot(products.col(k)));
  return true;
}

void solve_with_factor(const Factor& factor, std::int64_t t, std::vector<double>& b) {
  const Eigen::Map<const RowMatrix> upper(factor.high.data(), factor.rows, factor.rows);
  Eigen::Map<RowMatrix> x(b.data(), factor.rows, t);
  upper.transpose().triangularView<Eigen::Lower>().solveInPlace(x);
  upper.triangularView<Eigen::Upper>().solveInPlace(x);
}

}  // namespace tilelearn::linear
