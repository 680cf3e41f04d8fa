// Every refused argument of LinearRegression, one boundary a test, and what a failed or stopped fit leaves behind.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"
#include "support/temporary_file.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

template <typename T>
class LinearErrors : public ::testing::Test {
 protected:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  Matrix<T> X_{{0, 1}, {1, 0}, {2, 2}, {3, 5}, {4, 1}};
  Vector<T> y_{1, 2, 3, 5, 8};

  static LinearRegression<T> fit(const Matrix<T>& X, const Vector<T>& y, const LinearRegressionOptions& options = {}) {
    LinearRegression<T> model(options);
    model.fit(X.view(), y.view());
    return model;
  }

  void fit_weighted(const Vector<T>& weights) const {
    LinearRegression<T> model;
    model.fit(X_.view(), y_.view(), {.sample_weight = weights.view()});
  }

  /// The text of the error of this type that a call throws.
  template <typename Error>
  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }

  static std::vector<double> values_of(const LinearRegression<T>& model) {
    std::vector<double> values(model.coef().data(), model.coef().data() + model.n_features_in());
    values.push_back(model.intercept().front());
    values.push_back(static_cast<double>(model.rank()));
    values.push_back(model.summary().residual_standard_error);
    return values;
  }
};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LinearErrors, Values);

TYPED_TEST(LinearErrors, Tolerance) {
  const auto fit_with = [&](double tol) { (void)this->fit(this->X_, this->y_, {.tol = tol}); };
  EXPECT_NO_THROW(fit_with(0.0));
  EXPECT_NO_THROW(fit_with(std::nextafter(1.0, 0.0)));
  EXPECT_THROW(fit_with(1.0), InvalidArgument);
  EXPECT_THROW(fit_with(std::numeric_limits<double>::quiet_NaN()), InvalidArgument);
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { fit_with(-1e-300); }), HasSubstr("tol is -1e-300"));
}

TYPED_TEST(LinearErrors, SolverThatIsNone) {
  EXPECT_NO_THROW((void)this->fit(this->X_, this->y_, {.solver = static_cast<LeastSquaresSolver>(3)}));
  EXPECT_THAT(this->template error_of<InvalidArgument>(
                  [&] { (void)this->fit(this->X_, this->y_, {.solver = static_cast<LeastSquaresSolver>(4)}); }),
              HasSubstr("solver is 4"));
}

TYPED_TEST(LinearErrors, PositiveWithASolverInFloat64) {
  for (const auto solver : {LeastSquaresSolver::cholesky, LeastSquaresSolver::refined_cholesky}) {
    EXPECT_THROW((void)this->fit(this->X_, this->y_, {.positive = true, .solver = solver}), InvalidArgument);
  }
  EXPECT_THROW((void)this->fit(this->X_, this->y_, {.positive = true}).summary(), InvalidArgument);
}

TYPED_TEST(LinearErrors, EmptyRows) {
  using T = TypeParam;
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)this->fit(Matrix<T>(0, 2), Vector<T>(0)); }),
              AllOf(HasSubstr("LinearRegression"), HasSubstr("0"), HasSubstr("2"), HasSubstr("at least one row")));
  EXPECT_THROW((void)this->fit(Matrix<T>(0, 0), Vector<T>(0)), InvalidArgument);
  EXPECT_THROW((void)this->fit(Matrix<T>(3, 0), Vector<T>{1, 2, 3}), InvalidArgument);
  LinearRegression<T> model;
  EXPECT_THROW(model.fit(this->X_.view(), Matrix<T>(5, 0).view()), InvalidArgument);
  EXPECT_NO_THROW((void)this->fit(Matrix<T>{{1, 2}}, Vector<T>{3}));
}

TYPED_TEST(LinearErrors, NumberOfTargets) {
  using T = TypeParam;
  EXPECT_THAT(this->template error_of<ShapeMismatch>([&] {
    (void)this->fit(this->X_, Vector<T>{1, 2, 3, 4});
  }),
              AllOf(HasSubstr("5 rows"), HasSubstr("4 targets")));
  EXPECT_THROW((void)this->fit(this->X_, Vector<T>{1, 2, 3, 4, 5, 6}), ShapeMismatch);
  EXPECT_THROW((void)this->fit(this->X_, Vector<T>(0)), ShapeMismatch);
}

