// The judge of a DBSCAN: accepts exactly the legal labelling of rows, options and weights, and says what is wrong with
// any other. O(n^2) time, O(n) memory; it follows no algorithm, it checks what must hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <tilelearn/dbscan.hpp>

#include "dbscan/dbscan_reference.hpp"
#include "dbscan/dbscan_unit_vectors.hpp"
#include "dbscan/dbscan_within.hpp"

namespace tilelearn::testing {

/// What a fit says of its rows.
struct Clustering {
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> core;  ///< core_sample_indices
  std::int32_t n_clusters = 0;
};

template <typename T>
Clustering clustering_of(const DBSCAN<T>& model) {
  return {model.labels().to_std(), model.core_sample_indices().to_std(), model.n_clusters()};
}

class DBSCANVerifier {
 public:
  /// X in CPU memory; weights may be none.
  template <typename T>
  DBSCANVerifier(const Matrix<T>& X, const DBSCANOptions& options, const std::vector<T>& weights = {})
      : n_(X.rows()), d_(static_cast<int>(X.columns())) {
    set_points(X, options);
    find_core(options.min_samples, weights);
    join_core();
  }

  /// What is wrong, or an empty text.
  [[nodiscard]] std::string fault(const Clustering& claim) const {
    if (static_cast<std::int64_t>(claim.labels.size()) != n_)
      return std::to_string(claim.labels.size()) + " labels for " + std::to_string(n_) + " rows";
    for (const auto& check :
         {&DBSCANVerifier::wrong_core, &DBSCANVerifier::wrong_clusters, &DBSCANVerifier::wrong_rest}) {
      const std::string text = (this->*check)(claim);
      if (!text.empty()) return text;
    }
    return {};
  }

 private:
  static constexpr std::int32_t noise = -1;

  template <typename T>
  void set_points(const Matrix<T>& X, const DBSCANOptions& options) {
    const double eps = double{static_cast<T>(options.eps)};
    const bool angles = options.metric == DBSCANMetric::haversine;
    if (angles) d_ = 3;
    points_.resize(static_cast<std::size_t>(n_ * d_));
    for (std::int64_t i = 0; i < n_; ++i) {
      const T* row = X.data() + i * X.columns();
      double* out = points_.data() + i * d_;
      if (angles)
        dbscan::unit_vector_of_angles(double{row[0]}, double{row[1]}, out);
      else if (options.metric == DBSCANMetric::cosine)
        dbscan::unit_vector(row, d_, out);
      else
        std::copy_n(row, d_, out);
    }
    switch (options.metric) {
      case DBSCANMetric::euclidean:
        ball_ = dbscan::make_ball(dbscan::Norm::euclidean, d_, eps);
        break;
      case DBSCANMetric::manhattan:
        ball_ = dbscan::make_ball(dbscan::Norm::manhattan, d_, eps);
        break;
      case DBSCANMetric::chebyshev:
        ball_ = dbscan::make_ball(dbscan::Norm::chebyshev, d_, eps);
        break;
      case DBSCANMetric::cosine:
        ball_ = dbscan::make_ball(dbscan::Norm::euclidean, d_, dbscan::cosine_chord(eps));
        break;
      case DBSCANMetric::haversine:
        ball_ = dbscan::make_ball(dbscan::Norm::euclidean, d_, dbscan::haversine_chord(eps));
        break;
    }
  }

  [[nodiscard]] bool within(std::int64_t i, std::int64_t j) const {
    return dbscan::within(points_.data() + i * d_, points_.data() + j * d_, ball_);
  }

  template <typename T>
  void find_core(std::int64_t min_samples, const std::vector<T>& weights) {
    for (std::int64_t i = 0; i < n_; ++i) {
      std::int64_t count = 0;
      std::vector<T> weight;
      for (std::int64_t j = 0; j < n_; ++j) {
        if (!within(i, j)) continue;
        ++count;
        if (!weights.empty()) weight.push_back(weights[static_cast<std::size_t>(j)]);
      }
      is_core_.push_back(weights.empty() ? count >= min_samples : dbscan::reference::suffices(weight, min_samples));
    }
  }

  /// first_[i]: the first core row that core row i is connected with through core rows.
  void join_core() {
    first_.resize(static_cast<std::size_t>(n_));
    std::iota(first_.begin(), first_.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < i && core(i); ++j) {
        const std::int64_t a = find(i);
        const std::int64_t b = find(j);
        if (core(j) && a != b && within(i, j)) at(std::max(a, b)) = std::min(a, b);
      }
    for (std::int64_t i = 0; i < n_; ++i) at(i) = find(i);
  }

  [[nodiscard]] std::int64_t find(std::int64_t i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  std::int64_t& at(std::int64_t i) { return first_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::int64_t first(std::int64_t i) const { return first_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool core(std::int64_t i) const { return is_core_[static_cast<std::size_t>(i)]; }

  [[nodiscard]] std::string wrong_core(const Clustering& claim) const {
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < n_; ++i)
      if (core(i)) expected.push_back(i);
    if (claim.core == expected) return {};
    const auto [is, should] = std::mismatch(claim.core.begin(), claim.core.end(), expected.begin(), expected.end());
    return "core rows differ at position " + std::to_string(is - claim.core.begin()) + ": " +
           (is == claim.core.end() ? std::string("none") : std::to_string(*is)) + ", should be " +
           (should == expected.end() ? std::string("none") : std::to_string(*should));
  }

  /// Core rows: one number for each connected set of them, in the order of their first rows.
  [[nodiscard]] std::string wrong_clusters(const Clustering& claim) const {
    std::int32_t next = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      if (!core(i)) continue;
      const std::int32_t expected = first(i) == i ? next++ : claim.labels[static_cast<std::size_t>(first(i))];
      if (const std::string text = wrong_label(claim, i, expected, "core row"); !text.empty()) return text;
    }
    return claim.n_clusters == next ? std::string()
                                    : std::to_string(claim.n_clusters) + " clusters, should be " + std::to_string(next);
  }

  /// Rows that are not core: the lowest cluster with a core row within eps, or noise.
  [[nodiscard]] std::string wrong_rest(const Clustering& claim) const {
    for (std::int64_t i = 0; i < n_; ++i) {
      if (core(i)) continue;
      std::int32_t expected = noise;
      for (std::int64_t j = 0; j < n_; ++j) {
        const std::int32_t label = claim.labels[static_cast<std::size_t>(j)];
        if (core(j) && (expected == noise || label < expected) && within(i, j)) expected = label;
      }
      const char* const what = expected == noise ? "noise row" : "border row";
      if (const std::string text = wrong_label(claim, i, expected, what); !text.empty()) return text;
    }
    return {};
  }

  [[nodiscard]] static std::string wrong_label(const Clustering& claim, std::int64_t row, std::int32_t expected,
                                               const std::string& what) {
    const std::int32_t label = claim.labels[static_cast<std::size_t>(row)];
    if (label == expected) return {};
    return what + " " + std::to_string(row) + " has label " + std::to_string(label) + ", should be " +
           std::to_string(expected);
  }

  std::int64_t n_;
  int d_;
  std::vector<double> points_;
  dbscan::Ball ball_;
  std::vector<bool> is_core_;
  std::vector<std::int64_t> first_;
};

}  // namespace tilelearn::testing
