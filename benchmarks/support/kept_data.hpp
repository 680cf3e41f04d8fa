// Keeps the last array that was generated, since neighbouring rows of a benchmark share it and two of the largest do
// not fit.
#pragma once

#include <string>

#include <tilelearn/matrix.hpp>

#include "support/generators.hpp"

namespace tilelearn::benchmarks {

template <typename T>
struct KeptData {
  DataSpec spec{};
  Matrix<T> host{};
  std::string device_name{};
  Matrix<T> X{};  ///< the same on the device
};

/// The array of `spec` in CPU memory and on `device`, until the next call.
template <typename T>
const KeptData<T>& kept_data(const DataSpec& spec, const Device& device) {
  static KeptData<T> kept;
  if (!(kept.spec == spec)) {
    kept = KeptData<T>();
    kept.host = generate<T>(spec);
    kept.spec = spec;
  }
  if (kept.device_name != device.name()) {
    kept.X = Matrix<T>();
    kept.X = kept.host.to(device);
    kept.device_name = device.name();
  }
  return kept;
}

}  // namespace tilelearn::benchmarks
