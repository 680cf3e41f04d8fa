// Tables: named columns of numbers or categories, read from CSV files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tilelearn/export.hpp>
#include <tilelearn/matrix.hpp>

namespace tilelearn {

namespace detail {
struct TableData;
}

/// The words that CsvOptions::missing_values starts with: an empty cell, NA, N/A, n/a, #N/A, <NA>, NaN, nan, NAN, -NaN,
/// -nan, NULL, Null, null, None and ?.
TILELEARN_API std::vector<std::string> default_missing_values();

/// How a CSV file is read. What is not given is found in the file.
struct CsvOptions {
  /// Detected among , ; tab | if not given: of those that cut each of the first records (100 at most) into the same
  /// number of fields, two or more, the one whose fields make most sense: the share of numbers (with either decimal
  /// mark) and missing values, less the share of fields that only begin as a number does. Ties go to the first in that
  /// order. A file without any of them has one column.
  std::optional<char> delimiter{};
  /// Whether the first line holds names. Detected if not given: it does when none of its cells is a number and one at
  /// least neither is missing nor begins as a number does (sign or point, then digit). So a first line with a number
  /// in it is data. Without a header, and for an empty name, columns are called column_1, column_2, ...
  std::optional<bool> header{};
  /// Encloses fields that hold delimiters, newlines or (doubled) quotes; '\0' for a file without quoting.
  char quote = '"';
  /// The decimal mark, '.' or ','. Where the comma delimits as well, numbers with one must be quoted. There are no
  /// thousands separators.
  char decimal = '.';
  /// Cells, after quotes and surrounding blanks are removed, that stand for no value; compared byte by byte.
  std::vector<std::string> missing_values = default_missing_values();
  /// Columns that are categories whatever their cells look like.
  std::vector<std::string> text_columns{};
  /// Whether the file must have all of text_columns; if not, those that it lacks have no effect.
  bool text_columns_must_exist = true;
  /// CPU threads, at most Device::max_threads; 0 for as many as OpenMP gives. The result does not depend on it.
  int threads = 0;
};

enum class ColumnKind : std::uint8_t { number, category };

/// A column as class labels.
struct TableLabels {
  /// One index into `classes` for each row, in CPU memory; -1 where the cell is missing.
  Vector<std::int32_t> codes;
  /// Sorted: categories by their bytes, numbers by value. A number is written with the fewest digits that read back
  /// as the same float64.
  std::vector<std::string> classes;
};

/// Named columns of equal length, each of numbers (float64, NaN for a missing cell) or of categories (codes into a
/// sorted list of texts, -1 for a missing cell). Immutable and cheap to copy: copies share their columns.
///
/// A method that names a column throws InvalidArgument, listing the columns, if the table has none of that name.
class TILELEARN_API Table {
 public:
  /// No rows, no columns.
  Table();
  explicit Table(std::shared_ptr<const detail::TableData> data);

  [[nodiscard]] std::int64_t rows() const noexcept;
  /// Names in the file's order.
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept;
  [[nodiscard]] bool has_column(const std::string& column) const;
  [[nodiscard]] ColumnKind kind(const std::string& column) const;
  /// Names of the columns of numbers, in the file's order.
  [[nodiscard]] std::vector<std::string> numeric_columns() const;
  /// Cells of a column without a value.
  [[nodiscard]] std::int64_t missing_count(const std::string& column) const;
  /// The line of the file, from 1, on which a row begins: what an error message should name. O(log rows).
  /// @throws InvalidArgument for a row outside
  [[nodiscard]] std::int64_t row_line(std::int64_t row) const;

  /// The values of a column of numbers, each the float64 nearest to the decimal in the file; valid while this table or
  /// a copy of it lives. @throws InvalidArgument for a column of categories
  [[nodiscard]] VectorView<const double> numbers(const std::string& column) const;
  /// Indices into categories(); valid while this table or a copy of it lives.
  /// @throws InvalidArgument for a column of numbers (labels() takes both kinds)
  [[nodiscard]] VectorView<const std::int32_t> codes(const std::string& column) const;
  /// The distinct texts of a column of categories, sorted by their bytes. @throws InvalidArgument as codes()
  [[nodiscard]] const std::vector<std::string>& categories(const std::string& column) const;

