// The vocabulary that commands share: one meaning for each flag, stated here alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <tilelearn/pipeline.hpp>
#include <tilelearn/table.hpp>

#include "text.hpp"

namespace tilelearn::cli {

/// How a CSV file is read, where its own looks do not say.
struct CsvFlags {
  std::string delimiter{};
  bool header = false;
  bool no_header = false;
  bool decimal_comma = false;
  std::string text_columns{};

  /// For read_table(), which says what columns of text the file lacks.
  [[nodiscard]] CsvOptions options(int threads) const;
};
void add_csv_flags(CLI::App& command, CsvFlags& flags);

/// FILE, the last argument without a name; "-" is standard input.
void add_input_file(CLI::App& command, std::string& file, const std::string& help);

/// Which columns are used, and how.
struct FeatureFlags {
  std::string columns{};
  std::string exclude{};
  std::string weights{};
  bool standardize = false;
  MissingPolicy missing = MissingPolicy::error;
  Precision precision = Precision::float32;
};
/// `columns_help` says which columns --columns stands for, and what becomes of text; `flags` has the defaults.
void add_feature_flags(CLI::App& command, FeatureFlags& flags, const std::string& columns_help);

/// Where the work runs.
struct DeviceFlags {
  std::string device = "auto";
  int threads = 0;                    ///< 0: as many as the machine gives
  std::int64_t workspace_limit = -1;  ///< bytes; negative: no limit
};
void add_device_flags(CLI::App& command, DeviceFlags& flags);

/// What a fit leaves behind.
struct OutputFlags {
  std::string labels{};  ///< of clusters alone, like plot_columns
  std::string model{};
  std::string plot{};
  std::string plot_columns{};
  bool json = false;
  std::string json_file{};
  int repeat = 1;
};
/// `plot_help` says what the picture shows.
void add_output_flags(CLI::App& command, OutputFlags& flags, const std::string& plot_help);
/// The same for clusters, with their labels: `labels_columns` says what the file of --labels holds: "column 'label'".
void add_cluster_output_flags(CLI::App& command, OutputFlags& flags, const std::string& labels_columns);

/// A file to write; "-" becomes the path of standard output.
CLI::Option* add_output_file(CLI::App& command, const std::string& name, std::string& path, const std::string& help);

void add_quiet_flag(CLI::App& command, bool& quiet);

/// A flag whose value is one of `names`, in the order of the enumeration.
template <typename Enum, std::size_t n>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Enum& value,
                        const std::array<const char*, n>& names, const std::string& help) {
  const auto choose = [&value, &names](const std::string& text) {
    for (std::size_t i = 0; i < n; ++i)
      if (text == names[i]) value = static_cast<Enum>(i);
  };
  const std::vector<std::string> texts(names.begin(), names.end());
  return command.add_option_function<std::string>(flag, choose, help)
      ->check(CLI::IsMember(texts))
      ->option_text("TEXT:{" + join(texts, ",") + "} [" + names[static_cast<std::size_t>(value)] + "]");
}

/// The names that a flag's value may take, as the user writes them.
const char* name_of(MissingPolicy policy);
const char* name_of(Precision precision);

}  // namespace tilelearn::cli
