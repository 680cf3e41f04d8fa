// Linear regression by least squares, on the CPU and on CUDA devices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/export.hpp>
#include <tilelearn/matrix.hpp>
#include <tilelearn/regression_summary.hpp>

namespace tilelearn {

namespace linear {
struct LinearModel;
template <typename T>
class PartialFit;
}  // namespace linear
namespace detail {
class ModelReader;
class ModelWriter;
}  // namespace detail

/// How least squares are solved. With kappa the condition number of the columns, each brought to unit length:
enum class LeastSquaresSolver : std::uint8_t {
  /// The first of the others that is good enough for the data.
  automatic,
  /// One pass, Gram matrix and Cholesky factor in float64: coefficients err by about kappa^2 2^-53.
  cholesky,
  /// The same, then passes that correct it by its residuals: about kappa 2^-53 where kappa is below 10^7.
  refined_cholesky,
  /// Gram matrix and pivoted Cholesky factor in double-double arithmetic: about kappa^2 2^-104 + 2^-53; tells the rank.
  double_double,
};

struct LinearRegressionOptions {
  /// Estimate a constant, which is not part of coef(); else the plane goes through the origin.
  bool fit_intercept = true;
  /// Coefficients (not the intercept) of 0 or more: the exact optimum, by an active set in double-double arithmetic,
  /// O(d^4) at worst. Works with the solvers automatic and double_double.
  bool positive = false;
  LeastSquaresSolver solver = LeastSquaresSolver::automatic;
  /// Directions of X (columns centred and brought to unit length) whose singular value is below tol times the largest
  /// count as none; 0 means 4 times the machine epsilon of T. From 0 to below 1.
  double tol = 0.0;
};

/// What one fit may be given beyond X and y.
template <typename T>
struct LinearRegressionFitArguments {
  /// n non-negative finite weights on X's device; a row of weight zero is the same as no row.
  std::optional<VectorView<const T>> sample_weight{};
  /// Asked between the passes over the rows; true ends the fit with Cancelled and leaves the estimator as it was.
  std::function<bool()> stop{};
};

/// Ordinary least squares: coefficients and intercept that minimise sum_i w_i (y_i - x_i coef - intercept)^2, for one
/// or several targets at once. Where columns depend on each other, or there are fewer rows than columns, the minimiser
/// of least norm ||coef|| in the units of X, and a warning.
///
/// Sums are float64 or wider for float and double data, shifted by a row of X so that a large common offset costs no
/// accuracy, in an order that the rows' numbers alone decide: the same bits in every run, with any number of threads
/// and any layout of X. Decisions on rank and solver are made on columns brought to unit length, so that no unit of
/// measurement shows in them.
///
/// T is float or double. Cost: one pass over X and O(n d^2) operations (a second pass for columns that nearly depend on
/// each other, or double-double arithmetic in one), O(d^3) for the solution; memory beyond X: O(d^2).
/// Sources: A. Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996, chapters 2 (normal equations,
/// seminormal equations with correction) and 2.9 (scaling); Y. Hida, X. Li, D. Bailey, Algorithms for quad-double
/// precision floating point arithmetic, ARITH 2001.
template <typename T>
class LinearRegression {
 public:
  explicit LinearRegression(const LinearRegressionOptions& options = {});
  LinearRegression(LinearRegression&&) noexcept;
  LinearRegression& operator=(LinearRegression&&) noexcept;
  LinearRegression(const LinearRegression&) = delete;
  LinearRegression& operator=(const LinearRegression&) = delete;
  ~LinearRegression();

  /// Fits n x d rows and n targets where they live. Synchronises. On an error the estimator stays as it was.
  /// @throws InvalidArgument for options outside their range, empty X, NaN or infinity (row and column named; rows of
  ///   weight zero too), a negative or non-finite weight, all weights zero, X and y on different devices, a Cholesky
  ///   solver on columns that depend on each other too much, coefficients beyond float64
  /// @throws ShapeMismatch for targets or weights of another length
  LinearRegression& fit(const MatrixView<const T>& X, const VectorView<const T>& y,
                        const LinearRegressionFitArguments<T>& arguments = {});
  /// The same for t targets, Y n x t: t regressions from one pass.
  LinearRegression& fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
                        const LinearRegressionFitArguments<T>& arguments = {});

