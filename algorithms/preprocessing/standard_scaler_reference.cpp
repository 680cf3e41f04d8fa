#include "preprocessing/standard_scaler_reference.hpp"

#include <cmath>

namespace tilelearn::standard_scaler::reference {

template <typename T>
Moments moments(const MatrixView<const T>& X, const std::optional<VectorView<const T>>& weights) {
  Moments result;
  for (std::int64_t j = 0; j < X.columns(); ++j) {
    long double total = 0;
    long double mean = 0;
    for (std::int64_t i = 0; i < X.rows(); ++i) {
      const long double w = weights ? (*weights)[i] : T{1};
      total += w;
      mean += w * X(i, j);
    }
    mean /= total;
    long double variance = 0;
    for (std::int64_t i = 0; i < X.rows(); ++i) {
      const long double w = weights ? (*weights)[i] : T{1};
      variance += w * (X(i, j) - mean) * (X(i, j) - mean);
    }
    variance /= total;
    result.mean.push_back(static_cast<double>(mean));
    result.variance.push_back(static_cast<double>(variance));
    result.deviation.push_back(static_cast<double>(std::sqrt(variance)));
  }
  return result;
}

template Moments moments(const MatrixView<const float>&, const std::optional<VectorView<const float>>&);
template Moments moments(const MatrixView<const double>&, const std::optional<VectorView<const double>>&);

}  // namespace tilelearn::standard_scaler::reference
