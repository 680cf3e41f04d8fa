// A saved model is the same model on every device; a file of another kind, type or content is refused.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <gmock/gmock.h>

#include "core/model_file.hpp"
#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <typename I>
class DBSCANFile : public DBSCANTest<I> {
 protected:
  TemporaryFile file_;
};
TYPED_TEST_SUITE(DBSCANFile, DeviceTypes, DeviceTypeNames);

TYPED_TEST(DBSCANFile, LoadsTheSameBits) {
  using T = typename TypeParam::Value;
  for (const DBSCANMetric metric : {DBSCANMetric::euclidean, DBSCANMetric::manhattan, DBSCANMetric::chebyshev,
                                    DBSCANMetric::cosine, DBSCANMetric::haversine}) {
    SCOPED_TRACE(static_cast<int>(metric));
    Matrix<T> X = random_matrix<T>(300, 2, 1);
    const double eps = metric == DBSCANMetric::cosine ? 1e-4 : 0.0712345678901234;
    const Given<T> given{std::move(X), {.eps = eps, .min_samples = 4, .metric = metric}};
    const DBSCAN<T> model = this->checked_fit(given);
    EXPECT_GT(model.n_clusters(), 1);
    model.save(this->file_.path());
    for (const Device& device : {Device::cpu(), this->device()}) {
      const DBSCAN<T> loaded = DBSCAN<T>::load(this->file_.path(), device);
      EXPECT_EQ(loaded.options().eps, eps);
      EXPECT_EQ(loaded.options().min_samples, 4);
      EXPECT_EQ(loaded.options().metric, metric);
      EXPECT_EQ(loaded.labels().size(), 0);
      EXPECT_EQ(loaded.core_sample_indices().to_std(), model.core_sample_indices().to_std());
      EXPECT_EQ(values_of(loaded.components()), values_of(model.components()));
      EXPECT_EQ(loaded.components().device(), device);
      EXPECT_EQ(loaded.n_clusters(), model.n_clusters());
      EXPECT_EQ(loaded.n_features_in(), 2);
      EXPECT_EQ(loaded.predict(given.X.to(device)).to_std(), model.labels().to_std());
      const TemporaryFile again(".again");
      loaded.save(again.path());
      EXPECT_EQ(bytes_of(again.path()), bytes_of(this->file_.path()));
    }
  }
}

TYPED_TEST(DBSCANFile, KeepsAModelOfNoiseAndItsWarning) {
  using T = typename TypeParam::Value;
  const DBSCAN<T> noise = this->fit({Matrix<T>{{0, 0, 0}, {9, 9, 9}}, {.eps = 1.0, .min_samples = 2}});
  noise.save(this->file_.path());
  const DBSCAN<T> loaded = DBSCAN<T>::load(this->file_.path(), this->device());
  EXPECT_EQ(loaded.warnings(), noise.warnings());
  EXPECT_EQ(loaded.warnings().size(), 1U);
  EXPECT_EQ(loaded.n_features_in(), 3);
  EXPECT_EQ(loaded.predict(Matrix<T>{{0, 0, 0}}.to(this->device())).to_std(), Labels{-1});
}

TYPED_TEST(DBSCANFile, AnUnfittedModelIsNotSaved) {
  EXPECT_THROW(DBSCAN<typename TypeParam::Value>().save(this->file_.path()), NotFitted);
  EXPECT_FALSE(std::filesystem::exists(this->file_.path()));
}

TYPED_TEST(DBSCANFile, OtherFilesAreRefused) {
  using T = typename TypeParam::Value;
  using Other = std::conditional_t<sizeof(T) == sizeof(float), double, float>;
  this->fit({Matrix<T>{{1}, {2}, {5}}, {.eps = 1.0, .min_samples = 2}}).save(this->file_.path());
  EXPECT_NO_THROW((void)DBSCAN<T>::load(this->file_.path()));
  EXPECT_THROW((void)DBSCAN<Other>::load(this->file_.path()), ParseError);
  detail::ModelWriter("kmeans").write(this->file_.path());
  EXPECT_THROW((void)DBSCAN<T>::load(this->file_.path()), ParseError);
  detail::ModelWriter("dbscan").write(this->file_.path());
  EXPECT_THROW((void)DBSCAN<T>::load(this->file_.path()), ParseError);
}

