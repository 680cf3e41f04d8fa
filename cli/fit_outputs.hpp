// Writing what a fit leaves behind: labels, model, picture, JSON, summary.
#pragma once

#include <functional>
#include <string>

#include "console.hpp"
#include "fit_flags.hpp"
#include "fit_run.hpp"

namespace tilelearn::cli {

/// What an estimator's command has to say, each made when it is wanted.
struct FitTexts {
  std::string title{};  ///< of the picture
  std::function<std::string()> labels{};
  std::function<std::string()> json{};
  std::function<std::string()> summary{};
};

void write_outputs(const FitFlags& flags, const FitOutcome& outcome, const FitTexts& texts, Console& console);

/// Writes a text that `text_of` makes to a file and says so; nothing for an empty path.
void write_text(const std::string& path, const std::function<std::string()>& text_of, Console& console);

}  // namespace tilelearn::cli
