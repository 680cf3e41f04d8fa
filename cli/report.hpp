// The lines that summaries of all estimators begin with.
#pragma once

#include <string>

#include "fit_flags.hpp"
#include "fit_run.hpp"

namespace tilelearn::cli {

/// A table of clusters shows so many of them.
inline constexpr std::int64_t clusters_shown = 50;

/// Rows, device and times; `rows_note` is added to the number of rows.
std::string summary_head(const FitFlags& flags, const FitOutcome& outcome, const std::string& rows_note = "");

/// "7 rows", or "7 of 8 rows (the others miss values)".
std::string rows_text(std::int64_t rows, std::int64_t file_rows);

/// "device      cpu (...), 2 threads; as asked\n"
std::string device_line(const DeviceChoice& choice);

}  // namespace tilelearn::cli
