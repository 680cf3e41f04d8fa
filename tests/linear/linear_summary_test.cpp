// Standard errors, tests and tables: certified values, values recorded from statsmodels 0.14, tails from mpmath.
#include <cmath>
#include <vector>

#include <tilelearn/table.hpp>

#include "linear/distributions.hpp"
#include "linear/linear_test.hpp"
#include "support/test_data.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;

double relative_error(double found, double wanted) { return std::abs(found - wanted) / std::abs(wanted); }

TEST(Distributions, TailsOfStudentsT) {
  struct Tail {
    double t, degrees, p;
  };
  // 17 digits by arithmetic of 40
  for (const Tail& tail :
       {Tail{0.5, 1, 0.70483276469913345}, Tail{2.0, 3, 0.13932596855884318}, Tail{12.3, 30, 3.0033118634648181e-13},
        Tail{40, 5, 1.8411962171772954e-7}, Tail{1e-8, 7, 0.99999999230017098}, Tail{6.5, 1e5, 8.0696024116674442e-11},
        Tail{1.96, 1e7, 0.049995818025314192}}) {
    EXPECT_LT(relative_error(linear::student_t_two_sided(tail.t, tail.degrees), tail.p), 2e-13) << tail.t;
    EXPECT_EQ(linear::student_t_two_sided(-tail.t, tail.degrees), linear::student_t_two_sided(tail.t, tail.degrees));
  }
  EXPECT_EQ(linear::student_t_two_sided(0.0, 4), 1.0);
  EXPECT_EQ(linear::student_t_two_sided(INFINITY, 4), 0.0);
  EXPECT_EQ(linear::student_t_two_sided(1e200, 1), 0.0);
}

TEST(Distributions, QuantilesOfStudentsT) {
  // SciPy 1.14
  EXPECT_LT(relative_error(linear::student_t_quantile(0.05, 1), 12.706204736174705), 1e-13);
  EXPECT_LT(relative_error(linear::student_t_quantile(0.05, 9), 2.2621571627982053), 1e-13);
  EXPECT_LT(relative_error(linear::student_t_quantile(0.01, 30), 2.749995653567226), 1e-13);
  EXPECT_LT(relative_error(linear::student_t_quantile(0.05, 1e6), 1.9599663568141072), 1e-13);
  EXPECT_LT(relative_error(linear::student_t_quantile(0.5, 2), 0.8164965809277261), 1e-13);
}

TEST(Distributions, TailsOfFishersF) {
  EXPECT_LT(relative_error(linear::fisher_f_upper(3.0, 2, 10), 0.095367431640625), 1e-13);
  EXPECT_LT(relative_error(linear::fisher_f_upper(330.285, 6, 9), 4.9840534226484703e-10), 1e-13);
  EXPECT_LT(relative_error(linear::fisher_f_upper(1.0, 5, 5), 0.5), 1e-13);
  EXPECT_LT(relative_error(linear::fisher_f_upper(0.01, 3, 1e6), 0.99863039382838931), 1e-13);
  EXPECT_EQ(linear::fisher_f_upper(0.0, 3, 7), 1.0);
  EXPECT_EQ(linear::fisher_f_upper(INFINITY, 3, 7), 0.0);
}

LinearRegression<double> fit_longley() {
  const Table table = read_csv(test_data("data/nist/longley.csv"));
  const Matrix<double> X = table.matrix<double>({"x1", "x2", "x3", "x4", "x5", "x6"});
  LinearRegression<double> model;
  model.fit(X.view(), table.matrix<double>({"y"}).view());
  return model;
}

TEST(LinearSummary, LongleyHasNistsStandardErrors) {
  // https://www.itl.nist.gov/div898/strd/lls/data/Longley.shtml
  const RegressionSummary summary = fit_longley().summary();
  const std::vector<double> certified{890420.383607373,  84.9149257747669,  0.334910077722432E-01, 0.488399681651699,
                                      0.214274163161675, 0.226073200069370, 455.478499142212};
  ASSERT_EQ(summary.coefficients.size(), certified.size());
  for (std::size_t j = 0; j < certified.size(); ++j)
    EXPECT_LT(relative_error(summary.coefficients[j].standard_error, certified[j]), 1e-13) << j;
  EXPECT_LT(relative_error(summary.residual_standard_error, 304.854073561965), 1e-13);
  EXPECT_LT(relative_error(summary.r2, 0.995479004577296), 1e-13);
  EXPECT_EQ(summary.residual_degrees, 9);
  // NIST's F statistic
  EXPECT_LT(relative_error(summary.f, 330.285339234588), 1e-12);
}

