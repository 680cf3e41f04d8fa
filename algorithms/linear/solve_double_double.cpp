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

/// Columns have length near 1: a pivot below this is what rounding 2^-104 leaves of a column that others explain, more
/// where a bad shift cost digits.
double least_pivot(const NormalEquations& equations) {
  return static_cast<double>(equations.d) * 0x1p-100 * std::max(1.0, equations.lost / most_lost_double_double);
}

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
  const double least = least_pivot(equations);
  for (std::int64_t k = 0; k < d; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t j = k + 1; j < d; ++j)
      if (cell(j, j).high > cell(pivot, pivot).high) pivot = j;
    if (!(cell(pivot, pivot).high > least)) break;
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

/// The first `rows` values of R^-T P^T b, for one right-hand side of d values.
std::vector<DoubleDouble> forward(const PivotedFactor& factor, const std::vector<DoubleDouble>& b) {
  std::vector<DoubleDouble> x(static_cast<std::size_t>(factor.rows));
  for (std::int64_t i = 0; i < factor.rows; ++i) {
    DoubleDouble sum = b[static_cast<std::size_t>(factor.order[static_cast<std::size_t>(i)])];
    for (std::int64_t k = 0; k < i; ++k) sum -= factor.at(k, i) * x[static_cast<std::size_t>(k)];
    x[static_cast<std::size_t>(i)] = sum / factor.at(i, i);
  }
  return x;
}

/// R11^-1 x for the leading block of x.size() rows.
std::vector<DoubleDouble> backward(const PivotedFactor& factor, std::vector<DoubleDouble> x) {
  for (auto i = static_cast<std::int64_t>(x.size()) - 1; i >= 0; --i) {
    DoubleDouble sum = x[static_cast<std::size_t>(i)];
    for (std::size_t k = static_cast<std::size_t>(i) + 1; k < x.size(); ++k)
      sum -= factor.at(i, static_cast<std::int64_t>(k)) * x[k];
    x[static_cast<std::size_t>(i)] = sum / factor.at(i, i);
  }
  return x;
}

/// R P^T in float64.
Matrix rounded(const PivotedFactor& factor) {
  Matrix result = Matrix::Zero(factor.rows, factor.d);
  for (std::int64_t i = 0; i < factor.rows; ++i)
    for (std::int64_t j = i; j < factor.d; ++j)
      result(i, factor.order[static_cast<std::size_t>(j)]) = factor.at(i, j).high;
  return result;
}

/// Directions that change no prediction, in the units of the caller: each column of X beyond the first `rank` pivots,
/// less what these explain of it. Columns of zeros are left out. Parts below `nothing` are rounding, which units far
/// apart would blow up.
Matrix null_directions(const PivotedFactor& factor, std::int64_t rank, double nothing,
                       const std::vector<double>& units) {
  Matrix result(factor.d, 0);
  for (std::int64_t c = rank; c < factor.d; ++c) {
    const std::int64_t own = factor.order[static_cast<std::size_t>(c)];
    if (units[static_cast<std::size_t>(own)] == 0.0) continue;
    std::vector<DoubleDouble> of_column;
    for (std::int64_t i = 0; i < rank; ++i) of_column.push_back(factor.at(i, c));
    const std::vector<DoubleDouble> explained = backward(factor, std::move(of_column));
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(factor.d);
    direction(own) = units[static_cast<std::size_t>(own)];
    for (std::int64_t i = 0; i < rank; ++i) {
      const std::int64_t j = factor.order[static_cast<std::size_t>(i)];
      const double part = explained[static_cast<std::size_t>(i)].high;
      if (std::abs(part) > nothing) direction(j) = -part * units[static_cast<std::size_t>(j)];
    }
    result.conservativeResize(Eigen::NoChange, result.cols() + 1);
    result.col(result.cols() - 1) = direction;
  }
  return result;
}

/// x + directions z of least norm. Rows are taken from the largest to the smallest, without which Householder's method
/// loses the small ones (A. Cox, N. Higham, Stability of Householder QR factorization for weighted least squares
/// problems, 1998).
Matrix least_norm(const Matrix& x, const Matrix& directions) {
  if (directions.cols() == 0) return x;
  const Eigen::Index d = x.rows();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const Eigen::VectorXd sizes = directions.rowwise().lpNorm<Eigen::Infinity>();
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return sizes(a) > sizes(b); });
  Matrix sorted(d, directions.cols());
  Matrix sorted_x(d, x.cols());
  for (Eigen::Index i = 0; i < d; ++i) {
    sorted.row(i) = directions.row(order[static_cast<std::size_t>(i)]);
    sorted_x.row(i) = x.row(order[static_cast<std::size_t>(i)]);
  }
  const Matrix z = sorted.colPivHouseholderQr().solve(sorted_x);
  return x - directions * z;
}

/// A tolerance above this leaves out more than what rounding float32 data has made.
constexpr double most_rounding = 0x1p-20;

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
  solution.factor = factor_of(factor);
  const Eigen::VectorXd values = thin_svd(rounded(factor)).values;
  std::int64_t rank = 0;
  while (rank < values.size() && values(rank) > tolerance * values(0)) ++rank;
  solution.rank = rank;
  solution.condition = values(0) / values(rank - 1);
  solution.projected.resize(static_cast<std::size_t>(factor.rows * t));
  Matrix basic = Matrix::Zero(d, t);
  for (std::int64_t k = 0; k < t; ++k) {
    std::vector<DoubleDouble> halfway = forward(factor, column(equations.products, t, k));
    for (std::int64_t i = 0; i < factor.rows; ++i)
      solution.projected[static_cast<std::size_t>(i * t + k)] = halfway[static_cast<std::size_t>(i)].high;
    halfway.resize(static_cast<std::size_t>(rank));
    solution.rest[static_cast<std::size_t>(k)] -= square_of(halfway);
    const std::vector<DoubleDouble> coef = backward(factor, std::move(halfway));
    for (std::int64_t i = 0; i < rank; ++i) {
      const std::int64_t j = factor.order[static_cast<std::size_t>(i)];
      solution.coef[static_cast<std::size_t>(j * t + k)] = coef[static_cast<std::size_t>(i)];
      basic(j, k) = coef[static_cast<std::size_t>(i)].high * units[static_cast<std::size_t>(j)];
    }
  }
  if (rank == d) return solution;
  const double left_out = rank < factor.rows ? std::min(tolerance, most_rounding) : 0.0;
  const double nothing = static_cast<double>(d) * std::max(0x1p-90, left_out);
  const Matrix coef = least_norm(basic, null_directions(factor, rank, nothing, units));
  for (std::int64_t j = 0; j < d; ++j)
    for (std::int64_t k = 0; k < t; ++k) {
      const double unit = units[static_cast<std::size_t>(j)];
      solution.coef[static_cast<std::size_t>(j * t + k)] = unit == 0.0 ? 0.0 : coef(j, k) / unit;
    }
  return solution;
}

}  // namespace tilelearn::linear
