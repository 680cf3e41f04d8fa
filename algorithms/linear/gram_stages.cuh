// Chunks of rows on their way through shared memory, as they lie in X, Y and the weights.
#pragma once

#include "linear/linear_rows.cuh"

namespace tilelearn::linear::cuda {

/// Where the parts of a chunk of rows lie in its stage, in values.
template <typename T, int chunk>
struct StageLayout {
  int x_row, x_column;
  int y_row, y_column;
  int y_begin, weight_begin;
  int zero;  ///< a value that is 0
  int size;

  static constexpr int whole_vectors(int values) {
    constexpr int vector = 16 / sizeof(T);
    return (values + vector - 1) / vector * vector;
  }

  __host__ __device__ explicit StageLayout(const DeviceRows<T>& rows) {
    constexpr int apart = stage_column<T, chunk>;
    x_row = rows.X.by_rows() ? rows.X.columns : 1;
    x_column = rows.X.by_rows() ? 1 : apart;
    y_row = rows.Y.by_rows() ? rows.Y.columns : 1;
    y_column = rows.Y.by_rows() ? 1 : apart;
    y_begin = whole_vectors(rows.X.columns * (rows.X.by_rows() ? chunk : apart));
    weight_begin = y_begin + whole_vectors(rows.Y.columns * (rows.Y.by_rows() ? chunk : apart));
    zero = weight_begin + whole_vectors(rows.weights == nullptr ? 0 : chunk);
    size = zero + whole_vectors(1);
  }
};

/// Where a column of the augmented rows lies in a stage.
struct StageColumn {
  int begin;
  int step;  ///< from row to row

  StageColumn() = default;
  template <typename T, int chunk>
  __device__ StageColumn(const DeviceRows<T>& rows, const StageLayout<T, chunk>& layout, int column) {
    const int of_y = column - rows.X.columns;
    if (of_y < 0) {
      begin = column * layout.x_column;
      step = layout.x_row;
    } else if (of_y < rows.Y.columns) {
      begin = layout.y_begin + of_y * layout.y_column;
      step = layout.y_row;
    } else {
      begin = layout.zero;
      step = 0;
    }
  }
};

/// Starts the copy of rows [first, first + count) by the threads of `team`.
template <typename T, int chunk>
__device__ inline void start_chunk(const DeviceRows<T>& rows, const StageLayout<T, chunk>& layout, std::int64_t first,
                                   int count, const Team& team, T* stage) {
  start_copy<chunk>(rows.X, rows.X.by_rows(), first, count, 0, rows.X.columns, layout.x_row, team, stage);
  start_copy<chunk>(rows.Y, rows.Y.by_rows(), first, count, 0, rows.Y.columns, layout.y_row, team,
                    stage + layout.y_begin);
  if (rows.weights == nullptr) return;
  for (int r = team.thread; r < count; r += team.threads)
    __pipeline_memcpy_async(stage + layout.weight_begin + r, rows.weights + (first + r) * rows.weight_stride,
                            sizeof(T));
}

/// The copies of a block's rows, chunk after chunk, through a ring of stages: start(first, count, stage) copies one.
/// Run by all threads of a block, or by one warp of it while the others pass the same barriers: after begin() chunk 0
/// is there; after the k-th next() chunk k + 1 is, and the stage of chunk k - 1 is filled again.
template <int chunk, int stages>
class ChunkCopies {
 public:
  static_assert(stages >= 3);

  __device__ explicit ChunkCopies(int rows) : rows_(rows) {}

  template <typename Start>
  __device__ void begin(const Start& start) {
    for (int s = 0; s < stages - 1; ++s) start_next(start);
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
  }
  template <typename Start>
  __device__ void next(const Start& start) {
    __pipeline_wait_prior(stages - 3);
    __syncthreads();
    start_next(start);
  }

 private:
  template <typename Start>
  __device__ void start_next(const Start& start) {
    if (next_ < rows_) start(next_, min(chunk, rows_ - next_), stage_);
    __pipeline_commit();
    next_ += chunk;
    stage_ = stage_ + 1 == stages ? 0 : stage_ + 1;
  }

  int rows_;
  int next_ = 0;
  int stage_ = 0;
};

}  // namespace tilelearn::linear::cuda