TYPED_TEST(LinearErrors, ValuesThatAreNotFiniteAreNamed) {
  for (const auto bad : {this->nan, this->infinity, -this->infinity})
    for (const std::int64_t row : {0, 3}) {
      Matrix<TypeParam> X = this->X_.clone();
      X(row, 1) = bad;
      EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)this->fit(X, this->y_); }),
                  HasSubstr("row " + std::to_string(row) + ", column 1"));
      Vector<TypeParam> y = this->y_.clone();
      y[row] = bad;
      EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)this->fit(this->X_, y); }),
                  AllOf(HasSubstr("the targets"), HasSubstr("row " + std::to_string(row) + ", column 0")));
    }
}

TYPED_TEST(LinearErrors, ValuesThatAreNotFiniteAreNamedByEverySolverAndWithoutAnIntercept) {
  using T = TypeParam;
  // in the last of several chunks of rows, beside a dependent and a constant column
  Matrix<T> X = random_matrix<T>(700, 10, 5);
  for (std::int64_t i = 0; i < 700; ++i) X(i, 8) = 1;
  const Vector<T> y(std::vector<T>(700, T{1}));
  X(699, 9) = this->infinity;
  for (const auto solver : {LeastSquaresSolver::automatic, LeastSquaresSolver::cholesky,
                            LeastSquaresSolver::refined_cholesky, LeastSquaresSolver::double_double})
    for (const bool intercept : {true, false})
      EXPECT_THAT(this->template error_of<InvalidArgument>(
                      [&] { (void)this->fit(X, y, {.fit_intercept = intercept, .solver = solver}); }),
                  HasSubstr("row 699, column 9"));
}

TYPED_TEST(LinearErrors, ARowOfWeightZeroIsToBeFiniteToo) {
  using T = TypeParam;
  Matrix<T> X = this->X_.clone();
  X(4, 0) = this->nan;
  const Vector<T> weights{1, 1, 1, 1, 0};
  LinearRegression<T> model;
  EXPECT_THAT(this->template error_of<InvalidArgument>(
                  [&] { model.fit(X.view(), this->y_.view(), {.sample_weight = weights.view()}); }),
              HasSubstr("row 4, column 0"));
}

TYPED_TEST(LinearErrors, Weights) {
  using T = TypeParam;
  EXPECT_NO_THROW(this->fit_weighted({0, 1, 1, 1, 1}));
  EXPECT_THAT(this->template error_of<ShapeMismatch>([&] {
    this->fit_weighted({1, 1, 1});
  }),
              AllOf(HasSubstr("5 rows"), HasSubstr("3 weights")));
  EXPECT_THROW(this->fit_weighted({1, 1, 1, 1, 1, 1}), ShapeMismatch);
  const T tiny = -std::numeric_limits<T>::denorm_min();
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] {
    this->fit_weighted({1, 1, 1, tiny, -1});
  }),
              HasSubstr("the weight of row 3 is -"));
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] {
    this->fit_weighted({this->nan, 1, 1, 1, 1});
  }),
              HasSubstr("the weight of row 0 is nan"));
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] {
    this->fit_weighted({1, 1, 1, 1, this->infinity});
  }),
              HasSubstr("the weight of row 4 is inf"));
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] {
    this->fit_weighted({0, 0, 0, 0, 0});
  }),
              HasSubstr("all 5 weights are zero"));
}

TYPED_TEST(LinearErrors, ForcedSolversRefuseDependentColumns) {
  using T = TypeParam;
  Matrix<T> X = random_matrix<T>(3000, 12, 7);
  Vector<T> y(3000);
  for (std::int64_t i = 0; i < 3000; ++i) {
    X(i, 11) = X(i, 0);  // what the factor leaves of it is rounding of either sign
    y[i] = X(i, 1);
  }
  for (const auto solver : {LeastSquaresSolver::cholesky, LeastSquaresSolver::refined_cholesky})
    EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)this->fit(X, y, {.solver = solver}); }),
                HasSubstr("choose automatic or double_double"));
  EXPECT_EQ(this->fit(X, y).rank(), 11);
}

TYPED_TEST(LinearErrors, NothingWorksBeforeFit) {
  const LinearRegression<TypeParam> model;
  const TemporaryFile file("unfitted");
  EXPECT_THROW((void)model.predict(this->X_.view()), NotFitted);
  EXPECT_THROW((void)model.predict_all(this->X_.view()), NotFitted);
  EXPECT_THROW((void)model.score(this->X_.view(), this->y_.view()), NotFitted);
  EXPECT_THROW((void)model.coef(), NotFitted);
  EXPECT_THROW((void)model.intercept(), NotFitted);
  EXPECT_THROW((void)model.rank(), NotFitted);
  EXPECT_THROW((void)model.singular_values(), NotFitted);
  EXPECT_THROW((void)model.condition_number(), NotFitted);
  EXPECT_THROW((void)model.solver_used(), NotFitted);
  EXPECT_THROW((void)model.summary(), NotFitted);
  EXPECT_THROW((void)model.n_features_in(), NotFitted);
  EXPECT_THROW((void)model.warnings(), NotFitted);
  EXPECT_THROW(model.save(file.path()), NotFitted);
  EXPECT_TRUE(model.options().fit_intercept);
}

