// The curve of k-distances, its knee, the eps that it proposes, and its pictures.
//
// The knee is where the curve, brought to the unit square, lies farthest below the chord from its first to its last
// point: V. Satopaa, J. Albrecht, D. Irwin, B. Raghavan, Finding a "Kneedle" in a haystack: detecting knee points in
// system behavior, ICDCS workshops 2011 (without its smoothing: the curve ascends as it is).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilelearn::cli {

struct DistanceCurve {
  std::vector<double> distances{};  ///< ascending, finite
  std::size_t beyond = 0;           ///< distances beyond float64, which no picture shows
  std::size_t knee = 0;             ///< position in `distances`
  std::optional<double> eps{};      ///< the knee's distance, rounded up to three digits; none if it is not held

  [[nodiscard]] std::size_t size() const { return distances.size() + beyond; }
};

/// `is_held` says whether a distance can be an eps. One at least is finite.
DistanceCurve distance_curve(std::vector<double> ascending, const std::function<bool(double)>& is_held);

/// The share of the distances that are at most `eps`.
double share_within(const DistanceCurve& curve, double eps);

/// Lines for a terminal; the knee is an o.
std::string text_picture(const DistanceCurve& curve);

/// `y_name` says what the distances are. @throws UsageError for values too far apart to draw
std::string svg_picture(const DistanceCurve& curve, const std::string& title, const std::string& subtitle,
                        const std::string& y_name);

}  // namespace tilelearn::cli
