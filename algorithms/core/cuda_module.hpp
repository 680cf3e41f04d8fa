// The one door between the two libraries: what libtilelearn_cuda offers once it is opened.
//
// libtilelearn opens libtilelearn_cuda.so when a CUDA device is first asked for and calls its single exported
// function. An estimator adds one line here for each of its types.
#pragma once

#include <memory>
#include <string>

#include "core/device_impl.hpp"
#include "dbscan/dbscan_backend.hpp"
#include "kmeans/kmeans_backend.hpp"
#include "linear/linear_backend.hpp"
#include "metrics/metrics_backend.hpp"
#include "preprocessing/standard_scaler_backend.hpp"

namespace tilelearn::detail {

struct CudaModule {
  /// Version of the library that this module was built with; another one is refused.
  const char* version;
  /// Usable devices; where there are none, `reason` says why.
  int (*device_count)(std::string& reason);
  /// Device `index`, on its own stream or, if `caller_stream` is not null, on *caller_stream.
  std::shared_ptr<DeviceImpl> (*open)(int index, CUstream_st* const* caller_stream);

  const dbscan::Backend<float>& (*dbscan_float)();
  const dbscan::Backend<double>& (*dbscan_double)();
  const kmeans::Backend<float>& (*kmeans_float)();
  const kmeans::Backend<double>& (*kmeans_double)();
  const linear::Backend<float>& (*linear_float)();
  const linear::Backend<double>& (*linear_double)();
  const metrics::Backend<float>& (*metrics_float)();
  const metrics::Backend<double>& (*metrics_double)();
  const standard_scaler::Backend<float>& (*standard_scaler_float)();
  const standard_scaler::Backend<double>& (*standard_scaler_double)();
};

/// The opened module. Throws DeviceUnavailable with the reason where it cannot be opened.
const CudaModule& cuda_module();

}  // namespace tilelearn::detail

/// What libtilelearn_cuda exports.
extern "C" TILELEARN_API const tilelearn::detail::CudaModule* tilelearn_cuda_module();
