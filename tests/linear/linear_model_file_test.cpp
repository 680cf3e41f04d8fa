// A saved LinearRegression is the same model, also for the other type; a damaged or wrong file is refused.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "core/model_file.hpp"
#include "linear/linear_test.hpp"
#include "support/generators.hpp"
#include "support/temporary_file.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<double> values_of(const Matrix<double>& matrix) {
  return {matrix.data(), matrix.data() + matrix.rows() * matrix.columns()};
}

void expect_same(const RegressionSummary& found, const RegressionSummary& wanted) {
  ASSERT_EQ(found.coefficients.size(), wanted.coefficients.size());
  for (std::size_t j = 0; j < wanted.coefficients.size(); ++j) {
    EXPECT_EQ(found.coefficients[j].standard_error, wanted.coefficients[j].standard_error) << j;
    EXPECT_EQ(found.coefficients[j].p, wanted.coefficients[j].p) << j;
    EXPECT_EQ(found.coefficients[j].upper, wanted.coefficients[j].upper) << j;
  }
  EXPECT_EQ(found.has_intercept, wanted.has_intercept);
  EXPECT_EQ(found.observations, wanted.observations);
  EXPECT_EQ(found.residual_degrees, wanted.residual_degrees);
  EXPECT_EQ(found.residual_standard_error, wanted.residual_standard_error);
  EXPECT_EQ(found.r2, wanted.r2);
  EXPECT_EQ(found.f_p, wanted.f_p);
}

/// Everything but predictions, which are of T.
template <typename A, typename B>
void expect_same_model(const LinearRegression<A>& found, const LinearRegression<B>& wanted) {
  EXPECT_EQ(values_of(found.coef()), values_of(wanted.coef()));
  EXPECT_EQ(found.intercept(), wanted.intercept());
  EXPECT_EQ(found.rank(), wanted.rank());
  EXPECT_EQ(found.singular_values(), wanted.singular_values());
  EXPECT_EQ(found.condition_number(), wanted.condition_number());
  EXPECT_EQ(found.solver_used(), wanted.solver_used());
  EXPECT_EQ(found.n_features_in(), wanted.n_features_in());
  EXPECT_EQ(found.warnings(), wanted.warnings());
  EXPECT_EQ(found.options().fit_intercept, wanted.options().fit_intercept);
  EXPECT_EQ(found.options().positive, wanted.options().positive);
  EXPECT_EQ(found.options().solver, wanted.options().solver);
  EXPECT_EQ(found.options().tol, wanted.options().tol);
}

template <typename T>
class LinearFile : public ::testing::Test {
 protected:
  TemporaryFile file_{"linear"};
};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LinearFile, Values);

TYPED_TEST(LinearFile, LoadsTheSameBits) {
  using T = TypeParam;
  const Matrix<T> X = random_matrix<T>(300, 5, 1);
  const Matrix<T> Y = random_matrix<T>(300, 2, 2);
  for (const LinearRegressionOptions& options :
       {LinearRegressionOptions{}, LinearRegressionOptions{.fit_intercept = false, .tol = 0.012345678901234},
        LinearRegressionOptions{.solver = LeastSquaresSolver::cholesky},
        LinearRegressionOptions{.solver = LeastSquaresSolver::refined_cholesky}}) {
    LinearRegression<T> model(options);
    model.fit(X.view(), Y.view());
    model.save(this->file_.path());
    const auto loaded = LinearRegression<T>::load(this->file_.path());
    expect_same_model(loaded, model);
    for (const std::int64_t target : {0, 1}) expect_same(loaded.summary(target), model.summary(target));
    const Matrix<T> wanted = model.predict_all(X.view());
    const Matrix<T> found = loaded.predict_all(X.view());
    EXPECT_TRUE(std::equal(wanted.data(), wanted.data() + 600, found.data()));
    const TemporaryFile again("linear-again");
    loaded.save(again.path());
    EXPECT_EQ(bytes_of(again.path()), bytes_of(this->file_.path()));
  }
}

TYPED_TEST(LinearFile, DependentAndConstantColumnsAndTheirWarnings) {
  using T = TypeParam;
  const Matrix<T> X{{1, 2, 7}, {2, 4, 7}, {3, 6, 7}, {4, 8, 7}};
  const Vector<T> y{1, 2, 3, 5};
  LinearRegression<T> model;
  model.fit(X.view(), y.view());
  ASSERT_EQ(model.warnings().size(), 2U);
  model.save(this->file_.path());
  expect_same_model(LinearRegression<T>::load(this->file_.path()), model);
}

