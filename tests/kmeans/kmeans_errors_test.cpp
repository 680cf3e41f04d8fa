// Every refused argument, one boundary a test, and what a failed or stopped fit leaves behind.
#include <limits>

#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class KMeansErrors : public KMeansTest<I> {
 protected:
  using Base = KMeansTest<I>;

  /// Four rows that any k up to 4 fits.
  [[nodiscard]] static Matrix<typename I::Value> rows() { return {{0, 0}, {1, 0}, {5, 5}, {6, 5}}; }

  void fit_with(const KMeansOptions& options) const { Base::fit({rows(), options}); }

  void fit_weighted(std::initializer_list<typename I::Value> weights, std::int32_t k = 2) const {
    Base::fit({rows(), {.n_clusters = k}, Vector<typename I::Value>(weights)});
  }
};
TYPED_TEST_SUITE(KMeansErrors, DeviceTypes, DeviceTypeNames);

TYPED_TEST(KMeansErrors, NumberOfClusters) {
  EXPECT_THROW(this->fit_with({.n_clusters = 0}), InvalidArgument);
  EXPECT_NO_THROW(this->fit_with({.n_clusters = 1}));
  EXPECT_NO_THROW(this->fit_with({.n_clusters = 4}));
  EXPECT_THROW(this->fit_with({.n_clusters = 5}), InvalidArgument);
}

TYPED_TEST(KMeansErrors, NumberOfStarts) {
  EXPECT_THROW(this->fit_with({.n_clusters = 2, .n_init = -1}), InvalidArgument);
  EXPECT_NO_THROW(this->fit_with({.n_clusters = 2, .n_init = 1}));
}

TYPED_TEST(KMeansErrors, NumberOfIterations) {
  EXPECT_THROW(this->fit_with({.n_clusters = 2, .max_iter = 0}), InvalidArgument);
  EXPECT_NO_THROW(this->fit_with({.n_clusters = 2, .max_iter = 1}));
}

TYPED_TEST(KMeansErrors, Tolerance) {
  EXPECT_THROW(this->fit_with({.n_clusters = 2, .tol = -1e-300}), InvalidArgument);
  EXPECT_THROW(this->fit_with({.n_clusters = 2, .tol = std::numeric_limits<double>::quiet_NaN()}), InvalidArgument);
  EXPECT_THROW(this->fit_with({.n_clusters = 2, .tol = std::numeric_limits<double>::infinity()}), InvalidArgument);
  EXPECT_NO_THROW(this->fit_with({.n_clusters = 2, .tol = 0.0}));
}

TYPED_TEST(KMeansErrors, InitThatIsNone) {
  EXPECT_THROW(this->fit_with({.n_clusters = 2, .init = static_cast<KMeansInit>(3)}), InvalidArgument);
}

TYPED_TEST(KMeansErrors, Weights) {
  using T = typename TypeParam::Value;
  EXPECT_NO_THROW(this->fit_weighted({1, 1, 1, 0}));
  EXPECT_THROW(this->fit_weighted({1, 1, 1}), ShapeMismatch);
  EXPECT_THROW(this->fit_weighted({1, 1, 1, 1, 1}), ShapeMismatch);
  EXPECT_THROW(this->fit_weighted({1, 1, -1, 1}), InvalidArgument);
  EXPECT_THROW(this->fit_weighted({1, 1, std::numeric_limits<T>::quiet_NaN(), 1}), InvalidArgument);
  EXPECT_THROW(this->fit_weighted({1, 1, std::numeric_limits<T>::infinity(), 1}), InvalidArgument);
  EXPECT_THROW(this->fit_weighted({0, 0, 0, 0}), InvalidArgument);
}

TYPED_TEST(KMeansErrors, ATinyWeightIsWrittenSoThatItReadsBack) {
  using T = typename TypeParam::Value;
  try {
    this->fit_weighted({1, static_cast<T>(-1e-9), 1, 1});
    FAIL() << "a negative weight was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "KMeans: the weight of row 1 is -1e-09, must be finite and 0 or more");
  }
}

TYPED_TEST(KMeansErrors, FewerPositiveWeightsThanClusters) {
  EXPECT_NO_THROW(this->fit_weighted({1, 0, 1, 0}, 2));
  EXPECT_THROW(this->fit_weighted({1, 0, 1, 0}, 3), InvalidArgument);
}

TYPED_TEST(KMeansErrors, GivenCenters) {
  using T = typename TypeParam::Value;
  const auto fit_from = [this](Matrix<T> init) { this->fit({this->rows(), {.n_clusters = 2}, {}, std::move(init)}); };
  EXPECT_NO_THROW(fit_from({{0, 0}, {5, 5}}));
  EXPECT_THROW(fit_from({{0, 0}}), ShapeMismatch);
  EXPECT_THROW(fit_from({{0, 0}, {5, 5}, {6, 6}}), ShapeMismatch);
  EXPECT_THROW(fit_from({{0}, {5}}), ShapeMismatch);
  EXPECT_THROW(fit_from({{0, 0}, {std::numeric_limits<T>::quiet_NaN(), 5}}), InvalidArgument);
}

