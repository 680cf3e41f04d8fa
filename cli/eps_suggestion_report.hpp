// A proposal for eps, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dbscan_flags.hpp"
#include "distance_curve.hpp"

namespace tilelearn::cli {

struct Suggestion {
  std::int64_t rows = 0;
  std::int64_t file_rows = 0;
  std::vector<std::string> features{};
  std::vector<std::string> warnings{};
  DistanceCurve curve{};
  double read_ms = 0.0;
  double search_ms = 0.0;
};

/// What is odd about a curve: distances beyond the types, or no proposal.
std::vector<std::string> curve_warnings(const DBSCANFlags& flags, const DistanceCurve& curve);

/// Several lines for standard output, with the curve.
std::string suggestion_summary(const DBSCANFlags& flags, const Suggestion& suggestion);

std::string suggestion_json(const DBSCANFlags& flags, const Suggestion& suggestion);

std::string suggestion_svg(const DBSCANFlags& flags, const Suggestion& suggestion);

}  // namespace tilelearn::cli
