#include "linear/linear_reference.hpp"

#include <cmath>

#include <Eigen/QR>
#include <Eigen/SVD>

namespace tilelearn::linear::reference {

namespace {

template <typename T>
Wide widened(const MatrixView<const T>& X) {
  Wide result(X.rows(), X.columns());
  for (std::int64_t i = 0; i < X.rows(); ++i)
    for (std::int64_t j = 0; j < X.columns(); ++j) result(i, j) = static_cast<long double>(X(i, j));
  return result;
}

template <typename T>
Wide weights_of(const Rows<T>& rows) {
  Wide result = Wide::Ones(rows.X.rows(), 1);
  for (std::int64_t i = 0; rows.weights && i < rows.X.rows(); ++i)
    result(i, 0) = static_cast<long double>((*rows.weights)[i]);
  return result;
}

/// Singular values of the columns at unit length: those of R's, in the order of its pivots.
void find_condition(const Eigen::ColPivHouseholderQR<Wide>& qr, Fit& fit) {
  const Wide upper = qr.matrixR().topRows(qr.cols()).triangularView<Eigen::Upper>();
  const Wide lengths = fit.column_norms * qr.colsPermutation();
  const auto values = Eigen::JacobiSVD<Wide>(upper.array().rowwise() / lengths.row(0).array()).singularValues();
  fit.least_value = static_cast<double>(values(values.size() - 1));
  fit.condition = static_cast<double>(values(0)) / fit.least_value;
}

}  // namespace

template <typename T>
Fit fit(const Rows<T>& rows, bool fit_intercept) {
  Wide X = widened(rows.X);
  Wide Y = widened(rows.Y);
  const Wide weights = weights_of(rows);
  Wide means_X = Wide::Zero(1, X.cols());
  Wide means_Y = Wide::Zero(1, Y.cols());
  if (fit_intercept) {
    means_X = weights.transpose() * X / weights.sum();
    means_Y = weights.transpose() * Y / weights.sum();
  }
  const Wide roots = weights.cwiseSqrt();
  X = roots.col(0).asDiagonal() * (X.rowwise() - means_X.row(0));
  Y = roots.col(0).asDiagonal() * (Y.rowwise() - means_Y.row(0));
  Fit result;
  const Eigen::ColPivHouseholderQR<Wide> qr(X);
  result.coef = qr.solve(Y);
  result.intercept = fit_intercept ? Wide(means_Y - means_X * result.coef) : Wide(Wide::Zero(1, Y.cols()));
  result.residual_norms = (Y - X * result.coef).colwise().norm();
  result.target_norms = Y.colwise().norm();
  result.column_norms = X.colwise().norm();
  find_condition(qr, result);
  return result;
}

template Fit fit(const Rows<float>&, bool);
template Fit fit(const Rows<double>&, bool);

}  // namespace tilelearn::linear::reference
