// What the fits of all estimators share: their request, the data where they work, and an outcome that reports tell of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/pipeline.hpp>

#include "device_choice.hpp"
#include "input.hpp"
#include "stopwatch.hpp"

namespace tilelearn::cli {

/// What the user asked of a fit, beyond the estimator's options.
struct FitRequest {
  bool standardize = false;
  int repeat = 1;
  bool wants_plot = false;
  /// What is odd about the request itself.
  std::vector<std::string> warnings{};
};

struct Timings {
  double read_ms = 0.0;
  double copy_ms = 0.0;
  double fit_ms = 0.0;
  double predict_ms = 0.0;
};

struct FitOutcome {
  DeviceChoice device{};
  std::int64_t rows = 0;  ///< that were fitted
  std::int64_t file_rows = 0;
  std::vector<std::string> features{};
  Timings timings{};
  std::vector<std::string> warnings{};
  std::optional<Pipeline> pipeline{};
};

/// Rows, their weights and their targets, in CPU memory and where the work is done.
template <typename T>
class FitData {
 public:
  /// Encodes the table; the outcome learns of rows, features and what was left out.
  /// @throws UsageError for values that cannot be used, or no row
  FitData(const Input& input, const TableEncoder& encoder, FitOutcome& outcome);

  /// Copies to the outcome's device, unless that is the CPU, and waits.
  void copy_to_device(FitOutcome& outcome);

  /// In CPU memory, in the file's units.
  [[nodiscard]] const Features<T>& features() const { return features_; }
  [[nodiscard]] const std::optional<Vector<T>>& weights() const { return weights_; }
  [[nodiscard]] const std::optional<Vector<T>>& target() const { return target_; }
  /// On the device.
  [[nodiscard]] MatrixView<const T> X() const;
  [[nodiscard]] std::optional<VectorView<const T>> device_weights() const {
    return on_device(weights_, device_weights_);
  }
  [[nodiscard]] std::optional<VectorView<const T>> device_target() const { return on_device(target_, device_target_); }

 private:
  [[nodiscard]] std::optional<VectorView<const T>> on_device(const std::optional<Vector<T>>& here,
                                                             const std::optional<Vector<T>>& there) const;

  Features<T> features_;
  std::optional<Vector<T>> weights_;
  std::optional<Vector<T>> target_;
  Device device_{};
  Matrix<T> device_X_;
  std::optional<Vector<T>> device_weights_;
  std::optional<Vector<T>> device_target_;
};

/// What `fit` returns, called `repeat` times: all fits are the same bits, so the last one is kept and the least time
/// reported.
template <typename Fit>
auto fit_repeatedly(int repeat, const Device& device, double& least_ms, const Fit& fit) {
  std::optional<decltype(fit())> fitted;
  for (int i = 0; i < repeat; ++i) {
    const Stopwatch watch;
    fitted.emplace(fit());
    device.synchronize();
    least_ms = i == 0 ? watch.milliseconds() : std::min(least_ms, watch.milliseconds());
  }
  return std::move(*fitted);
}

/// Predicts the rows of the fit and reports how long that takes.
template <typename T, typename Model>
double predict_ms(const FitData<T>& data, const std::optional<StandardScaler<T>>& scaler, const Model& model) {
  const Stopwatch watch;
  if (scaler) {
    const Matrix<T> scaled = scaler->transform(data.X());
    static_cast<void>(model.predict(scaled.view()));
  } else {
    static_cast<void>(model.predict(data.X()));
  }
  data.X().device().synchronize();
  return watch.milliseconds();
}

/// The scaler counts columns, people name them.
template <typename T>
void warn_of_constant_columns(const std::optional<StandardScaler<T>>& scaler, FitOutcome& outcome);

}  // namespace tilelearn::cli
