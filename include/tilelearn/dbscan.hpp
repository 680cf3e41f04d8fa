// Density-based clustering: DBSCAN by its definition, exact and without n x n memory, on the CPU and on CUDA devices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/export.hpp>
#include <tilelearn/matrix.hpp>

namespace tilelearn {

namespace dbscan {
template <typename T>
struct Model;
}
namespace detail {
class ModelReader;
class ModelWriter;
}  // namespace detail

/// What "within eps" is measured with.
enum class DBSCANMetric : std::uint8_t {
  /// sqrt(sum (x_j - y_j)^2). The default.
  euclidean,
  /// sum |x_j - y_j|
  manhattan,
  /// max |x_j - y_j|
  chebyshev,
  /// 1 - x.y / (|x| |y|); rows of zeros have no direction and are an error.
  cosine,
  /// Great-circle distance in radians between rows (latitude, longitude) in radians, on a sphere of radius 1.
  haversine,
};

/// Options with scikit-learn's names and meaning.
struct DBSCANOptions {
  /// Largest distance between neighbours, itself included; above 0 and finite, also once rounded to T.
  double eps = 0.5;
  /// Rows (or their weights) in a neighbourhood, the row itself included, that make the row a core row; 1 or more.
  std::int64_t min_samples = 5;
  DBSCANMetric metric = DBSCANMetric::euclidean;
};

/// What one fit may be given beyond X.
template <typename T>
struct DBSCANFitArguments {
  /// n finite weights on X's device, fractions and negatives too. They count towards min_samples and nothing else: a
  /// row is core where the weights of its neighbourhood, added without rounding and rounded once to T, are min_samples
  /// or more, whatever its own. Where weights of both signs are huge, weights are within 2^-60 of the largest.
  std::optional<VectorView<const T>> sample_weight{};
  /// Asked now and then; true ends the fit with Cancelled and leaves the estimator as it was.
  std::function<bool()> stop{};
};

/// DBSCAN. A row is core where at least min_samples rows, itself included, are within eps (closed: distance <= eps).
/// Core rows within eps of each other share a cluster; clusters are numbered from 0 by their first core row. A row that
/// is not core takes the lowest-numbered cluster that has a core row within eps of it, or -1 (noise). These are
/// scikit-learn's labels, and there is no choice in them: every device, batch and number of threads gives the same.
///
/// Within eps is decided in exact arithmetic on the values as stored, eps first rounded to T: euclidean, manhattan and
/// chebyshev have no rounding at all. cosine and haversine compare unit vectors: rows are made unit vectors in float64
/// by a fixed formula, and these are within eps where their chord is at most sqrt(2 eps), or 2 sin(eps / 2), rounded to
/// float64, in exact arithmetic.
///
/// T is float or double. Memory beyond X is O(n) (O(n d) for cosine, haversine and more than 3 columns), never n x n.
/// Up to 3 columns a grid of cells is searched, above it tiles of rows in k-d order with bounding boxes; expected cost
/// is O(n log n) where neighbourhoods are small or dense, O(n^2 d) at worst (many columns, nothing to prune). Source:
/// M. Ester, H.-P. Kriegel, J. Sander, X. Xu, A density-based algorithm for discovering clusters in large spatial
/// databases with noise, KDD 1996.
template <typename T>
class DBSCAN {
 public:
  explicit DBSCAN(const DBSCANOptions& options = {});
  DBSCAN(DBSCAN&&) noexcept;
  DBSCAN& operator=(DBSCAN&&) noexcept;
  DBSCAN(const DBSCAN&) = delete;
  DBSCAN& operator=(const DBSCAN&) = delete;
  ~DBSCAN();

  /// Clusters n x d rows where they live, n at most 2^31 - 1. Synchronises.
  /// @throws InvalidArgument for options outside their range, empty X, a NaN or infinity (first row and column named),
  ///   a weight that is not finite, haversine rows that are not 2 columns or not in radians, a row of zeros for cosine
  /// @throws ShapeMismatch for weights of another size
  DBSCAN& fit(const MatrixView<const T>& X, const DBSCANFitArguments<T>& arguments = {});

  /// fit, then labels(): n cluster numbers or -1, on X's device. The model keeps its own.
  Vector<std::int32_t> fit_predict(const MatrixView<const T>& X, const DBSCANFitArguments<T>& arguments = {});

  /// For m x d new rows, on their device: the lowest-numbered cluster that has a core row within eps, else -1. For the
  /// rows of the fit these are labels(). (An extension: scikit-learn's DBSCAN has no predict.) Synchronises.
  /// @throws NotFitted, ShapeMismatch, InvalidArgument as fit does
  [[nodiscard]] Vector<std::int32_t> predict(const MatrixView<const T>& X) const;

  /// n cluster numbers or -1 for the rows of the fit, on its device. Empty for a model that was loaded.
  /// @throws NotFitted
  [[nodiscard]] const Vector<std::int32_t>& labels() const;
  /// Rows of the fit that are core, ascending, on its device. @throws NotFitted
  [[nodiscard]] const Vector<std::int64_t>& core_sample_indices() const;
  /// The core rows themselves, n_core x d, on the device of the fit. @throws NotFitted
  [[nodiscard]] const Matrix<T>& components() const;
  /// Clusters, noise not counted. @throws NotFitted
  [[nodiscard]] std::int32_t n_clusters() const;
  /// d. @throws NotFitted
  [[nodiscard]] std::int64_t n_features_in() const;
  /// What was odd but not wrong, for example that every row is noise. @throws NotFitted
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  [[nodiscard]] const DBSCANOptions& options() const noexcept;

  /// Writes a model file; load() reads it on any machine. @throws NotFitted, Error if the file cannot be written
  void save(const std::string& path) const;
  /// The core rows go to `device`. @throws ParseError for a file that is not a DBSCAN model of this type
  static DBSCAN load(const std::string& path, const Device& device = Device::cpu());

  /// For the library's own use: save() and load() as a part of a larger model file.
  void write(detail::ModelWriter& writer) const;
  static DBSCAN read(const detail::ModelReader& reader, const Device& device);

 private:
  DBSCANOptions options_;
  std::unique_ptr<dbscan::Model<T>> model_;
};

extern template class TILELEARN_API DBSCAN<float>;
extern template class TILELEARN_API DBSCAN<double>;

}  // namespace tilelearn
