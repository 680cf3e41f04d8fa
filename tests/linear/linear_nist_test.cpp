// NIST Statistical Reference Datasets, linear regression: agreement with certified values in digits (LRE).
// Data and certified values: https://www.itl.nist.gov/div898/strd/lls/lls.shtml (public domain).
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <tilelearn/linear_regression.hpp>
#include <tilelearn/table.hpp>

#include "linear/linear_test.hpp"
#include "support/test_data.hpp"

namespace tilelearn::testing {
namespace {

struct DataSet {
  std::string name;
  int degree;  ///< powers of x; 0: the columns as they are
  bool intercept;
  std::vector<double> certified;  ///< with the intercept first, where there is one
  double digits;                  ///< demanded
};

const DataSet data_sets[] = {
    {"norris", 1, true, {-0.262323073774029, 1.00211681802045}, 12.0},
    {"pontius", 2, true, {0.673565789473684E-03, 0.732059160401003E-06, -0.316081871345029E-14}, 12.0},
    {"noint1", 1, false, {2.07438016528926}, 12.0},
    {"noint2", 1, false, {0.727272727272727}, 12.0},
    {"filip",
     10,
     true,
     {-1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372, -354.478233703349, -75.1242017393757,
      -10.8753180355343, -1.06221498588947, -0.670191154593408E-01, -0.246781078275479E-02, -0.402962525080404E-04},
     7.0},
    {"longley",
     0,
     true,
     {-3482258.63459582, 15.0618722713733, -0.358191792925910E-01, -2.02022980381683, -1.03322686717359,
      -0.511041056535807E-01, 1829.15146461355},
     13.0},
    {"wampler1", 5, true, {1, 1, 1, 1, 1, 1}, 9.0},
    {"wampler2", 5, true, {1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001}, 10.0},
    {"wampler3", 5, true, {1, 1, 1, 1, 1, 1}, 9.0},
    {"wampler4", 5, true, {1, 1, 1, 1, 1, 1}, 8.0},
    {"wampler5", 5, true, {1, 1, 1, 1, 1, 1}, 6.0},
};

/// log10 of the relative error, of the worst coefficient; 15 at most.
double digits_of(const LinearRegression<double>& model, const DataSet& set) {
  std::vector<double> found;
  if (set.intercept) found.push_back(model.intercept().front());
  for (std::int64_t j = 0; j < model.n_features_in(); ++j) found.push_back(model.coef()(0, j));
  double digits = 15.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - set.certified[i]) / std::abs(set.certified[i]);
    if (error > 0.0) digits = std::min(digits, -std::log10(error));
  }
  return digits;
}

/// A data set and where it is fitted.
using Case = std::tuple<DataSet, DeviceKind>;

class LinearNist : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (std::get<1>(GetParam()) == DeviceKind::cpu) return;
    const std::string reason = Device::cuda_unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << reason;
    device_ = Device::cuda(0);
  }

  Device device_;
};

TEST_P(LinearNist, AgreesWithTheCertifiedCoefficients) {
  const DataSet& set = std::get<0>(GetParam());
  const Table table = read_csv(test_data("data/nist/" + set.name + ".csv"));
  const Matrix<double> y = table.matrix<double>({"y"});
  Matrix<double> X;
  if (set.degree == 0) {
    X = table.matrix<double>({"x1", "x2", "x3", "x4", "x5", "x6"});
  } else {
    const Matrix<double> x = table.matrix<double>({"x"});
    X = Matrix<double>(x.rows(), set.degree);
    for (std::int64_t i = 0; i < x.rows(); ++i) {
      double power = 1.0;
      for (int j = 0; j < set.degree; ++j) X(i, j) = power *= x(i, 0);
    }
  }
  LinearRegression<double> model({.fit_intercept = set.intercept});
  model.fit(X.to(device_).view(), y.to(device_).view());
  RecordProperty("digits", std::to_string(digits_of(model, set)));
  EXPECT_GE(digits_of(model, set), set.digits);
  EXPECT_EQ(model.rank(), X.columns());
  EXPECT_THAT(model.warnings(), ::testing::IsEmpty());
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const auto& [set, kind] = info.param;
  return set.name + (kind == DeviceKind::cpu ? "_cpu" : "_cuda");
}

INSTANTIATE_TEST_SUITE_P(DataSets, LinearNist,
                         ::testing::Combine(::testing::ValuesIn(data_sets),
                                            ::testing::Values(DeviceKind::cpu, DeviceKind::cuda)),
                         name_of);

}  // namespace
}  // namespace tilelearn::testing