TYPED_TEST(KMeansErrors, TextsCarryTheNumbers) {
  try {
    this->fit_weighted({1, 1, -3, 1});
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("row 2"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("-3"), std::string::npos) << error.what();
  }
  try {
    this->fit_with({.n_clusters = 7});
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find('7'), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find('4'), std::string::npos) << error.what();
  }
}

TYPED_TEST(KMeansErrors, NothingWorksBeforeFit) {
  using T = typename TypeParam::Value;
  const KMeans<T> model;
  const Matrix<T> X = this->rows().to(this->device());
  EXPECT_THROW((void)model.predict(X), NotFitted);
  EXPECT_THROW((void)model.transform(X), NotFitted);
  EXPECT_THROW((void)model.score(X), NotFitted);
  EXPECT_THROW((void)model.cluster_centers(), NotFitted);
  EXPECT_THROW((void)model.labels(), NotFitted);
  EXPECT_THROW((void)model.inertia(), NotFitted);
  EXPECT_THROW((void)model.n_iter(), NotFitted);
  EXPECT_THROW((void)model.converged(), NotFitted);
  EXPECT_THROW((void)model.n_features_in(), NotFitted);
  EXPECT_THROW((void)model.warnings(), NotFitted);
  EXPECT_EQ(model.options().n_clusters, 8);
}

TYPED_TEST(KMeansErrors, RowsForAFittedModel) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->fit({this->rows(), {.n_clusters = 2}});
  const Matrix<T> narrow = Matrix<T>{{1}, {2}}.to(this->device());
  const Matrix<T> wide = Matrix<T>{{1, 2, 3}}.to(this->device());
  const Matrix<T> none = Matrix<T>(0, 2, this->device());
  const Matrix<T> bad = Matrix<T>{{1, 2}, {std::numeric_limits<T>::infinity(), 0}}.to(this->device());
  for (const Matrix<T>* X : {&narrow, &wide}) {
    EXPECT_THROW((void)model.predict(*X), ShapeMismatch);
    EXPECT_THROW((void)model.transform(*X), ShapeMismatch);
    EXPECT_THROW((void)model.score(*X), ShapeMismatch);
  }
  for (const Matrix<T>* X : {&none, &bad}) {
    EXPECT_THROW((void)model.predict(*X), InvalidArgument);
    EXPECT_THROW((void)model.transform(*X), InvalidArgument);
    EXPECT_THROW((void)model.score(*X), InvalidArgument);
  }
  const Matrix<T> X = this->rows().to(this->device());
  const Vector<T> weights = Vector<T>{1, 2, 3}.to(this->device());
  EXPECT_THROW((void)model.score(X, weights.view()), ShapeMismatch);
}

TYPED_TEST(KMeansErrors, WeightsOnAnotherDevice) {
  using T = typename TypeParam::Value;
  if (this->device().is_cpu()) GTEST_SKIP() << "needs a second device";
  KMeans<T> model({.n_clusters = 2});
  const Matrix<T> X = this->rows().to(this->device());
  const Vector<T> weights{1, 1, 1, 1};
  KMeansFitArguments<T> arguments;
  arguments.sample_weight = weights.view();
  EXPECT_THROW(model.fit(X, arguments), InvalidArgument);
}

TYPED_TEST(KMeansErrors, AStoppedFitLeavesTheModelAsItWas) {
  using T = typename TypeParam::Value;
  KMeans<T> model = this->fit({this->rows(), {.n_clusters = 2}});
  const double inertia = model.inertia();
  const std::vector<std::int32_t> labels = model.labels().to_std();
  const Matrix<T> other = normal_matrix<T>(500, 3, 1).to(this->device());
  KMeansFitArguments<T> arguments;
  int asked = 0;
  arguments.stop = [&asked] { return ++asked == 3; };
  EXPECT_THROW(model.fit(other, arguments), Cancelled);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(model.inertia(), inertia);
  EXPECT_EQ(model.labels().to_std(), labels);
  EXPECT_EQ(model.n_features_in(), 2);

  const auto refuse = [](const KMeansProgress&) { throw std::runtime_error("no more"); };
  arguments.stop = {};
  arguments.progress = refuse;
  EXPECT_THROW(model.fit(other, arguments), std::runtime_error);
  EXPECT_EQ(model.labels().to_std(), labels);
}

TYPED_TEST(KMeansErrors, ProgressTellsOfIterations) {
  using T = typename TypeParam::Value;
  KMeans<T> model({.n_clusters = 5, .n_init = 2});
  const Matrix<T> X = normal_matrix<T>(500, 3, 1).to(this->device());
  KMeansFitArguments<T> arguments;
  std::vector<KMeansProgress> told;
  arguments.progress = [&told](const KMeansProgress& progress) { told.push_back(progress); };
  model.fit(X, arguments);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().start, 0);
  EXPECT_EQ(told.back().start, 1);
  EXPECT_GE(told.front().iteration, 1);
  EXPECT_GT(told.front().center_shift, 0.0);
}

}  // namespace
}  // namespace tilelearn::testing
