// Rows that are held out of a fit to tell its quality.
#pragma once

#include <cstdint>
#include <vector>

namespace tilelearn::cli {

/// The nearest whole number to `fraction` of the rows, drawn with the seed, ascending; one row at least is left to fit.
/// None where that is fewer than two: one row has no variance to explain. A row's place among `rows` decides, so that
/// rows that are not among them do not matter.
std::vector<std::int64_t> hold_out(const std::vector<std::int64_t>& rows, double fraction, std::uint64_t seed);

}  // namespace tilelearn::cli
