#include "fit_run.hpp"

#include "outputs.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

template <typename T>
std::optional<Vector<T>> gather(const std::optional<VectorView<const double>>& column,
                                const std::vector<std::int64_t>& rows) {
  if (!column) return std::nullopt;
  Vector<T> values(static_cast<std::int64_t>(rows.size()));
  for (std::int64_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>((*column)[rows[static_cast<std::size_t>(i)]]);
  return values;
}

}  // namespace

template <typename T>
FitData<T>::FitData(const Input& input, const TableEncoder& encoder, FitOutcome& outcome)
    : features_(naming_file(input.name, [&] { return encoder.encode<T>(input.table); })),
      weights_(gather<T>(input.weights, features_.rows)),
      target_(gather<T>(input.target, features_.rows)) {
  outcome.features = encoder.feature_names();
  outcome.rows = features_.X.rows();
  outcome.file_rows = input.file_rows;
  if (outcome.rows == 0)
    throw UsageError(input.name +
                     ": every row misses a value, so --missing drop leaves none; leave out columns with --exclude");
  if (outcome.rows < outcome.file_rows)
    outcome.warnings.push_back(count(outcome.file_rows - outcome.rows, "row") + " of " +
                               std::to_string(outcome.file_rows) + " left out: missing values");
}

template <typename T>
void FitData<T>::copy_to_device(FitOutcome& outcome) {
  device_ = outcome.device.device;
  if (device_.is_cpu()) return;
  const Stopwatch watch;
  device_X_ = features_.X.to(device_);
  if (weights_) device_weights_ = weights_->to(device_);
  if (target_) device_target_ = target_->to(device_);
  device_.synchronize();
  outcome.timings.copy_ms = watch.milliseconds();
}

template <typename T>
MatrixView<const T> FitData<T>::X() const {
  const Matrix<T>& matrix = device_.is_cpu() ? features_.X : device_X_;
  return {matrix.data(), matrix.rows(), matrix.columns(), device_};
}

template <typename T>
std::optional<VectorView<const T>> FitData<T>::on_device(const std::optional<Vector<T>>& here,
                                                         const std::optional<Vector<T>>& there) const {
  if (!here) return std::nullopt;
  const Vector<T>& vector = device_.is_cpu() ? *here : *there;
  return VectorView<const T>(vector.data(), vector.size(), device_);
}

template <typename T>
void warn_of_constant_columns(const std::optional<StandardScaler<T>>& scaler, FitOutcome& outcome) {
  if (!scaler) return;
  for (std::size_t j = 0; j < outcome.features.size(); ++j)
    if (scaler->variance()[j] == 0.0 && scaler->scale()[j] == 1.0)
      outcome.warnings.push_back("column '" + outcome.features[j] + "' is constant; it is not scaled");
}

template class FitData<float>;
template class FitData<double>;
template void warn_of_constant_columns(const std::optional<StandardScaler<float>>&, FitOutcome&);
template void warn_of_constant_columns(const std::optional<StandardScaler<double>>&, FitOutcome&);

}  // namespace tilelearn::cli
