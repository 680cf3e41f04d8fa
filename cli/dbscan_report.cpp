#include "dbscan_report.hpp"

#include <algorithm>

#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

namespace tilelearn::cli {

namespace {

std::string clusters_table(const DBSCANOutcome& outcome) {
  const auto clusters = static_cast<std::int64_t>(outcome.sizes.size());
  const auto shown = static_cast<std::size_t>(std::min(clusters, clusters_shown));
  Cells rows{{"cluster", "rows", "core rows"}};
  for (std::size_t c = 0; c < shown; ++c)
    rows.push_back({std::to_string(c), std::to_string(outcome.sizes[c]), std::to_string(outcome.core_sizes[c])});
  if (clusters > clusters_shown) rows.push_back({"...", "...", "..."});
  rows.push_back({"noise", std::to_string(outcome.n_noise), "0"});
  return align(rows) +
         (clusters > clusters_shown ? "(" + count(clusters, "cluster") + " in all; --json gives every size)\n" : "");
}

}  // namespace

std::string clusters_text(const DBSCANOutcome& outcome) {
  return count(static_cast<std::int64_t>(outcome.sizes.size()), "cluster") + " and " + count(outcome.n_noise, "row") +
         " of noise";
}

std::string dbscan_summary(const DBSCANFlags& flags, const DBSCANOutcome& outcome) {
  std::string text = summary_head(flags, outcome) + positions_line(flags, outcome.features);
  text += "dbscan      " + clusters_text(outcome) + "; " + count(outcome.n_core, "core row") + "\n";
  text += "eps         " + distance_text(flags, *flags.eps) + ", " + name_of(flags.metric) + "; min_samples " +
          std::to_string(flags.min_samples) + "\n";
  return text + "\n" + clusters_table(outcome);
}

std::string dbscan_json(const DBSCANFlags& flags, const DBSCANOutcome& outcome) {
  const Json result = {{"n_clusters", outcome.sizes.size()},
                       {"n_noise", outcome.n_noise},
                       {"n_core", outcome.n_core},
                       {"cluster_sizes", outcome.sizes}};
  return json_report("dbscan", flags, outcome, dbscan_options(flags), result);
}

}  // namespace tilelearn::cli
