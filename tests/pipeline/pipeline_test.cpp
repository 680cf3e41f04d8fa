// Pipelines: saved, loaded on any device and applied to tables and matrices.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <tilelearn/pipeline.hpp>

#include "core/model_file.hpp"
#include "support/device_test.hpp"

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const groups = "t,x,y\na,0,100\nb,1,\na,1,101\nb,9,900\nb,10,901\n";

std::string temporary_path() {
  return (std::filesystem::temp_directory_path() / ("tilelearn-pipeline-" + std::to_string(::getpid()))).string();
}

/// x and y of `groups`, standardized, the incomplete row dropped; clusters 0 (low) and 1 (high).
template <typename T>
Pipeline fit_pipeline(const Device& device) {
  const Table table = parse_csv(groups);
  TableEncoder encoder = TableEncoder::fit(table, {.columns = {"x", "y"}, .missing = MissingPolicy::drop});
  const Matrix<T> X = encoder.encode<T>(table).X.to(device);
  StandardScaler<T> scaler;
  const Matrix<T> scaled = scaler.fit_transform(X.view());
  const Matrix<T> init{{-1, -1}, {1, 1}};
  KMeans<T> model({.n_clusters = 2});
  KMeansFitArguments<T> arguments;
  arguments.init_centers = init.view();
  model.fit(scaled.view(), arguments);
  return {std::move(encoder), std::move(scaler), std::move(model)};
}

template <typename I>
class PipelineTest : public testing::DeviceTest<I> {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = temporary_path();
};
TYPED_TEST_SUITE(PipelineTest, testing::DeviceTypes, testing::DeviceTypeNames);

TYPED_TEST(PipelineTest, PredictsTablesWhereverItWasFitted) {
  using Real = typename TypeParam::Value;
  const Pipeline pipeline = fit_pipeline<Real>(this->device());
  EXPECT_EQ(pipeline.kind(), "kmeans");
  EXPECT_EQ(pipeline.precision(), sizeof(Real) == sizeof(float) ? Precision::float32 : Precision::float64);
  EXPECT_THAT(pipeline.predict(parse_csv(groups)).to_std(), ElementsAre(0, left_out, 0, 1, 1));
  EXPECT_THAT(pipeline.predict(parse_csv("y,x\n1000,12\n,\n80,-1\n")).to_std(), ElementsAre(1, left_out, 0));
  EXPECT_THAT(pipeline.predict(parse_csv("y,x\n,1\n")).to_std(), ElementsAre(left_out));
}

TYPED_TEST(PipelineTest, PredictsMatricesInTheColumnsUnits) {
  using Real = typename TypeParam::Value;
  const Pipeline pipeline = fit_pipeline<Real>(this->device());
  const Matrix<Real> X = Matrix<Real>{{0, 100}, {12, 1000}}.to(this->device());
  const auto predicted = pipeline.predict(X.view());
  EXPECT_EQ(predicted.device(), this->device());
  EXPECT_THAT(predicted.to_std(), ElementsAre(0, 1));
  const Matrix<Real> narrow(2, 1, this->device());
  EXPECT_THROW((void)pipeline.predict(narrow.view()), ShapeMismatch);
  using Other = std::conditional_t<std::is_same_v<Real, float>, double, float>;
  EXPECT_THROW((void)pipeline.predict(Matrix<Other>{{0, 1}}.view()), InvalidArgument);
}

TYPED_TEST(PipelineTest, ALoadedPipelineIsTheSameOnEveryDevice) {
  using Real = typename TypeParam::Value;
  const Pipeline pipeline = fit_pipeline<Real>(this->device());
  pipeline.save(this->path_);
  for (const Device& device : {Device::cpu(), this->device()}) {
    const Pipeline loaded = Pipeline::load(this->path_, device);
    EXPECT_THAT(loaded.predict(parse_csv(groups)).to_std(), ElementsAre(0, left_out, 0, 1, 1));
    ASSERT_NE(loaded.as<KMeans<Real>>(), nullptr);
    EXPECT_EQ(loaded.as<KMeans<Real>>()->inertia(), pipeline.as<KMeans<Real>>()->inertia());
    EXPECT_EQ(loaded.as<KMeans<Real>>()->cluster_centers().device(), device);
    EXPECT_EQ(loaded.scaler<Real>()->mean(), pipeline.scaler<Real>()->mean());
    EXPECT_EQ(loaded.encoder().missing(), MissingPolicy::drop);
    EXPECT_THAT(loaded.encoder().feature_names(), ElementsAre("x", "y"));
    using Other = std::conditional_t<std::is_same_v<Real, float>, double, float>;
    EXPECT_EQ(loaded.as<KMeans<Other>>(), nullptr);
    EXPECT_EQ(loaded.scaler<Other>(), nullptr);
  }
}

TYPED_TEST(PipelineTest, CategoriesAndMeansAreKept) {
  using Real = typename TypeParam::Value;
  const Table table = parse_csv(groups);
  TableEncoder encoder = TableEncoder::fit(table, {.columns = {"t", "y"}, .missing = MissingPolicy::mean});
  const Matrix<Real> X = encoder.encode<Real>(table).X.to(this->device());
  KMeans<Real> model({.n_clusters = 2, .seed = 3});
  model.fit(X.view());
  const std::vector<std::int32_t> labels = model.labels().to_std();
  const Pipeline pipeline(std::move(encoder), std::nullopt, std::move(model));
  pipeline.save(this->path_);
  const Pipeline loaded = Pipeline::load(this->path_, this->device());
  EXPECT_EQ(loaded.predict(table).to_std(), labels);
  EXPECT_EQ(loaded.scaler<Real>(), nullptr);
  EXPECT_EQ(loaded.encoder().means(), pipeline.encoder().means());
  EXPECT_THAT(loaded.encoder().columns()[0].categories, ElementsAre("a", "b"));
}

