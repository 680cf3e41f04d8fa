// The subcommands; each adds itself to the program and does its work when it is chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace tilelearn::cli {

void add_kmeans_command(CLI::App& program);
void add_dbscan_command(CLI::App& program);
void add_linear_regression_command(CLI::App& program);
void add_predict_command(CLI::App& program);
void add_devices_command(CLI::App& program);

/// Writes a result and makes sure that it arrived. @throws tilelearn::Error
void print(const std::string& text);

}  // namespace tilelearn::cli
