// Writing what a fit leaves behind: labels, model, pictures, JSON, summary.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "console.hpp"
#include "fit_flags.hpp"
#include "fit_run.hpp"

namespace tilelearn::cli {

/// A picture that is made only if its file is named.
struct Picture {
  std::string path{};
  std::function<std::string()> svg{};
};

/// What an estimator's command has to say, each made when it is wanted.
struct FitTexts {
  std::vector<Picture> pictures{};
  std::function<std::string()> labels{};  ///< none for an estimator without
  std::function<std::string()> json{};
  std::function<std::string()> summary{};
};

void write_outputs(const FitFlags& flags, const FitOutcome& outcome, const FitTexts& texts, Console& console);

/// Writes a text that `text_of` makes to a file and says so; nothing for an empty path.
void write_text(const std::string& path, const std::function<std::string()>& text_of, Console& console);

}  // namespace tilelearn::cli
