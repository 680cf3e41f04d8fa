// The order of rows in a k-d tree of tiles.
#include "dbscan/dbscan_cpu_kd_order.hpp"

#include <algorithm>
#include <vector>

namespace tilelearn::dbscan::cpu {

namespace {

/// Rows that the widest column is found from.
constexpr std::int64_t sample_rows = 64;

template <typename T>
class KdOrder {
 public:
  KdOrder(const Rows<T>& rows, detail::CpuWorkspace& workspace, std::int32_t* order)
      : rows_(rows), order_(order), keys_(workspace.take<Key>(rows.n, "keys of the k-d order")) {}

  /// Brings the lower half of a node's rows before the others.
  void halve(const Node& node) {
    const std::int64_t first = std::int64_t{node.first} * tile_rows;
    const std::int64_t middle = std::int64_t{node.middle()} * tile_rows;
    const std::int64_t last = end(node);
    const int column = widest_column(first, last);
    for (std::int64_t p = first; p < last; ++p) keys_[p] = {rows_.row(order_[p])[column], order_[p]};
    std::nth_element(keys_ + first, keys_ + middle, keys_ + last);
    for (std::int64_t p = first; p < last; ++p) order_[p] = keys_[p].row;
  }

 private:
  struct Key {
    T value;
    std::int32_t row;

    friend bool operator<(const Key& a, const Key& b) { return a.value != b.value ? a.value < b.value : a.row < b.row; }
  };

  [[nodiscard]] std::int64_t end(const Node& node) const {
    return std::min(std::int64_t{node.last} * tile_rows, rows_.n);
  }

  [[nodiscard]] int widest_column(std::int64_t first, std::int64_t last) const {
    const std::int64_t step = std::max<std::int64_t>(1, (last - first) / sample_rows);
    int widest = 0;
    double width = -1.0;
    for (int j = 0; j < rows_.d; ++j) {
      T low = rows_.row(order_[first])[j];
      T high = low;
      for (std::int64_t p = first + step; p < last; p += step) {
        const T value = rows_.row(order_[p])[j];
        low = std::min(low, value);
        high = std::max(high, value);
      }
      const double here = double{high} - double{low};
      if (here > width) {
        width = here;
        widest = j;
      }
    }
    return widest;
  }

  const Rows<T>& rows_;
  std::int32_t* order_;
  Key* keys_;
};

}  // namespace

template <typename T>
void kd_order(const Rows<T>& rows, const Context& context, std::int32_t* order) {
  for (std::int64_t i = 0; i < rows.n; ++i) order[i] = static_cast<std::int32_t>(i);
  detail::CpuWorkspace scratch = context.workspace.nested();
  KdOrder<T> kd(rows, scratch, order);
  const auto tiles = static_cast<std::int32_t>((rows.n + tile_rows - 1) / tile_rows);
  const int threads = useful_threads(context.threads, 16.0 * static_cast<double>(rows.n));
  for (const std::vector<Node>& level : levels_below({0, tiles})) {
#pragma omp parallel for num_threads(threads) schedule(monotonic : dynamic)
    for (std::size_t i = 0; i < level.size(); ++i)
      if (!context.stop.poll()) kd.halve(level[i]);
  }
  context.stop.check();
}

template void kd_order(const Rows<float>&, const Context&, std::int32_t*);
template void kd_order(const Rows<double>&, const Context&, std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
