// Every refused argument, one boundary a test, and what a failed or stopped fit leaves behind.
#include <functional>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;

template <typename I>
class DBSCANErrors : public DBSCANTest<I> {
 protected:
  using Value = typename I::Value;

  /// Four rows that any options fit.
  [[nodiscard]] static Matrix<Value> rows() { return {{1, 0}, {1, 1}, {0, 1}, {Value(0.5), 1}}; }

  void fit_with(const DBSCANOptions& options) const { this->fit({rows(), options}); }

  void fit_weighted(std::initializer_list<Value> weights) const {
    this->fit({rows(), {.eps = 1.0}, Vector<Value>(weights)});
  }

  /// The text of the InvalidArgument of a fit or a predict.
  static std::string text_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "no error";
  }
  [[nodiscard]] std::string text_of_fit(const Given<Value>& given) const {
    return text_of([&] { this->fit(given); });
  }
};
TYPED_TEST_SUITE(DBSCANErrors, DeviceTypes, DeviceTypeNames);

TYPED_TEST(DBSCANErrors, Eps) {
  using T = typename TypeParam::Value;
  const double least = double{std::numeric_limits<T>::denorm_min()};
  const double largest = double{std::numeric_limits<T>::max()};
  EXPECT_NO_THROW(this->fit_with({.eps = least}));
  EXPECT_NO_THROW(this->fit_with({.eps = largest}));
  for (const double eps :
       {0.0, -0.0, -1.0, -least, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(this->fit_with({.eps = eps}), InvalidArgument) << eps;
  EXPECT_THAT(this->text_of_fit({this->rows(), {.eps = -2.5}}), HasSubstr("eps is -2.5"));
}

TYPED_TEST(DBSCANErrors, EpsOnceRounded) {
  using T = typename TypeParam::Value;
  if (sizeof(T) == sizeof(double)) {
    EXPECT_NO_THROW(this->fit_with({.eps = 1e-46}));
    EXPECT_NO_THROW(this->fit_with({.eps = 1e39}));
    return;
  }
  EXPECT_EQ(this->text_of_fit({this->rows(), {.eps = 1e-46}}),
            "DBSCAN: eps is 1e-46, in float32 0, must be above 0 and finite");
  EXPECT_EQ(this->text_of_fit({this->rows(), {.eps = 1e39}}),
            "DBSCAN: eps is 1e+39, in float32 inf, must be above 0 and finite");
  // 0.7 2^-149 rounds to 2^-149
  EXPECT_NO_THROW(this->fit_with({.eps = 0x1.7p-150}));
}

TYPED_TEST(DBSCANErrors, MinSamples) {
  EXPECT_THROW(this->fit_with({.min_samples = 0}), InvalidArgument);
  EXPECT_THROW(this->fit_with({.min_samples = -5}), InvalidArgument);
  EXPECT_NO_THROW(this->fit_with({.min_samples = 1}));
  EXPECT_NO_THROW(this->fit_with({.min_samples = std::numeric_limits<std::int64_t>::max()}));
  EXPECT_THAT(this->text_of_fit({this->rows(), {.min_samples = -5}}), HasSubstr("min_samples is -5"));
}

TYPED_TEST(DBSCANErrors, MetricThatIsNone) {
  EXPECT_THROW(this->fit_with({.metric = static_cast<DBSCANMetric>(5)}), InvalidArgument);
}

TYPED_TEST(DBSCANErrors, EmptyRows) {
  using T = typename TypeParam::Value;
  EXPECT_THAT(this->text_of_fit({Matrix<T>(0, 3), {}}), HasSubstr("0 x 3"));
  EXPECT_THAT(this->text_of_fit({Matrix<T>(3, 0), {}}), HasSubstr("3 x 0"));
  EXPECT_THAT(this->text_of_fit({Matrix<T>(0, 0), {}}), HasSubstr("0 x 0"));
}

TYPED_TEST(DBSCANErrors, MoreRowsThanLabelsCanNumber) {
  using T = typename TypeParam::Value;
  // one row of memory again and again: the shape alone is refused
  const Matrix<T> one = Matrix<T>{{1, 2}}.to(this->device());
  const MatrixView<const T> many(one.data(), std::int64_t{1} << 31, 2, 0, 1, this->device());
  EXPECT_THAT(this->text_of([&] { DBSCAN<T>().fit(many); }), HasSubstr("2147483648 x 2"));
  const MatrixView<const T> wide(one.data(), 1, (std::int64_t{1} << 27) + 1, 0, 0, this->device());
  EXPECT_THAT(this->text_of([&] { DBSCAN<T>().fit(wide); }), HasSubstr("1 x 134217729"));
}

TYPED_TEST(DBSCANErrors, ValuesThatAreNotFinite) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {1, 2, 3, 6, 70})
    for (const T bad :
         {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()})
      for (const std::int64_t n : {1, 40, 3000}) {
        Matrix<T> X = normal_matrix<T>(n, d, 1);
        X(n - 1, d - 1) = bad;
        EXPECT_EQ(this->text_of_fit({X.clone(), {}}), "DBSCAN: X has a NaN or infinity in row " +
                                                          std::to_string(n - 1) + ", column " + std::to_string(d - 1));
        // the first is named
        X(n / 2, 0) = bad;
        EXPECT_THAT(this->text_of_fit({X.clone(), {.metric = DBSCANMetric::cosine}}),
                    HasSubstr("row " + std::to_string(n / 2) + ", column 0"));
      }
}

