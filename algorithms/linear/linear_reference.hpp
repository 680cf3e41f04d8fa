// The plain twin of linear regression: weighted least squares by an orthogonal factorisation of the rows themselves, in
// long double. It judges every solver and both backends.
#pragma once

#include <Eigen/Core>

#include "linear/gram.hpp"

namespace tilelearn::linear::reference {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct Fit {
  Wide coef;                 ///< d x t
  Wide intercept;            ///< 1 x t, zeros without
  Wide residual_norms;       ///< 1 x t: roots of sum w r^2
  Wide target_norms;         ///< 1 x t: roots of sum w (y - mean)^2, about 0 without an intercept
  Wide column_norms;         ///< 1 x d: the same of the columns of X
  double condition = 1.0;    ///< of the columns, each brought to unit length
  double least_value = 1.0;  ///< the least singular value of those
};

/// Householder QR with column pivoting of the centred rows times the roots of their weights; the columns are
/// independent. Rows in CPU memory, any strides.
template <typename T>
Fit fit(const Rows<T>& rows, bool fit_intercept);

}  // namespace tilelearn::linear::reference
