#include "dbscan_flags.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "number_options.hpp"
#include "positions.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

const std::array<const char*, 5> metric_names = {"euclidean", "manhattan", "chebyshev", "cosine", "haversine"};

double rounded_to(Precision precision, double value) {
  return precision == Precision::float32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// What the fit calls an eps of 1.
double unit_of(const DBSCANFlags& flags) { return is_on_earth(flags) ? 1.0 / earth_radius_km : 1.0; }

std::string remedy(Precision precision) { return precision == Precision::float32 ? "; use --precision float64" : ""; }

/// The least eps is the least number of the type, which for haversine is in radians.
std::string least_text(const DBSCANFlags& flags) {
  const bool is_float32 = flags.features.precision == Precision::float32;
  const double least = is_float32 ? static_cast<double>(std::numeric_limits<float>::denorm_min())
                                  : std::numeric_limits<double>::denorm_min();
  return "the least that " + std::string(name_of(flags.features.precision)) + " holds is about " +
         distance_text(flags, least / unit_of(flags));
}

}  // namespace

std::string largest_text(Precision precision) {
  const std::string largest = precision == Precision::float32 ? detail::shortest_text(std::numeric_limits<float>::max())
                                                              : exact(std::numeric_limits<double>::max());
  return std::string(name_of(precision)) + ", whose largest number is " + largest;
}

bool is_held(const DBSCANFlags& flags, double eps) {
  const Precision precision = flags.features.precision;
  return std::isfinite(rounded_to(precision, eps)) && rounded_to(precision, eps * unit_of(flags)) > 0.0;
}

double read_eps(const DBSCANFlags& flags) {
  const std::string& text = *flags.eps_text;
  const double eps = parse_real(text).value_or(-1.0);
  if (!is_written_out(text) || std::signbit(eps))
    throw UsageError("--eps is " + exact(read_real("--eps", text)) + ", must be above 0 and finite");
  if (is_held(flags, eps)) return eps;
  const Precision precision = flags.features.precision;
  throw UsageError("--eps is " + text + ", too " +
                   (eps > 1.0 ? "large for " + largest_text(precision) : "small: " + least_text(flags)) +
                   remedy(precision));
}

void add_dbscan_flags(CLI::App& command, DBSCANFlags& flags) {
  command
      .add_option_function<std::string>(
          "--eps", [&flags](const std::string& text) { flags.eps_text = text; },
          "Largest distance between neighbours, itself included; in the file's units, for haversine in kilometres. "
          "Required, unless --suggest-eps is given")
      ->option_text("FLOAT");
  add_integer(command, "--min-samples", flags.min_samples,
              "Rows within eps, the row itself included, that make it a core row of a cluster; with --weights, the sum "
              "of their weights [5]");
  add_choice(command, "--metric", flags.metric, metric_names,
             "What distance is; haversine is that on the Earth between two columns, latitude and longitude in degrees "
             "(those of --columns in this order, else found by name), in float64 unless --precision is given");
  command.add_flag(
      "--suggest-eps", flags.suggest_eps,
      "In place of a fit, draw how far rows are from their nearest --min-samples rows, and propose an eps");
  add_seed(command, flags.seed,
           "Of the rows that --plot draws and --suggest-eps measures, where they are not all; labels do not depend on "
           "it");
}

const char* name_of(DBSCANMetric metric) { return metric_names.at(static_cast<std::size_t>(metric)); }

Json dbscan_options(const DBSCANFlags& flags) {
  Json options;
  options["eps"] = flags.eps ? Json(*flags.eps) : Json();
  options["eps_unit"] = is_on_earth(flags) ? Json("km") : Json();
  options["min_samples"] = flags.min_samples;
  options["metric"] = name_of(flags.metric);
  options["seed"] = flags.seed;
  return options;
}

std::string distance_text(const DBSCANFlags& flags, double distance) {
  if (is_on_earth(flags)) return brief(distance) + " km";
  return brief(distance) + (flags.features.standardize ? " (of standardized columns)" : "");
}

std::string positions_line(const DBSCANFlags& flags, const std::vector<std::string>& columns) {
  if (!is_on_earth(flags)) return "";
  return "positions   latitude " + columns[0] + ", longitude " + columns[1] + " (degrees)\n";
}

}  // namespace tilelearn::cli
