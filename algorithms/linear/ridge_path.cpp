#include "linear/ridge_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilelearn::linear {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// R P^T, whose columns are those of X.
Eigen::MatrixXd in_columns_of_x(const Factor& factor) {
  const auto d = static_cast<Eigen::Index>(factor.order.size());
  const Eigen::Map<const RowMatrix> r(factor.high.data(), factor.rows, d);
  Eigen::MatrixXd result(factor.rows, d);
  for (Eigen::Index j = 0; j < d; ++j) result.col(factor.order[static_cast<std::size_t>(j)]) = r.col(j);
  return result;
}

}  // namespace

RidgePath::RidgePath(const LeastSquares& found) : found_(found) {
  if (found.factor.rows == 0) return;
  svd_ = thin_svd(in_columns_of_x(found.factor));
  const Eigen::Map<const RowMatrix> projected(found.projected.data(), found.factor.rows, found.t);
  svd_.values.conservativeResize(found.rank);
  parts_ = svd_.left.leftCols(found.rank).transpose() * projected;
}

std::vector<double> RidgePath::coef(double alpha, std::int64_t k) const {
  std::vector<double> result(static_cast<std::size_t>(found_.d), 0.0);
  for (Eigen::Index i = 0; i < svd_.values.size(); ++i) {
    const double s = svd_.values(i);
    const double along = parts_(i, k) / (s + alpha / s);
    for (std::int64_t j = 0; j < found_.d; ++j) result[static_cast<std::size_t>(j)] += svd_.right(j, i) * along;
  }
  return result;
}

double RidgePath::residual_squares(double alpha, std::int64_t k) const {
  double sum = found_.residual_squares[static_cast<std::size_t>(k)];
  for (Eigen::Index i = 0; i < svd_.values.size(); ++i) {
    const double left = parts_(i, k) * alpha / (svd_.values(i) * svd_.values(i) + alpha);
    sum += left * left;
  }
  return sum;
}

double RidgePath::gcv(double alpha, std::int64_t k, bool intercept) const {
  double degrees = static_cast<double>(found_.observations) - (intercept ? 1.0 : 0.0);
  for (const double s : svd_.values) degrees -= s / (s + alpha / s);
  if (!(degrees > 0.0)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(found_.observations) * residual_squares(alpha, k) / (degrees * degrees);
}

void penalise(const RidgePath& path, const std::vector<double>& alpha, bool intercept, LeastSquares& found) {
  std::vector<double> residual_squares;
  for (std::int64_t k = 0; k < found.t; ++k) {
    const double penalty = alpha[static_cast<std::size_t>(k)];
    const std::vector<double> coef = path.coef(penalty, k);
    std::copy(coef.begin(), coef.end(), found.coef.begin() + k * found.d);
    residual_squares.push_back(path.residual_squares(penalty, k));
    DoubleDouble constant = found.means[static_cast<std::size_t>(found.d + k)];
    for (std::size_t j = 0; j < coef.size(); ++j) constant -= two_product(found.means[j], coef[j]);
    if (intercept) found.intercept[static_cast<std::size_t>(k)] = constant.high;
  }
  found.residual_squares = std::move(residual_squares);
}

}  // namespace tilelearn::linear
