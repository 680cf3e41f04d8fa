// Inertia of given centres, by the function of the k-means backends.
#include <string>
#include <type_traits>

#include <tilelearn/metrics.hpp>

#include "core/cuda_module.hpp"
#include "core/finite.hpp"
#include "core/packed.hpp"
#include "kmeans/kmeans_backend.hpp"

namespace tilelearn {

namespace {

template <typename T>
const kmeans::Backend<T>& backend_of(const Device& device) {
  if (device.is_cpu()) return kmeans::cpu::backend<T>();
  if constexpr (std::is_same_v<T, float>)
    return detail::cuda_module().kmeans_float();
  else
    return detail::cuda_module().kmeans_double();
}

template <typename T>
void check_shapes(const MatrixView<const T>& X, const MatrixView<const T>& centers,
                  const std::optional<VectorView<const T>>& weights) {
  if (X.rows() < 1 || X.columns() < 1 || centers.rows() < 1)
    throw InvalidArgument("inertia: X is " + std::to_string(X.rows()) + " x " + std::to_string(X.columns()) +
                          " and there are " + std::to_string(centers.rows()) + " centres; needed is one of each");
  if (centers.columns() != X.columns())
    throw ShapeMismatch("inertia: X has " + std::to_string(X.columns()) + " columns, the centres have " +
                        std::to_string(centers.columns()));
  if (!weights) return;
  if (weights->size() != X.rows())
    throw ShapeMismatch("inertia: " + std::to_string(weights->size()) + " weights for " + std::to_string(X.rows()) +
                        " rows");
  if (weights->device() != X.device())
    throw InvalidArgument("inertia: X is on " + X.device().name() + ", sample_weight on " + weights->device().name());
}

template <typename T>
double inertia_of(const MatrixView<const T>& X, const MatrixView<const T>& centers,
                  const std::optional<VectorView<const T>>& weights) {
  check_shapes(X, centers, weights);
  if (const auto position = detail::first_not_finite(centers))
    throw InvalidArgument("inertia: centre " + std::to_string(position->row) + " has a NaN or infinity in column " +
                          std::to_string(position->column));
  const detail::PackedMatrix<T> rows(X);
  const Matrix<T> nearby_centers = copy_to(centers, X.device());
  std::optional<Vector<T>> nearby_weights;
  std::optional<VectorView<const T>> packed_weights;
  if (weights) packed_weights = std::as_const(nearby_weights.emplace(copy_to(*weights, X.device()))).view();
  return backend_of<T>(X.device()).inertia(rows.view(), nearby_centers.view(), packed_weights);
}

}  // namespace

double inertia(const MatrixView<const float>& X, const MatrixView<const float>& centers,
               const std::optional<VectorView<const float>>& sample_weight) {
  return inertia_of(X, centers, sample_weight);
}

double inertia(const MatrixView<const double>& X, const MatrixView<const double>& centers,
               const std::optional<VectorView<const double>>& sample_weight) {
  return inertia_of(X, centers, sample_weight);
}

}  // namespace tilelearn
