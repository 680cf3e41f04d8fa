// Least squares on rows that come in parts, none of which is seen again: one pass in double-double.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tilelearn/matrix.hpp>

#include "linear/cascade_sums.hpp"
#include "linear/least_squares.hpp"

namespace tilelearn::linear {

/// Rows are regrouped from the first one on, so that the parts do not show in the result, which is that of one fit of
/// all rows with the solver double_double.
template <typename T>
class PartialFit {
 public:
  PartialFit(std::int64_t d, std::int64_t t) : d_(d), t_(t), cascade_(leaf_blocks) {}

  [[nodiscard]] std::int64_t features() const { return d_; }
  [[nodiscard]] std::int64_t targets() const { return t_; }

  /// Checked shapes, rows in CPU memory. Throws InvalidArgument for NaN, infinity and bad weights, and has added
  /// nothing then.
  void add(const Rows<T>& rows, bool fit_intercept);

  /// Throws InvalidArgument where no row has a positive weight, and where squares have left float64.
  LeastSquares finish(const LeastSquaresOptions& options);

 private:
  static constexpr std::int64_t leaf_blocks = 16;

  void keep(const Rows<T>& rows, std::int64_t first, std::int64_t count);
  /// The sums of the rows that are kept, which are then forgotten.
  void sum_kept(const Device& device);

  std::int64_t d_;
  std::int64_t t_;
  std::int64_t observations_ = 0;
  std::int64_t kept_rows_ = 0;
  std::vector<T> kept_X_;
  std::vector<T> kept_Y_;
  std::vector<T> kept_weights_;
  Units units_;
  CascadeSums cascade_;
  Sums last_;  ///< of rows that do not fill a leaf
};

}  // namespace tilelearn::linear
