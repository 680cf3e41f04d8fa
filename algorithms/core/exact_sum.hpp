// The sign of a sum of products of two values each, without any rounding: every product is added as an integer to one
// long fixed-point number that spans the exponents of all products of T (U. Kulisch, Computer Arithmetic and Validity,
// 2008, chapter 8). No overflow, no underflow. Slow: for the few sums that an error bound leaves open.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/host_device.hpp"

namespace tilelearn::detail {

/// Range of the products of two values of T, each widened to double.
template <typename T>
struct ProductRange;
template <>
struct ProductRange<float> {
  static constexpr int lowest = -2 * (149 + 52);  ///< exponent of the last bit of the least product of 53-bit integers
  static constexpr int highest = 2 * 128;
};
template <>
struct ProductRange<double> {
  static constexpr int lowest = -2 * 1074;
  static constexpr int highest = 2 * 1024;
};

/// Holds up to 2^28 products.
template <typename T>
class ExactSum {
 public:
  /// += sign 2^shift a b for finite a and b of type T (widened), sign 1 or -1, shift 0 or 1.
  TILELEARN_HOST_DEVICE void add_product(double a, double b, int sign, int shift = 0) {
    if (a == 0.0 || b == 0.0) return;
    const Parts left = split(a);
    const Parts right = split(b);
    if (left.negative != right.negative) sign = -sign;
    const int position = left.exponent + right.exponent + shift - ProductRange<T>::lowest;
    const int bit = position % digit_bits;
    std::int64_t* digit = digits_ + position / digit_bits;
    // Schoolbook product of halves; their sums are below 2^64.
    const std::uint64_t left_low = left.mantissa & digit_mask;
    const std::uint64_t left_high = left.mantissa >> digit_bits;
    const std::uint64_t right_low = right.mantissa & digit_mask;
    const std::uint64_t right_high = right.mantissa >> digit_bits;
    add_shifted(digit, left_low * right_low, bit, sign);
    add_shifted(digit + 1, left_low * right_high + left_high * right_low, bit, sign);
    add_shifted(digit + 2, left_high * right_high, bit, sign);
  }

  /// -1, 0 or 1. The sum may be added to afterwards.
  TILELEARN_HOST_DEVICE int sign() {
    std::int64_t carry = 0;
    bool any = false;
#ifdef __CUDA_ARCH__
#pragma unroll 1  // unrolled, the loop takes more registers than there are
#endif
    for (int i = 0; i < size; ++i) {
      const std::int64_t value = digits_[i] + carry;
      carry = value >> digit_bits;
      digits_[i] = value & static_cast<std::int64_t>(digit_mask);
      any = any || digits_[i] != 0;
    }
    digits_[size - 1] += carry << digit_bits;
    return carry < 0 ? -1 : any || carry != 0 ? 1 : 0;
  }

 private:
  static constexpr int digit_bits = 32;
  static constexpr std::uint64_t digit_mask = 0xFFFFFFFF;
  static constexpr int mantissa_bits = 52;
  static constexpr int exponent_bias = 1075;  ///< of a mantissa taken as an integer
  /// Digits of the range, and room for a shift and carries.
  static constexpr int size = (ProductRange<T>::highest - ProductRange<T>::lowest) / digit_bits + 4;

  struct Parts {
    std::uint64_t mantissa;
    int exponent;
    bool negative;
  };

  /// += sign value 2^bit at a digit, bit < 32.
  TILELEARN_HOST_DEVICE static void add_shifted(std::int64_t* digit, std::uint64_t value, int bit, int sign) {
    const std::uint64_t low = (value & digit_mask) << bit;
    const std::uint64_t high = (value >> digit_bits) << bit;
    digit[0] += sign * static_cast<std::int64_t>(low & digit_mask);
    digit[1] += sign * static_cast<std::int64_t>((low >> digit_bits) + (high & digit_mask));
    digit[2] += sign * static_cast<std::int64_t>(high >> digit_bits);
  }

  TILELEARN_HOST_DEVICE static Parts split(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
    const int exponent = static_cast<int>(bits >> mantissa_bits & 0x7FF);
    const bool negative = bits >> 63 != 0;
    if (exponent == 0) return {fraction, 1 - exponent_bias, negative};
    return {fraction | std::uint64_t{1} << mantissa_bits, exponent - exponent_bias, negative};
  }

  std::int64_t digits_[size] = {};
};

}  // namespace tilelearn::detail
