#include "report.hpp"

#include <algorithm>
#include <numeric>

#include "text.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t columns_shown = 8;
constexpr std::int64_t clusters_shown = 50;

using Cells = std::vector<std::vector<std::string>>;

/// Characters, for UTF-8: bytes that do not continue one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Right-aligned columns, two blanks apart.
std::string align(const Cells& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], width(row[j]));
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j)
      text += std::string((j == 0 ? 0 : 2) + widths[j] - width(row[j]), ' ') + row[j];
    text += '\n';
  }
  return text;
}

std::string rows_line(const KMeansOutcome& outcome) {
  std::string text = count(outcome.rows, "row");
  if (outcome.rows < outcome.file_rows)
    text = std::to_string(outcome.rows) + " of " + count(outcome.file_rows, "row") + " (the others miss values)";
  const std::int64_t weightless =
      outcome.rows - std::accumulate(outcome.sizes.begin(), outcome.sizes.end(), std::int64_t{0});
  if (weightless > 0) text += ", " + std::to_string(weightless) + " of them of weight zero";
  return text + ", " + count(static_cast<std::int64_t>(outcome.features.size()), "column");
}

std::string time_line(const KMeansRequest& request, const Timings& timings) {
  std::string text =
      "read " + duration(timings.read_ms) + ", copy " + duration(timings.copy_ms) + ", fit " + duration(timings.fit_ms);
  if (request.repeat > 1) text += " (fastest of " + std::to_string(request.repeat) + ")";
  return text + ", predict " + duration(timings.predict_ms);
}

std::string centers_table(const KMeansOutcome& outcome) {
  const std::int64_t columns = std::min(outcome.centers.columns(), columns_shown);
  const std::int64_t clusters = std::min(outcome.centers.rows(), clusters_shown);
  Cells rows{{"cluster", "rows"}};
  for (std::int64_t j = 0; j < columns; ++j) rows[0].push_back(outcome.features[static_cast<std::size_t>(j)]);
  for (std::int64_t c = 0; c < clusters; ++c) {
    rows.push_back({std::to_string(c), std::to_string(outcome.sizes[static_cast<std::size_t>(c)])});
    for (std::int64_t j = 0; j < columns; ++j) rows.back().push_back(brief(outcome.centers(c, j)));
  }
  std::string text = align(rows);
  if (clusters < outcome.centers.rows() || columns < outcome.centers.columns())
    text += "(" + count(outcome.centers.rows(), "cluster") + " and " + count(outcome.centers.columns(), "column") +
            " in all; --json gives every centre)\n";
  return text;
}

}  // namespace

std::string summary(const std::string& file, const KMeansRequest& request, const KMeansOutcome& outcome) {
  const Device& device = outcome.device.device;
  std::string text = file + ": " + rows_line(outcome) + "\n";
  text += "device      " + device.name() + " (" + device.description() + ")" +
          (device.is_cpu() ? ", " + count(device.threads(), "thread") : "") + "; " + outcome.device.reason + "\n";
  text += "time        " + time_line(request, outcome.timings) + "\n";
  text += "k-means     " + count(outcome.centers.rows(), "cluster") + ", " +
          (outcome.converged ? "converged after " : "stopped after ") + count(outcome.n_iter, "iteration") + "\n";
  text +=
      "inertia     " + brief(outcome.inertia, 10) + (request.standardize ? " (of standardized columns)" : "") + "\n";
  text += "silhouette  " +
          (outcome.silhouette ? brief(*outcome.silhouette, 4) + " (" + outcome.silhouette_note + ")"
                              : outcome.silhouette_note) +
          "\n";
  text +=
      std::string("\ncentres") + (request.standardize ? " in the file's units" : "") + "\n" + centers_table(outcome);
  return text;
}

}  // namespace tilelearn::cli
