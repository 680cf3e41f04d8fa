// Pipelines of regressions: numbers in place of labels. They run on the CPU alone so far.
#include <cmath>
#include <functional>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tilelearn/pipeline.hpp>

#include "core/model_file.hpp"
#include "support/temporary_file.hpp"

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y is 2 x where t is a, and 100 more where it is b; the third row misses x.
const char* const two_lines = "t,x,y\na,1,2\nb,2,104\na,,7\nb,1,102\na,3,6\n";

template <typename T>
struct Rows {
  TableEncoder encoder;
  Matrix<T> X;
  Vector<T> y;
};

template <typename T>
Rows<T> rows_of(MissingPolicy missing) {
  const Table table = parse_csv(two_lines);
  TableEncoder encoder = TableEncoder::fit(table, {.columns = {"t", "x"}, .missing = missing});
  Features<T> features = encoder.encode<T>(table);
  Vector<T> y(features.X.rows());
  for (std::size_t i = 0; i < features.rows.size(); ++i)
    y[static_cast<std::int64_t>(i)] = static_cast<T>(table.numbers("y")[features.rows[i]]);
  return {std::move(encoder), std::move(features.X), std::move(y)};
}

/// Standardized, the incomplete row dropped.
template <typename Model, typename T>
Pipeline fit_pipeline(Model model) {
  Rows<T> rows = rows_of<T>(MissingPolicy::drop);
  StandardScaler<T> scaler;
  const Matrix<T> scaled = scaler.fit_transform(std::as_const(rows.X).view());
  model.fit(scaled.view(), std::as_const(rows.y).view());
  return {std::move(rows.encoder), std::move(scaler), std::move(model)};
}

template <typename T>
Pipeline fit_line() {
  return fit_pipeline<LinearRegression<T>, T>(LinearRegression<T>());
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no InvalidArgument";
}