TYPED_TEST(LinearFile, ColumnsThatAreAllConstant) {
  using T = TypeParam;
  const Matrix<T> X{{7}, {7}};
  const Vector<T> y{1, 2};
  LinearRegression<T> model;
  model.fit(X.view(), y.view());
  model.save(this->file_.path());
  const auto loaded = LinearRegression<T>::load(this->file_.path());
  expect_same_model(loaded, model);
  EXPECT_EQ(loaded.rank(), 0);
  EXPECT_EQ(loaded.predict(X.view()).to_std(), (std::vector<T>{static_cast<T>(1.5), static_cast<T>(1.5)}));
}

TYPED_TEST(LinearFile, PositiveCoefficients) {
  using T = TypeParam;
  const Matrix<T> X = random_matrix<T>(30, 3, 1);
  LinearRegression<T> model({.positive = true});
  model.fit(X.view(), random_matrix<T>(30, 1, 2).view());
  model.save(this->file_.path());
  const auto loaded = LinearRegression<T>::load(this->file_.path());
  expect_same_model(loaded, model);
  EXPECT_THROW((void)loaded.summary(), InvalidArgument);
}

TYPED_TEST(LinearFile, ALoadedModelCanBeFittedAgain) {
  using T = TypeParam;
  const Matrix<T> X = random_matrix<T>(30, 3, 1);
  const Matrix<T> y = random_matrix<T>(30, 1, 2);
  LinearRegression<T> model({.fit_intercept = false});
  model.fit(X.view(), y.view());
  model.save(this->file_.path());
  auto loaded = LinearRegression<T>::load(this->file_.path());
  loaded.fit(random_matrix<T>(20, 2, 3).view(), random_matrix<T>(20, 1, 4).view());
  loaded.fit(X.view(), y.view());
  expect_same_model(loaded, model);
}

TEST(LinearFileTypes, AFileOfFloatIsReadAsDouble) {
  const TemporaryFile file("linear-float");
  const TemporaryFile again("linear-double");
  const Matrix<float> X = random_matrix<float>(50, 3, 1);
  LinearRegression<float> model;
  model.fit(X.view(), random_matrix<float>(50, 1, 2).view());
  model.save(file.path());
  const auto loaded = LinearRegression<double>::load(file.path());
  expect_same_model(loaded, model);
  expect_same(loaded.summary(), model.summary());
  loaded.save(again.path());
  EXPECT_EQ(bytes_of(again.path()), bytes_of(file.path()));
  Matrix<double> wide(50, 3);
  std::copy_n(X.data(), 150, wide.data());
  const Vector<double> in_double = loaded.predict(wide.view());
  const Vector<float> in_float = model.predict(X.view());
  for (std::int64_t i = 0; i < 50; ++i) EXPECT_EQ(static_cast<float>(in_double[i]), in_float[i]) << i;
}

/// What a model file of two columns and one target holds; a test changes a part of it.
struct Content {
  int solver = 0;
  double tol = 0.0;
  int solver_used = 3;
  std::int64_t rank = 2;
  std::int64_t observations = 10;
  double weight = 10.0;
  Matrix<double> coef{{1, 2}};
  std::vector<double> intercept{3.0};
  std::vector<double> means{0.5, 0.5, 4.5};
  std::int64_t factor_rows = 2;
  std::vector<double> factor{2, 1, 0, 3};
  std::vector<double> factor_low{0, 0, 0, 0};
  std::vector<std::int64_t> factor_order{1, 0};
  std::vector<double> residual_squares{8.0};
  std::vector<double> total_squares{80.0};
  std::string kind = "linear_regression";

  void write(const std::string& path) const {
    detail::ModelWriter writer(kind);
    writer.set("fit_intercept", true).set("tol", tol).set("solver", solver).set("positive", false);
    writer.set("solver_used", solver_used).set("warnings", std::vector<std::string>{});
    writer.set("rank", rank).set("observations", observations).set("weight", weight);
    writer.array("coef", coef.view()).array("intercept", intercept).array("means", means);
    writer.set("factor_rows", factor_rows).array("factor", factor).array("factor_low", factor_low);
    writer.array("factor_order", factor_order);
    writer.array("residual_squares", residual_squares).array("total_squares", total_squares);
    writer.write(path);
  }
};

TEST(LinearFileValues, TheContentThatTestsChangeIsAModel) {
  const TemporaryFile file("linear-values");
  Content().write(file.path());
  const auto model = LinearRegression<double>::load(file.path());
  const Matrix<double> X{{10, 100}};
  EXPECT_EQ(model.predict(X.view())[0], 213.0);
  EXPECT_EQ(model.summary().residual_degrees, 7);
  EXPECT_EQ(model.singular_values().size(), 2U);
  EXPECT_GT(model.condition_number(), 1.0);
}

