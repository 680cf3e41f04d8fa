// The class StandardScaler: checks arguments, sends the work to the device that holds the data, keeps the model.
#include <tilelearn/standard_scaler.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/cuda_module.hpp"
#include "core/finite.hpp"
#include "core/packed.hpp"
#include "core/text.hpp"
#include "preprocessing/standard_scaler_moments.hpp"

namespace tilelearn {

namespace standard_scaler {

namespace {

template <typename T>
const Backend<T>& backend_of(const Device& device) {
  if (device.is_cpu()) return cpu::backend<T>();
  if constexpr (std::is_same_v<T, float>)
    return detail::cuda_module().standard_scaler_float();
  else
    return detail::cuda_module().standard_scaler_double();
}

template <typename T>
void check_fit_shapes(const MatrixView<const T>& X, const std::optional<VectorView<const T>>& weights) {
  if (X.rows() < 1 || X.columns() < 1)
    throw InvalidArgument("StandardScaler: X is " + detail::shape_text(X.rows(), X.columns()) +
                          ", needed is at least 1 x 1");
  if (!weights) return;
  if (weights->size() != X.rows())
    throw ShapeMismatch("StandardScaler: " + std::to_string(weights->size()) + " weights for " +
                        std::to_string(X.rows()) + " rows");
  if (weights->device() != X.device())
    throw InvalidArgument("StandardScaler: X is on " + X.device().name() + ", sample_weight on " +
                          weights->device().name());
}

/// Divisors; a constant column gets 1 and a warning.
std::vector<double> divisors(const std::vector<double>& deviation, std::vector<std::string>& warnings) {
  std::vector<double> result = deviation;
  for (std::size_t j = 0; j < result.size(); ++j) {
    if (result[j] > 0.0) continue;
    result[j] = 1.0;
    warnings.push_back("StandardScaler: column " + std::to_string(j) + " is constant; it is not scaled");
  }
  return result;
}

void check_statistics(const std::vector<double>& mean, const std::vector<double>& scale) {
  if (mean.size() != scale.size())
    throw ShapeMismatch("StandardScaler: " + std::to_string(mean.size()) + " means and " +
                        std::to_string(scale.size()) + " scales");
  if (mean.empty()) throw InvalidArgument("StandardScaler: statistics of no columns");
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const std::string column = " of column " + std::to_string(j) + " is ";
    if (!std::isfinite(mean[j]))
      throw InvalidArgument("StandardScaler: the mean" + column + detail::shortest_text(mean[j]) + ", must be finite");
    if (!std::isfinite(scale[j]) || scale[j] <= 0.0)
      throw InvalidArgument("StandardScaler: the scale" + column + detail::shortest_text(scale[j]) +
                            ", must be finite and above 0");
  }
}

const Model& fitted(const std::unique_ptr<Model>& model, const char* method) {
  if (!model) throw NotFitted(std::string("StandardScaler::") + method + ": call fit first");
  return *model;
}

/// A new matrix on X's device, filled by `function` (apply or undo of the backend).
template <typename T, typename Function>
Matrix<T> map_rows(const MatrixView<const T>& X, const std::vector<double>& mean, const std::vector<double>& scale,
                   Function function) {
  const auto features = static_cast<std::int64_t>(mean.size());
  if (X.columns() != features)
    throw ShapeMismatch("StandardScaler: X has " + std::to_string(X.columns()) + " columns, the fit had " +
                        std::to_string(features));
  Matrix<T> result(X.rows(), X.columns(), X.device());
  if (X.rows() == 0) return result;
  const detail::PackedMatrix<T> packed(X);
  if (!function(packed.view(), mean, scale, result.view())) detail::throw_if_not_finite(X, "StandardScaler");
  return result;
}

}  // namespace

}  // namespace standard_scaler

