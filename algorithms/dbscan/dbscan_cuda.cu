// The CUDA backend of DBSCAN.
#include "dbscan/dbscan_backend.hpp"

namespace tilelearn::dbscan::cuda {

namespace {

template <typename T>
Model<T> fit(const FitProblem<T>& /*problem*/) {
  throw Error("DBSCAN on CUDA devices is not implemented yet");
}

template <typename T>
Vector<std::int32_t> predict(const PredictProblem<T>& /*problem*/) {
  throw Error("DBSCAN on CUDA devices is not implemented yet");
}

template <typename T>
const Backend<T>& table() {
  static constexpr Backend<T> functions{fit<T>, predict<T>};
  return functions;
}

}  // namespace

template <>
const Backend<float>& backend<float>() {
  return table<float>();
}
template <>
const Backend<double>& backend<double>() {
  return table<double>();
}

}  // namespace tilelearn::dbscan::cuda
