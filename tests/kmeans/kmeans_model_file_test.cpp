// A saved model is the same model on every device; a file of another kind, type or shape is refused.
#include <filesystem>

#include <unistd.h>

#include "core/model_file.hpp"
#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class KMeansFile : public KMeansTest<I> {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("tilelearn-kmeans-" + std::to_string(::getpid()))).string();
};
TYPED_TEST_SUITE(KMeansFile, DeviceTypes, DeviceTypeNames);

TYPED_TEST(KMeansFile, LoadsTheSameBits) {
  using T = typename TypeParam::Value;
  const Given<T> given{normal_matrix<T>(300, 3, 1), {.n_clusters = 4, .n_init = 2, .tol = 1e-3, .seed = 1ULL << 63}};
  const KMeans<T> model = this->fit(given);
  model.save(this->path_);
  const KMeans<T> loaded = KMeans<T>::load(this->path_, this->device());
  EXPECT_EQ(to_rows(loaded.cluster_centers().to(Device::cpu())), to_rows(model.cluster_centers().to(Device::cpu())));
  EXPECT_EQ(loaded.inertia(), model.inertia());
  EXPECT_EQ(loaded.n_iter(), model.n_iter());
  EXPECT_EQ(loaded.converged(), model.converged());
  EXPECT_EQ(loaded.options().n_clusters, 4);
  EXPECT_EQ(loaded.options().n_init, 2);
  EXPECT_EQ(loaded.options().tol, 1e-3);
  EXPECT_EQ(loaded.options().seed, 1ULL << 63);
  EXPECT_EQ(loaded.labels().size(), 0);
  EXPECT_EQ(loaded.predict(given.X.to(this->device())).to_std(), model.labels().to_std());
  const KMeans<T> on_cpu = KMeans<T>::load(this->path_);
  EXPECT_EQ(on_cpu.predict(given.X).to_std(), model.labels().to_std());
}

TYPED_TEST(KMeansFile, KeepsWarningsAndInfiniteInertia) {
  using T = typename TypeParam::Value;
  const KMeans<T> few = this->fit({Matrix<T>{{1}, {1}, {2}}, {.n_clusters = 3}});
  few.save(this->path_);
  EXPECT_EQ(KMeans<T>::load(this->path_).warnings(), few.warnings());
  EXPECT_EQ(few.warnings().size(), 1U);
  if (sizeof(T) == sizeof(float)) return;
  const KMeans<T> infinite = this->fit({Matrix<T>{{T(1e300)}, {T(-1e300)}}, {.n_clusters = 1}});
  EXPECT_EQ(infinite.inertia(), std::numeric_limits<double>::infinity());
  infinite.save(this->path_);
  EXPECT_EQ(KMeans<T>::load(this->path_).inertia(), infinite.inertia());
}

TYPED_TEST(KMeansFile, AnUnfittedModelIsNotSaved) {
  EXPECT_THROW(KMeans<typename TypeParam::Value>().save(this->path_), NotFitted);
  EXPECT_FALSE(std::filesystem::exists(this->path_));
}

TYPED_TEST(KMeansFile, OtherFilesAreRefused) {
  using T = typename TypeParam::Value;
  using Other = std::conditional_t<sizeof(T) == sizeof(float), double, float>;
  this->fit({Matrix<T>{{1}, {2}, {5}}, {.n_clusters = 2}}).save(this->path_);
  EXPECT_THROW((void)KMeans<Other>::load(this->path_), ParseError);
  detail::ModelWriter("standard_scaler").write(this->path_);
  EXPECT_THROW((void)KMeans<T>::load(this->path_), ParseError);
  detail::ModelWriter("kmeans").write(this->path_);
  EXPECT_THROW((void)KMeans<T>::load(this->path_), ParseError);
}

}  // namespace
}  // namespace tilelearn::testing