template <typename T>
StandardScaler<T>::StandardScaler(const StandardScalerOptions& options) : options_(options) {}
template <typename T>
StandardScaler<T>::StandardScaler(StandardScaler&&) noexcept = default;
template <typename T>
StandardScaler<T>& StandardScaler<T>::operator=(StandardScaler&&) noexcept = default;
template <typename T>
StandardScaler<T>::~StandardScaler() = default;

template <typename T>
StandardScaler<T> StandardScaler<T>::from_statistics(std::vector<double> mean, std::vector<double> scale) {
  standard_scaler::check_statistics(mean, scale);
  auto model = std::make_unique<standard_scaler::Model>();
  model->variance.resize(scale.size());
  std::transform(scale.begin(), scale.end(), model->variance.begin(), [](double value) { return value * value; });
  model->mean = std::move(mean);
  model->scale = std::move(scale);
  StandardScaler scaler;
  scaler.model_ = std::move(model);
  return scaler;
}

template <typename T>
StandardScaler<T>& StandardScaler<T>::fit(const MatrixView<const T>& X,
                                          const StandardScalerFitArguments<T>& arguments) {
  standard_scaler::check_fit_shapes(X, arguments.sample_weight);
  const detail::PackedMatrix<T> packed(X);
  std::optional<detail::PackedVector<T>> packed_weights;
  std::optional<VectorView<const T>> weights;
  if (arguments.sample_weight) weights = packed_weights.emplace(*arguments.sample_weight).view();
  auto moments = standard_scaler::moments(standard_scaler::backend_of<T>(X.device()), packed.view(), weights);
  auto model = std::make_unique<standard_scaler::Model>();
  model->scale = options_.with_std ? standard_scaler::divisors(moments.deviation, model->warnings)
                                   : std::vector<double>(moments.mean.size(), 1.0);
  model->mean = std::move(moments.mean);
  model->variance = std::move(moments.variance);
  model_ = std::move(model);
  return *this;
}

template <typename T>
Matrix<T> StandardScaler<T>::fit_transform(const MatrixView<const T>& X,
                                           const StandardScalerFitArguments<T>& arguments) {
  return fit(X, arguments).transform(X);
}

template <typename T>
Matrix<T> StandardScaler<T>::transform(const MatrixView<const T>& X) const {
  const auto& model = standard_scaler::fitted(model_, "transform");
  const std::vector<double> zeros(model.mean.size(), 0.0);
  return standard_scaler::map_rows<T>(X, options_.with_mean ? model.mean : zeros, model.scale,
                                      standard_scaler::backend_of<T>(X.device()).apply);
}

template <typename T>
Matrix<T> StandardScaler<T>::inverse_transform(const MatrixView<const T>& Z) const {
  const auto& model = standard_scaler::fitted(model_, "inverse_transform");
  const std::vector<double> zeros(model.mean.size(), 0.0);
  return standard_scaler::map_rows<T>(Z, options_.with_mean ? model.mean : zeros, model.scale,
                                      standard_scaler::backend_of<T>(Z.device()).undo);
}

template <typename T>
const std::vector<double>& StandardScaler<T>::mean() const {
  return standard_scaler::fitted(model_, "mean").mean;
}
template <typename T>
const std::vector<double>& StandardScaler<T>::variance() const {
  return standard_scaler::fitted(model_, "variance").variance;
}
template <typename T>
const std::vector<double>& StandardScaler<T>::scale() const {
  return standard_scaler::fitted(model_, "scale").scale;
}
template <typename T>
std::int64_t StandardScaler<T>::n_features_in() const {
  return static_cast<std::int64_t>(standard_scaler::fitted(model_, "n_features_in").mean.size());
}
template <typename T>
const std::vector<std::string>& StandardScaler<T>::warnings() const {
  return standard_scaler::fitted(model_, "warnings").warnings;
}
template <typename T>
const StandardScalerOptions& StandardScaler<T>::options() const noexcept {
  return options_;
}

template class StandardScaler<float>;
template class StandardScaler<double>;

}  // namespace tilelearn
