// Linear regression with a penalty on the squares of the coefficients, on the CPU and on CUDA devices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/export.hpp>
#include <tilelearn/linear_regression.hpp>
#include <tilelearn/matrix.hpp>

namespace tilelearn {

template <typename T>
class RidgeCV;

struct RidgeOptions {
  /// Penalty, 0 or more and finite: one value for all targets, or one for each.
  std::vector<double> alpha{1.0};
  /// Estimate a constant, which is never penalised; else the plane goes through the origin.
  bool fit_intercept = true;
};

/// Ridge regression: coefficients and intercept that minimise
///
///   sum_i w_i (y_i - x_i coef - intercept)^2 + alpha ||coef||^2
///
/// for each target; with alpha = 0, LinearRegression's answer. Weights, sums, determinism and cost are those of
/// LinearRegression, whose fit arguments it shares. Several penalties (one a target) cost one factorisation: a singular
/// value decomposition of the d x d factor.
///
/// T is float or double. Source: A. Hoerl, R. Kennard, Ridge regression: biased estimation for nonorthogonal problems,
/// Technometrics 12 (1970).
template <typename T>
class Ridge {
 public:
  explicit Ridge(RidgeOptions options = {});
  Ridge(Ridge&&) noexcept;
  Ridge& operator=(Ridge&&) noexcept;
  Ridge(const Ridge&) = delete;
  Ridge& operator=(const Ridge&) = delete;
  ~Ridge();

  /// Fits n x d rows and n targets where they live. Synchronises. On an error the estimator stays as it was.
  /// @throws InvalidArgument for a penalty outside its range or a wrong number of them, and as LinearRegression::fit
  /// @throws ShapeMismatch for targets or weights of another length
  Ridge& fit(const MatrixView<const T>& X, const VectorView<const T>& y,
             const LinearRegressionFitArguments<T>& arguments = {});
  /// The same for t targets, Y n x t.
  Ridge& fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
             const LinearRegressionFitArguments<T>& arguments = {});

  /// As LinearRegression's.
  [[nodiscard]] Vector<T> predict(const MatrixView<const T>& X) const;
  [[nodiscard]] Matrix<T> predict_all(const MatrixView<const T>& X) const;
  [[nodiscard]] double score(const MatrixView<const T>& X, const VectorView<const T>& y,
                             const std::optional<VectorView<const T>>& sample_weight = {}) const;

  /// t x d, in CPU memory. @throws NotFitted
  [[nodiscard]] const Matrix<double>& coef() const;
  /// t values; zeros without fit_intercept. @throws NotFitted
  [[nodiscard]] const std::vector<double>& intercept() const;
  /// Never automatic. @throws NotFitted
  [[nodiscard]] LeastSquaresSolver solver_used() const;
  /// d. @throws NotFitted
  [[nodiscard]] std::int64_t n_features_in() const;
  /// Such as constant columns, one text each. @throws NotFitted
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  [[nodiscard]] const RidgeOptions& options() const noexcept;

  /// Writes a model file; load() reads it on any machine. A model of float and one of double are the same file.
  /// @throws NotFitted, Error if the file cannot be written
  void save(const std::string& path) const;
  /// @throws ParseError for a file that is not a Ridge
  static Ridge load(const std::string& path);

  /// For the library's own use: save() and load() as a part of a larger model file.
  void write(detail::ModelWriter& writer) const;
  static Ridge read(const detail::ModelReader& reader);

 private:
  friend class RidgeCV<T>;
  RidgeOptions options_;
  std::unique_ptr<linear::LinearModel> model_;
};

struct RidgeCVOptions {
  /// Penalties to choose from, at least one, each 0 or more and finite.
  std::vector<double> alphas{0.1, 1.0, 10.0};
  bool fit_intercept = true;
};

/// Ridge regression whose penalty is chosen by generalised cross-validation: that of least
/// n RSS / (n - trace of the hat matrix)^2, the mean over the targets; the first of equals. All penalties are judged
/// from one factorisation, X is read as often as by one fit.
///
/// T is float or double. Source: G. Golub, M. Heath, G. Wahba, Generalized cross-validation as a method for choosing a
/// good ridge parameter, Technometrics 21 (1979).
template <typename T>
class RidgeCV {
 public:
  explicit RidgeCV(RidgeCVOptions options = {});

  /// As Ridge::fit. @throws InvalidArgument also for no penalties
  RidgeCV& fit(const MatrixView<const T>& X, const VectorView<const T>& y,
               const LinearRegressionFitArguments<T>& arguments = {});
  RidgeCV& fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
               const LinearRegressionFitArguments<T>& arguments = {});

  /// The penalty that was chosen. @throws NotFitted
  [[nodiscard]] double alpha() const;
  /// What was compared, in the order of the options' alphas; infinite where no degrees of freedom were left.
  /// @throws NotFitted
  [[nodiscard]] const std::vector<double>& scores() const;
  /// The fit with alpha(): predictions, coefficients, model file. @throws NotFitted
  [[nodiscard]] const Ridge<T>& model() const;
  /// Takes that model out; this estimator is as before a fit then.
  [[nodiscard]] Ridge<T> release();
  [[nodiscard]] const RidgeCVOptions& options() const noexcept;

 private:
  RidgeCVOptions options_;
  std::optional<Ridge<T>> model_;
  std::vector<double> scores_;
};

extern template class TILELEARN_API Ridge<float>;
extern template class TILELEARN_API Ridge<double>;
extern template class TILELEARN_API RidgeCV<float>;
extern template class TILELEARN_API RidgeCV<double>;

}  // namespace tilelearn