TEST(LinearSummary, FilipHasNistsStandardErrors) {
  const Table table = read_csv(test_data("data/nist/filip.csv"));
  const Matrix<double> x = table.matrix<double>({"x"});
  Matrix<double> X(x.rows(), 10);
  for (std::int64_t i = 0; i < x.rows(); ++i)
    for (std::int64_t j = 0; j < 10; ++j) X(i, j) = (j == 0 ? 1.0 : X(i, j - 1)) * x(i, 0);
  LinearRegression<double> model;
  model.fit(X.view(), table.matrix<double>({"y"}).view());
  const RegressionSummary summary = model.summary();
  const std::vector<double> certified{298.084530995537,      559.779865474950,     466.477572127796,
                                      227.204274477751,      71.6478660875927,     15.2897178747400,
                                      2.23691159816033,      0.221624321934227,    0.142363763154724E-01,
                                      0.535617408889821E-03, 0.896632837373868E-05};
  // the powers of x rounded to float64 move the answer in the eighth digit
  for (std::size_t j = 0; j < certified.size(); ++j)
    EXPECT_LT(relative_error(summary.coefficients[j].standard_error, certified[j]), 1e-7) << j;
  EXPECT_LT(relative_error(summary.residual_standard_error, 0.334801051324544E-02), 1e-8);
}

struct Small {
  Matrix<double> X{{0, 0}, {1, 1}, {2, 4}, {3, 4}, {4, 1}, {5, 0}};
  Vector<double> y{1, 3, 2, 5, 4, 6};
  Vector<double> weights{1, 2, 1, 0.5, 3, 1};

  [[nodiscard]] LinearRegression<double> fit(bool intercept) const {
    LinearRegression<double> model({.fit_intercept = intercept});
    model.fit(X.view(), y.view(), {.sample_weight = weights.view()});
    return model;
  }
};

/// estimate, standard error, t, p, lower, upper
void expect_coefficient(const CoefficientSummary& found, const std::vector<double>& wanted) {
  EXPECT_LT(relative_error(found.estimate, wanted[0]), 1e-12);
  EXPECT_LT(relative_error(found.standard_error, wanted[1]), 1e-12);
  EXPECT_LT(relative_error(found.t, wanted[2]), 1e-12);
  EXPECT_LT(relative_error(found.p, wanted[3]), 1e-12);
  EXPECT_LT(relative_error(found.lower, wanted[4]), 1e-12);
  EXPECT_LT(relative_error(found.upper, wanted[5]), 1e-12);
}

TEST(LinearSummary, WeightsWithAnInterceptAsStatsmodels) {
  const RegressionSummary summary = Small().fit(true).summary();
  ASSERT_EQ(summary.coefficients.size(), 3U);
  expect_coefficient(summary.coefficients[0], {1.676853707414832, 0.8882916863335677, 1.8877286967933489,
                                               0.1555028619703973, -1.1500868877716646, 4.503794302601328});
  expect_coefficient(summary.coefficients[1], {0.7229458917835672, 0.24591601130774152, 2.9398081399379326,
                                               0.060519560529640415, -0.05966860981286137, 1.5055603933799957});
  expect_coefficient(summary.coefficients[2], {-0.09268537074148275, 0.3131462028825929, -0.29598114199785797,
                                               0.7865501525221821, -1.0892563471188128, 0.9038856056358473});
  EXPECT_LT(relative_error(summary.r2, 0.7471523803620989), 1e-12);
  EXPECT_LT(relative_error(summary.adjusted_r2, 0.5785873006034981), 1e-12);
  EXPECT_LT(relative_error(summary.f, 4.432426819552918), 1e-12);
  EXPECT_LT(relative_error(summary.f_p, 0.12714178493507963), 1e-12);
  EXPECT_LT(relative_error(summary.residual_standard_error, 1.2011322870005132), 1e-12);
}

