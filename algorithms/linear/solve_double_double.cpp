// Normal equations in double-double: a Cholesky factor with pivots, its numerical rank, the solution of least norm.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/QR>

#include "linear/normal_equations.hpp"
#include "linear/thin_svd.hpp"

namespace tilelearn::linear {

namespace {

using Matrix = Eigen::MatrixXd;

/// P^T G P = R^T R for the first `rows` pivots; what is left of the diagonal is rounding.
struct PivotedFactor {
  std::int64_t d = 0;
  std::int64_t rows = 0;
  std::vector<std::int64_t> order;  ///< the column that stands at each place
  std::vector<DoubleDouble> r;      ///< d x d, upper triangular, its columns in that order

  [[nodiscard]] const DoubleDouble& at(std::int64_t i, std::int64_t j) const {
    return r[static_cast<std::size_t>(i * d + j)];
  }
};

/// Columns have length near 1: a pivot below this is what rounding 2^-104 leaves of a column that others explain.
double least_pivot(std::int64_t d) { return static_cast<double>(d) * 0x1p-100; }

void swap_places(PivotedFactor& factor, std::int64_t a, std::int64_t b) {
  if (a == b) return;
  const std::int64_t d = factor.d;
  const auto cell = [&](std::int64_t i, std::int64_t j) -> DoubleDouble& {
    return factor.r[static_cast<std::size_t>(i * d + j)];
  };
  for (std::int64_t i = 0; i < d; ++i) std::swap(cell(i, a), cell(i, b));
  for (std::int64_t j = 0; j < d; ++j)
    if (a >= factor.rows && b >= factor.rows) std::swap(cell(a, j), cell(b, j));
  std::swap(factor.order[static_cast<std::size_t>(a)], factor.order[static_cast<std::size_t>(b)]);
}

PivotedFactor factorise(const NormalEquations& equations) {
  const std::int64_t d = equations.d;
  PivotedFactor factor{d, 0, std::vector<std::int64_t>(static_cast<std::size_t>(d)), equations.gram};
  std::iota(factor.order.begin(), factor.order.end(), std::int64_t{0});
  const auto cell = [&](std::int64_t i, std::int64_t j) -> DoubleDouble& {
    return factor.r[static_cast<std::size_t>(i * d + j)];
  };
  for (std::int64_t k = 0; k < d; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t j = k + 1; j < d; ++j)
      if (cell(j, j).high > cell(pivot, pivot).high) pivot = j;
    if (!(cell(pivot, pivot).high > least_pivot(d))) break;
    swap_places(factor, k, pivot);
    const DoubleDouble root = sqrt(cell(k, k));
    cell(k, k) = root;
    for (std::int64_t j = k + 1; j < d; ++j) cell(k, j) = cell(k, j) / root;
    for (std::int64_t i = k + 1; i < d; ++i) {
      cell(i, k) = {};
      for (std::int64_t j = i; j < d; ++j) {
        cell(i, j) -= cell(k, i) * cell(k, j);
        cell(j, i) = cell(i, j);
      }
    }
    factor.rows = k + 1;
  }
  return factor;
}

/// R^-T P^T b for one right-hand side of d values.
std::vector<DoubleDouble> forward(const PivotedFactor& factor, const std::vector<DoubleDouble>& b) {
  std::vector<DoubleDouble> x(static_cast<std::size_t>(factor.rows));
  for (std::int64_t i = 0; i < factor.rows; ++i) {
    DoubleDouble sum = b[static_cast<std::size_t>(factor.order[static_cast<std::size_t>(i)])];
    for (std::int64_t k = 0; k < i; ++k) sum -= factor.at(k, i) * x[static_cast<std::size_t>(k)];
    x[static_cast<std::size_t>(i)] = sum / factor.at(i, i);
  }
  return x;
}

/// P R^-1 x, for a factor of all d rows.
std::vector<DoubleDouble> backward(const PivotedFactor& factor, std::vector<DoubleDouble> x) {
  std::vector<DoubleDouble> result(static_cast<std::size_t>(factor.d));
  for (std::int64_t i = factor.d - 1; i >= 0; --i) {
    DoubleDouble sum = x[static_cast<std::size_t>(i)];
    for (std::int64_t k = i + 1; k < factor.d; ++k) sum -= factor.at(i, k) * x[static_cast<std::size_t>(k)];
    x[static_cast<std::size_t>(i)] = sum / factor.at(i, i);
    result[static_cast<std::size_t>(factor.order[static_cast<std::size_t>(i)])] = x[static_cast<std::size_t>(i)];
  }
  return result;
}

/// R P^T in float64.
Matrix rounded(const PivotedFactor& factor) {
  Matrix result = Matrix::Zero(factor.rows, factor.d);
  for (std::int64_t i = 0; i < factor.rows; ++i)
    for (std::int64_t j = i; j < factor.d; ++j)
      result(i, factor.order[static_cast<std::size_t>(j)]) = factor.at(i, j).high;
  return result;
}

/// The x of least norm with directions^T (x / units) = h; directions is d x r with orthonormal columns. Rows are taken
/// from the largest to the smallest, without which Householder's method loses the small ones.
Matrix least_norm(const Matrix& directions, const Matrix& h, const std::vector<double>& units) {
  const Eigen::Index d = directions.rows();
  const Eigen::Index r = directions.cols();
  Matrix scaled = directions;
  for (Eigen::Index i = 0; i < d; ++i) {
    const double unit = units[static_cast<std::size_t>(i)];
    if (unit == 0.0)
      scaled.row(i).setZero();
    else
      scaled.row(i) /= unit;
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return scaled.row(a).cwiseAbs().maxCoeff() > scaled.row(b).cwiseAbs().maxCoeff();
  });
  Matrix sorted(d, r);
  for (Eigen::Index i = 0; i < d; ++i) sorted.row(i) = scaled.row(order[static_cast<std::size_t>(i)]);
  const Eigen::ColPivHouseholderQR<Matrix> qr(sorted);
  Matrix x = Matrix::Zero(d, h.cols());
  x.topRows(r) = qr.colsPermutation().transpose() * h;
  const Matrix triangle = qr.matrixR().topRows(r);
  Matrix top = x.topRows(r);
  triangle.triangularView<Eigen::Upper>().transpose().solveInPlace(top);
  x.topRows(r) = top;
  x.applyOnTheLeft(qr.householderQ());
  Matrix result(d, h.cols());
  for (Eigen::Index i = 0; i < d; ++i) result.row(order[static_cast<std::size_t>(i)]) = x.row(i);
  return result;
}

