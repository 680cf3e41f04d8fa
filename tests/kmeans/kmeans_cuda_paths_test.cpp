// Every way through the CUDA backend against the CPU: widths and numbers of centres on both sides of each limit, data
// that the filter cannot decide, rows that cannot be read 16 bytes at a time, other streams, many runs.
#include <cmath>

#include "kmeans/kmeans_test.hpp"
#include "support/cuda_stream.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using CudaTypes = ::testing::Types<Instance<float, DeviceKind::cuda>, Instance<double, DeviceKind::cuda>>;

struct Shape {
  std::int64_t n;
  std::int64_t d;
  std::int32_t k;
};

/// Cells of a few columns; A whole, in parts and partly in registers; B resident and streamed; tiles of 16, 64 and 128
/// centres; norms in slots and in accumulators.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {6000, 1, 900},   {5000, 2, 500},   {5000, 3, 300},   {5000, 4, 300},    {3000, 5, 300},   {40000, 8, 16},
      {4000, 17, 64},   {2500, 64, 65},   {1500, 64, 256},  {1500, 100, 129},  {1200, 128, 999}, {1100, 255, 17},
      {1100, 256, 128}, {1100, 272, 300}, {1100, 640, 257}, {1100, 656, 130},  {1100, 784, 10},  {1100, 800, 64},
      {1030, 768, 513}, {1100, 1700, 30}, {1030, 3001, 5},  {1100, 1600, 200},
  };
  return all;
}

/// n x d values of one kind; the first rows are the first centres.
template <typename T>
using Maker = T (*)(std::int64_t row, std::int64_t column, double uniform);

template <typename T>
struct Kind {
  const char* name;
  Maker<T> value;
};

template <typename T>
const std::vector<Kind<T>>& kinds() {
  static const std::vector<Kind<T>> all{
      {"uniform", [](std::int64_t, std::int64_t, double u) { return static_cast<T>(u); }},
      {"offset", [](std::int64_t, std::int64_t, double u) { return static_cast<T>(1e6 + u); }},
      {"lattice", [](std::int64_t, std::int64_t, double u) { return static_cast<T>(std::floor(3 * u)); }},
      {"tiny", [](std::int64_t, std::int64_t, double u) { return static_cast<T>(1e-30 * u); }},
      {"far rows",
       [](std::int64_t row, std::int64_t, double u) { return static_cast<T>(row % 97 == 1 ? 1e6 * u : u); }},
      {"one wide column",
       [](std::int64_t, std::int64_t column, double u) { return static_cast<T>(column == 0 ? 1e5 * u : u); }},
      {"beyond float16",
       [](std::int64_t row, std::int64_t, double u) { return static_cast<T>(row == 700 ? 1e25 : u - 0.5); }},
  };
  return all;
}

template <typename T>
Given<T> make(const Shape& shape, const Kind<T>& kind) {
  Given<T> given{Matrix<T>(shape.n, shape.d), {.n_clusters = shape.k, .max_iter = 2, .tol = 0.0}};
  for (std::int64_t i = 0; i < shape.n; ++i)
    for (std::int64_t j = 0; j < shape.d; ++j)
      given.X(i, j) = kind.value(i, j, uniform(static_cast<std::uint64_t>(shape.d), i * shape.d + j));
  given.init = Matrix<T>(shape.k, shape.d);
  std::copy_n(given.X.data(), shape.k * shape.d, given.init->data());
  return given;
}

template <typename T>
void expect_equal_models(const KMeans<T>& a, const KMeans<T>& b) {
  EXPECT_EQ(a.labels().to_std(), b.labels().to_std());
  EXPECT_EQ(to_rows(a.cluster_centers().to(Device::cpu())), to_rows(b.cluster_centers().to(Device::cpu())));
  EXPECT_EQ(a.inertia(), b.inertia());
  EXPECT_EQ(a.n_iter(), b.n_iter());
}

template <typename I>
class KMeansCudaPaths : public DeviceTest<I> {
 protected:
  using Value = typename I::Value;

  void expect_as_cpu(const Given<Value>& given) {
    expect_equal_models(fit_on(this->device(), given), fit_on(Device::cpu(), given));
  }
};

TYPED_TEST_SUITE(KMeansCudaPaths, CudaTypes, DeviceTypeNames);

