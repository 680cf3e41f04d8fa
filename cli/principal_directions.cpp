#include "principal_directions.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Dense>

#include "dbscan/dbscan_unit_vectors.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t most_columns = 2000;  // a covariance of 32 MB
constexpr std::int64_t block_rows = 4096;

template <typename T>
using Rows = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Rows in float64, multiplied with a scale.
template <typename T>
struct ScaledRows {
  const Matrix<T>& X;
  double scale;

  [[nodiscard]] Eigen::MatrixXd block(std::int64_t first, std::int64_t rows, const Eigen::RowVectorXd& shift) const {
    const Rows<T> block(X.data() + first * X.columns(), rows, X.columns());
    return (block.template cast<double>() * scale).rowwise() - shift;
  }
  /// Calls use(rows) for block after block, each less `shift`.
  template <typename Use>
  void each_block(const Eigen::RowVectorXd& shift, const Use& use) const {
    for (std::int64_t first = 0; first < X.rows(); first += block_rows)
      use(block(first, std::min(block_rows, X.rows() - first), shift));
  }
};

template <typename T>
double scale_of(const Matrix<T>& X) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < X.rows() * X.columns(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(X.data()[i])));
  return dbscan::unit_scale(largest);
}

/// Shifted by the first row, so that a large common offset costs no accuracy.
template <typename T>
Eigen::RowVectorXd column_means(const ScaledRows<T>& rows) {
  const Eigen::RowVectorXd zero = Eigen::RowVectorXd::Zero(rows.X.columns());
  const Eigen::RowVectorXd pilot = rows.block(0, 1, zero);
  Eigen::RowVectorXd sum = zero;
  rows.each_block(pilot, [&sum](const Eigen::MatrixXd& block) { sum += block.colwise().sum(); });
  return pilot + sum / static_cast<double>(rows.X.rows());
}

template <typename T>
Eigen::MatrixXd scatter_matrix(const ScaledRows<T>& rows, const Eigen::RowVectorXd& mean) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows.X.columns(), rows.X.columns());
  rows.each_block(mean, [&result](const Eigen::MatrixXd& block) {
    result.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
  });
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
  const ScaledRows<T> rows{X, scale_of(X)};
  const Eigen::RowVectorXd mean = column_means(rows);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scatter_matrix(rows, mean));
  PrincipalDirections result;
  result.scale = rows.scale;
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
