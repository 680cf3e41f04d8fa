// libFuzzer target for the CSV reader: any text either becomes a consistent table or is a typed error.
//
// clang++ -std=c++20 -g -O1 -fsanitize=address,undefined,fuzzer -fopenmp -DTILELEARN_VERSION='"0"' \
//   -Iinclude -Ialgorithms tests/fuzz/csv_fuzzer.cpp algorithms/core/*.cpp -ldl -o csv_fuzzer
// ./csv_fuzzer -max_len=300 -max_total_time=60 CORPUS_FOLDER
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <tilelearn/error.hpp>
#include <tilelearn/table.hpp>

namespace {

/// Options from the bits of the input's first byte.
tilelearn::CsvOptions choose_options(unsigned bits) {
  tilelearn::CsvOptions options;
  options.threads = 1;
  if ((bits & 1) != 0) options.decimal = ',';
  if ((bits & 2) != 0) options.quote = '\0';
  if ((bits & 4) != 0) options.delimiter = ';';
  if ((bits & 8) != 0) options.header = (bits & 16) != 0;
  if ((bits & 32) != 0) options.missing_values = {"", "-999", "xyz"};
  return options;
}

void check(bool condition) {
  if (!condition) std::abort();
}

void check_table(const tilelearn::Table& table) {
  check(table.rows() > 0 && table.row_line(0) >= 1);
  for (const std::string& column : table.columns()) {
    const tilelearn::TableLabels labels = table.labels(column);
    std::int64_t missing = 0;
    for (std::int64_t row = 0; row < table.rows(); ++row) {
      check(labels.codes[row] < static_cast<std::int64_t>(labels.classes.size()));
      missing += labels.codes[row] < 0 ? 1 : 0;
    }
    check(missing == table.missing_count(column));
  }
  check(table.matrix<double>().rows() == table.rows());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    check_table(tilelearn::parse_csv(text, choose_options(data[0])));
  } catch (const tilelearn::Error&) {
    // A text that is no table.
  }
  return 0;
}
