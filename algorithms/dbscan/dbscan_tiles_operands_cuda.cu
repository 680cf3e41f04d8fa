// Operands of the tensor cores from rows in tiles.
#include "dbscan/dbscan_tiles_operands.cuh"

#include <cuda_fp16.h>

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::check_launch;

namespace {

constexpr int frame_threads = 256;
constexpr int operand_threads = 32 * strips_a_tile;
/// The farthest value is brought to 2^13 .. 2^14: far below float16's largest, 65504.
constexpr int largest_exponent = 13;
constexpr double largest_value = 65504.0;

int steps_for(int d) { return (d + step_columns - 1) / step_columns; }

/// frame = middle of the boxes of the uppermost nodes, then the power of two that brings their reach to 2^13. One
/// block.
template <typename T>
__global__ void __launch_bounds__(frame_threads)
    find_frame(const __grid_constant__ TileTree tree, int d, const T* boxes, double* frame) {
  __shared__ unsigned long long reach_bits;
  if (threadIdx.x == 0) reach_bits = 0;
  __syncthreads();
  const int top = tree.levels - 1;
  double reach = 0.0;
  for (int j = static_cast<int>(threadIdx.x); j < d; j += frame_threads) {
    const T* box = boxes + (std::int64_t{tree.first_family[top]} * d + j) * 2 * fan;
    T low = box[0];
    T high = box[fan];
    for (int node = 1; node < tree.count[top]; ++node) {
      low = min(low, box[node]);
      high = max(high, box[fan + node]);
    }
    frame[j] = double{low} / 2 + double{high} / 2;
    reach = max(reach, double{high} / 2 - double{low} / 2);
  }
  // Bits of values that are not negative are in the order of the values.
  atomicMax(&reach_bits, static_cast<unsigned long long>(__double_as_longlong(reach)));
  __syncthreads();
  if (threadIdx.x != 0) return;
  reach = __longlong_as_double(static_cast<long long>(reach_bits));
  constexpr int most_exponent = 1000;
  frame[d] = reach > 0.0 ? scalbn(1.0, min(max(largest_exponent - ilogb(reach), -most_exponent), most_exponent)) : 1.0;
}

/// What rounding a row costs, over the columns of one lane.
struct RowLoss {
  double square = 0.0;  ///< |(x - c) g - x^|^2
  double norm = 0.0;    ///< |x^|^2

  __device__ __half round(double value) {
    const __half rounded = __double2half(fmin(fmax(value, -largest_value), largest_value));
    const double kept = double{__half2float(rounded)};
    square = fma(value - kept, value - kept, square);
    norm = fma(kept, kept, norm);
    return rounded;
  }

  /// Over the four lanes that share a row.
  __device__ void add_quad() {
    for (int h = 1; h < 4; h *= 2) {
      square += __shfl_xor_sync(0xFFFFFFFF, square, h);
      norm += __shfl_xor_sync(0xFFFFFFFF, norm, h);
    }
  }
};

/// One tile a block, one strip a warp. Bytes: values once, fragments once.
template <typename T>
__global__ void __launch_bounds__(operand_threads)
    fill_operands(const T* values, const __grid_constant__ TileTree tree, int d, int steps, const double* frame,
                  uint4* fragments, float* half_norms, float2* bounds) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int strip = static_cast<int>(threadIdx.x / 32);
  const std::int64_t tile = blockIdx.x;
  const double scale = frame[d];
  const int first_row = strip * strip_rows + lane / 4;
  const std::int64_t first_slot = tile * tile_rows + first_row;
  const bool real[2] = {first_slot < tree.rows, first_slot + 8 < tree.rows};
  const T* from = values + tile * d * tile_rows + first_row;
  RowLoss loss[2];
  for (int step = 0; step < steps; ++step) {
    __half operand[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int row = i / 2 % 2;
      const int j = step * step_columns + i / 4 * 8 + 2 * (lane % 4) + i % 2;
      double value = 0.0;
      if (j < d && real[row]) value = (double{from[std::int64_t{j} * tile_rows + 8 * row]} - frame[j]) * scale;
      operand[i] = loss[row].round(value);
    }
    uint4 packed;
    memcpy(&packed, operand, sizeof packed);
    fragments[((tile * steps + step) * strips_a_tile + strip) * 32 + lane] = packed;
  }
  double largest_loss = 0.0;
  float largest_norm = 0.0F;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    loss[row].add_quad();
    const float half_norm = static_cast<float>(loss[row].norm / 2);
    if (lane % 4 == 0) half_norms[first_slot + 8 * row] = half_norm;
    // The subtraction and the scaling round by 2^-52 of the value.
    largest_loss = fmax(largest_loss, sqrt(loss[row].square) * (1.0 + 0x1p-40) + sqrt(loss[row].norm) * 0x1p-50);
    largest_norm = fmaxf(largest_norm, half_norm);
  }
  for (int h = 16; h > 0; h /= 2) {
    largest_loss = fmax(largest_loss, __shfl_xor_sync(0xFFFFFFFF, largest_loss, h));
    largest_norm = fmaxf(largest_norm, __shfl_xor_sync(0xFFFFFFFF, largest_norm, h));
  }
  if (lane == 0) bounds[tile * strips_a_tile + strip] = {__double2float_ru(largest_loss), largest_norm};
}

}  // namespace

template <typename T>
OperandRows<T>::OperandRows(const TileTree& tree, int d, const T* values, const T* boxes, const OperandRows* other,
                            const Device& device)
    : d_(d),
      fragments_(device, std::int64_t{tree.tiles()} * steps_for(d) * strips_a_tile * 32),
      half_norms_(device, tree.slots()),
      bounds_(device, tree.slots() / strip_rows) {
  if (other == nullptr) {
    frame_ = Buffer<double>(device, d + 1);
    find_frame<<<1, frame_threads, 0, device.stream()>>>(tree, d, boxes, frame_.data());
    check_launch();
  }
  used_frame_ = other == nullptr ? frame_.data() : other->used_frame_;
  fill_operands<<<static_cast<unsigned>(tree.tiles()), operand_threads, 0, device.stream()>>>(
      values, tree, d, steps_for(d), used_frame_, fragments_.data(), half_norms_.data(), bounds_.data());
  check_launch();
}

template <typename T>
TensorOperands OperandRows<T>::view() const {
  if (fragments_.size() == 0) return {};
  return {fragments_.data(), half_norms_.data(), bounds_.data(), used_frame_ + d_, steps_for(d_)};
}

template class OperandRows<float>;
template class OperandRows<double>;

}  // namespace tilelearn::dbscan::cuda