TYPED_TEST(KMeansCudaPaths, EveryShapeAndKindOfDataAsOnTheCpu) {
  using T = typename TypeParam::Value;
  for (const Shape& shape : shapes())
    for (const Kind<T>& kind : kinds<T>()) {
      SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(shape.n) + " x " + std::to_string(shape.d) + ", k " +
                   std::to_string(shape.k));
      this->expect_as_cpu(make(shape, kind));
    }
}

/// So many rows that distances to the trials of k-means++ are not kept.
TYPED_TEST(KMeansCudaPaths, StartsOfManyRowsAsOnTheCpu) {
  using T = typename TypeParam::Value;
  for (const KMeansInit init : {KMeansInit::k_means_plus_plus, KMeansInit::k_means_parallel, KMeansInit::random}) {
    Given<T> given = make(Shape{1500000, 3, 5}, kinds<T>().front());
    given.init.reset();
    given.options.init = init;
    given.options.n_init = 1;
    this->expect_as_cpu(given);
  }
}

TYPED_TEST(KMeansCudaPaths, WeightsAndRowsOfWeightZeroFarAway) {
  using T = typename TypeParam::Value;
  for (const Shape& shape : {Shape{5000, 3, 300}, Shape{2500, 64, 65}}) {
    Given<T> given = make(shape, kinds<T>().front());
    given.weights = Vector<T>(shape.n);
    for (std::int64_t i = 0; i < shape.n; ++i) {
      const bool away = i >= shape.k && i % 5 == 0;
      (*given.weights)[i] = away ? T{0} : static_cast<T>(1 + i % 3);
      if (away) given.X(i, 0) = T{50};
    }
    this->expect_as_cpu(given);
  }
}

TYPED_TEST(KMeansCudaPaths, RowsThatStartBetweenVectors) {
  using T = typename TypeParam::Value;
  const Given<T> given = make(Shape{1500, 64, 256}, kinds<T>().front());
  Vector<T> shifted(1500 * 64 + 1, this->device());
  const MatrixView<T> X(shifted.data() + 1, 1500, 64, this->device());
  const Matrix<T> values = given.X.to(this->device());
  detail::copy_block({X.data(), 64, 1}, this->device(), {const_cast<T*>(values.data()), 64, 1}, this->device(), 1500,
                     64, sizeof(T));
  KMeans<T> model(given.options);
  model.fit(X, {.init_centers = given.init->view()});
  expect_equal_models(model, fit_on(Device::cpu(), given));
}

TYPED_TEST(KMeansCudaPaths, CallersStream) {
  using T = typename TypeParam::Value;
  this->device().synchronize();
  const Given<T> given = make(Shape{2500, 64, 65}, kinds<T>().front());
  (void)given.X.to(this->device());  // makes the device's context current
  const CudaStream stream;
  const Device own = Device::cuda(0, stream.get());
  EXPECT_EQ(own.stream(), stream.get());
  expect_equal_models(fit_on(own, given), fit_on(Device::cpu(), given));
}

TYPED_TEST(KMeansCudaPaths, AHundredRunsGiveTheSameBits) {
  using T = typename TypeParam::Value;
  Given<T> given = make(Shape{20000, 24, 70}, kinds<T>().front());
  given.init.reset();
  given.options.init = KMeansInit::k_means_parallel;
  given.options.max_iter = 10;
  const KMeans<T> first = fit_on(this->device(), given);
  for (int run = 1; run < 100; ++run) expect_equal_models(fit_on(this->device(), given), first);
}

/// Small enough for compute-sanitizer: each kernel once.
TYPED_TEST(KMeansCudaPaths, sanitize_EachKernelOnce) {
  using T = typename TypeParam::Value;
  for (const Shape& shape : {Shape{4200, 3, 330}, Shape{1100, 64, 129}, Shape{1030, 784, 10}, Shape{1030, 656, 130}})
    this->expect_as_cpu(make(shape, kinds<T>().front()));
  for (const KMeansInit init : {KMeansInit::k_means_plus_plus, KMeansInit::k_means_parallel, KMeansInit::random}) {
    Given<T> given = make(Shape{300, 7, 9}, kinds<T>().front());
    given.init.reset();
    given.options.init = init;
    this->expect_as_cpu(given);
  }
  Given<T> few = make(Shape{60, 2, 12}, kinds<T>()[2]);  // fewer distinct rows than clusters: relocation
  this->expect_as_cpu(few);
}

}  // namespace
}  // namespace tilelearn::testing