/// A model's file with one thing made wrong.
class DBSCANHostileFile : public ::testing::Test {
 protected:
  struct Fault {
    double eps = 0.5;
    std::int64_t min_samples = 2;
    std::int32_t metric = 0;
    std::int32_t n_clusters = 2;
    std::vector<std::int64_t> indices = {0, 3, 4};
    std::vector<float> values = {0.0F, 1.0F, 1.0F, 0.0F, 1.0F, 1.0F};
    std::int64_t columns = 2;
    std::vector<std::int32_t> labels = {0, 1, 0};
  };

  /// What load() says of it.
  [[nodiscard]] std::string load(const Fault& fault) const {
    detail::ModelWriter writer("dbscan");
    const auto rows = static_cast<std::int64_t>(fault.values.size()) / std::max<std::int64_t>(1, fault.columns);
    writer.set("eps", fault.eps)
        .set("min_samples", fault.min_samples)
        .set("metric", fault.metric)
        .set("n_clusters", fault.n_clusters)
        .set("warnings", std::vector<std::string>())
        .array("core_sample_indices", fault.indices)
        .array("components", MatrixView<const float>(fault.values.data(), rows, fault.columns))
        .array("component_labels", fault.labels);
    writer.write(file_.path());
    try {
      (void)DBSCAN<float>::load(file_.path());
    } catch (const ParseError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file_.path()));
      return error.what();
    }
    return "loaded";
  }

  TemporaryFile file_;
};

TEST_F(DBSCANHostileFile, EveryContradictionIsAParseError) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(load({}), "loaded");
  for (const double eps : {0.0, -1.0, 1e-50, 1e50, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(load({.eps = eps}), HasSubstr("'eps'")) << eps;
  EXPECT_THAT(load({.min_samples = 0}), HasSubstr("'min_samples'"));
  EXPECT_THAT(load({.metric = 5}), HasSubstr("'metric'"));
  EXPECT_THAT(load({.metric = -1}), HasSubstr("'metric'"));
  EXPECT_THAT(load({.n_clusters = -1}), HasSubstr("'n_clusters'"));
  EXPECT_THAT(load({.n_clusters = 3}), HasSubstr("3 clusters has core rows of 2"));
  EXPECT_THAT(load({.n_clusters = 1}), HasSubstr("1 clusters has core rows of 2"));
  EXPECT_THAT(load({.indices = {0, 4, 3}}), HasSubstr("ascending"));
  EXPECT_THAT(load({.indices = {0, 3, 3}}), HasSubstr("ascending"));
  EXPECT_THAT(load({.indices = {-1, 3, 4}}), HasSubstr("ascending"));
  EXPECT_THAT(load({.indices = {0, 3, std::int64_t{1} << 31}}), HasSubstr("ascending"));
  EXPECT_THAT(load({.indices = {0, 3}}), HasSubstr("expected 2"));
  EXPECT_THAT(load({.values = {0.0F, 1.0F, 1.0F, 0.0F}}), HasSubstr("expected 3"));
  EXPECT_THAT(load({.values = {0.0F, 1.0F, 1.0F, 0.0F, nan, 1.0F}}), HasSubstr("NaN or infinity"));
  EXPECT_THAT(load({.n_clusters = 0, .indices = {}, .values = {}, .columns = 0, .labels = {}}),
              HasSubstr("without columns"));
  EXPECT_THAT(load({.labels = {0, 1}}), HasSubstr("expected 3"));
  EXPECT_THAT(load({.labels = {1, 0, 1}}), HasSubstr("numbered"));
  EXPECT_THAT(load({.labels = {0, 2, 1}}), HasSubstr("numbered"));
  EXPECT_THAT(load({.labels = {0, -1, 1}}), HasSubstr("numbered"));
  // metrics know their rows
  EXPECT_EQ(load({.metric = 3}), "loaded");
  EXPECT_THAT(load({.metric = 3, .values = {0.0F, 1.0F, 0.0F, 0.0F, 1.0F, 1.0F}}), HasSubstr("row 1 is all zeros"));
  EXPECT_EQ(load({.metric = 4}), "loaded");
  EXPECT_THAT(load({.metric = 4, .values = {0.0F, 1.0F, 90.0F, 0.0F, 1.0F, 1.0F}}), HasSubstr("latitude 90"));
  EXPECT_THAT(load({.metric = 4, .values = {0.0F, 1.0F, 1.0F}, .columns = 1}), HasSubstr("expected 3 x 2"));
}

}  // namespace
}  // namespace tilelearn::testing
