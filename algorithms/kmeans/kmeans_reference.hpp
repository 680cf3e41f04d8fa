// The plain twin of k-means: the algorithm's definition, one row and one centre at a time. It judges both backends.
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>
#include <tilelearn/kmeans.hpp>

namespace tilelearn::kmeans::reference {

template <typename T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
struct Problem {
  Rows<T> X;                ///< n x d
  Eigen::VectorXd weights;  ///< n as given, or none
  KMeansOptions options;    ///< n_init is resolved
};

template <typename T>
struct Result {
  Rows<T> centers;
  std::vector<std::int32_t> labels;
  double inertia = 0.0;
  std::int32_t n_iter = 0;
  bool converged = false;
};

/// sum_j (x_j s - c_j s)^2 in float64.
template <typename T>
double squared_distance(const Rows<T>& X, Eigen::Index i, const Rows<T>& centers, Eigen::Index c, double scale = 1.0);

/// Nearest centre of every row, the lowest index of equals.
template <typename T>
std::vector<std::int32_t> nearest(const Rows<T>& X, const Rows<T>& centers, double scale = 1.0);

/// w' of kmeans_formulas.hpp, 1 for every row without weights.
Eigen::VectorXd normalized_weights(const Eigen::VectorXd& weights, Eigen::Index n);

/// s of kmeans_formulas.hpp for the rows of positive weight and these centres (which may be none).
template <typename T>
double data_scale(const Problem<T>& problem, const Rows<T>& centers);

/// The centres that start number `start` begins with.
template <typename T>
Rows<T> first_centers(const Problem<T>& problem, std::int32_t start);

/// Lloyd's iterations from given centres, in data scaled by `scale`.
template <typename T>
Result<T> lloyd(const Problem<T>& problem, const Rows<T>& init, double scale);

/// All starts, the best of them.
template <typename T>
Result<T> fit(const Problem<T>& problem);

}  // namespace tilelearn::kmeans::reference
