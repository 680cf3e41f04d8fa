// The Gram matrix on the CPU: chunks of rows are packed into panels of columns, blocks of chunks go to threads.
#include "linear/gram.hpp"

#include <algorithm>

#include "core/cpu_workspace.hpp"
#include "linear/block_sums_cpu.hpp"
#include "linear/gram_cpu_levels.hpp"
#include "linear/rows_cpu.hpp"

namespace tilelearn::linear::cpu {

namespace {

/// What one thread packs a chunk into: its rows, and panels [panels][rows][panel_columns]. Low words are null in
/// float64.
struct Pack {
  Chunk chunk;
  double* right;
  double* right_low;
  double* left;  ///< where there are no weights it is `right`
  double* left_low;
};

[[gnu::always_inline]] inline void spread(const double* values, std::int64_t columns, std::int64_t count,
                                          double* panels) {
  for (std::int64_t j = 0; j < columns; j += panel_columns)
    for (std::int64_t i = 0; i < count; ++i)
      for (int c = 0; c < panel_columns; ++c) panels[j * count + i * panel_columns + c] = values[i * columns + j + c];
}

/// Multiplies row i of a chunk by its weight.
[[gnu::always_inline]] inline void weigh(double weight, std::int64_t i, const Chunk& chunk) {
  double* const values = chunk.values + i * chunk.columns;
  if (chunk.low == nullptr) {
    for (std::int64_t j = 0; j < chunk.columns; ++j) values[j] *= weight;
    return;
  }
  double* const low = chunk.low + i * chunk.columns;
  for (std::int64_t j = 0; j < chunk.columns; ++j) {
    const double product = values[j] * weight;
    low[j] = std::fma(low[j], weight, std::fma(values[j], weight, -product));
    values[j] = product;
  }
}

template <typename T>
void pack_chunk(const Rows<T>& rows, const PanelUnits& units, double weight_scale, std::int64_t first,
                std::int64_t count, const Pack& pack) {
  const Chunk& chunk = pack.chunk;
  if (rows.weights) chunk.prepare(rows.width() - 1);  // the weights of the last chunk are in it
  detail::at_cpu_level([&]() __attribute__((always_inline)) {
    read_chunk(rows, first, count, units, chunk);
    spread(chunk.values, chunk.columns, count, pack.right);
    if (chunk.low != nullptr) spread(chunk.low, chunk.columns, count, pack.right_low);
    if (!rows.weights) return;
    for (std::int64_t i = 0; i < count; ++i)
      weigh(static_cast<double>((*rows.weights)[first + i]) * weight_scale, i, chunk);
    spread(chunk.values, chunk.columns, count, pack.left);
    if (chunk.low != nullptr) spread(chunk.low, chunk.columns, count, pack.left_low);
  });
}

/// Memory for the packs of all threads.
class Packs {
 public:
  Packs(std::int64_t columns, bool wide, bool weighted, int threads, detail::CpuWorkspace& workspace)
      : columns_(columns), wide_(wide), weighted_(weighted) {
    memory_ = workspace.take<double>(doubles() * threads, "panels of rows");
  }

  [[nodiscard]] static std::int64_t doubles(std::int64_t columns, bool wide, bool weighted) {
    const std::int64_t words = wide ? 2 : 1;
    const std::int64_t arrays = weighted ? 3 : 2;
    return words * arrays * columns * chunk_rows;
  }

  [[nodiscard]] Pack of_thread(int thread) const {
    double* at = memory_ + doubles() * thread;
    const auto next = [&](bool used, std::int64_t size) {
      double* const taken = used ? at : nullptr;
      at += used ? size : 0;
      return taken;
    };
    Pack pack{};
    pack.chunk = {next(true, panels()), next(wide_, panels()), columns_};
    pack.right = next(true, panels());
    pack.right_low = next(wide_, panels());
    pack.left = weighted_ ? next(true, panels()) : pack.right;
    pack.left_low = weighted_ ? next(wide_, panels()) : pack.right_low;
    return pack;
  }

 private:
  [[nodiscard]] std::int64_t panels() const { return columns_ * chunk_rows; }
  [[nodiscard]] std::int64_t doubles() const { return doubles(columns_, wide_, weighted_); }

  std::int64_t columns_;
  bool wide_;
  bool weighted_;
  double* memory_ = nullptr;
};

void add_chunk(const Pack& pack, std::int64_t count, Sums& sums) {
  const std::int64_t panels = pack.chunk.columns / panel_columns;
  if (sums.low.empty())
    gram_loops().add({pack.left, pack.right, count, panels}, sums.high.data());
  else
    gram_loops().add_wide({pack.left, pack.left_low, pack.right, pack.right_low, count, panels}, sums.high.data(),
                          sums.low.data());
}

/// Without the columns that fill up the last panel.
Gram gram_of(const Sums& sums, std::int64_t p, std::int64_t columns) {
  const auto taken = [&](const std::vector<double>& from) {
    std::vector<double> result(from.empty() ? 0 : static_cast<std::size_t>(p * p));
    for (std::int64_t i = 0; i < p && !from.empty(); ++i)
      std::copy_n(from.begin() + i * columns, p, result.begin() + i * p);
    return result;
  };
  return {p, taken(sums.high), taken(sums.low)};
}

}  // namespace

template <typename T>
Gram gram(const Rows<T>& rows, const Units& units, Precision precision) {
  const Device& device = rows.X.device();
  const std::int64_t p = rows.width();
  const PanelUnits panel_units(p, units);
  const bool wide = precision == Precision::double_double;
  const Blocks blocks(device, rows.X.rows(), static_cast<double>(p) * static_cast<double>(p));
  const std::int64_t columns = panel_units.columns;
  const auto size = static_cast<std::size_t>(columns * columns);
  require_memory(device, blocks, Packs::doubles(columns, wide, rows.weights.has_value()),
                 (wide ? 2 : 1) * columns * columns);
  detail::CpuWorkspace workspace(device, "linear models");
  const Packs packs(columns, wide, rows.weights.has_value(), blocks.threads, workspace);
  for (int thread = 0; thread < blocks.threads; ++thread) packs.of_thread(thread).chunk.prepare(p - 1);
  const Sums zeros{std::vector<double>(size, 0.0), std::vector<double>(wide ? size : 0, 0.0)};
  const Sums total = sum_blocks(blocks, zeros, [&](std::int64_t block, int thread, Sums& sums) {
    const Pack pack = packs.of_thread(thread);
    blocks.for_chunks(block, [&](std::int64_t first, std::int64_t count) {
      pack_chunk(rows, panel_units, units.weight_scale, first, count, pack);
      add_chunk(pack, count, sums);
    });
  });
  return gram_of(total, p, columns);
}

template Gram gram(const Rows<float>&, const Units&, Precision);
template Gram gram(const Rows<double>&, const Units&, Precision);

}  // namespace tilelearn::linear::cpu
