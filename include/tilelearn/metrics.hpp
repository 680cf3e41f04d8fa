// How good a clustering is: agreement with known classes, and separation of the clusters.
#pragma once

#include <cstdint>
#include <optional>

#include <tilelearn/export.hpp>
#include <tilelearn/matrix.hpp>

namespace tilelearn {

/// Adjusted Rand index of two labellings of the same n rows: 1 for equal partitions, about 0 for independent ones,
/// negative for less agreement than chance. Any int32 values are labels; numbering does not matter.
///
/// Pairs are counted exactly in 128-bit integers; the one rounding is that of the final quotient. Two labellings that
/// agree on every pair (both a single cluster, both all apart) score 1, as in scikit-learn. The labels may live on any
/// devices; the count runs on the CPU in O(n log n).
/// Source: L. Hubert, P. Arabie, Comparing partitions, Journal of Classification 2 (1985).
/// @throws ShapeMismatch for different lengths, InvalidArgument for no rows or more than 2^32
[[nodiscard]] TILELEARN_API double adjusted_rand_index(const VectorView<const std::int32_t>& a,
                                                       const VectorView<const std::int32_t>& b);

/// Silhouette coefficient of each of n x d rows: (b - a) / max(a, b), where a is the mean Euclidean distance to the
/// other rows of the same cluster and b the least mean distance to the rows of another cluster; 0 for a row that is
/// alone in its cluster, and where a = b = 0. n values on X's device. Synchronises.
///
/// Any int32 values are labels (a noise label such as -1 is a cluster like the others); they may live on any device.
/// Distances are float64 direct forms and sums have a fixed order, so results are the same bits in every run, on every
/// device and with any number of threads. O(n^2 d) time, O(n d) memory, never n x n.
/// Source: P. Rousseeuw, Silhouettes, Journal of Computational and Applied Mathematics 20 (1987).
/// @throws ShapeMismatch for labels of another length, InvalidArgument for NaN or infinity (first row and column
///   named), no columns, or a number of clusters outside 2..n-1
[[nodiscard]] TILELEARN_API Vector<double> silhouette_samples(const MatrixView<const float>& X,
                                                              const VectorView<const std::int32_t>& labels);
[[nodiscard]] TILELEARN_API Vector<double> silhouette_samples(const MatrixView<const double>& X,
                                                              const VectorView<const std::int32_t>& labels);

/// Mean of silhouette_samples(), from -1 to 1; near 1 for tight clusters far apart.
[[nodiscard]] TILELEARN_API double silhouette_score(const MatrixView<const float>& X,
                                                    const VectorView<const std::int32_t>& labels);
[[nodiscard]] TILELEARN_API double silhouette_score(const MatrixView<const double>& X,
                                                    const VectorView<const std::int32_t>& labels);

/// Sum, weighted as given, of the squared Euclidean distances of n x d rows to the nearest of k x d centres: what
/// KMeans::inertia() is, for centres of any origin (on any device). Runs where X lives; synchronises.
///
/// Nearest centres and distances are float64 direct forms, as KMeans states them. O(n k d) time, never n x k memory.
/// @throws ShapeMismatch for other columns or a wrong number of weights, InvalidArgument for no rows, columns or
///   centres, NaN or infinity, a negative or non-finite weight
[[nodiscard]] TILELEARN_API double inertia(const MatrixView<const float>& X, const MatrixView<const float>& centers,
                                           const std::optional<VectorView<const float>>& sample_weight = {});
[[nodiscard]] TILELEARN_API double inertia(const MatrixView<const double>& X, const MatrixView<const double>& centers,
                                           const std::optional<VectorView<const double>>& sample_weight = {});

}  // namespace tilelearn
