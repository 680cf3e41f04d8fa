// The condition sweep: columns made to depend on each other step by step, judged by a solution in long double, against
// what a singular value decomposition in float64 reaches on the same data.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

constexpr std::int64_t n = 600;
constexpr std::int64_t d = 12;

/// X = U S V^T with singular values from 1 down to 1 / condition, rounded to T, and y with noise beside the plane.
template <typename T>
struct Sweep {
  Matrix<T> X = Matrix<T>(n, d);
  Vector<T> y = Vector<T>(n);
  Wide centred;  ///< of the rounded values
  Wide target;

  explicit Sweep(double condition) {
    const auto random = [](std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
      Eigen::MatrixXd matrix(rows, columns);
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) matrix(i, j) = uniform(seed, i * columns + j) - 0.5;
      return matrix;
    };
    const Eigen::MatrixXd left =
        Eigen::HouseholderQR<Eigen::MatrixXd>(random(n, d, 1)).householderQ() * Eigen::MatrixXd::Identity(n, d);
    const Eigen::MatrixXd right = Eigen::HouseholderQR<Eigen::MatrixXd>(random(d, d, 2)).householderQ();
    Eigen::VectorXd values(d);
    for (std::int64_t j = 0; j < d; ++j) values(j) = std::pow(condition, -static_cast<double>(j) / (d - 1));
    const Eigen::MatrixXd matrix = left * values.asDiagonal() * right.transpose();
    centred.resize(n, d);
    target.resize(n, 1);
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 3.0;
      for (std::int64_t j = 0; j < d; ++j) {
        X(i, j) = static_cast<T>(matrix(i, j));
        centred(i, j) = X(i, j);
        sum += static_cast<double>(j + 1) * static_cast<double>(X(i, j));
      }
      y[i] = static_cast<T>(sum + 0.01 * (uniform(3, i) - 0.5));
      target(i, 0) = y[i];
    }
    centred.rowwise() -= centred.colwise().mean().eval();
    target.array() -= target.mean();
  }
};

double relative_error(const Eigen::VectorXd& found, const Wide& exact) {
  return static_cast<double>((found.cast<long double>() - exact).norm() / exact.norm());
}

template <typename T>
Eigen::VectorXd coefficients(const Sweep<T>& sweep, LeastSquaresSolver solver, LeastSquaresSolver* used = nullptr) {
  LinearRegression<T> model({.solver = solver});
  model.fit(sweep.X.view(), sweep.y.view());
  EXPECT_EQ(model.rank(), d);
  if (used != nullptr) *used = model.solver_used();
  return Eigen::Map<const Eigen::VectorXd>(model.coef().data(), d);
}

template <typename T>
void expect_accurate(double condition) {
  const Sweep<T> sweep(condition);
  const Wide exact = Eigen::ColPivHouseholderQR<Wide>(sweep.centred).solve(sweep.target);
  const Eigen::MatrixXd centred = sweep.centred.template cast<double>();
  const Eigen::VectorXd by_svd = Eigen::JacobiSVD<Eigen::MatrixXd>(centred, Eigen::ComputeThinU | Eigen::ComputeThinV)
                                     .setThreshold(0.0)
                                     .solve(Eigen::VectorXd(sweep.target.template cast<double>()));
  // 16 eps of the data's type; long double itself errs by condition^2 2^-64 at worst
  const double bound = std::max(2.0 * relative_error(by_svd, exact),
                                16.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * condition);
  std::vector<LeastSquaresSolver> solvers{LeastSquaresSolver::automatic, LeastSquaresSolver::double_double};
  if (condition <= 1e6) solvers.push_back(LeastSquaresSolver::refined_cholesky);
  for (const auto solver : solvers) EXPECT_LT(relative_error(coefficients(sweep, solver), exact), bound) << condition;
}

class LinearAccuracy : public ::testing::TestWithParam<int> {};

TEST_P(LinearAccuracy, OfFloat64) { expect_accurate<double>(std::pow(10.0, GetParam())); }

INSTANTIATE_TEST_SUITE_P(Condition, LinearAccuracy, ::testing::Range(0, 15));

class LinearAccuracyFloat32 : public ::testing::TestWithParam<int> {};

TEST_P(LinearAccuracyFloat32, IsThatOfFloat64) {
  const double condition = std::pow(10.0, GetParam());
  expect_accurate<float>(condition);
  // not only within 16 eps of float32: sums are float64
  const Sweep<float> sweep(condition);
  const Wide exact = Eigen::ColPivHouseholderQR<Wide>(sweep.centred).solve(sweep.target);
  EXPECT_LT(relative_error(coefficients(sweep, LeastSquaresSolver::automatic), exact), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Condition, LinearAccuracyFloat32, ::testing::Range(0, 7));

/// Large problems take the solvers in float64 on their own: many rows, some of the columns nearly equal.
class LinearLargeAccuracy : public ::testing::TestWithParam<std::tuple<double, LeastSquaresSolver>> {};

TEST_P(LinearLargeAccuracy, TakesTheCheapestSolverThatIsGoodEnough) {
  const auto& [apart, solver] = GetParam();
  constexpr std::int64_t rows = 20000;
  constexpr std::int64_t columns = 20;
  Matrix<double> X = random_matrix<double>(rows, columns, 5);
  Vector<double> y(rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    X(i, 1) = X(i, 0) + apart * X(i, 1);
    double sum = 1.0;
    for (std::int64_t j = 0; j < columns; ++j) sum += X(i, j);
    y[i] = sum + 0.1 * (uniform(6, i) - 0.5);
  }
  LinearRegression<double> model;
  model.fit(X.view(), y.view());
  EXPECT_EQ(model.solver_used(), solver);
  LinearRegression<double> exact({.solver = LeastSquaresSolver::double_double});
  exact.fit(X.view(), y.view());
  for (std::int64_t j = 0; j < columns; ++j)
    EXPECT_NEAR(model.coef()(0, j), exact.coef()(0, j), 16 * 2.3e-16 * 4 / apart * std::abs(exact.coef()(0, 1)));
}

INSTANTIATE_TEST_SUITE_P(Solvers, LinearLargeAccuracy,
                         ::testing::Values(std::tuple(1.0, LeastSquaresSolver::cholesky),
                                           std::tuple(1e-2, LeastSquaresSolver::refined_cholesky),
                                           std::tuple(1e-5, LeastSquaresSolver::refined_cholesky),
                                           std::tuple(1e-8, LeastSquaresSolver::double_double)));

}  // namespace
}  // namespace tilelearn::testing