TYPED_TEST(DBSCANErrors, Weights) {
  using T = typename TypeParam::Value;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  EXPECT_NO_THROW(this->fit_weighted({1, -1, 0, T(0.5)}));
  EXPECT_NO_THROW(this->fit_weighted({0, 0, 0, 0}));
  EXPECT_NO_THROW(this->fit_weighted({-1, -1, -1, -1}));
  EXPECT_NO_THROW(this->fit_weighted({std::numeric_limits<T>::max(), -std::numeric_limits<T>::max(), 0, 1}));
  EXPECT_THROW(this->fit_weighted({1, 1, 1}), ShapeMismatch);
  EXPECT_THROW(this->fit_weighted({1, 1, 1, 1, 1}), ShapeMismatch);
  for (const T bad : {nan, infinity, -infinity}) {
    EXPECT_THROW(this->fit_weighted({1, 1, bad, 1}), InvalidArgument);
    EXPECT_THAT(this->text_of([&] { this->fit_weighted({1, 1, bad, 1}); }), HasSubstr("weight of row 2"));
  }
}

TYPED_TEST(DBSCANErrors, Haversine) {
  using T = typename TypeParam::Value;
  const DBSCANOptions options{.eps = 0.1, .min_samples = 1, .metric = DBSCANMetric::haversine};
  EXPECT_THAT(this->text_of_fit({Matrix<T>{{1}, {2}}, options}), HasSubstr("1 column"));
  EXPECT_THAT(this->text_of_fit({Matrix<T>{{1, 1, 1}}, options}), HasSubstr("3 columns"));
  // pi / 2 and 2 pi, rounded up in float32, are inside; degrees are not
  EXPECT_NO_THROW(this->fit({Matrix<T>{{T(1.57079637), T(6.28318548)}, {T(-1.57079637), T(-6.28318548)}}, options}));
  EXPECT_THAT(this->text_of_fit({Matrix<T>{{0, 0}, {T(1.58), 0}}, options}), HasSubstr("row 1 has latitude 1.58"));
  EXPECT_THAT(this->text_of_fit({Matrix<T>{{0, 0}, {0, T(-6.5)}}, options}), HasSubstr("row 1 has longitude -6.5"));
  EXPECT_THAT(this->text_of_fit({Matrix<T>{{0, 0}, {T(48), T(11.5)}}, options}), HasSubstr("180 / pi"));
}

TYPED_TEST(DBSCANErrors, RowsWithoutADirection) {
  using T = typename TypeParam::Value;
  const DBSCANOptions options{.eps = 0.1, .min_samples = 1, .metric = DBSCANMetric::cosine};
  EXPECT_THAT(this->text_of_fit({Matrix<T>{{1, 0}, {0, T(-0.0)}}, options}), HasSubstr("row 1 is all zeros"));
  Matrix<T> X = normal_matrix<T>(100, 30, 2);
  std::fill_n(X.data() + 77 * 30, 30, T{0});
  EXPECT_THAT(this->text_of_fit({std::move(X), options}), HasSubstr("row 77 is all zeros"));
  EXPECT_NO_THROW(this->fit({Matrix<T>{{1, 0}, {0, std::numeric_limits<T>::denorm_min()}}, options}));
}

