#include "kmeans_report.hpp"

#include <algorithm>
#include <numeric>

#include "json_report.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t columns_shown = 8;

std::string weightless_note(const KMeansOutcome& outcome) {
  const std::int64_t weightless =
      outcome.rows - std::accumulate(outcome.sizes.begin(), outcome.sizes.end(), std::int64_t{0});
  return weightless > 0 ? ", " + std::to_string(weightless) + " of them of weight zero" : "";
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

Json centers_json(const Matrix<double>& centers) {
  Json rows = Json::array();
  for (std::int64_t c = 0; c < centers.rows(); ++c)
    rows.push_back(
        std::vector<double>(centers.data() + c * centers.columns(), centers.data() + (c + 1) * centers.columns()));
  return rows;
}

}  // namespace

std::string kmeans_summary(const FitFlags& flags, const KMeansOutcome& outcome) {
  const bool standardize = flags.features.standardize;
  std::string text = summary_head(flags, outcome, weightless_note(outcome));
  text += "k-means     " + count(outcome.centers.rows(), "cluster") + ", " +
          (outcome.converged ? "converged after " : "stopped after ") + count(outcome.n_iter, "iteration") + "\n";
  text += "inertia     " + brief(outcome.inertia, 10) + (standardize ? " (of standardized columns)" : "") + "\n";
  text += "silhouette  " +
          (outcome.silhouette ? brief(*outcome.silhouette, 4) + " (" + outcome.silhouette_note + ")"
                              : outcome.silhouette_note) +
          "\n";
  return text + "\ncentres" + (standardize ? " in the file's units" : "") + "\n" + centers_table(outcome);
}

std::string kmeans_json(const FitFlags& flags, const std::string& init, const KMeansOptions& options,
                        const KMeansOutcome& outcome) {
  Json own;
  own["n_clusters"] = options.n_clusters;
  own["init"] = init;
  own["n_init"] = options.n_init == 0 ? Json("auto") : Json(options.n_init);
  own["max_iter"] = options.max_iter;
  own["tol"] = options.tol;
  own["seed"] = options.seed;
  const Json result = {{"inertia", outcome.inertia},
                       {"n_iter", outcome.n_iter},
                       {"converged", outcome.converged},
                       {"cluster_sizes", outcome.sizes},
                       {"cluster_centers", centers_json(outcome.centers)}};
  return json_report("kmeans", flags, outcome, std::move(own), result);
}

}  // namespace tilelearn::cli
