// tilelearn predict: applies a model file to a CSV file.
#include <algorithm>
#include <cmath>
#include <memory>

#include <tilelearn/pipeline.hpp>

#include "commands.hpp"
#include "common_options.hpp"
#include "console.hpp"
#include "core/atomic_file.hpp"
#include "dbscan_work.hpp"
#include "device_choice.hpp"
#include "input.hpp"
#include "outputs.hpp"
#include "predict_input.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

struct Flags {
  std::string model{};
  std::string file{};
  std::string output{};
  CsvFlags csv{};
  DeviceFlags device{};
  bool quiet = false;
};

/// Multiplications and additions of one pass over the rows.
template <typename T>
double expected_work_of(const Pipeline& pipeline, std::int64_t rows) {
  const auto features = static_cast<std::int64_t>(pipeline.encoder().feature_names().size());
  if (const auto* model = pipeline.as<KMeans<T>>())
    return static_cast<double>(rows) * static_cast<double>(features) * model->options().n_clusters;
  if (const auto* model = pipeline.as<DBSCAN<T>>()) return dbscan_work(rows, model->components().rows(), features);
  return static_cast<double>(rows) * static_cast<double>(features);  // of a linear model
}

double expected_work(const Pipeline& pipeline, const Table& table) {
  return pipeline.precision() == Precision::float32 ? expected_work_of<float>(pipeline, table.rows())
                                                    : expected_work_of<double>(pipeline, table.rows());
}

/// Columns that were categories at the fit are categories, whatever they look like now.
Table read_for(const Pipeline& pipeline, const Flags& flags) {
  std::vector<std::string> categories;
  for (const EncodedColumn& column : pipeline.encoder().columns())
    if (column.kind == ColumnKind::category) categories.push_back(column.name);
  Table table = read_table(flags.file, flags.csv, flags.device.threads, categories);
  check_table(name_of_input(flags.file), table, pipeline);
  return table;
}

/// The text of the file to write.
struct Predictions {
  std::string text;
  std::int64_t dropped = 0;
};

Predictions predict(const Pipeline& pipeline, const Table& table, const std::string& file) {
  const char* const name = "prediction";
  if (pipeline.predicts_values()) {
    const std::vector<double> values = naming_file(file, [&] { return pipeline.predict_values(table); }).to_std();
    const auto is_dropped = [](double value) { return std::isnan(value); };
    return {values_csv(name, values, pipeline.precision()), std::count_if(values.begin(), values.end(), is_dropped)};
  }
  const std::vector<std::int32_t> labels = naming_file(file, [&] { return pipeline.predict(table); }).to_std();
  return {integers_csv({{name, labels}}), std::count(labels.begin(), labels.end(), left_out)};
}

void check_model_file(const std::string& model) {
  if (model == standard_stream)
    throw UsageError("MODEL is '-', but only FILE may be standard input; name the model's file");
}

void run(const Flags& flags) {
  Console console(flags.quiet);
  check_model_file(flags.model);
  check_outputs({{"MODEL", flags.model}, {"FILE", flags.file}}, {{"--output", flags.output}}, "");
  Pipeline pipeline = Pipeline::load(flags.model);
  const Table table = read_for(pipeline, flags);
  const DeviceChoice choice = choose_device(flags.device, expected_work(pipeline, table));
  pipeline = Pipeline::load(flags.model, choice.device);
  const Predictions predictions = predict(pipeline, table, name_of_input(flags.file));
  console.note("device " + choice.device.name() + "; " + choice.reason);
  if (predictions.dropped > 0)
    console.warn(count(predictions.dropped, "row") + " of " + std::to_string(table.rows()) +
                 " left empty: missing values, which the model drops");
  const std::string& text = predictions.text;
  if (flags.output.empty() || flags.output == standard_output_path) return print(text);
  detail::write_file(flags.output, text);
  console.note("wrote " + flags.output);
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto* command = program.add_subcommand("predict", "Apply a model file to a CSV file");
  auto flags = std::make_shared<Flags>();
  command->add_option("MODEL", flags->model, "Model file that --model wrote")->required();
  add_input_file(*command, flags->file, "CSV file with the columns that the model was fitted on");
  add_output_file(*command, "--output", flags->output,
                  "CSV file to write: column 'prediction' (--labels of a fit calls it 'label'), of a regression the "
                  "number predicted; "
                  "a row for each row of FILE [-: standard output]");
  add_device_flags(*command, flags->device);
  add_csv_flags(*command, flags->csv);
  add_quiet_flag(*command, flags->quiet);
  command->callback([flags] { run(*flags); });
}

}  // namespace tilelearn::cli
