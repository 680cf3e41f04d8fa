// TableEncoder: columns, categories and missing values of a table become a matrix.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include <tilelearn/pipeline.hpp>

#include "pipeline/feature_means.hpp"

namespace tilelearn {

namespace {

std::vector<std::string> names_of(const std::vector<EncodedColumn>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const EncodedColumn& column : columns) names.push_back(column.name);
  return names;
}

std::string place(const Table& table, std::int64_t row, const std::string& column) {
  return "line " + std::to_string(table.row_line(row)) + ", column '" + column + "'";
}

[[noreturn]] void throw_missing(const Table& table, const EncodedColumn& column) {
  const std::vector<std::int64_t> complete = table.complete_rows({column.name});
  std::int64_t row = 0;
  while (row < static_cast<std::int64_t>(complete.size()) && complete[static_cast<std::size_t>(row)] == row) ++row;
  throw InvalidArgument(place(table, row, column.name) + ": no value (the column misses " +
                        std::to_string(table.missing_count(column.name)) + " of " + std::to_string(table.rows()) +
                        "); drop such rows or fill in the column's mean");
}

void check_kind(const Table& table, const EncodedColumn& column) {
  const ColumnKind found = table.kind(column.name);
  if (column.kind == ColumnKind::category && found == ColumnKind::number)
    throw InvalidArgument("column '" + column.name +
                          "' holds numbers where categories were fitted; read it as text (CsvOptions::text_columns)");
}

/// The category of the fit for each category of the table; -1 where there is none.
std::vector<std::int32_t> map_categories(const EncodedColumn& column, const std::vector<std::string>& found) {
  std::vector<std::int32_t> result;
  for (const std::string& category : found) {
    const auto known = std::lower_bound(column.categories.begin(), column.categories.end(), category);
    const bool is_known = known != column.categories.end() && *known == category;
    result.push_back(is_known ? static_cast<std::int32_t>(known - column.categories.begin()) : -1);
  }
  return result;
}

/// The part of an encoding that is under way.
template <typename T>
struct Encoding {
  const Table& table;
  const std::vector<std::int64_t>& rows;
  Matrix<T>& X;
  const std::vector<double>& means;  ///< empty if there are no missing values to fill
};

template <typename T>
void encode_numbers(const Encoding<T>& to, const Matrix<T>& numbers, std::int64_t from, std::int64_t feature) {
  for (std::size_t i = 0; i < to.rows.size(); ++i)
    to.X.data()[static_cast<std::int64_t>(i) * to.X.columns() + feature] =
        numbers.data()[to.rows[i] * numbers.columns() + from];
}

/// `width` features from `feature` on: those of the last categories.
template <typename T>
void encode_categories(const Encoding<T>& to, const EncodedColumn& column, std::int64_t feature, std::int64_t width) {
  const auto codes = to.table.codes(column.name);
  const std::vector<std::string>& found = to.table.categories(column.name);
  const std::vector<std::int32_t> known = map_categories(column, found);
  const std::int64_t dropped = static_cast<std::int64_t>(column.categories.size()) - width;
  for (std::size_t i = 0; i < to.rows.size(); ++i) {
    T* out = to.X.data() + static_cast<std::int64_t>(i) * to.X.columns() + feature;
    std::fill(out, out + width, T{0});
    const std::int32_t code = codes[to.rows[i]];
    if (code < 0) {
      std::fill(out, out + width, std::numeric_limits<T>::quiet_NaN());  // filled with the means later
    } else if (known[static_cast<std::size_t>(code)] < 0) {
      throw InvalidArgument(place(to.table, to.rows[i], column.name) + ": the fit did not see the category '" +
                            found[static_cast<std::size_t>(code)] + "'");
    } else if (known[static_cast<std::size_t>(code)] >= dropped) {
      out[known[static_cast<std::size_t>(code)] - dropped] = T{1};
    }
  }
}

template <typename T>
void fill_missing(Matrix<T>& X, const std::vector<double>& means) {
  if (means.empty()) return;
  for (std::int64_t row = 0; row < X.rows(); ++row) {
    T* x = X.data() + row * X.columns();
    for (std::size_t j = 0; j < means.size(); ++j)
      if (std::isnan(x[j])) x[j] = static_cast<T>(means[j]);
  }
}

/// Names the cell of the first value that is not finite.
template <typename T>
void check_finite(const Encoding<T>& encoding, const std::vector<std::string>& features) {
  const std::int64_t size = encoding.X.rows() * encoding.X.columns();
  const T* begin = encoding.X.data();
  const T* found = std::find_if(begin, begin + size, [](T value) { return !std::isfinite(value); });
  if (found == begin + size) return;
  const std::int64_t row = (found - begin) / encoding.X.columns();
  const std::int64_t feature = (found - begin) % encoding.X.columns();
  throw InvalidArgument(
      place(encoding.table, encoding.rows[static_cast<std::size_t>(row)], features[static_cast<std::size_t>(feature)]) +
      ": the value is not finite");
}

}  // namespace

