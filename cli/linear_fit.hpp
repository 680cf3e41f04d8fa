// A linear regression with all that is done to the features before: what both the model and its quality are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <tilelearn/linear_regression.hpp>
#include <tilelearn/pipeline.hpp>
#include <tilelearn/ridge.hpp>
#include <tilelearn/standard_scaler.hpp>

#include "fit_run.hpp"

namespace tilelearn::cli {

struct LinearRegressionRequest : FitRequest {
  std::vector<double> penalties{};  ///< none: least squares without one
  bool fit_intercept = true;
  double test_fraction = 0.0;
  std::uint64_t seed = 0;  ///< of the rows that are held out
};

/// Features in the file's units, on one device with their targets and weights.
template <typename T>
struct LinearRows {
  MatrixView<const T> X;
  VectorView<const T> y;
  std::optional<VectorView<const T>> weights;
};

/// T is float or double.
template <typename T>
class LinearFit {
 public:
  LinearFit(const LinearRegressionRequest& request, const LinearRows<T>& rows);

  /// On X's device.
  [[nodiscard]] Vector<T> predict(const MatrixView<const T>& X) const;
  [[nodiscard]] double score(const LinearRows<T>& rows) const;

  [[nodiscard]] const Matrix<double>& coef() const;
  [[nodiscard]] double intercept() const;
  [[nodiscard]] LeastSquaresSolver solver() const;
  /// Null with penalties.
  [[nodiscard]] const LinearRegression<T>* least_squares() const { return std::get_if<LinearRegression<T>>(&model_); }
  /// Null without penalties.
  [[nodiscard]] const Ridge<T>* ridge() const { return std::get_if<Ridge<T>>(&model_); }
  /// Of generalised cross-validation, one for each penalty.
  [[nodiscard]] const std::vector<double>& penalty_scores() const { return penalty_scores_; }
  /// Takes the parts out; nothing else may be called then.
  [[nodiscard]] Pipeline release(const TableEncoder& encoder);

 private:
  void fit(const LinearRegressionRequest& request, const LinearRows<T>& rows);

  std::optional<StandardScaler<T>> scaler_{};
  std::variant<LinearRegression<T>, Ridge<T>> model_{};
  std::vector<double> penalty_scores_{};
};

}  // namespace tilelearn::cli
