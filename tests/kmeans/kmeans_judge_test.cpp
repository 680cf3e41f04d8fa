// The judge accepts what is right and finds each kind of wrong answer.
#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename T>
class KMeansJudge : public ::testing::Test {
 protected:
  Matrix<T> X{{0, 0}, {0, 2}, {10, 0}, {10, 4}};
  Matrix<T> centers{{0, 1}, {10, 2}};
  std::vector<std::int32_t> labels{0, 0, 1, 1};
};
TYPED_TEST_SUITE(KMeansJudge, ValueTypes, ValueTypeNames);

TYPED_TEST(KMeansJudge, AcceptsTheAnswer) {
  EXPECT_EQ(first_wrong_label(this->X, this->centers, this->labels), -1);
  EXPECT_EQ(wrong_mean(this->X, this->centers, this->labels), "");
  EXPECT_EQ(direct_inertia(this->X, this->centers, this->labels), 10.0);
  EXPECT_EQ(direct_inertia(this->X, this->centers, this->labels, {1, 2, 3, 0}), 15.0);
}

TYPED_TEST(KMeansJudge, FindsAWrongLabel) {
  this->labels[2] = 0;
  EXPECT_EQ(first_wrong_label(this->X, this->centers, this->labels), 2);
}

TYPED_TEST(KMeansJudge, FindsATieThatWentToTheHigherIndex) {
  const Matrix<TypeParam> middle{{5, TypeParam(1.5)}};
  EXPECT_EQ(first_wrong_label(middle, this->centers, {0}), -1);
  EXPECT_EQ(first_wrong_label(middle, this->centers, {1}), 0);
}

TYPED_TEST(KMeansJudge, FindsANeighbourThatIsAHairNearer) {
  TypeParam& center = this->centers(1, 0);
  center = std::nextafter(center, TypeParam{0});
  const Matrix<TypeParam> middle{{5, TypeParam(1.5)}};
  EXPECT_EQ(first_wrong_label(middle, this->centers, {0}), 0);
}

TYPED_TEST(KMeansJudge, FindsACenterThatIsNotTheMean) {
  this->centers(0, 1) = TypeParam(1.0001);
  EXPECT_NE(wrong_mean(this->X, this->centers, this->labels), "");
  this->centers(0, 1) = 1;
  EXPECT_NE(wrong_mean(this->X, this->centers, this->labels, {1, 2, 1, 1}), "");
}

TYPED_TEST(KMeansJudge, TwinFollowsAWorkedExample) {
  // 0 1 | 9 10 from 0 and 1: {0}, {1, 9, 10} give 0 and 20/3; then {0, 1}, {9, 10} give 0.5 and 9.5; then no change.
  Given<TypeParam> given{{{0}, {1}, {9}, {10}}, {.n_clusters = 2, .tol = 0.0}, {}, Matrix<TypeParam>{{0}, {1}}};
  const reference::Result<TypeParam> result = twin(given);
  EXPECT_EQ(result.n_iter, 3);
  EXPECT_EQ(result.centers(0, 0), TypeParam(0.5));
  EXPECT_EQ(result.centers(1, 0), TypeParam(9.5));
  EXPECT_EQ(result.labels, (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(result.inertia, 1.0);
  EXPECT_TRUE(result.converged);
}

}  // namespace
}  // namespace tilelearn::testing
