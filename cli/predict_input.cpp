#include "predict_input.hpp"

#include <cmath>

#include "directions.hpp"
#include "input.hpp"
#include "input_checks.hpp"
#include "positions.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

/// The first row for which `is_wrong` holds, or the number of rows.
template <typename Values, typename Predicate>
std::int64_t first_row(const Values& values, const Predicate& is_wrong) {
  std::int64_t row = 0;
  while (row < values.size() && !is_wrong(values[row])) ++row;
  return row;
}

std::int64_t first_value(const Table& table, const std::string& column) {
  return first_row(table.codes(column), [](std::int32_t code) { return code >= 0; });
}

std::int64_t first_missing(const Table& table, const std::string& column) {
  if (table.kind(column) == ColumnKind::category)
    return first_row(table.codes(column), [](std::int32_t code) { return code < 0; });
  return first_row(table.numbers(column), [](double value) { return std::isnan(value); });
}

/// Columns of categories are read as such, whatever they look like, so only the other mistake is left.
void check_kind(const std::string& file, const Table& table, const EncodedColumn& column) {
  if (column.kind == ColumnKind::category || table.kind(column.name) == ColumnKind::number) return;
  const std::int64_t row = first_value(table, column.name);
  const std::string& text = table.categories(column.name)[static_cast<std::size_t>(table.codes(column.name)[row])];
  throw UsageError(place(file, table, row, column.name) + "'" + text +
                   "' is text, but the model was fitted on numbers in this column");
}

void check_model_missing(const std::string& file, const Table& table, const std::string& column) {
  const std::int64_t missing = table.missing_count(column);
  if (missing == 0) return;
  throw UsageError(place(file, table, first_missing(table, column), column) + "no value, as in " +
                   std::to_string(missing) + " of " + count(table.rows(), "row") +
                   "; the model takes none such: fit it with --missing drop or mean, or correct the file");
}

void check_model_range(const std::string& file, const Table& table, const std::string& column) {
  const VectorView<const double> values = table.numbers(column);
  const std::int64_t row =
      first_row(values, [](double value) { return std::isfinite(value) && !std::isfinite(static_cast<float>(value)); });
  if (row < values.size())
    throw UsageError(place(file, table, row, column) + exact(values[row]) +
                     " is beyond float32, in which the model works; fit it with --precision float64");
}

/// The library counts rows, people lines of a file.
template <typename T>
void check_rows_as(const std::string& file, const Table& table, const Pipeline& pipeline) {
  const auto* model = pipeline.as<DBSCAN<T>>();
  if (model == nullptr || model->options().metric != DBSCANMetric::cosine) return;
  const TableEncoder& encoder = pipeline.encoder();
  const Features<T> features = naming_file(file, [&] { return encoder.encode<T>(table); });
  check_directions<T>({file, table, encoder, features}, pipeline.scaler<T>(), RowsOf::prediction);
}

}  // namespace

std::vector<std::string> columns_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const EncodedColumn& column : pipeline.encoder().columns()) names.push_back(column.name);
  return names;
}

void check_table(const std::string& file, const Table& table, const Pipeline& pipeline) {
  const TableEncoder& encoder = pipeline.encoder();
  check_columns(table, columns_of(pipeline), file + ": the model");
  for (const EncodedColumn& column : encoder.columns()) {
    check_kind(file, table, column);
    if (encoder.missing() == MissingPolicy::error) check_model_missing(file, table, column.name);
    if (column.kind == ColumnKind::number && pipeline.precision() == Precision::float32)
      check_model_range(file, table, column.name);
  }
  if (takes_degrees(pipeline)) check_degrees(file, table, columns_of(pipeline));
  check_rows_as<float>(file, table, pipeline);
  check_rows_as<double>(file, table, pipeline);
}

}  // namespace tilelearn::cli