TableEncoder TableEncoder::fit(const Table& table, const TableEncoderOptions& options) {
  TableEncoder encoder;
  encoder.missing_ = options.missing;
  const std::vector<std::string> names = options.columns.empty() ? table.numeric_columns() : options.columns;
  if (names.empty()) throw InvalidArgument("the table has no column of numbers; name columns of text to use them");
  if (table.rows() == 0) throw InvalidArgument("the table has no rows");
  if (options.sample_weight && options.sample_weight->size() != table.rows())
    throw ShapeMismatch("TableEncoder: " + std::to_string(options.sample_weight->size()) + " weights for " +
                        std::to_string(table.rows()) + " rows");
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) throw InvalidArgument("column '" + name + "' is named twice");
    EncodedColumn column{name, table.kind(name), {}};
    if (column.kind == ColumnKind::category) {
      column.categories = table.categories(name);
      encoder.drop_first_ = options.drop_first;
    }
    encoder.columns_.push_back(std::move(column));
  }
  if (encoder.feature_names().empty())
    throw InvalidArgument("no feature is left: every column is of one category, which drop_first leaves out");
  if (options.missing == MissingPolicy::mean)
    encoder.means_ = pipeline::feature_means(table, encoder.columns_,
                                             {.weights = options.sample_weight, .drop_first = options.drop_first});
  return encoder;
}

std::int64_t TableEncoder::feature_count(const EncodedColumn& column) const {
  if (column.kind == ColumnKind::number) return 1;
  // A column without any value has no categories, and none to drop.
  return std::max<std::int64_t>(static_cast<std::int64_t>(column.categories.size()) - (drop_first_ ? 1 : 0), 0);
}

std::vector<std::string> TableEncoder::feature_names() const {
  std::vector<std::string> names;
  for (const EncodedColumn& column : columns_) {
    if (column.kind == ColumnKind::number) names.push_back(column.name);
    const auto all = static_cast<std::int64_t>(column.categories.size());
    for (std::int64_t c = all - (column.kind == ColumnKind::number ? 0 : feature_count(column)); c < all; ++c)
      names.push_back(column.name + "=" + column.categories[static_cast<std::size_t>(c)]);
  }
  return names;
}

template <typename T>
Features<T> TableEncoder::encode(const Table& table) const {
  std::vector<std::string> numbers;
  for (const EncodedColumn& column : columns_) {
    check_kind(table, column);
    if (missing_ == MissingPolicy::error && table.missing_count(column.name) > 0) throw_missing(table, column);
    if (column.kind == ColumnKind::number) numbers.push_back(column.name);
  }
  Features<T> result;
  if (missing_ == MissingPolicy::drop) {
    result.rows = table.complete_rows(names_of(columns_));
  } else {
    result.rows.resize(static_cast<std::size_t>(table.rows()));
    std::iota(result.rows.begin(), result.rows.end(), std::int64_t{0});
  }
  const std::vector<std::string> features = feature_names();
  Matrix<T> values = numbers.empty() ? Matrix<T>() : table.matrix<T>(numbers);
  if (numbers.size() == columns_.size() && static_cast<std::int64_t>(result.rows.size()) == table.rows()) {
    result.X = std::move(values);
  } else {
    result.X = Matrix<T>(static_cast<std::int64_t>(result.rows.size()), static_cast<std::int64_t>(features.size()));
    const Encoding<T> encoding{table, result.rows, result.X, means_};
    std::int64_t feature = 0;
    std::int64_t number = 0;
    for (const EncodedColumn& column : columns_) {
      if (column.kind == ColumnKind::number)
        encode_numbers(encoding, values, number++, feature);
      else
        encode_categories(encoding, column, feature, feature_count(column));
      feature += feature_count(column);
    }
  }
  fill_missing(result.X, means_);
  check_finite(Encoding<T>{table, result.rows, result.X, means_}, features);
  return result;
}

template Features<float> TableEncoder::encode<float>(const Table&) const;
template Features<double> TableEncoder::encode<double>(const Table&) const;

}  // namespace tilelearn