  /// Adds rows, which are not needed afterwards, to a fit that finish() ends: data that do not fit into memory. One
  /// pass in double-double arithmetic (rows cannot be read twice); the parts do not show in a bit of the result, which
  /// is that of fit() with the solver double_double, unless the first row is far from the others (fit() then reads rows
  /// again; here, less is told from nothing). Holds up to 65536 rows. The model stays as it was until finish().
  /// @throws as fit; and InvalidArgument for a forced Cholesky solver, ShapeMismatch for other numbers of columns and
  ///   targets than in the parts before. Nothing of the rows is added then.
  LinearRegression& partial_fit(const MatrixView<const T>& X, const VectorView<const T>& y,
                                const std::optional<VectorView<const T>>& sample_weight = {});
  LinearRegression& partial_fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
                                const std::optional<VectorView<const T>>& sample_weight = {});
  /// Fits the rows that were added, and forgets them, also on an error.
  /// @throws InvalidArgument if there were none of positive weight, or their squares are beyond float64
  LinearRegression& finish();

  /// m values for m x d rows, on X's device: x coef + intercept in float64, rounded once to T. Synchronises.
  /// @throws NotFitted, ShapeMismatch, InvalidArgument for NaN or infinity and for a fit of several targets
  [[nodiscard]] Vector<T> predict(const MatrixView<const T>& X) const;
  /// m x t values, for a fit of any number of targets.
  [[nodiscard]] Matrix<T> predict_all(const MatrixView<const T>& X) const;

  /// R2 = 1 - sum w (y - prediction)^2 / sum w (y - mean)^2, of one target; 1 where both sums are 0, 0 where only the
  /// second is. Synchronises. @throws as predict and fit
  [[nodiscard]] double score(const MatrixView<const T>& X, const VectorView<const T>& y,
                             const std::optional<VectorView<const T>>& sample_weight = {}) const;

  /// t x d, in CPU memory. @throws NotFitted
  [[nodiscard]] const Matrix<double>& coef() const;
  /// t values; zeros without fit_intercept. @throws NotFitted
  [[nodiscard]] const std::vector<double>& intercept() const;
  /// Of X, its columns centred where there is an intercept. @throws NotFitted
  [[nodiscard]] std::int64_t rank() const;
  /// min(n, d) singular values of X, rows times the roots of their weights, columns centred where there is an
  /// intercept; descending, in the units of X. Computed when first asked for: O(d^3). @throws NotFitted
  [[nodiscard]] const std::vector<double>& singular_values() const;
  /// The largest singular value over that of the last direction that counts towards rank(). @throws NotFitted
  [[nodiscard]] double condition_number() const;
  /// Never automatic. @throws NotFitted
  [[nodiscard]] LeastSquaresSolver solver_used() const;
  /// Standard errors, tests and intervals of one target's coefficients; to_text() makes a table of them. Sums are those
  /// of the fit, X is not read again: O(d^3). Values are statsmodels' after rows of weight zero are taken out.
  /// @throws NotFitted, InvalidArgument for a target that was not fitted, a confidence outside 0 to 1, a fit with
  ///   positive (whose estimates have no normal distribution)
  [[nodiscard]] RegressionSummary summary(std::int64_t target = 0, double confidence = 0.95) const;
  /// d. @throws NotFitted
  [[nodiscard]] std::int64_t n_features_in() const;
  /// Such as dependent or constant columns, one text each. @throws NotFitted
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  [[nodiscard]] const LinearRegressionOptions& options() const noexcept;

  /// Writes a model file; load() reads it on any machine. A model of float and one of double are the same file.
  /// @throws NotFitted, Error if the file cannot be written
  void save(const std::string& path) const;
  /// @throws ParseError for a file that is not a LinearRegression
  static LinearRegression load(const std::string& path);

  /// For the library's own use: save() and load() as a part of a larger model file.
  void write(detail::ModelWriter& writer) const;
  static LinearRegression read(const detail::ModelReader& reader);

 private:
  LinearRegressionOptions options_;
  std::unique_ptr<linear::LinearModel> model_;
  std::unique_ptr<linear::PartialFit<T>> partial_;
};

extern template class TILELEARN_API LinearRegression<float>;
extern template class TILELEARN_API LinearRegression<double>;

}  // namespace tilelearn
