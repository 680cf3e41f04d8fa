// Lloyd's iterations on a CUDA device. The host runs a few iterations ahead of the device: kernels look at the loop's
// state and do nothing once it is over.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "core/pinned_cuda.hpp"
#include "kmeans/kmeans_assign.cuh"
#include "kmeans/kmeans_backend.hpp"
#include "kmeans/kmeans_update.cuh"

namespace tilelearn::kmeans::cuda {

template <typename T>
class Lloyd {
 public:
  Lloyd(const FitProblem<T>& problem, const Rows<T>& rows, const Statistics& statistics, double tolerance);

  /// From the first centres, which centers() holds by then, to the end; start is for the progress report.
  void run(std::int32_t start);

  /// Centres before run(), the returned ones after it.
  [[nodiscard]] T* centers() noexcept { return centers_[static_cast<std::size_t>(state_.iteration % 2)].data(); }
  [[nodiscard]] Matrix<T> take_centers() { return std::move(centers_[static_cast<std::size_t>(state_.iteration % 2)]); }
  /// Labels of the last iteration; those of the returned centres if state().strict.
  [[nodiscard]] Vector<std::int32_t> take_labels() { return std::move(labels_); }
  [[nodiscard]] const LoopState& state() const noexcept { return state_; }

 private:
  void enqueue_iteration(std::int32_t iteration);
  void end_iteration(std::int32_t iteration, bool allow_empty);
  void fill_empty_clusters();
  [[nodiscard]] std::vector<Relocation> farthest_rows(const std::vector<std::int32_t>& empty);
  void report(const LoopState& state, std::int32_t start);

  const FitProblem<T>& problem_;
  Rows<T> rows_;
  std::int64_t k_;
  double tolerance_;
  Device device_;
  Assigner<T> assigner_;
  ClusterSums<T> sums_;
  std::array<Matrix<T>, 2> centers_;  ///< iteration i reads [i % 2] and writes the other
  Vector<std::int32_t> labels_;
  tilelearn::cuda::Buffer<std::int32_t> new_labels_;
  tilelearn::cuda::Buffer<LoopState> device_state_;
  LoopState state_{};
  std::int32_t reported_ = 0;
};

}  // namespace tilelearn::kmeans::cuda
