// Tables become matrices, labels and one-hot columns.
#include <algorithm>
#include <cmath>
#include <limits>

#include <tilelearn/error.hpp>
#include <tilelearn/table.hpp>

#include "core/table_data.hpp"
#include "core/text.hpp"

namespace tilelearn {

namespace {

[[noreturn]] void throw_beyond_float(const detail::TableData& table, const std::string& name, std::int64_t row,
                                     double value) {
  throw InvalidArgument("column '" + name + "' has " + detail::shortest_text(value) + " in line " +
                        std::to_string(detail::line_of(table, row)) + ", which float32 cannot hold; use float64");
}

/// The distinct values, ascending, without NaN; one zero.
std::vector<double> distinct_values(const detail::TableColumn& column, std::int64_t rows) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < rows; ++row)
    if (!detail::is_missing(column, row)) values.push_back(column.numbers.data()[row] + 0.0);  // -0 + 0 is 0
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

TableLabels number_labels(const detail::TableColumn& column, std::int64_t rows) {
  const std::vector<double> values = distinct_values(column, rows);
  if (values.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InvalidArgument("labels: the column has " + std::to_string(values.size()) + " distinct values");
  TableLabels labels{Vector<std::int32_t>(rows), {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto found = std::lower_bound(values.begin(), values.end(), column.numbers.data()[row]);
    labels.codes.data()[row] = detail::is_missing(column, row) ? -1 : static_cast<std::int32_t>(found - values.begin());
  }
  std::transform(values.begin(), values.end(), std::back_inserter(labels.classes), detail::shortest_text<double>);
  return labels;
}

}  // namespace

template <typename T>
Matrix<T> Table::matrix(const std::vector<std::string>& columns) const {
  Matrix<T> result(rows(), static_cast<std::int64_t>(columns.size()));
  std::vector<const double*> sources;
  sources.reserve(columns.size());
  for (const std::string& name : columns) sources.push_back(detail::find_numbers(*data_, name).numbers.data());
  T* out = result.data();
  constexpr std::int64_t block_rows = 64;  // whose part of the matrix stays in cache while column after column fills it
  for (std::int64_t block = 0; block < rows(); block += block_rows) {
    const std::int64_t block_end = std::min(block + block_rows, rows());
    for (std::size_t j = 0; j < sources.size(); ++j) {
      for (std::int64_t row = block; row < block_end; ++row) {
        const double value = sources[j][row];
        const T rounded = static_cast<T>(value);
        if (std::isinf(rounded) && !std::isinf(value)) throw_beyond_float(*data_, columns[j], row, value);
        out[row * result.columns() + static_cast<std::int64_t>(j)] = rounded;
      }
    }
  }
  return result;
}

TableLabels Table::labels(const std::string& column) const {
  const detail::TableColumn& found = detail::find_column(*data_, column);
  if (found.kind == ColumnKind::number) return number_labels(found, rows());
  return {found.codes.clone(), found.categories};
}

template <typename T>
Matrix<T> Table::one_hot(const std::string& column) const {
  const TableLabels labels = this->labels(column);
  const auto classes = static_cast<std::int64_t>(labels.classes.size());
  Matrix<T> result(rows(), classes);
  for (std::int64_t row = 0; row < rows(); ++row) {
    const std::int32_t code = labels.codes.data()[row];
    T* out = result.data() + row * classes;
    std::fill(out, out + classes, code < 0 ? std::numeric_limits<T>::quiet_NaN() : T{0});
    if (code >= 0) out[code] = T{1};
  }
  return result;
}

template Matrix<float> Table::matrix<float>(const std::vector<std::string>&) const;
template Matrix<double> Table::matrix<double>(const std::vector<std::string>&) const;
template Matrix<float> Table::one_hot<float>(const std::string&) const;
template Matrix<double> Table::one_hot<double>(const std::string&) const;

}  // namespace tilelearn
