// A fitted plane with what is known of its fit, and the passes that use it. What LinearRegression and its kin keep.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <tilelearn/matrix.hpp>

#include "core/model_file.hpp"
#include "linear/least_squares.hpp"

namespace tilelearn::linear {

/// Results are in CPU memory and float64, whatever the data were.
struct LinearModel {
  Matrix<double> coef;  ///< t x d
  std::vector<double> intercept;
  std::int64_t rank = 0;
  std::int64_t observations = 0;
  double weight = 0.0;
  Factor factor;  ///< of least_squares.hpp
  std::vector<double> residual_squares;
  std::vector<double> total_squares;
  std::vector<double> means;
  LeastSquaresSolver solver = LeastSquaresSolver::automatic;
  std::vector<std::string> warnings;

  [[nodiscard]] std::int64_t features() const { return coef.columns(); }
  [[nodiscard]] std::int64_t targets() const { return coef.rows(); }
  [[nodiscard]] Plane plane() const;
  /// min(n, d) values, descending; computed once.
  [[nodiscard]] const std::vector<double>& singular_values() const;

 private:
  mutable std::once_flag once_;
  mutable std::vector<double> singular_values_;
};

/// The backend of the device that holds the data.
template <typename T>
const Backend<T>& backend_for(const Device& device);

/// One column of values.
template <typename T>
MatrixView<const T> as_matrix(const VectorView<const T>& y) {
  return {y.data(), y.size(), 1, y.stride(), 1, y.device()};
}

// What every linear estimator does; `estimator` names it in errors.

/// @throws InvalidArgument, ShapeMismatch for rows that no fit takes
template <typename T>
void check_rows(const Rows<T>& rows, const char* estimator);

/// @throws NotFitted where there is no model yet
const LinearModel& fitted(const std::unique_ptr<LinearModel>& model, const char* estimator);

/// Takes over what was found.
std::unique_ptr<LinearModel> make_model(LeastSquares&& found, const char* estimator);

/// m x t predictions.
template <typename T>
Matrix<T> predict_all(const LinearModel& model, const MatrixView<const T>& X, const char* estimator);
/// m predictions of the only target.
template <typename T>
Vector<T> predict(const LinearModel& model, const MatrixView<const T>& X, const char* estimator);
/// R2 of the only target.
template <typename T>
double score(const LinearModel& model, const Rows<T>& rows, const char* estimator);

/// The parts of a model file that every linear model has.
void write_model(detail::ModelWriter& writer, const LinearModel& model);
std::unique_ptr<LinearModel> read_model(const detail::ModelReader& reader);

}  // namespace tilelearn::linear