TYPED_TEST(PipelineTest, HoldsDBSCANWhoseNoiseIsNotALeftOutRow) {
  using Real = typename TypeParam::Value;
  const char* const text = "x,y\n0,0\n0,1\n,5\n9,9\n";
  const Table table = parse_csv(text);
  TableEncoder encoder = TableEncoder::fit(table, {.columns = {"x", "y"}, .missing = MissingPolicy::drop});
  const Matrix<Real> X = encoder.encode<Real>(table).X.to(this->device());
  DBSCAN<Real> model({.eps = 1.0, .min_samples = 2});
  model.fit(X.view());
  const Pipeline pipeline(std::move(encoder), std::nullopt, std::move(model));
  EXPECT_EQ(pipeline.kind(), "dbscan");
  EXPECT_THAT(pipeline.predict(table).to_std(), ElementsAre(0, 0, left_out, -1));
  pipeline.save(this->path_);
  for (const Device& device : {Device::cpu(), this->device()}) {
    const Pipeline loaded = Pipeline::load(this->path_, device);
    EXPECT_EQ(loaded.kind(), "dbscan");
    EXPECT_THAT(loaded.predict(table).to_std(), ElementsAre(0, 0, left_out, -1));
    ASSERT_NE(loaded.as<DBSCAN<Real>>(), nullptr);
    EXPECT_EQ(loaded.as<DBSCAN<Real>>()->components().device(), device);
    EXPECT_EQ(loaded.as<KMeans<Real>>(), nullptr);
  }
}

TEST(Pipeline, PartsThatDoNotFitAreRefused) {
  const TableEncoder encoder = TableEncoder::fit(parse_csv("x,y,z\n1,2,3\n"));
  KMeans<float> model({.n_clusters = 1});
  model.fit(Matrix<float>{{1, 2}}.view());
  EXPECT_THROW(Pipeline(encoder, std::nullopt, std::move(model)), ShapeMismatch);
  EXPECT_THROW(Pipeline(encoder, std::nullopt, KMeans<float>()), NotFitted);
  EXPECT_THROW(Pipeline(encoder, std::nullopt, DBSCAN<float>()), NotFitted);
}

/// A pipeline's file with one thing made wrong.
class HostilePipeline : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  struct Fault {
    std::string precision = "float32";
    std::vector<std::string> columns = {"x", "y"};
    std::vector<std::string> kinds = {"number", "number"};
    std::string missing = "drop";
    std::vector<double> means{};
    std::string estimator = "kmeans";
  };

  std::string load(const Fault& fault) const {
    detail::ModelWriter writer("pipeline");
    writer.set("precision", fault.precision);
    detail::ModelWriter encoder = writer.child("encoder", "table_encoder");
    encoder.set("missing", fault.missing).set("columns", fault.columns).set("kinds", fault.kinds);
    encoder.array("means", fault.means);
    KMeans<float> model({.n_clusters = 1});
    model.fit(Matrix<float>{{1, 2}}.view());
    detail::ModelWriter estimator = writer.child("estimator", fault.estimator);
    model.write(estimator);
    writer.write(path_);
    try {
      (void)Pipeline::load(path_);
    } catch (const ParseError& error) {
      return error.what();
    }
    return "loaded";
  }

  std::string path_ = temporary_path();
};

TEST_F(HostilePipeline, EveryContradictionIsAParseError) {
  EXPECT_EQ(load({}), "loaded");
  EXPECT_THAT(load({.precision = "float16"}), HasSubstr("'float16'"));
  EXPECT_THAT(load({.precision = "float64"}), HasSubstr("float32, not float64"));
  EXPECT_THAT(load({.columns = {"x"}}), HasSubstr("do not fit together"));
  EXPECT_THAT(load({.columns = {"x", "x"}}), HasSubstr("do not fit together"));
  EXPECT_THAT(load({.columns = {"x"}, .kinds = {"number"}}), HasSubstr("different numbers of features"));
  EXPECT_THAT(load({.kinds = {"number", "text"}}), HasSubstr("'text'"));
  EXPECT_THAT(load({.kinds = {"number", "category"}}), HasSubstr("categories/1"));
  EXPECT_THAT(load({.kinds = {"number", "category_but_first"}}), HasSubstr("categories/1"));
  EXPECT_THAT(load({.kinds = {"category", "category_but_first"}}), HasSubstr("must be number or category_but_first"));
  EXPECT_THAT(load({.missing = "zero"}), HasSubstr("'zero'"));
  EXPECT_THAT(load({.missing = "mean"}), HasSubstr("expected 2"));
  EXPECT_THAT(load({.missing = "mean", .means = {0.0, 1.0 / 0.0}}), HasSubstr("not finite"));
  EXPECT_THAT(load({.estimator = "forest"}), HasSubstr("'forest'"));
}

}  // namespace
}  // namespace tilelearn
