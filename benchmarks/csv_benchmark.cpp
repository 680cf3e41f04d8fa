// How fast CSV text becomes a table, by kind of cell and threads, beside the ceiling of reading every byte once.
//
// The text is in memory, so that no disk is measured. Every text is checked (rows, and the sum of a column) before it
// is timed. Axes: cells (what a field looks like), threads. bytes_per_second counts the text.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>
#include <tilelearn/table.hpp>

#include "core/philox.hpp"

namespace {

constexpr std::int64_t columns = 16;
constexpr std::int64_t text_bytes = std::int64_t{64} << 20;

enum class Cells : std::int64_t { digits, integers, short_decimals, full_decimals, exponents, categories, names };

constexpr std::array<const char*, 7> cells_names = {
    "one digit", "integers below 100000", "4 decimals", "17 digits", "9 digits, e", "6 categories", "distinct names"};

double uniform(std::uint64_t index) {
  return static_cast<double>(tilelearn::philox::bits(1, 0, index) >> 11) * 0x1p-53;
}

/// Cell `index` of a text.
std::string cell_text(Cells cells, std::uint64_t index) {
  const double u = uniform(index);
  std::array<char, 64> out{};
  switch (cells) {
    case Cells::digits:
      std::snprintf(out.data(), out.size(), "%d", static_cast<int>(10 * u));
      break;
    case Cells::integers:
      std::snprintf(out.data(), out.size(), "%d", static_cast<int>(100000 * u));
      break;
    case Cells::short_decimals:
      std::snprintf(out.data(), out.size(), "%.4f", 200 * u - 100);
      break;
    case Cells::full_decimals:
      std::snprintf(out.data(), out.size(), "%.17g", 2 * u - 1);
      break;
    case Cells::exponents:
      std::snprintf(out.data(), out.size(), "%.8e", std::log(u + 1e-9));
      break;
    case Cells::categories: {
      constexpr std::array<const char*, 6> words = {"red", "green", "\"blue\"", "setosa", "Adelie Penguin", "NA"};
      return words[static_cast<std::size_t>(6 * u)];
    }
    case Cells::names:
      std::snprintf(out.data(), out.size(), "name %.0f", 1e12 * u);
      break;
  }
  return out.data();
}

struct Text {
  std::string csv;
  std::int64_t rows = 0;
};

Text make_text(Cells cells) {
  Text text;
  text.csv = "row";
  for (std::int64_t j = 1; j < columns; ++j) text.csv += ",x" + std::to_string(j);
  text.csv += '\n';
  while (static_cast<std::int64_t>(text.csv.size()) < text_bytes) {
    text.csv += std::to_string(text.rows);
    for (std::int64_t j = 1; j < columns; ++j)
      text.csv += ',' + cell_text(cells, static_cast<std::uint64_t>(text.rows * columns + j));
    text.csv += '\n';
    ++text.rows;
  }
  return text;
}

const Text& text_of(Cells cells) {
  static std::map<Cells, Text> texts;
  const auto found = texts.find(cells);
  return found != texts.end() ? found->second : texts.emplace(cells, make_text(cells)).first->second;
}

void check(const tilelearn::Table& table, const Text& text) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < table.rows(); ++i) sum += table.numbers("row")[i];
  const auto rows = static_cast<double>(text.rows);
  if (table.rows() != text.rows || sum != rows * (rows - 1) / 2) throw std::runtime_error("the table is wrong");
}

void parse_csv(benchmark::State& state) {
  const auto cells = static_cast<Cells>(state.range(0));
  const Text& text = text_of(cells);
  tilelearn::CsvOptions options;
  options.threads = static_cast<int>(state.range(1));
  check(tilelearn::parse_csv(text.csv, options), text);
  for (auto _ : state) benchmark::DoNotOptimize(tilelearn::parse_csv(text.csv, options));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.csv.size()));
  state.counters["cells_per_second"] =
      benchmark::Counter(static_cast<double>(text.rows * columns), benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(cells_names[static_cast<std::size_t>(cells)]);
}

/// The ceiling: one pass over the bytes, for a byte that does not occur.
void read_every_byte(benchmark::State& state) {
  const std::string& csv = text_of(Cells::short_decimals).csv;
  for (auto _ : state) benchmark::DoNotOptimize(std::memchr(csv.data(), '\0', csv.size()));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(csv.size()));
}

void every_kind(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"cells", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
  for (std::int64_t threads : {1, 2})
    for (std::int64_t cells = 0; cells < static_cast<std::int64_t>(cells_names.size()); ++cells)
      benchmark->Args({cells, threads});
}

BENCHMARK(parse_csv)->Apply(every_kind);
BENCHMARK(read_every_byte)->Unit(benchmark::kMillisecond);

}  // namespace
