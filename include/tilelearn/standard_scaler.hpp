// Standardization: columns to mean 0 and standard deviation 1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/export.hpp>
#include <tilelearn/matrix.hpp>

namespace tilelearn {

namespace standard_scaler {
struct Model;
}
namespace detail {
class ModelReader;
class ModelWriter;
}  // namespace detail

struct StandardScalerOptions {
  /// Subtract the column's mean.
  bool with_mean = true;
  /// Divide by the column's standard deviation.
  bool with_std = true;
};

/// What one fit may be given beyond X.
template <typename T>
struct StandardScalerFitArguments {
  /// n non-negative finite weights on X's device; a row of weight zero is the same as no row.
  std::optional<VectorView<const T>> sample_weight{};
};

/// Scales columns: z = (x - mean) / scale, where scale is the population standard deviation (divisor n, or the sum of
/// the weights).
///
/// Statistics are float64 for float and double data: two passes, the second one shifted by the mean of the first, so
/// that a large common offset costs no accuracy; columns whose squares could overflow or vanish are scaled by a power
/// of two meanwhile. The order of summation is fixed, so the results are the same bits in every run, on every device
/// and with any number of threads. A column is constant when all its values (of rows with positive weight) are equal;
/// its scale is 1, and warnings() names it.
///
/// T is float or double. Cost: two reads of X for a fit (a third one where |x| > 2^900); memory beyond X: one row of 24
/// bytes a column for every 256 rows.
/// Source: T. Chan, G. Golub, R. LeVeque, Algorithms for computing the sample variance, The American Statistician 37
/// (1983).
template <typename T>
class StandardScaler {
 public:
  explicit StandardScaler(const StandardScalerOptions& options = {});
  StandardScaler(StandardScaler&&) noexcept;
  StandardScaler& operator=(StandardScaler&&) noexcept;
  StandardScaler(const StandardScaler&) = delete;
  StandardScaler& operator=(const StandardScaler&) = delete;
  ~StandardScaler();

  /// A fitted scaler of given statistics, d values each: z = (x - mean) / scale, such as another library's fit or a
  /// change of units (mean 0, scale 180 / pi turns degrees into radians). variance() is scale squared.
  /// @throws InvalidArgument for no columns, a mean that is not finite, a scale that is not finite and above 0
  /// @throws ShapeMismatch where the numbers of values differ
  static StandardScaler from_statistics(std::vector<double> mean, std::vector<double> scale);

  /// Takes mean and standard deviation of n x d rows where they live. Synchronises. On an error the estimator stays as
  /// it was.
  /// @throws InvalidArgument for empty X, NaN or infinity (first row and column named; rows of weight zero too), a
  ///   negative or non-finite weight, all weights zero
  /// @throws ShapeMismatch for weights of another length
  StandardScaler& fit(const MatrixView<const T>& X, const StandardScalerFitArguments<T>& arguments = {});

  /// fit, then transform of the same rows.
  Matrix<T> fit_transform(const MatrixView<const T>& X, const StandardScalerFitArguments<T>& arguments = {});

  /// m x d scaled rows, on X's device; computed in float64 and rounded once to T. Synchronises.
  /// @throws NotFitted, ShapeMismatch, InvalidArgument for NaN or infinity
  [[nodiscard]] Matrix<T> transform(const MatrixView<const T>& X) const;

  /// m x d rows in the units of the fit: z * scale + mean, computed in float64 (fma) and rounded once to T.
  /// @throws NotFitted, ShapeMismatch, InvalidArgument for NaN or infinity
  [[nodiscard]] Matrix<T> inverse_transform(const MatrixView<const T>& Z) const;

  /// d means, also when they are not subtracted. @throws NotFitted
  [[nodiscard]] const std::vector<double>& mean() const;
  /// d population variances, also when they are not used; infinity or 0 where float64 cannot hold a square (scale()
  /// is right even then). @throws NotFitted
  [[nodiscard]] const std::vector<double>& variance() const;
  /// d divisors: standard deviations, 1 for constant columns; all 1 without with_std. @throws NotFitted
  [[nodiscard]] const std::vector<double>& scale() const;
  /// d. @throws NotFitted
  [[nodiscard]] std::int64_t n_features_in() const;
  /// Constant columns, one text each. @throws NotFitted
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  [[nodiscard]] const StandardScalerOptions& options() const noexcept;

  /// Writes a model file; load() reads it on any machine. A scaler of float and one of double are the same file.
  /// @throws NotFitted, Error if the file cannot be written
  void save(const std::string& path) const;
  /// @throws ParseError for a file that is not a StandardScaler
  static StandardScaler load(const std::string& path);

  /// For the library's own use: save() and load() as a part of a larger model file.
  void write(detail::ModelWriter& writer) const;
  static StandardScaler read(const detail::ModelReader& reader);

 private:
  StandardScalerOptions options_;
  std::unique_ptr<standard_scaler::Model> model_;
};

extern template class TILELEARN_API StandardScaler<float>;
extern template class TILELEARN_API StandardScaler<double>;

}  // namespace tilelearn
