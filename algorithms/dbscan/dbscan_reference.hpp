// The plain twin of DBSCAN: its definition, one pair of rows at a time. It judges both backends.
#pragma once

#include <cstdint>
#include <vector>

#include <tilelearn/dbscan.hpp>

#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan::reference {

/// Rows and what "within eps" means among them: values as they are, or unit vectors where the metric is an angle.
class Points {
 public:
  /// X is n x d in CPU memory, of any strides; eps is rounded to T.
  template <typename T>
  Points(const MatrixView<const T>& X, const DBSCANOptions& options);

  [[nodiscard]] std::int64_t size() const { return n_; }
  /// d(row i here, row j of the others) <= eps, without rounding.
  [[nodiscard]] bool within(std::int64_t i, const Points& others, std::int64_t j) const;

 private:
  std::int64_t n_ = 0;
  int d_ = 0;
  std::vector<double> values_;
  Norm norm_ = Norm::euclidean;
  double eps_ = 0.0;
};

/// Whether weights, added exactly and rounded once to T, are min_samples or more.
template <typename T>
bool suffices(const std::vector<T>& weights, std::int64_t min_samples);

struct Result {
  std::vector<std::int64_t> core;    ///< core rows, ascending
  std::vector<std::int32_t> labels;  ///< n, -1 for noise
  std::int32_t n_clusters = 0;
};

/// O(n^2 d) time and O(n d) memory. No weights: every row counts 1.
template <typename T>
Result fit(const MatrixView<const T>& X, const DBSCANOptions& options, const std::vector<T>& weights = {});

/// For every row of Y the lowest cluster that has a core row of the fit of X within eps, else -1.
template <typename T>
std::vector<std::int32_t> predict(const MatrixView<const T>& X, const DBSCANOptions& options, const Result& fitted,
                                  const MatrixView<const T>& Y);

}  // namespace tilelearn::dbscan::reference