TEST(LinearFileValues, ValuesThatNoFitGivesAreRefused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Damage {
    const char* what;
    std::function<void(Content&)> apply;
  };
  const Damage damages[] = {
      {"kind", [](Content& c) { c.kind = "ridge"; }},
      {"solver", [](Content& c) { c.solver = 4; }},
      {"negative solver", [](Content& c) { c.solver = -1; }},
      {"solver used", [](Content& c) { c.solver_used = 0; }},
      {"tol of 1", [](Content& c) { c.tol = 1.0; }},
      {"tol of NaN", [](Content& c) { c.tol = nan; }},
      {"negative tol", [](Content& c) { c.tol = -1e-300; }},
      {"rank above the columns", [](Content& c) { c.rank = 3; }},
      {"negative rank", [](Content& c) { c.rank = -1; }},
      {"rank above the factor's rows",
       [](Content& c) {
         c.factor_rows = 1;
         c.factor = {2, 1};
         c.factor_low = {};
       }},
      {"rank above the observations", [](Content& c) { c.observations = 1; }},
      {"no observations", [](Content& c) { c.observations = 0; }},
      {"no weight", [](Content& c) { c.weight = 0.0; }},
      {"weight of NaN", [](Content& c) { c.weight = nan; }},
      {"coefficient", [](Content& c) { c.coef(0, 1) = infinity; }},
      {"no coefficients", [](Content& c) { c.coef = Matrix<double>(0, 2); }},
      {"no columns", [](Content& c) { c.coef = Matrix<double>(1, 0); }},
      {"other number of columns",
       [](Content& c) {
         c.coef = Matrix<double>{{1, 2, 3}};
       }},
      {"intercept", [](Content& c) { c.intercept = {nan}; }},
      {"two intercepts",
       [](Content& c) {
         c.intercept = {1, 2};
       }},
      {"mean", [](Content& c) { c.means[1] = infinity; }},
      {"number of means",
       [](Content& c) {
         c.means = {1, 2};
       }},
      {"factor", [](Content& c) { c.factor[3] = nan; }},
      {"size of the factor",
       [](Content& c) {
         c.factor = {1, 2, 3};
       }},
      {"more rows of the factor than columns",
       [](Content& c) {
         c.factor_rows = 3;
         c.factor = {1, 0, 0, 1, 0, 0};
       }},
      {"low part of the factor", [](Content& c) { c.factor_low[0] = infinity; }},
      {"size of the factor's low part",
       [](Content& c) {
         c.factor_low = {0, 0};
       }},
      {"column of the factor twice",
       [](Content& c) {
         c.factor_order = {1, 1};
       }},
      {"column of the factor that is none",
       [](Content& c) {
         c.factor_order = {1, 2};
       }},
      {"negative column of the factor",
       [](Content& c) {
         c.factor_order = {-1, 0};
       }},
      {"number of the factor's columns", [](Content& c) { c.factor_order = {0}; }},
      {"negative residuals", [](Content& c) { c.residual_squares = {-1.0}; }},
      {"residuals of NaN", [](Content& c) { c.residual_squares = {nan}; }},
      {"number of residuals", [](Content& c) { c.residual_squares = {}; }},
      {"total of NaN", [](Content& c) { c.total_squares = {nan}; }},
      {"number of totals",
       [](Content& c) {
         c.total_squares = {1, 2};
       }},
  };
  const TemporaryFile file("linear-damaged");
  for (const Damage& damage : damages) {
    Content content;
    damage.apply(content);
    content.write(file.path());
    EXPECT_THROW((void)LinearRegression<double>::load(file.path()), ParseError) << damage.what;
    EXPECT_THROW((void)LinearRegression<float>::load(file.path()), ParseError) << damage.what;
  }
}

TEST(LinearFileValues, AnyChangedByteIsRefused) {
  const TemporaryFile file("linear-bytes");
  Content().write(file.path());
  const std::string whole = bytes_of(file.path());
  const auto write = [&](const std::string& bytes) { std::ofstream(file.path(), std::ios::binary) << bytes; };
  for (std::size_t i = 0; i < whole.size(); i += 7) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    write(changed);
    EXPECT_THROW((void)LinearRegression<double>::load(file.path()), ParseError) << i;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    EXPECT_THROW((void)LinearRegression<double>::load(file.path()), ParseError) << size;
  }
  write(whole + "x");
  EXPECT_THROW((void)LinearRegression<double>::load(file.path()), ParseError);
}

}  // namespace
}  // namespace tilelearn::testing
