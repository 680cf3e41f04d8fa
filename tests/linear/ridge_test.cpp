// Ridge and RidgeCV: values worked out by hand, several penalties against one at a time, what is refused.
#include <cmath>
#include <limits>
#include <vector>

#include <tilelearn/ridge.hpp>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"
#include "support/temporary_file.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;

Ridge<double> fit_one(const Matrix<double>& X, const Vector<double>& y, double alpha, bool intercept = true) {
  Ridge<double> model(RidgeOptions{{alpha}, intercept});
  model.fit(X.view(), y.view());
  return model;
}

TEST(RidgeCases, L13AConstantColumn) {
  const Matrix<double> X{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}};
  const Vector<double> y{2.1, 2.9, 3.9, 5.1, 7.1};
  const Ridge<double> model = fit_one(X, y, 1.0);
  EXPECT_EQ(model.coef()(0, 0), 0.0);
  EXPECT_NEAR(model.coef()(0, 1), 1.109090909090909, 1e-14);
  EXPECT_NEAR(model.intercept().front(), 0.892727272727273, 1e-14);
  EXPECT_THAT(model.warnings(), ::testing::ElementsAre(HasSubstr("constant columns of X")));
}

TEST(RidgeCases, L23ASingularMatrix) {
  const Matrix<double> X{{1, 1}, {2, 2}, {3, 3}};
  const Vector<double> y{2, 4, 6};
  const Ridge<double> none = fit_one(X, y, 0.0, false);
  EXPECT_NEAR(none.coef()(0, 0), 1.0, 1e-14);
  EXPECT_NEAR(none.coef()(0, 1), 1.0, 1e-14);
  const Ridge<double> one = fit_one(X, y, 1.0, false);
  EXPECT_NEAR(one.coef()(0, 0), 28.0 / 29.0, 1e-14);
  EXPECT_NEAR(one.coef()(0, 1), 28.0 / 29.0, 1e-14);
}

TEST(RidgeCases, L25WeightsAndAnInterceptThatIsNotPenalised) {
  const Matrix<double> X{{0}, {1}, {2}, {3}};
  const Vector<double> y{0, 2, 3, 5};
  const Vector<double> weights{1, 2, 3, 4};
  Ridge<double> model;
  model.fit(X.view(), y.view(), {.sample_weight = weights.view()});
  EXPECT_NEAR(model.coef()(0, 0), 16.0 / 11.0, 1e-14);
  EXPECT_NEAR(model.intercept().front(), 43.0 / 110.0, 1e-14);
}

TEST(RidgeCases, L27ExtremePenalties) {
  const Matrix<double> X{{0}, {1}, {2}, {3}, {4}};
  const Vector<double> y{1, 3, 5, 7, 9};
  const Ridge<double> huge = fit_one(X, y, 1e12);
  EXPECT_NEAR(huge.coef()(0, 0), 20.0 / (10.0 + 1e12), 1e-25);
  EXPECT_NEAR(huge.intercept().front(), 5.0, 1e-9);
  for (const double bad :
       {-1.0, -1e-300, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(fit_one(X, y, bad), InvalidArgument) << bad;
    EXPECT_THROW(RidgeCV<double>(RidgeCVOptions{{1.0, bad}}).fit(X.view(), y.view()), InvalidArgument) << bad;
  }
  EXPECT_THROW(RidgeCV<double>(RidgeCVOptions{std::vector<double>{}}).fit(X.view(), y.view()), InvalidArgument);
}

/// n rows of d columns that depend on each other but for `independent` of their length; t targets.
struct Problem {
  Matrix<double> X;
  Matrix<double> Y;
  Vector<double> weights;

  Problem(std::int64_t n, std::int64_t d, std::int64_t t, double independent)
      : X(random_matrix<double>(n, d, 7)), Y(random_matrix<double>(n, t, 8)), weights(n) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 1; j < d; ++j) X(i, j) = X(i, 0) + independent * X(i, j);
      for (std::int64_t k = 0; k < t; ++k) Y(i, k) += X(i, 0) - 2 * X(i, d - 1);
      weights[i] = 1.0 + static_cast<double>(i % 3);
    }
  }
};

/// max |a - b| over max |b|
double relative_difference(const Matrix<double>& a, std::int64_t row, const Matrix<double>& b) {
  double difference = 0.0;
  double largest = 0.0;
  for (std::int64_t j = 0; j < b.columns(); ++j) {
    difference = std::max(difference, std::abs(a(row, j) - b(0, j)));
    largest = std::max(largest, std::abs(b(0, j)));
  }
  return difference / largest;
}

TEST(Ridge, PenaltiesOfEachTargetAsOneAtATime) {
  for (const double independent : {1.0, 1e-3, 1e-6}) {
    const Problem problem(5000, 6, 4, independent);
    const std::vector<double> alphas{0.0, 1e-6, 1.0, 1e4};
    Ridge<double> all(RidgeOptions{alphas, true});
    all.fit(problem.X.view(), problem.Y.view(), {.sample_weight = problem.weights.view()});
    for (std::int64_t k = 0; k < 4; ++k) {
      Ridge<double> one(RidgeOptions{{alphas[static_cast<std::size_t>(k)]}, true});
      const VectorView<const double> y(problem.Y.data() + k, 5000, Device::cpu(), 4);
      one.fit(problem.X.view(), y, {.sample_weight = problem.weights.view()});
      // 16 eps of the condition, which the penalty makes smaller
      EXPECT_LT(relative_difference(all.coef(), k, one.coef()), 16 * 2.3e-16 * 4 / independent) << k;
      EXPECT_NEAR(all.intercept()[static_cast<std::size_t>(k)], one.intercept().front(), 1e-9);
    }
  }
}