TEST(LinearSummary, WithoutAnInterceptR2IsAboutZeroAsInStatsmodels) {
  const RegressionSummary summary = Small().fit(false).summary();
  ASSERT_EQ(summary.coefficients.size(), 2U);
  expect_coefficient(summary.coefficients[0], {1.0757251908396945, 0.2047564467703695, 5.25368166818259,
                                               0.006281436811765415, 0.5072301564464096, 1.6442202252329796});
  expect_coefficient(summary.coefficients[1], {0.2027480916030533, 0.34744160552536546, 0.5835458056224397,
                                               0.5908460761988695, -0.7619044533999103, 1.167400636606017});
  EXPECT_LT(relative_error(summary.r2, 0.9207588872209269), 1e-12);
  EXPECT_LT(relative_error(summary.adjusted_r2, 0.8811383308313904), 1e-12);
  EXPECT_LT(relative_error(summary.f, 23.239423448987488), 1e-12);
  EXPECT_LT(relative_error(summary.f_p, 0.006279153954465784), 1e-12);
  EXPECT_FALSE(summary.has_intercept);
}

TEST(LinearSummary, ARowOfWeightZeroIsNoObservation) {
  const Small small;
  const Matrix<double> X{{0, 0}, {1, 1}, {9, 9}, {2, 4}, {3, 4}, {4, 1}, {5, 0}};
  const Vector<double> y{1, 3, -50, 2, 5, 4, 6};
  const Vector<double> weights{1, 2, 0, 1, 0.5, 3, 1};
  LinearRegression<double> model;
  model.fit(X.view(), y.view(), {.sample_weight = weights.view()});
  const RegressionSummary summary = model.summary();
  const RegressionSummary without = small.fit(true).summary();
  EXPECT_EQ(summary.observations, 6);
  EXPECT_EQ(summary.residual_degrees, without.residual_degrees);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_LT(relative_error(summary.coefficients[j].standard_error, without.coefficients[j].standard_error), 1e-12);
}

TEST(LinearSummary, WhatTheDataDoNotDetermineIsNaN) {
  const Matrix<double> X{{1, 2}, {2, 4}, {3, 6}, {4, 8}};
  const Vector<double> y{1, 2, 3, 5};
  LinearRegression<double> model;
  model.fit(X.view(), y.view());
  const RegressionSummary summary = model.summary();
  EXPECT_EQ(summary.model_degrees, 1);
  EXPECT_EQ(summary.residual_degrees, 2);
  EXPECT_TRUE(std::isnan(summary.coefficients[1].standard_error));
  EXPECT_TRUE(std::isnan(summary.coefficients[1].p));
  EXPECT_GT(summary.f, 0.0);
  EXPECT_THAT(to_text(summary), HasSubstr("-"));
}

TEST(LinearSummary, NoDegreesOfFreedom) {
  const Matrix<double> X{{1}, {2}};
  const Vector<double> y{1, 4};
  LinearRegression<double> model;
  model.fit(X.view(), y.view());
  const RegressionSummary summary = model.summary();
  EXPECT_EQ(summary.residual_degrees, 0);
  EXPECT_TRUE(std::isnan(summary.residual_standard_error));
  EXPECT_TRUE(std::isnan(summary.coefficients[1].lower));
}

TEST(LinearSummary, Table) {
  const RegressionSummary summary = Small().fit(true).summary();
  const std::string text = to_text(summary, {"height", "age"});
  EXPECT_THAT(text, HasSubstr("estimate  std. error"));
  EXPECT_THAT(text, HasSubstr("(intercept)"));
  EXPECT_THAT(text, HasSubstr("height"));
  EXPECT_THAT(text, HasSubstr("0.722946"));
  EXPECT_THAT(text, HasSubstr("95 % from"));
  EXPECT_THAT(text, HasSubstr("3 degrees of freedom; 6 observations"));
  EXPECT_THAT(to_text(summary), HasSubstr("x1"));
  EXPECT_THROW((void)to_text(summary, {"height"}), ShapeMismatch);
}

TEST(LinearSummary, RefusesWhatIsNotThere) {
  EXPECT_THROW((void)LinearRegression<double>().summary(), NotFitted);
  const LinearRegression<double> model = Small().fit(true);
  EXPECT_THROW((void)model.summary(1), InvalidArgument);
  EXPECT_THROW((void)model.summary(-1), InvalidArgument);
  EXPECT_THROW((void)model.summary(0, 0.0), InvalidArgument);
  EXPECT_THROW((void)model.summary(0, 1.0), InvalidArgument);
}

}  // namespace
}  // namespace tilelearn::testing
