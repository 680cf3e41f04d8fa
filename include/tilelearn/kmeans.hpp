// K-means clustering: Lloyd's algorithm with exact assignments, on the CPU and on CUDA devices.
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

namespace kmeans {
template <typename T>
struct Model;
}
namespace detail {
class ModelReader;
class ModelWriter;
}  // namespace detail

/// How the first centres are chosen.
enum class KMeansInit : std::uint8_t {
  /// Greedy k-means++ with 2 + floor(ln k) trials a centre (Arthur and Vassilvitskii, SODA 2007). The default.
  k_means_plus_plus,
  /// k-means|| with 5 rounds and oversampling 2k, then weighted greedy k-means++ on the candidates
  /// (Bahmani et al., VLDB 2012). Much faster for large k on a GPU.
  k_means_parallel,
  /// Distinct rows, drawn in proportion to their weights.
  random,
};

/// Options with scikit-learn's names and meaning.
struct KMeansOptions {
  /// k, from 1 to the number of rows with a positive weight.
  std::int32_t n_clusters = 8;
  /// Not used when a fit is given `init_centers`.
  KMeansInit init = KMeansInit::k_means_plus_plus;
  /// Starts to try, the best inertia wins (the first of equals); 0 means auto: 10 for random, else 1. A fit that is
  /// given `init_centers` has one start, since all would be the same.
  std::int32_t n_init = 0;
  /// Lloyd iterations of one start at most; 1 or more.
  std::int32_t max_iter = 300;
  /// Stops when the sum of squared centre shifts is at most tol * mean(variance of the columns); 0 or more.
  double tol = 1e-4;
  /// Equal seeds give equal results; the CPU and CUDA choose the same first centres.
  std::uint64_t seed = 0;
};

/// What `progress` is told after an iteration (on a CUDA device with a delay of a few iterations).
struct KMeansProgress {
  std::int32_t start = 0;      ///< which of the n_init starts, from 0
  std::int32_t iteration = 0;  ///< iterations done in this start
  double center_shift = 0.0;   ///< sum of squared centre shifts of that iteration
};

/// What one fit may be given beyond X.
template <typename T>
struct KMeansFitArguments {
  /// n non-negative finite weights on X's device; a row of weight zero is the same as no row.
  std::optional<VectorView<const T>> sample_weight{};
  /// n_clusters x d first centres, on any device; takes the place of options.init.
  std::optional<MatrixView<const T>> init_centers{};
  /// Called now and then from the thread that called fit.
  std::function<void(const KMeansProgress&)> progress{};
  /// Asked now and then; true ends the fit with Cancelled and leaves the estimator as it was.
  std::function<bool()> stop{};
};

/// K-means: k centres that minimise the weighted sum of squared distances to the nearest centre.
///
/// The nearest centre is the argmin over c of sum_j (x_j - c_j)^2, summed in float64 with fma over ascending columns,
/// centres first rounded to T; ties go to the lowest index. Every device and every method of this class decides by
/// that formula, so labels() always equals predict(X) for the returned centres. (float64 data beyond 2^+-400 are
/// scaled by a power of two first, so that squares neither overflow nor vanish.)
///
/// Lloyd iterations stop when no label changes, or by tol, or at max_iter, as scikit-learn's do. An empty cluster takes
/// the row farthest from its centre (ties to the lowest row; several empty clusters in ascending order take rows in
/// descending distance), unless that distance is zero, in which case it keeps its centre.
///
/// Sums over rows are exact integers in fixed point, so results are the same bits in every run, whatever the number of
/// threads or blocks.
///
/// T is float or double. Cost of an iteration: O(n k d) operations; memory beyond X: O(n + k d), never n x k. On CUDA
/// devices of compute capability 9.0 tensor cores do most of the work for 5 and more columns; others use float64.
///
/// Methods that compute throw OutOfMemory where memory or the device's workspace limit does not suffice and, on CUDA
/// devices, CudaError; these and the errors named below leave the estimator as it was.
/// Source: S. Lloyd, Least squares quantization in PCM, IEEE Trans. Inf. Theory 28 (1982).
template <typename T>
class KMeans {
 public:
  explicit KMeans(const KMeansOptions& options = {});
  KMeans(KMeans&&) noexcept;
  KMeans& operator=(KMeans&&) noexcept;
  KMeans(const KMeans&) = delete;
  KMeans& operator=(const KMeans&) = delete;
  ~KMeans();

