// The flags of every command that fits, and what of them can be checked before there is a fit.
#pragma once

#include <string>
#include <vector>

#include "common_options.hpp"
#include "outputs.hpp"

namespace tilelearn::cli {

struct FitFlags {
  std::string file{};
  CsvFlags csv{};
  FeatureFlags features{};
  DeviceFlags device{};
  OutputFlags output{};
  bool quiet = false;
};

/// FILE and the columns; the estimator's own flags come next. `columns_help` as in add_feature_flags.
void add_data_flags(CLI::App& command, FitFlags& flags, const std::string& columns_help);
/// What --columns stands for where all columns of numbers are used.
inline const char* const number_columns_help =
    "[all columns of numbers]; a column of text becomes one column of 0 and 1 for each of its values";
/// Device, reading the file and --quiet; those of output come before.
void add_run_flags(CLI::App& command, FitFlags& flags);

/// FILE and `more_inputs` are read, the outputs and `more_outputs` written. @throws as check_outputs
void check_files(const FitFlags& flags, const std::vector<NamedFile>& more_inputs = {},
                 const std::vector<NamedFile>& more_outputs = {});

/// Model files are UTF-8; better said now than after a long fit. @throws UsageError if a model is wanted
void check_names(const FitFlags& flags, const std::vector<std::string>& features);

/// --plot-columns: two columns of numbers, or none if not given. @throws UsageError
std::vector<std::string> plot_columns(const FitFlags& flags, const Table& table);

}  // namespace tilelearn::cli