/// The values are the data's own, but for some roundings of numbers around 100.
template <typename T>
double rounding() {
  return 64.0 * 100.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <typename T>
class PipelineValues : public ::testing::Test {
 protected:
  testing::TemporaryFile file_{"pipeline-values"};
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PipelineValues, Types);

TYPED_TEST(PipelineValues, PredictsTablesWithNaNForARowThatIsDropped) {
  const Pipeline pipeline = fit_line<TypeParam>();
  EXPECT_EQ(pipeline.kind(), "linear_regression");
  EXPECT_TRUE(pipeline.predicts_values());
  const std::vector<double> values = pipeline.predict_values(parse_csv(two_lines)).to_std();
  ASSERT_EQ(values.size(), 5U);
  EXPECT_NEAR(values[0], 2.0, rounding<TypeParam>());
  EXPECT_NEAR(values[1], 104.0, rounding<TypeParam>());
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_NEAR(values[3], 102.0, rounding<TypeParam>());
  EXPECT_NEAR(values[4], 6.0, rounding<TypeParam>());
  const Vector<double> none = pipeline.predict_values(parse_csv("x,t\n,a\n"));
  ASSERT_EQ(none.size(), 1);
  EXPECT_TRUE(std::isnan(none[0]));
}

TYPED_TEST(PipelineValues, PredictsMatricesInTheColumnsUnits) {
  using T = TypeParam;
  const Pipeline pipeline = fit_line<T>();
  const Matrix<T> X{{1, 0, 10}, {0, 1, 10}};  // t=a, t=b, x
  const Vector<double> values = pipeline.predict_values(X.view());
  ASSERT_EQ(values.size(), 2);
  EXPECT_NEAR(values[0], 20.0, rounding<T>());
  EXPECT_NEAR(values[1], 120.0, rounding<T>());
  EXPECT_EQ(values[0], static_cast<double>(static_cast<T>(values[0]))) << "rounded to the model's precision";
  const Matrix<T> narrow{{1, 2}};
  EXPECT_THROW((void)pipeline.predict_values(narrow.view()), ShapeMismatch);
  using Other = std::conditional_t<std::is_same_v<T, float>, double, float>;
  const Matrix<Other> other{{1, 0, 10}};
  EXPECT_THAT(error_of([&] { (void)pipeline.predict_values(other.view()); }), HasSubstr("the other precision"));
}

TYPED_TEST(PipelineValues, ALoadedPipelineGivesTheSameBits) {
  using T = TypeParam;
  const Table table = parse_csv("t,x\nb,0.1\na,7\n");
  const Pipeline line = fit_line<T>();
  line.save(this->file_.path());
  const Pipeline loaded = Pipeline::load(this->file_.path());
  EXPECT_EQ(loaded.kind(), "linear_regression");
  EXPECT_EQ(loaded.precision(), line.precision());
  EXPECT_EQ(loaded.predict_values(table).to_std(), line.predict_values(table).to_std());
  ASSERT_NE(loaded.as<LinearRegression<T>>(), nullptr);
  EXPECT_EQ(loaded.as<LinearRegression<T>>()->rank(), line.as<LinearRegression<T>>()->rank());
  EXPECT_EQ(loaded.as<Ridge<T>>(), nullptr);
  EXPECT_EQ(loaded.as<KMeans<T>>(), nullptr);
}

TYPED_TEST(PipelineValues, HoldsARidge) {
  using T = TypeParam;
  const Table table = parse_csv(two_lines);
  const Pipeline ridge = fit_pipeline<Ridge<T>, T>(Ridge<T>({.alpha = {2.5}}));
  EXPECT_EQ(ridge.kind(), "ridge");
  ridge.save(this->file_.path());
  const Pipeline loaded = Pipeline::load(this->file_.path());
  EXPECT_TRUE(loaded.predicts_values());
  ASSERT_NE(loaded.as<Ridge<T>>(), nullptr);
  EXPECT_THAT(loaded.as<Ridge<T>>()->options().alpha, ElementsAre(2.5));
  EXPECT_EQ(loaded.as<LinearRegression<T>>(), nullptr);
  const std::vector<double> values = loaded.predict_values(table).to_std();
  const std::vector<double> before = ridge.predict_values(table).to_std();
  for (const std::size_t row : {0U, 1U, 3U, 4U}) EXPECT_EQ(values[row], before[row]);
  EXPECT_GT(values[0], 2.0 + rounding<T>()) << "the penalty draws the lower line up";
}

// y is 2 x where t is a, and 100 more where it is b: with a left out, the coefficients say just that.
TYPED_TEST(PipelineValues, ALoadedEncoderLeavesTheFirstCategoryOutTheSameWay) {
  using T = TypeParam;
  const Table table = parse_csv("t,x,y\na,1,2\nb,2,104\nb,1,102\na,3,6\n");
  TableEncoder encoder = TableEncoder::fit(table, {.columns = {"t", "x"}, .drop_first = true});
  LinearRegression<T> line;
  line.fit(encoder.encode<T>(table).X.view(), table.matrix<T>({"y"}).view());
  const Pipeline pipeline(std::move(encoder), std::nullopt, std::move(line));
  pipeline.save(this->file_.path());
  const Pipeline loaded = Pipeline::load(this->file_.path());
  EXPECT_TRUE(loaded.encoder().drop_first());
  EXPECT_THAT(loaded.encoder().feature_names(), ElementsAre("t=b", "x"));
  EXPECT_NEAR(loaded.as<LinearRegression<T>>()->coef()(0, 0), 100.0, rounding<T>());
  EXPECT_NEAR(loaded.as<LinearRegression<T>>()->coef()(0, 1), 2.0, rounding<T>());
  EXPECT_EQ(loaded.predict_values(table).to_std(), pipeline.predict_values(table).to_std());
}

TYPED_TEST(PipelineValues, TheOtherKindOfPredictionIsRefused) {
  using T = TypeParam;
  const Pipeline line = fit_line<T>();
  const Table table = parse_csv("t,x\na,\n");  // nothing to predict hides no mistake
  const char* const numbers = "kind 'linear_regression', whose predictions are numbers: call predict_values";
  EXPECT_THAT(error_of([&] { (void)line.predict(table); }), HasSubstr(numbers));
  EXPECT_THAT(error_of([&] { (void)line.predict(Matrix<T>{{1, 0, 1}}.view()); }), HasSubstr(numbers));
  KMeans<T> clusters({.n_clusters = 1});
  clusters.fit(Matrix<T>{{1, 2}}.view());
  const Pipeline labels(TableEncoder::fit(parse_csv("x,y\n1,2\n")), std::nullopt, std::move(clusters));
  EXPECT_FALSE(labels.predicts_values());
  const char* const kmeans = "kind 'kmeans', whose predictions are labels: call predict";
  EXPECT_THAT(error_of([&] { (void)labels.predict_values(parse_csv("x,y\n1,2\n")); }), HasSubstr(kmeans));
  EXPECT_THAT(error_of([&] { (void)labels.predict_values(Matrix<T>{{1, 2}}.view()); }), HasSubstr(kmeans));
}

TYPED_TEST(PipelineValues, PartsThatDoNotFitAreRefused) {
  using T = TypeParam;
  const TableEncoder encoder = TableEncoder::fit(parse_csv("x\n1\n"));
  const Matrix<T> X{{1}, {2}, {4}};
  const Matrix<T> two_targets{{1, 2}, {2, 3}, {3, 5}};
  LinearRegression<T> several;
  several.fit(X.view(), two_targets.view());
  EXPECT_THAT(error_of([&] { Pipeline(encoder, std::nullopt, std::move(several)); }), HasSubstr("on 2 targets"));
  Ridge<T> wide;
  wide.fit(two_targets.view(), Vector<T>({1, 2, 3}).view());
  EXPECT_THROW(Pipeline(encoder, std::nullopt, std::move(wide)), ShapeMismatch);
  EXPECT_THROW(Pipeline(encoder, std::nullopt, LinearRegression<T>()), NotFitted);
  EXPECT_THROW(Pipeline(encoder, std::nullopt, Ridge<T>()), NotFitted);
}

TYPED_TEST(PipelineValues, AFileOfSeveralTargetsIsAParseError) {
  using T = TypeParam;
  LinearRegression<T> several;
  several.fit(Matrix<T>{{1}, {2}, {4}}.view(), Matrix<T>{{1, 2}, {2, 3}, {3, 5}}.view());
  detail::ModelWriter writer("pipeline");
  writer.set("precision", std::is_same_v<T, float> ? "float32" : "float64");
  detail::ModelWriter encoder = writer.child("encoder", "table_encoder");
  TableEncoder::fit(parse_csv("x\n1\n")).write(encoder);
  detail::ModelWriter estimator = writer.child("estimator", "linear_regression");
  several.write(estimator);
  writer.write(this->file_.path());
  try {
    (void)Pipeline::load(this->file_.path());
    FAIL() << "loaded";
  } catch (const ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("an estimator of 2 targets, where a pipeline has one"));
  }
}

}  // namespace
}  // namespace tilelearn
