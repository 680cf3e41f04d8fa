// CPU and CUDA against the plain twin, bit for bit, on sizes around warps, tiles and panels.
#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class KMeansTwin : public KMeansTest<I> {};
TYPED_TEST_SUITE(KMeansTwin, DeviceTypes, DeviceTypeNames);

constexpr std::int64_t row_counts[] = {1, 31, 32, 33, 257, 1000};
constexpr std::int64_t column_counts[] = {1, 3, 33, 128};
constexpr std::int32_t cluster_counts[] = {1, 2, 17, 100, 300, 1000};
constexpr std::int32_t few_iterations = 3;
/// Keeps the twin, which takes its time, within seconds.
constexpr std::int64_t most_products = 1000000;

template <typename T, typename Make, typename Check>
void for_all_sizes(const Make& make, const Check& check) {
  for (const std::int64_t n : row_counts)
    for (const std::int64_t d : column_counts)
      for (const std::int32_t k : cluster_counts) {
        if (k > n || n * d * k > most_products) continue;
        SCOPED_TRACE(::testing::Message() << n << " x " << d << ", k = " << k);
        Given<T> given{make(n, d), {.n_clusters = k, .max_iter = few_iterations, .seed = 3}};
        check(given);
        if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) return;
      }
}

TYPED_TEST(KMeansTwin, NormalDataFromGivenRows) {
  using T = typename TypeParam::Value;
  for_all_sizes<T>([](auto n, auto d) { return normal_matrix<T>(n, d, 1); },
                   [this](Given<T>& given) {
                     given.init =
                         copy_to(MatrixView<const T>(given.X.data(), given.options.n_clusters, given.X.columns()),
                                 Device::cpu());
                     expect_equals_twin(this->fit(given), twin(given));
                   });
}

TYPED_TEST(KMeansTwin, OffsetData) {
  using T = typename TypeParam::Value;
  for_all_sizes<T>([](auto n, auto d) { return normal_matrix<T>(n, d, 2, 1e6); },
                   [this](const Given<T>& given) { expect_equals_twin(this->fit(given), twin(given)); });
}

TYPED_TEST(KMeansTwin, TiesAndDuplicates) {
  using T = typename TypeParam::Value;
  for_all_sizes<T>([](auto n, auto d) { return grid_matrix<T>(n, d, 3, 3); },
                   [this](const Given<T>& given) { expect_equals_twin(this->fit(given), twin(given)); });
}

TYPED_TEST(KMeansTwin, Weights) {
  using T = typename TypeParam::Value;
  for_all_sizes<T>([](auto n, auto d) { return random_matrix<T>(n, d, 4); },
                   [this](Given<T>& given) {
                     given.weights = weight_vector<T>(given.X.rows(), 5, given.options.n_clusters * 2 < given.X.rows());
                     expect_equals_twin(this->fit(given), twin(given));
                   });
}

TYPED_TEST(KMeansTwin, EveryInitOnBlobs) {
  using T = typename TypeParam::Value;
  for (const KMeansInit init : {KMeansInit::k_means_plus_plus, KMeansInit::k_means_parallel, KMeansInit::random})
    for (const std::int32_t k : {1, 5, 40})
      for (const bool weighted : {false, true})
        for (const std::uint64_t seed : {0ULL, 1ULL, 18446744073709551615ULL}) {
          SCOPED_TRACE(::testing::Message() << "init " << static_cast<int>(init) << ", k = " << k << ", seed " << seed
                                            << ", weighted " << weighted);
          Given<T> given{blobs_matrix<T>(500, 3, 7, 6), {.n_clusters = k, .init = init, .n_init = 2, .seed = seed}};
          if (weighted) given.weights = weight_vector<T>(500, 7, true);
          expect_equals_twin(this->fit(given), twin(given));
        }
}

TYPED_TEST(KMeansTwin, StartsEqualTheTwinsRows) {
  // max_iter = 1 and far blobs would hide a wrong start behind the first update; so compare with a fit from the twin's.
  using T = typename TypeParam::Value;
  for (const KMeansInit init : {KMeansInit::k_means_plus_plus, KMeansInit::k_means_parallel, KMeansInit::random}) {
    Given<T> given{normal_matrix<T>(1000, 5, 8),
                   {.n_clusters = 30, .init = init, .n_init = 1, .max_iter = 1, .seed = 9}};
    const KMeans<T> own = this->fit(given);
    given.init = to_matrix(reference::first_centers(problem_of(given), 0));
    const KMeans<T> from_twin = this->fit(given);
    EXPECT_EQ(to_rows(own.cluster_centers().to(Device::cpu())), to_rows(from_twin.cluster_centers().to(Device::cpu())));
  }
}

TYPED_TEST(KMeansTwin, RunsToConvergence) {
  using T = typename TypeParam::Value;
  for (const double tol : {0.0, 1e-4, 1e-2}) {
    const Given<T> given{blobs_matrix<T>(1000, 4, 12, 10, 3.0), {.n_clusters = 12, .tol = tol}};
    const KMeans<T> model = this->checked_fit(given);
    EXPECT_TRUE(model.converged());
    expect_equals_twin(model, twin(given));
  }
}

}  // namespace
}  // namespace tilelearn::testing