TYPED_TEST(LinearErrors, RowsForAFittedModel) {
  using T = TypeParam;
  const auto model = this->fit(this->X_, this->y_);
  const Matrix<T> narrow{{1}, {2}};
  const Matrix<T> wide{{1, 2, 3}, {4, 5, 6}};
  const Matrix<T> bad{{1, 2}, {this->infinity, 0}, {3, this->nan}};
  const Vector<T> two{1, 2};
  const Vector<T> three{1, 2, 3};
  EXPECT_THAT(this->template error_of<ShapeMismatch>([&] { (void)model.predict(wide.view()); }),
              AllOf(HasSubstr("3 columns"), HasSubstr("fitted on 2")));
  for (const Matrix<T>* X : {&narrow, &wide}) {
    EXPECT_THROW((void)model.predict(X->view()), ShapeMismatch);
    EXPECT_THROW((void)model.predict_all(X->view()), ShapeMismatch);
    EXPECT_THROW((void)model.score(X->view(), two.view()), ShapeMismatch);
  }
  const char* const place = "row 1, column 0";
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)model.predict(bad.view()); }), HasSubstr(place));
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)model.predict_all(bad.view()); }), HasSubstr(place));
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)model.score(bad.view(), three.view()); }),
              HasSubstr(place));
  EXPECT_EQ(model.predict(Matrix<T>(0, 2).view()).size(), 0);
}

TYPED_TEST(LinearErrors, Score) {
  using T = TypeParam;
  const auto model = this->fit(this->X_, this->y_);
  const auto score = [&](const Vector<T>& y, const Vector<T>& weights) {
    return model.score(this->X_.view(), y.view(), weights.view());
  };
  const Vector<T> ones{1, 1, 1, 1, 1};
  EXPECT_NO_THROW((void)score(this->y_, ones));
  EXPECT_THROW((void)model.score(this->X_.view(), Vector<T>{1, 2, 3, 4}.view()), ShapeMismatch);
  EXPECT_THROW((void)model.score(Matrix<T>(0, 2).view(), Vector<T>(0).view()), InvalidArgument);
  EXPECT_THROW((void)score(this->y_, {1, 1, 1, 1}), ShapeMismatch);
  EXPECT_THROW((void)score(this->y_, {0, 0, 0, 0, 0}), InvalidArgument);
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] {
    (void)score(this->y_, {1, 1, -1, 1, 1});
  }),
              HasSubstr("row 2"));
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] {
    (void)score({1, 2, this->nan, 4, 5}, ones);
  }),
              AllOf(HasSubstr("the targets"), HasSubstr("row 2")));
}

TYPED_TEST(LinearErrors, SeveralTargetsAreNotOne) {
  using T = TypeParam;
  const Matrix<T> Y{{1, 2}, {2, 3}, {3, 1}, {5, 0}, {8, 1}};
  LinearRegression<T> model;
  model.fit(this->X_.view(), Y.view());
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)model.predict(this->X_.view()); }),
              AllOf(HasSubstr("2 targets"), HasSubstr("predict_all")));
  EXPECT_THROW((void)model.score(this->X_.view(), this->y_.view()), InvalidArgument);
  EXPECT_NO_THROW((void)model.summary(1));
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)model.summary(2); }),
              AllOf(HasSubstr("target 2"), HasSubstr("fit of 2")));
}

TYPED_TEST(LinearErrors, SummaryConfidence) {
  const auto model = this->fit(this->X_, this->y_);
  EXPECT_THAT(this->template error_of<InvalidArgument>([&] { (void)model.summary(0, 1.5); }), HasSubstr("1.5"));
  EXPECT_THROW((void)model.summary(0, std::numeric_limits<double>::quiet_NaN()), InvalidArgument);
}

TYPED_TEST(LinearErrors, FilesThatCannotBeWrittenOrAreNotThere) {
  const auto model = this->fit(this->X_, this->y_);
  const TemporaryFile file("missing");
  EXPECT_THROW(model.save(file.path() + "/no/such/folder"), Error);
  EXPECT_THAT(this->template error_of<ParseError>([&] { (void)LinearRegression<TypeParam>::load(file.path()); }),
              HasSubstr(file.path()));
}

