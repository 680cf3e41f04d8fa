// A saved StandardScaler is the same scaler, also for the other type; a wrong one is refused.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>
#include <tilelearn/standard_scaler.hpp>

#include "core/model_file.hpp"

namespace tilelearn {
namespace {

class StandardScalerFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("tilelearn-scaler-" + std::to_string(::getpid()))).string();
};

TEST_F(StandardScalerFile, LoadsTheSameBitsAndWarnings) {
  const Matrix<double> X{{1.0, 1e6 + 0.1, 7.0}, {2.5, 1e6 - 0.3, 7.0}, {-4.0, 1e6, 7.0}};
  StandardScaler<double> scaler({.with_mean = false});
  scaler.fit(X);
  scaler.save(path_);
  const auto loaded = StandardScaler<double>::load(path_);
  EXPECT_EQ(loaded.mean(), scaler.mean());
  EXPECT_EQ(loaded.variance(), scaler.variance());
  EXPECT_EQ(loaded.scale(), scaler.scale());
  EXPECT_EQ(loaded.warnings(), scaler.warnings());
  EXPECT_EQ(loaded.warnings().size(), 1U);
  EXPECT_FALSE(loaded.options().with_mean);
  EXPECT_TRUE(loaded.options().with_std);
  EXPECT_EQ(StandardScaler<float>::load(path_).scale(), scaler.scale());
}

TEST_F(StandardScalerFile, AnUnfittedScalerIsNotSaved) {
  EXPECT_THROW(StandardScaler<float>().save(path_), NotFitted);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(StandardScalerFile, StatisticsThatNoFitGivesAreRefused) {
  const auto write = [&](const std::vector<double>& mean, const std::vector<double>& scale) {
    detail::ModelWriter writer("standard_scaler");
    writer.set("with_mean", true).set("with_std", true).set("warnings", std::vector<std::string>{});
    writer.array("mean", mean).array("variance", std::vector<double>(mean.size(), 1.0)).array("scale", scale);
    writer.write(path_);
  };
  write({1.0, 2.0}, {1.0, 2.0});
  EXPECT_EQ(StandardScaler<float>::load(path_).n_features_in(), 2);
  write({}, {});
  EXPECT_THROW((void)StandardScaler<float>::load(path_), ParseError);
  write({1.0, 2.0}, {1.0});
  EXPECT_THROW((void)StandardScaler<float>::load(path_), ParseError);
  write({1.0, 2.0}, {1.0, 0.0});
  EXPECT_THROW((void)StandardScaler<float>::load(path_), ParseError);
  write({1.0, std::nan("")}, {1.0, 1.0});
  EXPECT_THROW((void)StandardScaler<float>::load(path_), ParseError);
  detail::ModelWriter("kmeans").write(path_);
  EXPECT_THROW((void)StandardScaler<float>::load(path_), ParseError);
}

}  // namespace
}  // namespace tilelearn
