// The condition sweep on enough rows for the solvers in float64, with residuals that are next to nothing and as large
// as the targets: errors, and which solver answers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/SVD>

#include "linear/linear_reference.hpp"
#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

namespace reference = linear::reference;
using Solver = LeastSquaresSolver;

enum class Columns { one_pair, all_along_one };

constexpr std::int64_t n = 13000;
constexpr std::int64_t d = 16;  // n (d + 2)^2 is above what goes to double-double at once

template <typename T>
struct Problem {
  Matrix<T> X = random_matrix<T>(n, d, 1);
  Matrix<T> y = Matrix<T>(n, 1);

  /// Columns are 1 / apart of themselves beside column 0; `noise` beside the plane.
  Problem(Columns columns, double apart, double noise) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto base = static_cast<double>(X(i, 0));
      for (std::int64_t j = 1; j < (columns == Columns::one_pair ? 2 : d); ++j)
        X(i, j) = static_cast<T>(base + static_cast<double>(X(i, j)) / apart);
      double sum = 1.0;
      for (std::int64_t j = 0; j < d; ++j) sum += static_cast<double>(X(i, j)) * static_cast<double>(j % 3 + 1);
      y(i, 0) = static_cast<T>(sum + noise * (uniform(2, i) - 0.5));
    }
  }
};

/// Of the rows widened to float64 and centred.
template <typename T>
Eigen::VectorXd by_svd(const Problem<T>& problem) {
  Eigen::MatrixXd X(n, d);
  Eigen::VectorXd y(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < d; ++j) X(i, j) = static_cast<double>(problem.X(i, j));
    y(i) = static_cast<double>(problem.y(i, 0));
  }
  X.rowwise() -= X.colwise().mean().eval();
  y.array() -= y.mean();
  return Eigen::BDCSVD<Eigen::MatrixXd>(X, Eigen::ComputeThinU | Eigen::ComputeThinV).setThreshold(0.0).solve(y);
}

double relative_error(const Eigen::VectorXd& found, const reference::Fit& exact) {
  return static_cast<double>((found.cast<long double>() - exact.coef.col(0)).norm() / exact.coef.col(0).norm());
}

template <typename T>
Eigen::VectorXd coefficients(const LinearRegression<T>& model) {
  return Eigen::Map<const Eigen::VectorXd>(model.coef().data(), d);
}

/// By the limits of docs/numerics.md; the condition is estimated from below, within a factor of 2. Where residuals are
/// next to nothing, their squares ask for a correction too.
std::vector<Solver> right_solvers(double condition, bool is_float, bool noisy) {
  const double once = is_float ? 1024.0 : 8.0;
  const double refined = is_float ? 0x1p19 : 1e6;
  std::vector<Solver> result;
  if (condition <= 2.0 * once && noisy) result.push_back(Solver::cholesky);
  if ((condition > once || !noisy) && condition <= 2.0 * refined) result.push_back(Solver::refined_cholesky);
  if (condition > refined) result.push_back(Solver::double_double);
  return result;
}

/// (columns, power of ten of their distance, noise, device)
using Case = std::tuple<Columns, int, double, DeviceKind>;

template <typename T>
void expect_accurate(const Case& parameters) {
  const auto& [columns, power, noise, kind] = parameters;
  const std::string reason = kind == DeviceKind::cpu ? "" : Device::cuda_unavailable_reason();
  if (!reason.empty()) GTEST_SKIP() << reason;
  const Device device = kind == DeviceKind::cpu ? Device::cpu() : Device::cuda(0);
  const Problem<T> problem(columns, std::pow(10.0, power), noise);
  const reference::Fit exact = reference::fit(linear::Rows<T>{problem.X.view(), std::as_const(problem.y).view()}, true);
  const double bound = std::max(2.0 * relative_error(by_svd(problem), exact),
                                16.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * exact.condition);
  LinearRegression<T> model;
  const Matrix<T> X = problem.X.to(device);
  const Matrix<T> y = problem.y.to(device);
  model.fit(X.view(), y.view());
  EXPECT_EQ(model.rank(), d);
  EXPECT_LE(relative_error(coefficients(model), exact), bound) << exact.condition;
  ::testing::Test::RecordProperty("condition", std::to_string(exact.condition));
  ::testing::Test::RecordProperty("solver", std::to_string(static_cast<int>(model.solver_used())));
  EXPECT_THAT(model.solver_used(),
              ::testing::AnyOfArray(right_solvers(exact.condition, sizeof(T) == sizeof(float), noise > 0.0)));
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const auto& [columns, power, noise, kind] = info.param;
  return std::string(columns == Columns::one_pair ? "OnePair" : "AllAlongOne") + "1e" + std::to_string(power) +
         (noise > 0.1 ? "Noisy" : "Exact") + (kind == DeviceKind::cpu ? "_cpu" : "_cuda");
}

const auto every_kind = ::testing::Values(DeviceKind::cpu, DeviceKind::cuda);

class LinearCondition : public ::testing::TestWithParam<Case> {};
TEST_P(LinearCondition, OfFloat64) { expect_accurate<double>(GetParam()); }

// noise times condition^2 2^-64 is what the twin itself errs by: large noise up to 1e6 alone
INSTANTIATE_TEST_SUITE_P(Exact, LinearCondition,
                         ::testing::Combine(::testing::Values(Columns::one_pair, Columns::all_along_one),
                                            ::testing::Values(0, 1, 3, 5, 6, 8, 11, 13), ::testing::Values(0.0),
                                            every_kind),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Noisy, LinearCondition,
                         ::testing::Combine(::testing::Values(Columns::one_pair, Columns::all_along_one),
                                            ::testing::Values(0, 1, 3, 5, 6), ::testing::Values(10.0), every_kind),
                         name_of);

class LinearConditionFloat32 : public ::testing::TestWithParam<Case> {};
TEST_P(LinearConditionFloat32, IsJudgedInFloat64) { expect_accurate<float>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, LinearConditionFloat32,
                         ::testing::Combine(::testing::Values(Columns::one_pair, Columns::all_along_one),
                                            ::testing::Values(0, 2, 3, 5), ::testing::Values(0.0, 10.0), every_kind),
                         name_of);

}  // namespace
}  // namespace tilelearn::testing
