#include "linear_regression_report.hpp"

#include <algorithm>
#include <array>

#include "json_report.hpp"
#include "report.hpp"
#include "text.hpp"
#include "text_table.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::size_t coefficients_shown = 100;
const std::array<const char*, 4> solver_names = {"automatic", "cholesky", "refined_cholesky", "double_double"};

const char* name_of(LeastSquaresSolver solver) { return solver_names.at(static_cast<std::size_t>(solver)); }

std::string weightless_note(const LinearRegressionOutcome& outcome) {
  const std::int64_t weightless = outcome.rows - outcome.counted_rows;
  return weightless > 0 ? ", " + std::to_string(weightless) + " of them of weight zero" : "";
}

std::string fit_line(const LinearRegressionOutcome& outcome) {
  const std::string solver = std::string("; solver ") + name_of(outcome.solver) + "\n";
  if (!outcome.least_squares)
    return "ridge       penalty " + brief(outcome.ridge->alpha) +
           (outcome.ridge->scores.size() > 1 ? ", chosen by generalised cross-validation" : "") + solver;
  return "rank        " + std::to_string(outcome.least_squares->rank) + " of " + std::to_string(outcome.coef.size()) +
         ", condition number " + brief(outcome.least_squares->condition_number, 3) + solver;
}

std::string held_out_line(const LinearRegressionFlags& flags, const LinearRegressionOutcome& outcome) {
  if (outcome.held_out)
    return "held out    " + quality_text(outcome.held_out->quality) + " on " +
           std::to_string(outcome.held_out->actual.size()) + " rows drawn with the seed, by a fit of the others\n";
  return "held out    no row" +
         (flags.test_fraction > 0.0
              ? ": " + brief(flags.test_fraction) + " of " + count(outcome.counted_rows, "row") + " is fewer than 2\n"
              : std::string("\n"));
}

std::string left_out_note(std::size_t features) {
  if (features <= coefficients_shown) return "";
  return "(the first " + std::to_string(coefficients_shown) + " of " + std::to_string(features) +
         " coefficients; --json gives all)\n";
}

/// Without a penalty, with what statistics say of the coefficients.
std::string full_table(const LinearRegressionOutcome& outcome) {
  RegressionSummary summary = outcome.least_squares->summary;
  std::vector<std::string> names = outcome.features;
  names.resize(std::min(names.size(), coefficients_shown));
  for (std::string& name : names) name = utf8(name);
  summary.coefficients.resize(names.size() + (summary.has_intercept ? 1 : 0));
  return to_text(summary, names);
}

std::string ridge_table(const LinearRegressionFlags& flags, const LinearRegressionOutcome& outcome) {
  Cells rows{{"", "estimate"}};
  if (!flags.no_intercept) rows.push_back({"(intercept)", brief(outcome.intercept)});
  for (std::size_t j = 0; j < std::min(outcome.coef.size(), coefficients_shown); ++j)
    rows.push_back({outcome.features[j], brief(outcome.coef[j])});
  return align(rows) + "R2 " + brief(outcome.r2) + "\n";
}

Json by_name(const std::vector<std::string>& names, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t j = 0; j < names.size(); ++j) json[names[j]] = values[j];
  return json;
}

/// What is not defined of a fit with penalties is null.
void add_least_squares(const LinearRegressionOutcome& outcome, Json& result) {
  const std::optional<LeastSquaresFacts>& facts = outcome.least_squares;
  result["rank"] = facts ? Json(facts->rank) : Json();
  result["singular_values"] = facts ? Json(facts->singular_values) : Json();
  result["std_err"] = Json();
  result["intercept_std_err"] = Json();
  if (!facts) return;
  std::vector<double> errors;
  for (const CoefficientSummary& coefficient : facts->summary.coefficients)
    errors.push_back(coefficient.standard_error);
  if (facts->summary.has_intercept) {
    result["intercept_std_err"] = errors.front();
    errors.erase(errors.begin());
  }
  result["std_err"] = by_name(outcome.features, errors);
}

}  // namespace

std::string quality_text(const Quality& quality) { return "R2 " + brief(quality.r2) + ", RMSE " + brief(quality.rmse); }

std::string linear_regression_summary(const LinearRegressionFlags& flags, const LinearRegressionOutcome& outcome) {
  std::string text = summary_head(flags, outcome, weightless_note(outcome));
  text += fit_line(outcome) + held_out_line(flags, outcome);
  text += "\n" + utf8(flags.target) + (flags.features.standardize ? " on standardized columns" : "") + "\n";
  return text + (outcome.least_squares ? full_table(outcome) : ridge_table(flags, outcome)) +
         left_out_note(outcome.coef.size());
}

std::string linear_regression_json(const LinearRegressionFlags& flags, const LinearRegressionOutcome& outcome) {
  Json result;
  result["coef"] = by_name(outcome.features, outcome.coef);
  result["intercept"] = outcome.intercept;
  add_least_squares(outcome, result);
  result["r2"] = outcome.r2;
  result["test_r2"] = outcome.held_out ? Json(outcome.held_out->quality.r2) : Json();
  result["test_rmse"] = outcome.held_out ? Json(outcome.held_out->quality.rmse) : Json();
  result["test_rows"] = outcome.held_out ? outcome.held_out->actual.size() : 0;
  result["alpha"] = outcome.ridge ? Json(outcome.ridge->alpha) : Json();
  result["penalty_scores"] = outcome.ridge ? Json(outcome.ridge->scores) : Json();
  result["solver"] = name_of(outcome.solver);
  return json_report("linear-regression", flags, outcome, linear_regression_options(flags), result);
}

}  // namespace tilelearn::cli
