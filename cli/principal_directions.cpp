#include "principal_directions.hpp"

#include <algorithm>
#include <string>

#include <Eigen/Dense>

#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t most_columns = 2000;  // a covariance of 32 MB
constexpr std::int64_t block_rows = 4096;

template <typename T>
using Rows = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

template <typename T>
Eigen::MatrixXd shifted_block(const Matrix<T>& X, std::int64_t first, const Eigen::RowVectorXd& shift) {
  const std::int64_t rows = std::min(block_rows, X.rows() - first);
  const Rows<T> block(X.data() + first * X.columns(), rows, X.columns());
  return block.template cast<double>().rowwise() - shift;
}

/// Shifted by the first row, so that a large common offset costs no accuracy.
template <typename T>
Eigen::RowVectorXd column_means(const Matrix<T>& X) {
  const Eigen::RowVectorXd pilot = Rows<T>(X.data(), 1, X.columns()).template cast<double>();
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(X.columns());
  for (std::int64_t first = 0; first < X.rows(); first += block_rows)
    sum += shifted_block(X, first, pilot).colwise().sum();
  return pilot + sum / static_cast<double>(X.rows());
}

template <typename T>
Eigen::MatrixXd scatter_matrix(const Matrix<T>& X, const Eigen::RowVectorXd& mean) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(X.columns(), X.columns());
  for (std::int64_t first = 0; first < X.rows(); first += block_rows)
    result.selfadjointView<Eigen::Lower>().rankUpdate(shifted_block(X, first, mean).transpose());
  return result;
}

std::vector<double> with_fixed_sign(Eigen::VectorXd direction) {
  Eigen::Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  if (direction[largest] < 0.0) direction = -direction;
  return {direction.begin(), direction.end()};
}

}  // namespace

template <typename T>
PrincipalDirections principal_directions(const Matrix<T>& X) {
  if (X.columns() > most_columns)
    throw UsageError("--plot finds principal directions of at most " + std::to_string(most_columns) +
                     " columns, there are " + std::to_string(X.columns()) + "; choose two with --plot-columns a,b");
  const Eigen::RowVectorXd mean = column_means(X);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scatter_matrix(X, mean));
  PrincipalDirections result;
  result.mean.assign(mean.begin(), mean.end());
  const double total = solver.eigenvalues().sum();
  for (int i = 0; i < 2; ++i) {
    const Eigen::Index column = X.columns() - 1 - i;  // eigenvalues ascend
    result.direction[static_cast<std::size_t>(i)] = with_fixed_sign(solver.eigenvectors().col(column));
    const double variance = std::max(solver.eigenvalues()[column], 0.0);
    result.share[static_cast<std::size_t>(i)] = total > 0.0 ? variance / total : 0.0;
  }
  return result;
}

template PrincipalDirections principal_directions(const Matrix<float>&);
template PrincipalDirections principal_directions(const Matrix<double>&);

}  // namespace tilelearn::cli