/// (X^T W X + alpha I) coef = X^T W y on centred data, in long double, by Gaussian elimination.
TEST(Ridge, SolvesItsNormalEquations) {
  const Problem problem(300, 5, 1, 0.1);
  const VectorView<const double> y(problem.Y.data(), 300);
  for (const double alpha : {1e-8, 0.3, 50.0, 1e7}) {
    Ridge<double> model(RidgeOptions{{alpha}, true});
    model.fit(problem.X.view(), y, {.sample_weight = problem.weights.view()});
    // the gradient sum w x (y - x coef - intercept) - alpha coef is 0
    for (std::int64_t j = 0; j < 5; ++j) {
      long double gradient = -static_cast<long double>(alpha) * model.coef()(0, j);
      long double size = std::abs(gradient);
      for (std::int64_t i = 0; i < 300; ++i) {
        long double residual = y[i] - static_cast<long double>(model.intercept().front());
        for (std::int64_t k = 0; k < 5; ++k) residual -= static_cast<long double>(problem.X(i, k)) * model.coef()(0, k);
        const long double term = problem.weights[i] * problem.X(i, j) * residual;
        gradient += term;
        size += std::abs(term);
      }
      EXPECT_LT(std::abs(gradient), 1e-14L * size) << alpha << ", " << j;
    }
  }
}

TEST(RidgeCV, ChoosesTheLeastGcvAndItsModelIsThatOfRidge) {
  const Problem problem(400, 8, 1, 0.01);
  const VectorView<const double> y(problem.Y.data(), 400);
  RidgeCV<double> search(RidgeCVOptions{{1e-4, 1e-2, 1.0, 100.0}});
  search.fit(problem.X.view(), y, {.sample_weight = problem.weights.view()});
  ASSERT_EQ(search.scores().size(), 4U);
  // n RSS / (n - 1 - trace)^2 with the trace from the predictions: d prediction_i / d y_i by unit changes
  for (std::size_t a = 0; a < 4; ++a) {
    const double alpha = search.options().alphas[a];
    Ridge<double> model(RidgeOptions{{alpha}, true});
    model.fit(problem.X.view(), y, {.sample_weight = problem.weights.view()});
    const Vector<double> base = model.predict(problem.X.view());
    double squares = 0.0;
    double trace = 0.0;
    for (std::int64_t i = 0; i < 400; ++i) {
      squares += problem.weights[i] * (y[i] - base[i]) * (y[i] - base[i]);
      Vector<double> changed(400);
      for (std::int64_t r = 0; r < 400; ++r) changed[r] = y[r] + (r == i ? 1.0 : 0.0);
      Ridge<double> moved(RidgeOptions{{alpha}, true});
      moved.fit(problem.X.view(), changed.view(), {.sample_weight = problem.weights.view()});
      trace += moved.predict(problem.X.view())[i] - base[i];
    }
    const double gcv = 400.0 * squares / ((400.0 - trace) * (400.0 - trace));
    EXPECT_NEAR(search.scores()[a] / gcv, 1.0, 1e-8) << alpha;
  }
  const auto best = std::min_element(search.scores().begin(), search.scores().end()) - search.scores().begin();
  EXPECT_EQ(search.alpha(), search.options().alphas[static_cast<std::size_t>(best)]);
  Ridge<double> model(RidgeOptions{{search.alpha()}, true});
  model.fit(problem.X.view(), y, {.sample_weight = problem.weights.view()});
  EXPECT_LT(relative_difference(search.model().coef(), 0, model.coef()), 1e-11);
  const Ridge<double> taken = search.release();
  EXPECT_EQ(taken.n_features_in(), 8);
  EXPECT_THROW((void)search.alpha(), NotFitted);
}

TEST(Ridge, RefusesAWrongNumberOfPenalties) {
  const Problem problem(20, 2, 3, 1.0);
  Ridge<double> model(RidgeOptions{{1.0, 2.0}, true});
  EXPECT_THROW(model.fit(problem.X.view(), problem.Y.view()), InvalidArgument);
  Ridge<double> none(RidgeOptions{{}, true});
  EXPECT_THROW(none.fit(problem.X.view(), problem.Y.view()), InvalidArgument);
  EXPECT_THROW((void)none.coef(), NotFitted);
}

TEST(Ridge, ModelFile) {
  const Problem problem(50, 3, 2, 1.0);
  Ridge<double> model(RidgeOptions{{0.5, 2.0}, false});
  model.fit(problem.X.view(), problem.Y.view());
  const TemporaryFile file("ridge.tlm");
  model.save(file.path());
  const Ridge<double> loaded = Ridge<double>::load(file.path());
  EXPECT_EQ(loaded.options().alpha, model.options().alpha);
  EXPECT_FALSE(loaded.options().fit_intercept);
  for (std::int64_t k = 0; k < 2; ++k)
    for (std::int64_t j = 0; j < 3; ++j) EXPECT_EQ(loaded.coef()(k, j), model.coef()(k, j));
  EXPECT_THROW((void)LinearRegression<double>::load(file.path()), ParseError);
}

}  // namespace
}  // namespace tilelearn::testing
