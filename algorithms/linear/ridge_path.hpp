// Ridge regressions for any number of penalties from one factorisation.
//
// With the singular values s of the centred, weighted X and q the parts of y along its left singular vectors, the
// coefficients for a penalty alpha are V (q s / (s^2 + alpha)), and the trace of the matrix that takes y to its
// predictions is sum s^2 / (s^2 + alpha). (A. Hoerl, R. Kennard, Ridge regression, Technometrics 12 (1970).)
#pragma once

#include <cstdint>
#include <vector>

#include "linear/least_squares.hpp"
#include "linear/thin_svd.hpp"

namespace tilelearn::linear {

class RidgePath {
 public:
  /// `found` is a fit without a penalty and with sharp_factor; it must outlive the path. Of it `penalise` changes what
  /// the path does not read.
  explicit RidgePath(const LeastSquares& found);

  /// d coefficients of target k, alpha >= 0; directions that do not count towards the rank are left out.
  [[nodiscard]] std::vector<double> coef(double alpha, std::int64_t k) const;
  [[nodiscard]] double residual_squares(double alpha, std::int64_t k) const;
  /// Generalised cross-validation: n RSS / (n - trace)^2, the intercept counted (G. Golub, M. Heath, G. Wahba,
  /// Technometrics 21 (1979)). Infinite where no degrees of freedom are left.
  [[nodiscard]] double gcv(double alpha, std::int64_t k, bool intercept) const;

 private:
  const LeastSquares& found_;
  ThinSvd svd_;
  Eigen::MatrixXd parts_;  ///< directions x t: q
};

/// The plane of `found` with a penalty for each target, and the squares of its residuals, in place of those without.
void penalise(const RidgePath& path, const std::vector<double>& alpha, bool intercept, LeastSquares& found);

}  // namespace tilelearn::linear
