// --suggest-eps: measures the rows in place of a fit, draws the curve of their distances and proposes an eps.
#pragma once

#include "console.hpp"
#include "dbscan_flags.hpp"
#include "dbscan_run.hpp"

namespace tilelearn::cli {

/// @throws UsageError for flags that speak of a fit
void check_suggestion_flags(const DBSCANFlags& flags);

/// Measures and writes the picture, the JSON and the summary. `read_ms` is what reading took so far.
void suggest_eps(const DBSCANFlags& flags, const Input& input, const TableEncoder& encoder,
                 const DBSCANRequest& request, double read_ms, Console& console);

}  // namespace tilelearn::cli
