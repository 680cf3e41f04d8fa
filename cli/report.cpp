#include "report.hpp"

#include "standard_streams.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

std::string time_line(int repeat, const Timings& timings) {
  std::string text =
      "read " + duration(timings.read_ms) + ", copy " + duration(timings.copy_ms) + ", fit " + duration(timings.fit_ms);
  if (repeat > 1) text += " (fastest of " + std::to_string(repeat) + ")";
  return "time        " + text + ", predict " + duration(timings.predict_ms) + "\n";
}

}  // namespace

std::string rows_text(std::int64_t rows, std::int64_t file_rows) {
  if (rows == file_rows) return count(rows, "row");
  return std::to_string(rows) + " of " + count(file_rows, "row") + " (the others miss values)";
}

std::string device_line(const DeviceChoice& choice) {
  const Device& device = choice.device;
  return "device      " + device.name() + " (" + device.description() + ")" +
         (device.is_cpu() ? ", " + count(device.threads(), "thread") : "") + "; " + choice.reason + "\n";
}

std::string summary_head(const FitFlags& flags, const FitOutcome& outcome, const std::string& rows_note) {
  return name_of_input(flags.file) + ": " + rows_text(outcome.rows, outcome.file_rows) + rows_note + ", " +
         count(static_cast<std::int64_t>(outcome.features.size()), "column") + "\n" + device_line(outcome.device) +
         time_line(flags.output.repeat, outcome.timings);
}

}  // namespace tilelearn::cli
