// Tails of Student's t and Fisher's F, for the tests of a regression.
//
// Both are incomplete beta functions, by their continued fraction: A. DiDonato, A. Morris, Algorithm 708: significant
// digit computation of the incomplete beta function ratios, ACM TOMS 18 (1992). Relative errors are about 1e-14, also
// where the tail is far below 1e-16.
#pragma once

namespace tilelearn::linear {

/// I_x(a, b) for a, b > 0; `x` and `y` = 1 - x are both given, so that neither is rounded away.
double regularized_beta(double a, double b, double x, double y);

/// P(|t| >= |value|) for degrees > 0 of freedom.
double student_t_two_sided(double value, double degrees);

/// The t > 0 with P(|t| >= t) = probability, 0 < probability < 1.
double student_t_quantile(double probability, double degrees);

/// P(F >= value) for value >= 0 and degrees > 0 of freedom above and below.
double fisher_f_upper(double value, double above, double below);

}  // namespace tilelearn::linear
