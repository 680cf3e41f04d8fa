// The verifier accepts the legal labelling and refuses wrong ones of every kind.
#include <gmock/gmock.h>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;

/// Ten rows, eps 1: core row 4 (at 2) of cluster 0 with border rows at 3, core row 5 (at 0) of cluster 1 with border
/// rows at -1, at 1 a border row of both, and noise far away.
class DBSCANVerifierTest : public ::testing::Test {
 protected:
  const Matrix<double> X_ = column<double>({3, 3, 3, 1, 2, 0, -1, -1, -1, 50});
  const DBSCANOptions options_{.eps = 1.0, .min_samples = 5};
  const DBSCANVerifier verifier_{X_, options_};
  const Clustering right_{{0, 0, 0, 0, 0, 1, 1, 1, 1, -1}, {4, 5}, 2};

  [[nodiscard]] std::string fault_of_labels(const Labels& labels) const {
    Clustering claim = right_;
    claim.labels = labels;
    return verifier_.fault(claim);
  }
};

TEST_F(DBSCANVerifierTest, AcceptsTheLegalLabelling) { EXPECT_EQ(verifier_.fault(right_), ""); }

TEST_F(DBSCANVerifierTest, RefusesABorderRowInAHigherCluster) {
  EXPECT_EQ(fault_of_labels({0, 0, 0, 1, 0, 1, 1, 1, 1, -1}), "border row 3 has label 1, should be 0");
}

TEST_F(DBSCANVerifierTest, RefusesABorderRowCalledNoise) {
  EXPECT_EQ(fault_of_labels({0, 0, -1, 0, 0, 1, 1, 1, 1, -1}), "border row 2 has label -1, should be 0");
}

TEST_F(DBSCANVerifierTest, RefusesNoiseCalledBorder) {
  EXPECT_EQ(fault_of_labels({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}), "noise row 9 has label 1, should be -1");
}

TEST_F(DBSCANVerifierTest, RefusesSwappedNumbers) {
  EXPECT_EQ(fault_of_labels({1, 1, 1, 0, 1, 0, 0, 0, 0, -1}), "core row 4 has label 1, should be 0");
}

TEST_F(DBSCANVerifierTest, RefusesMergedClusters) {
  EXPECT_EQ(fault_of_labels({0, 0, 0, 0, 0, 0, 0, 0, 0, -1}), "core row 5 has label 0, should be 1");
}

TEST_F(DBSCANVerifierTest, RefusesACoreRowCalledNoise) {
  EXPECT_EQ(fault_of_labels({0, 0, 0, 0, 0, -1, 1, 1, 1, -1}), "core row 5 has label -1, should be 1");
}

TEST_F(DBSCANVerifierTest, RefusesAGapInTheNumbers) {
  EXPECT_EQ(fault_of_labels({0, 0, 0, 0, 0, 2, 2, 2, 2, -1}), "core row 5 has label 2, should be 1");
}

TEST_F(DBSCANVerifierTest, RefusesAnotherMarkForNoise) {
  EXPECT_EQ(fault_of_labels({0, 0, 0, 0, 0, 1, 1, 1, 1, -2}), "noise row 9 has label -2, should be -1");
}

TEST_F(DBSCANVerifierTest, RefusesAWrongNumberOfLabels) {
  EXPECT_EQ(fault_of_labels({0, 0, 0, 0, 0, 1, 1, 1, 1}), "9 labels for 10 rows");
}

TEST_F(DBSCANVerifierTest, RefusesAWrongNumberOfClusters) {
  EXPECT_EQ(verifier_.fault({right_.labels, right_.core, 3}), "3 clusters, should be 2");
}

TEST_F(DBSCANVerifierTest, RefusesWrongCoreRows) {
  EXPECT_THAT(verifier_.fault({right_.labels, {4}, 2}), HasSubstr("position 1: none, should be 5"));
  EXPECT_THAT(verifier_.fault({right_.labels, {3, 4, 5}, 2}), HasSubstr("position 0: 3, should be 4"));
  EXPECT_THAT(verifier_.fault({right_.labels, {4, 5, 9}, 2}), HasSubstr("position 2: 9, should be none"));
  EXPECT_THAT(verifier_.fault({right_.labels, {5, 4}, 2}), HasSubstr("position 0: 5, should be 4"));
}

TEST_F(DBSCANVerifierTest, RefusesACoreRowSplitOffItsCluster) {
  const DBSCANVerifier chain(column<double>({0, 1, 2, 3}), {.eps = 1.0, .min_samples = 1});
  EXPECT_EQ(chain.fault({{0, 0, 0, 0}, {0, 1, 2, 3}, 1}), "");
  EXPECT_EQ(chain.fault({{0, 0, 0, 1}, {0, 1, 2, 3}, 2}), "core row 3 has label 1, should be 0");
  EXPECT_EQ(chain.fault({{0, 0, 1, 1}, {0, 1, 2, 3}, 2}), "core row 2 has label 1, should be 0");
}

TEST_F(DBSCANVerifierTest, AcceptsOneLabellingOfAll) {
  // every labelling of seven rows with -2..2: 5^7
  const DBSCANVerifier verifier(column<double>({2, 3, 3, 1, 0, -1, 9}), {.eps = 1.0, .min_samples = 3});
  int accepted = 0;
  Labels labels(7);
  for (int code = 0; code < 78125; ++code) {
    for (int rest = code, i = 0; i < 7; ++i, rest /= 5) labels[static_cast<std::size_t>(i)] = rest % 5 - 2;
    accepted += verifier.fault({labels, {0, 1, 2, 3, 4}, 1}).empty() ? 1 : 0;
  }
  EXPECT_EQ(accepted, 1);
}

TEST_F(DBSCANVerifierTest, RefusesEverySingleChange) {
  const Matrix<double> X = blobs_matrix<double>(60, 2, 4, 11, 4.0);
  const DBSCANOptions options{.eps = 0.8, .min_samples = 4};
  const DBSCANVerifier verifier(X, options);
  const reference::Result twin = reference::fit(X.view(), options);
  const Clustering right{twin.labels, twin.core, twin.n_clusters};
  ASSERT_EQ(verifier.fault(right), "");
  ASSERT_GE(twin.n_clusters, 3);
  ASSERT_LT(twin.core.size(), 50U);
  ASSERT_GE(std::count(twin.labels.begin(), twin.labels.end(), -1), 3);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::int32_t label = -1; label <= twin.n_clusters; ++label) {
      Clustering wrong = right;
      wrong.labels[i] = label;
      EXPECT_EQ(verifier.fault(wrong).empty(), label == right.labels[i]) << "row " << i << ", label " << label;
    }
}

TEST_F(DBSCANVerifierTest, KnowsWeights) {
  const std::vector<double> weights{1, 1, 1, 1, 1, -1, 1, 1, 1, 7};
  const DBSCANVerifier verifier(X_, options_, weights);
  EXPECT_EQ(verifier.fault({{0, 0, 0, 0, 0, -1, -1, -1, -1, 1}, {4, 9}, 2}), "");
  EXPECT_NE(verifier.fault(right_), "");
}

}  // namespace
}  // namespace tilelearn::testing