Factor factor_of(const PivotedFactor& factor) {
  Factor result{factor.rows, {}, {}, factor.order};
  for (std::int64_t i = 0; i < factor.rows; ++i)
    for (std::int64_t j = 0; j < factor.d; ++j) {
      result.high.push_back(j < i ? 0.0 : factor.at(i, j).high);
      result.low.push_back(j < i ? 0.0 : factor.at(i, j).low);
    }
  return result;
}

std::vector<DoubleDouble> column(const std::vector<DoubleDouble>& values, std::int64_t t, std::int64_t k) {
  std::vector<DoubleDouble> result;
  for (std::size_t i = static_cast<std::size_t>(k); i < values.size(); i += static_cast<std::size_t>(t))
    result.push_back(values[i]);
  return result;
}

DoubleDouble square_of(const std::vector<DoubleDouble>& values) {
  DoubleDouble sum;
  for (const DoubleDouble& value : values) sum += value * value;
  return sum;
}

}  // namespace

Solution solve_double_double(const NormalEquations& equations, double tolerance, const std::vector<double>& units) {
  const std::int64_t d = equations.d;
  const std::int64_t t = equations.t;
  const PivotedFactor factor = factorise(equations);
  Solution solution;
  solution.coef.assign(static_cast<std::size_t>(d * t), DoubleDouble());
  solution.rest = equations.squares;
  if (factor.rows == 0) return solution;
  const Matrix r = rounded(factor);
  solution.factor = factor_of(factor);
  const ThinSvd svd = thin_svd(r);
  const Eigen::VectorXd& values = svd.values;
  Eigen::Index rank = 0;
  while (rank < values.size() && values(rank) > tolerance * values(0)) ++rank;
  solution.rank = rank;
  solution.condition = values(0) / values(rank - 1);
  Matrix products(factor.rows, t);
  for (std::int64_t k = 0; k < t; ++k) {
    const std::vector<DoubleDouble> halfway = forward(factor, column(equations.products, t, k));
    if (rank == d) {
      const std::vector<DoubleDouble> coef = backward(factor, halfway);
      for (std::int64_t j = 0; j < d; ++j)
        solution.coef[static_cast<std::size_t>(j * t + k)] = coef[static_cast<std::size_t>(j)];
    }
    solution.rest[static_cast<std::size_t>(k)] -= square_of(halfway);
    for (std::int64_t i = 0; i < factor.rows; ++i) products(i, k) = halfway[static_cast<std::size_t>(i)].high;
  }
  for (std::int64_t i = 0; i < factor.rows; ++i)
    for (std::int64_t k = 0; k < t; ++k) solution.projected.push_back(products(i, k));
  if (rank == d) return solution;
  const Matrix in_directions = svd.left.leftCols(rank).transpose() * products;
  const Matrix h = values.head(rank).cwiseInverse().asDiagonal() * in_directions;
  const Matrix coef = least_norm(svd.right.leftCols(rank), h, units);
  for (std::int64_t j = 0; j < d; ++j)
    for (std::int64_t k = 0; k < t; ++k) {
      const double unit = units[static_cast<std::size_t>(j)];
      solution.coef[static_cast<std::size_t>(j * t + k)] = unit == 0.0 ? 0.0 : coef(j, k) / unit;
    }
  for (std::int64_t k = 0; k < t; ++k)  // what the directions left out would have explained
    solution.rest[static_cast<std::size_t>(k)] +=
        DoubleDouble(std::max(0.0, products.col(k).squaredNorm() - in_directions.col(k).squaredNorm()));
  return solution;
}

}  // namespace tilelearn::linear
