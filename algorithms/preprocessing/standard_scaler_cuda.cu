// The CUDA backend of StandardScaler: which kernels run, with what memory.
#include <cstring>
#include <vector>

#include "core/cuda_support.cuh"
#include "preprocessing/standard_scaler_backend.hpp"
#include "preprocessing/standard_scaler_kernels.cuh"

namespace tilelearn::standard_scaler::cuda {

namespace {

namespace tc = tilelearn::cuda;

constexpr int blocks_per_multiprocessor = 8;

template <typename Element>
void upload(const Device& device, const std::vector<Element>& values, Element* to) {
  device.impl().copy_from_host(to, values.data(), static_cast<std::int64_t>(values.size() * sizeof(Element)));
}

/// Two float64 values for each column, side by side on the device.
struct ColumnPair {
  ColumnPair(const Device& device, const std::vector<double>& a, const std::vector<double>& b)
      : values(device, static_cast<std::int64_t>(a.size() + b.size())), size(a.size()) {
    upload(device, a, values.data());
    upload(device, b, values.data() + size);
  }
  [[nodiscard]] const double* first() const { return values.data(); }
  [[nodiscard]] const double* second() const { return values.data() + size; }

  tc::Buffer<double> values;
  std::size_t size;
};

/// tree_sum of `rows` rows of `width` values, whose first `sums` are added; the result in CPU memory.
std::vector<double> tree_sum(const Device& device, tc::Buffer<double> level, std::int64_t rows, std::int64_t sums,
                             std::int64_t width) {
  const auto tiles = static_cast<unsigned>((width + tree_columns - 1) / tree_columns);
  while (rows > 1) {
    const std::int64_t groups = (rows + tree_width - 1) / tree_width;
    tc::Buffer<double> next(device, groups * width);
    const dim3 grid(static_cast<unsigned>(groups), tiles);
    tree_level<<<grid, dim3(tree_columns, tree_threads), 0, device.stream()>>>(level.data(), rows, sums, width,
                                                                               next.data());
    tc::check_launch();
    level = std::move(next);
    rows = groups;
  }
  std::vector<double> result(static_cast<std::size_t>(width));
  device.impl().copy_to_host(result.data(), level.data(), width * static_cast<std::int64_t>(sizeof(double)));
  return result;
}

template <typename T>
ColumnSums column_sums(const Pass<T>& pass) {
  const Device& device = pass.X.device();
  const tc::CurrentDevice current(device.index());
  const std::int64_t n = pass.X.rows();
  const std::int64_t d = pass.X.columns();
  const std::int64_t chunks = chunk_count(n);
  const std::int64_t width = 3 * d + 1;
  const std::int64_t level_rows = chunks + (chunks > 1 ? chunk_count(chunks) : 0);
  detail::require_workspace(device, detail::checked_bytes(level_rows, width, sizeof(double)),
                            "StandardScaler partial sums");
  const ColumnPair columns(device, pass.scale, pass.shift);
  tc::Buffer<double> partials(device, chunks * width);
  const SumArguments<T> arguments{pass.X.data(),
                                  pass.weights ? pass.weights->data() : nullptr,
                                  columns.first(),
                                  columns.second(),
                                  pass.weight_factor,
                                  n,
                                  d};
  sum_chunks<<<tc::blocks_for(chunks * d, threads_per_block), threads_per_block, 0, device.stream()>>>(arguments,
                                                                                                       partials.data());
  tc::check_launch();
  const std::vector<double> total = tree_sum(device, std::move(partials), chunks, 2 * d + 1, width);
  const auto at = [&](std::int64_t j) { return total.begin() + j; };
  return {{at(0), at(d)}, {at(d), at(2 * d)}, {at(2 * d + 1), at(width)}, total[static_cast<std::size_t>(2 * d)]};
}

template <typename T>
WeightFacts inspect(const VectorView<const T>& weights) {
  const Device& device = weights.device();
  const tc::CurrentDevice current(device.index());
  std::vector<WeightWords> words{{~0ULL, ~0ULL, 0ULL}};
  tc::Buffer<WeightWords> on_device(device, 1);
  upload(device, words, on_device.data());
  const std::int64_t most_blocks = std::int64_t{tc::multiprocessors()} * blocks_per_multiprocessor;
  inspect_weights<<<tc::blocks_for(weights.size(), threads_per_block, most_blocks), threads_per_block, 0,
                    device.stream()>>>(weights.data(), weights.size(), on_device.data());
  tc::check_launch();
  device.impl().copy_to_host(words.data(), on_device.data(), sizeof(WeightWords));
  WeightFacts facts;
  facts.first_invalid = static_cast<std::int64_t>(words[0].first_invalid);
  facts.first_positive = static_cast<std::int64_t>(words[0].first_positive);
  std::memcpy(&facts.largest, &words[0].largest_bits, sizeof(facts.largest));
  return facts;
}

template <typename T, typename Formula>
bool map(const MatrixView<const T>& in, const std::vector<double>& mean, const std::vector<double>& scale,
         const MatrixView<T>& out) {
  const Device& device = in.device();
  const tc::CurrentDevice current(device.index());
  const ColumnPair columns(device, mean, scale);
  tc::Buffer<int> not_finite(device, 1);
  not_finite.fill_bytes(0);
  const std::int64_t groups = (in.rows() + rows_per_map_thread - 1) / rows_per_map_thread;
  map_rows<T, Formula>
      <<<tc::blocks_for(groups * in.columns(), threads_per_block), threads_per_block, 0, device.stream()>>>(
          in.data(), in.rows(), in.columns(), columns.first(), columns.second(), out.data(), not_finite.data());
  tc::check_launch();
  int found = 0;
  device.impl().copy_to_host(&found, not_finite.data(), sizeof(found));
  return found == 0;
}

}  // namespace

template <typename T>
const Backend<T>& backend() {
  static constexpr Backend<T> functions{inspect<T>, column_sums<T>, map<T, ApplyFormula>, map<T, UndoFormula>};
  return functions;
}

template const Backend<float>& backend<float>();
template const Backend<double>& backend<double>();

}  // namespace tilelearn::standard_scaler::cuda
