#include "linear/linear_model.hpp"

#include <algorithm>

#include <Eigen/Core>

#include "core/cuda_module.hpp"
#include "linear/thin_svd.hpp"

namespace tilelearn::linear {

Plane LinearModel::plane() const {
  Plane result{{}, intercept};
  for (std::int64_t j = 0; j < features(); ++j)
    for (std::int64_t k = 0; k < targets(); ++k) result.coef.push_back(coef(k, j));
  return result;
}

const std::vector<double>& LinearModel::singular_values() const {
  std::call_once(once_, [this] {
    std::vector<double> values(static_cast<std::size_t>(std::min(features(), observations)), 0.0);
    if (factor.rows > 0) {
      const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> matrix(
          factor.high.data(), factor.rows, features());
      const Eigen::VectorXd found = thin_svd(matrix).values;
      std::copy_n(found.data(), std::min<std::size_t>(values.size(), static_cast<std::size_t>(found.size())),
                  values.begin());
    }
    singular_values_ = std::move(values);
  });
  return singular_values_;
}

template <>
const Backend<float>& backend_for(const Device& device) {
  return device.is_cpu() ? cpu::backend<float>() : detail::cuda_module().linear_float();
}
template <>
const Backend<double>& backend_for(const Device& device) {
  return device.is_cpu() ? cpu::backend<double>() : detail::cuda_module().linear_double();
}

}  // namespace tilelearn::linear