  /// Fits n x d rows where they live. Synchronises.
  /// @throws InvalidArgument for options outside their range, empty X, fewer rows of positive weight than clusters, a
  ///   NaN or infinity (first row and column named) in X or the first centres, a negative or non-finite weight, all
  ///   weights zero, weights on another device than X
  /// @throws ShapeMismatch for weights or first centres of another shape
  /// @throws Cancelled when arguments.stop asks for it
  KMeans& fit(const MatrixView<const T>& X, const KMeansFitArguments<T>& arguments = {});

  /// fit, then labels(): n indices on X's device. @throws as fit()
  Vector<std::int32_t> fit_predict(const MatrixView<const T>& X, const KMeansFitArguments<T>& arguments = {});

  /// Index of the nearest centre for m x d rows, on their device. Synchronises.
  /// @throws NotFitted
  /// @throws ShapeMismatch for another number of columns than d
  /// @throws InvalidArgument for empty X, NaN or infinity
  [[nodiscard]] Vector<std::int32_t> predict(const MatrixView<const T>& X) const;

  /// m x k Euclidean distances to the centres, on X's device. Synchronises. @throws as predict()
  [[nodiscard]] Matrix<T> transform(const MatrixView<const T>& X) const;

  /// Minus the (weighted) sum of squared distances of m x d rows to their nearest centres. Synchronises.
  /// @throws as predict(), ShapeMismatch also for other than m weights, InvalidArgument also for a negative or
  ///   non-finite weight, all weights zero, weights on another device than X
  [[nodiscard]] double score(const MatrixView<const T>& X,
                             const std::optional<VectorView<const T>>& sample_weight = {}) const;

  /// k x d, on the device of the fit. @throws NotFitted
  [[nodiscard]] const Matrix<T>& cluster_centers() const;
  /// n indices for the rows of the fit, on its device. Empty for a model that was loaded. @throws NotFitted
  [[nodiscard]] const Vector<std::int32_t>& labels() const;
  /// Weighted sum of squared distances to the nearest centre, by the direct formula, as the weights are given.
  /// Infinite where the sum is beyond float64. @throws NotFitted
  [[nodiscard]] double inertia() const;
  /// Iterations of the start that won. @throws NotFitted
  [[nodiscard]] std::int32_t n_iter() const;
  /// False when the start that won ended at max_iter. @throws NotFitted
  [[nodiscard]] bool converged() const;
  /// d. @throws NotFitted
  [[nodiscard]] std::int64_t n_features_in() const;
  /// What was odd but not wrong, for example fewer distinct rows than clusters. @throws NotFitted
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  [[nodiscard]] const KMeansOptions& options() const noexcept;

  /// Writes a model file; load() reads it on any machine. @throws NotFitted, Error if the file cannot be written
  void save(const std::string& path) const;
  /// Centres go to `device`. @throws ParseError for a file that is not a KMeans model of this type
  static KMeans load(const std::string& path, const Device& device = Device::cpu());

  /// For the library's own use: save() and load() as a part of a larger model file. @throws as these
  void write(detail::ModelWriter& writer) const;
  static KMeans read(const detail::ModelReader& reader, const Device& device);

 private:
  KMeansOptions options_;
  std::unique_ptr<kmeans::Model<T>> model_;
};

extern template class TILELEARN_API KMeans<float>;
extern template class TILELEARN_API KMeans<double>;

}  // namespace tilelearn
