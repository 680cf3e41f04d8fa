// The table that libtilelearn reads when it opens libtilelearn_cuda.
#include "core/cuda_module.hpp"
#include "core/device_cuda.hpp"

extern "C" const tilelearn::detail::CudaModule* tilelearn_cuda_module() {
  namespace tl = tilelearn;
  static const tl::detail::CudaModule module{
      TILELEARN_VERSION,
      &tl::cuda::device_count,
      &tl::cuda::open_device,
      &tl::dbscan::cuda::backend<float>,
      &tl::dbscan::cuda::backend<double>,
      &tl::kmeans::cuda::backend<float>,
      &tl::kmeans::cuda::backend<double>,
      &tl::linear::cuda::backend<float>,
      &tl::linear::cuda::backend<double>,
      &tl::metrics::cuda::backend<float>,
      &tl::metrics::cuda::backend<double>,
      &tl::standard_scaler::cuda::backend<float>,
      &tl::standard_scaler::cuda::backend<double>,
  };
  return &module;
}