TYPED_TEST(LinearErrors, AStoppedFitLeavesTheModelAsItWas) {
  using T = TypeParam;
  LinearRegression<T> model({.solver = LeastSquaresSolver::refined_cholesky});
  model.fit(this->X_.view(), this->y_.view());
  const std::vector<double> before = this->values_of(model);
  const Matrix<T> other = random_matrix<T>(500, 3, 1);
  const Matrix<T> targets = random_matrix<T>(500, 1, 2);
  std::int64_t passes = 0;
  model.fit(this->X_.view(), this->y_.view(), {.stop = [&] { return ++passes < 0; }});
  EXPECT_EQ(this->values_of(model), before);
  ASSERT_GE(passes, 2);
  for (std::int64_t last = 1; last <= 2; ++last) {
    std::int64_t asked = 0;
    EXPECT_THROW(model.fit(other.view(), targets.view(), {.stop = [&] { return ++asked == last; }}), Cancelled);
    EXPECT_EQ(asked, last);
    EXPECT_EQ(this->values_of(model), before);
    EXPECT_EQ(model.n_features_in(), 2);
  }
}

TEST(LinearErrorsDouble, StopIsAskedBeforeThePassInBetterUnits) {
  const Matrix<double> X{{1e200}, {3e200}, {-1e200}};  // whose squares leave double
  const Vector<double> y{1, 2, 3};
  LinearRegression<double> model;
  int asked = 0;
  EXPECT_THROW(model.fit(X.view(), y.view(), {.stop = [&] { return ++asked == 2; }}), Cancelled);
}

TYPED_TEST(LinearErrors, ARefusedFitLeavesTheModelAsItWas) {
  using T = TypeParam;
  LinearRegression<T> model;
  model.fit(this->X_.view(), this->y_.view());
  const std::vector<double> before = this->values_of(model);
  Matrix<T> bad = random_matrix<T>(20, 3, 1);
  bad(7, 2) = this->nan;
  EXPECT_THROW(model.fit(bad.view(), random_matrix<T>(20, 1, 2).view()), InvalidArgument);
  EXPECT_EQ(this->values_of(model), before);
}

TYPED_TEST(LinearErrors, WorkspaceLimitIsObeyedOrRefused) {
  using T = TypeParam;
  const Matrix<T> X = random_matrix<T>(9000, 11, 3);
  const Matrix<T> y = random_matrix<T>(9000, 1, 4);
  for (const auto solver : {LeastSquaresSolver::refined_cholesky, LeastSquaresSolver::double_double}) {
    LinearRegression<T> model({.solver = solver});
    model.fit(X.view(), y.view());
    const std::vector<double> before = this->values_of(model);
    const auto fits_within = [&](std::int64_t bytes) {
      const Device device = Device::cpu(2).with_workspace_limit(bytes);
      try {
        model.fit(MatrixView<const T>(X.data(), 9000, 11, device), MatrixView<const T>(y.data(), 9000, 1, device));
      } catch (const OutOfMemory& error) {
        EXPECT_GT(error.asked_bytes(), error.free_bytes());
        EXPECT_EQ(this->values_of(model), before);
        return false;
      }
      EXPECT_EQ(this->values_of(model), before);
      return true;
    };
    EXPECT_FALSE(fits_within(0));
    std::int64_t refused = 0;
    std::int64_t accepted = 1 << 26;
    ASSERT_TRUE(fits_within(accepted));
    while (accepted - refused > 1) {
      const std::int64_t middle = refused + (accepted - refused) / 2;
      (fits_within(middle) ? accepted : refused) = middle;
    }
    // At the least: two threads' chunks of 128 rows and panels of 16 columns, and a block's sums for each.
    const std::int64_t words = solver == LeastSquaresSolver::double_double ? 2 : 1;
    EXPECT_GE(accepted, 8 * words * 2 * (2 * 128 * 16 + 16 * 16));
  }
}

TYPED_TEST(LinearErrors, PredictionsObeyTheWorkspaceLimit) {
  using T = TypeParam;
  const auto model = this->fit(this->X_, this->y_);
  const auto predict_within = [&](std::int64_t bytes) {
    const Device device = Device::cpu().with_workspace_limit(bytes);
    return model.predict(MatrixView<const T>(this->X_.data(), 5, 2, device)).to_std();
  };
  EXPECT_THROW((void)predict_within(100), OutOfMemory);
  EXPECT_EQ(predict_within(1 << 20), model.predict(this->X_.view()).to_std());
}

}  // namespace
}  // namespace tilelearn::testing
