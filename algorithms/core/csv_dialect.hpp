// What a file looks like: options where they are given, else what its first records say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tilelearn/table.hpp>

#include "core/csv_field.hpp"

namespace tilelearn::csv {

struct Layout {
  Dialect dialect;
  std::vector<std::string> names;
  bool header = false;
  std::size_t data_begin = 0;     ///< where the first record of data begins
  std::int64_t lines_before = 0;  ///< line ends before it
  std::int64_t first_line = 1;    ///< the line of the first record, which sets the number of fields
};

/// Finds delimiter, names and the beginning of the data. @throws ParseError, InvalidArgument as read_csv() does
Layout find_layout(std::string_view text, const CsvOptions& options, const MissingWords& missing,
                   const std::string& file);

/// The other decimal mark.
inline char other_mark(char decimal) { return decimal == '.' ? ',' : '.'; }

}  // namespace tilelearn::csv
