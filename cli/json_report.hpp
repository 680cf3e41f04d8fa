// Results as JSON: every number reads back as the same bits. What the JSON of all estimators shares.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "fit_flags.hpp"
#include "fit_run.hpp"

namespace tilelearn::cli {

/// Keys stay in the order in which they are added.
using Json = nlohmann::ordered_json;

/// `options` are the estimator's own, those of all commands follow; `result` is the estimator's.
std::string json_report(const std::string& estimator, const FitFlags& flags, const FitOutcome& outcome, Json options,
                        const Json& result);

/// The flags that all commands share, after `options`.
Json with_shared_options(Json options, const FitFlags& flags);

/// One line for each key: readable, and still short for thousands of values.
std::string one_line_a_key(const Json& json);

}  // namespace tilelearn::cli