  /// rows() x columns.size() values in CPU memory, NaN for missing ones. T is float or double; a float is the float64
  /// value rounded once more, to nearest.
  /// @throws InvalidArgument for a column of categories (its first cell is quoted), or for a finite value beyond the
  ///   range of float (its line is named)
  template <typename T>
  [[nodiscard]] Matrix<T> matrix(const std::vector<std::string>& columns) const;
  /// All columns of numbers.
  template <typename T>
  [[nodiscard]] Matrix<T> matrix() const {
    return matrix<T>(numeric_columns());
  }

  /// A column as class labels. The distinct values of a column of numbers are classes too; -0 is 0.
  [[nodiscard]] TableLabels labels(const std::string& column) const;

  /// rows() x classes in CPU memory: 1 in the column of the row's class (the order of labels().classes), else 0; a row
  /// without a value is NaN throughout.
  template <typename T>
  [[nodiscard]] Matrix<T> one_hot(const std::string& column) const;

  /// Rows, ascending, in which none of these columns misses its value.
  [[nodiscard]] std::vector<std::int64_t> complete_rows(const std::vector<std::string>& columns) const;

  /// These rows, in this order; categories and the rows' lines in the file are kept.
  /// @throws InvalidArgument for a row outside
  [[nodiscard]] Table select(const std::vector<std::int64_t>& rows) const;

 private:
  std::shared_ptr<const detail::TableData> data_;
};

/// Reads a CSV file.
///
/// Records are as in RFC 4180 with these additions: LF, CRLF or CR ends a line; a UTF-8 byte-order mark is skipped;
/// blank lines are skipped; blanks around an unquoted field are not part of it; the last line may lack its end.
///
/// A column is of numbers if every cell that is not missing is one: an optional sign, decimal digits with an optional
/// decimal mark and exponent, or inf / infinity in any case. It reads the nearest float64, so a number too large for
/// float64 is infinity and one too small is zero. A column without any number is of categories; a column without any
/// value is of numbers. Quotes do not change what a cell is. The process locale has no influence.
///
/// A column that mixes numbers with other text is an error that names the first such cell, unless it is one of
/// text_columns. So is a column of numbers all written with the other decimal mark, and one whose only text, beside
/// missing cells, is a placeholder of dashes, dots or plus signs.
///
/// Files are mapped into memory and parsed by `threads` threads; they must not shrink meanwhile. Pipes are read to
/// their end first. Time is linear in the bytes; memory is 16 bytes a cell at most while reading, 8 (categories: 4)
/// after.
///
/// @throws ParseError with line and column for: a path that cannot be read, an empty file, a header without rows, a
///   record with too few or too many fields, a name used twice, a quote that is not closed or stands inside an unquoted
///   field, a NUL byte, UTF-16 and UTF-32 files, and the columns named above. Of several faults the first in the file
///   is reported, faults of records before faults of columns, for any number of threads.
/// @throws InvalidArgument for options that contradict each other, and for text_columns that are not in the file but
///   must exist
TILELEARN_API Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from memory; `name` stands for the file in error messages. The text is not needed after the return.
TILELEARN_API Table parse_csv(std::string_view text, const CsvOptions& options = {},
                              const std::string& name = "<text>");

extern template TILELEARN_API Matrix<float> Table::matrix<float>(const std::vector<std::string>&) const;
extern template TILELEARN_API Matrix<double> Table::matrix<double>(const std::vector<std::string>&) const;
extern template TILELEARN_API Matrix<float> Table::one_hot<float>(const std::string&) const;
extern template TILELEARN_API Matrix<double> Table::one_hot<double>(const std::string&) const;

}  // namespace tilelearn
