// Singular values and vectors of a small matrix: the method of Jacobi, which keeps the digits of small values, as far
// as it is fast enough, above it divide and conquer.
#pragma once

#include <Eigen/Core>
#include <Eigen/SVD>

namespace tilelearn::linear {

/// A = left diag(values) right^T, values descending.
struct ThinSvd {
  Eigen::MatrixXd left;
  Eigen::VectorXd values;
  Eigen::MatrixXd right;
};

inline ThinSvd thin_svd(const Eigen::MatrixXd& matrix) {
  constexpr Eigen::Index most_jacobi_columns = 64;
  constexpr unsigned both = Eigen::ComputeThinU | Eigen::ComputeThinV;
  if (matrix.cols() <= most_jacobi_columns) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, both);
    return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix, both);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

}  // namespace tilelearn::linear
