// Rows of tiles as float16 operands of the tensor cores, and how far the rounding moved them.
//
// A row x becomes x^, the float16 values of (x - c) g: c the middle of all rows, g a power of two that brings the
// farthest value to about 2^13. Values beyond float16's range are clamped. What was lost, |(x - c) g - x^|, is kept as
// the largest of each strip; distances of rounded rows differ from those of the rows by no more than the sum of both
// losses (the triangle inequality).
#pragma once

#include <cstdint>

#include "core/cuda_support.cuh"
#include "dbscan/dbscan_tiles_tree.hpp"
#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan::cuda {

/// Columns of one matrix instruction (m16n8k16).
inline constexpr int step_columns = 16;
/// Rows of fewer columns are left to float32: reading the accumulators takes as long as evaluating a few columns.
inline constexpr int least_operand_columns = 24;

/// The operands as kernels see them; absent where `fragments` is null.
struct TensorOperands {
  /// [tile][step][strip][lane]: row lane / 4 and row lane / 4 + 8 of the strip, columns 2 q, 2 q + 1 of each, then
  /// columns 2 q + 8, 2 q + 9 of each, q = lane % 4: operand A of 16 rows and operand B of twice 8 in one.
  const uint4* fragments = nullptr;
  const float* half_norms = nullptr;  ///< [slots] |x^|^2 / 2
  const float2* bounds = nullptr;     ///< [strip] largest loss, largest |x^|^2 / 2
  const double* scale = nullptr;      ///< g
  int steps = 0;

  [[nodiscard]] __host__ __device__ bool present() const { return fragments != nullptr; }
};

/// Owner of TensorOperands.
template <typename T>
class OperandRows {
 public:
  /// No operands.
  OperandRows() = default;
  /// Operands of rows in tiles ([tile][column][64] values, [family][column][low, high][32 siblings] boxes), with c and
  /// g of these rows or, where `other` is given, of those. Stream-ordered.
  OperandRows(const TileTree& tree, int d, const T* values, const T* boxes, const OperandRows* other,
              const Device& device);

  [[nodiscard]] TensorOperands view() const;

  /// Whether rows of d columns have operands under a norm.
  [[nodiscard]] static bool serve(Norm norm, int d) { return norm == Norm::euclidean && d >= least_operand_columns; }

 private:
  int d_ = 0;
  tilelearn::cuda::Buffer<double> frame_;  ///< c, g; empty where another's is used
  const double* used_frame_ = nullptr;
  tilelearn::cuda::Buffer<uint4> fragments_;
  tilelearn::cuda::Buffer<float> half_norms_;
  tilelearn::cuda::Buffer<float2> bounds_;
};

}  // namespace tilelearn::dbscan::cuda