TYPED_TEST(DBSCANErrors, NothingWorksBeforeFit) {
  using T = typename TypeParam::Value;
  const DBSCAN<T> model;
  EXPECT_THROW((void)model.predict(this->rows().to(this->device())), NotFitted);
  EXPECT_THROW((void)model.labels(), NotFitted);
  EXPECT_THROW((void)model.core_sample_indices(), NotFitted);
  EXPECT_THROW((void)model.components(), NotFitted);
  EXPECT_THROW((void)model.n_clusters(), NotFitted);
  EXPECT_THROW((void)model.n_features_in(), NotFitted);
  EXPECT_THROW((void)model.warnings(), NotFitted);
  EXPECT_EQ(model.options().eps, 0.5);
  EXPECT_EQ(model.options().min_samples, 5);
  EXPECT_EQ(model.options().metric, DBSCANMetric::euclidean);
}

TYPED_TEST(DBSCANErrors, RowsForAFittedModel) {
  using T = typename TypeParam::Value;
  const auto refused = [this](const DBSCAN<T>& model, const Matrix<T>& X) {
    return this->text_of([&] { (void)model.predict(X.to(this->device())); });
  };
  for (const double eps : {1.0, 1e-9}) {  // with clusters, and where all is noise
    const DBSCAN<T> model = this->fit({this->rows(), {.eps = eps, .min_samples = 2}});
    EXPECT_EQ(model.n_clusters(), eps == 1.0 ? 1 : 0);
    EXPECT_THROW((void)model.predict(Matrix<T>{{1}, {2}}.to(this->device())), ShapeMismatch);
    EXPECT_THROW((void)model.predict(Matrix<T>{{1, 2, 3}}.to(this->device())), ShapeMismatch);
    EXPECT_THAT(refused(model, Matrix<T>(0, 2)), HasSubstr("0 x 2"));
    EXPECT_THAT(refused(model, Matrix<T>{{1, 2}, {std::numeric_limits<T>::infinity(), 0}}),
                HasSubstr("row 1, column 0"));
  }
  const DBSCAN<T> angles =
      this->fit({Matrix<T>{{1, 2}}, {.eps = 1.0, .min_samples = 1, .metric = DBSCANMetric::haversine}});
  EXPECT_THAT(refused(angles, Matrix<T>{{1, 2}, {1, 7}}), HasSubstr("row 1 has longitude 7"));
  const DBSCAN<T> directions =
      this->fit({Matrix<T>{{1, 2}}, {.eps = 1.0, .min_samples = 1, .metric = DBSCANMetric::cosine}});
  EXPECT_THAT(refused(directions, Matrix<T>{{0, 0}, {1, 7}}), HasSubstr("row 0 is all zeros"));
}

TYPED_TEST(DBSCANErrors, AFailedFitLeavesTheModelAsItWas) {
  using T = typename TypeParam::Value;
  DBSCAN<T> model({.eps = 1.0, .min_samples = 2});
  const Matrix<T> X = this->rows().to(this->device());
  model.fit(X);
  const Labels labels = model.labels().to_std();
  const Matrix<T> bad = Matrix<T>{{1, 2}, {std::numeric_limits<T>::quiet_NaN(), 0}}.to(this->device());
  EXPECT_THROW(model.fit(bad), InvalidArgument);
  EXPECT_EQ(model.labels().to_std(), labels);
  EXPECT_EQ(model.predict(X).to_std(), labels);
}

TYPED_TEST(DBSCANErrors, AStoppedFitLeavesTheModelAsItWas) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {2, 9}) {
    DBSCAN<T> model({.eps = 1.0, .min_samples = 2});
    const Matrix<T> X = normal_matrix<T>(5000, d, 3).to(this->device());
    model.fit(normal_matrix<T>(30, d, 4).to(this->device()));
    const Labels labels = model.labels().to_std();
    DBSCANFitArguments<T> arguments;
    arguments.stop = [] { return true; };
    EXPECT_THROW(model.fit(X, arguments), Cancelled);
    EXPECT_EQ(model.labels().to_std(), labels);
    arguments.stop = []() -> bool { throw std::runtime_error("from the caller"); };
    EXPECT_THROW(model.fit(X, arguments), std::runtime_error);
    EXPECT_EQ(model.labels().to_std(), labels);
    int asked = 0;
    arguments.stop = [&asked] { return ++asked > 1; };
    EXPECT_THROW(model.fit(X, arguments), Cancelled);
    EXPECT_EQ(asked, 2);
    asked = 0;
    arguments.stop = [&asked] { return ++asked < 0; };
    EXPECT_NO_THROW(model.fit(X, arguments));
    EXPECT_GT(asked, 1);
    EXPECT_EQ(model.labels().size(), 5000);
  }
}

}  // namespace
}  // namespace tilelearn::testing
