// Tiles of rows in k-d order: copies the values, fits the boxes.
#include "dbscan/dbscan_cpu_tiles.hpp"

#include <utility>

#include "dbscan/dbscan_cpu_kd_order.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

std::uint64_t lowest_bits(std::int64_t count) { return count >= tile_rows ? ~0ULL : (1ULL << count) - 1; }

}  // namespace

std::vector<std::vector<Node>> levels_below(const Node& root) {
  std::vector<std::vector<Node>> levels;
  std::vector<Node> level;
  if (!root.is_tile()) level.push_back(root);
  while (!level.empty()) {
    std::vector<Node> next;
    for (const Node& node : level)
      for (const Node& half : {node.left(), node.right()})
        if (!half.is_tile()) next.push_back(half);
    levels.push_back(std::move(level));
    level = std::move(next);
  }
  return levels;
}

template <typename T>
void box_of_rows(const T* tile, std::uint64_t which, int d, T* box) {
  empty_box(d, box);
  for (; which != 0; which &= which - 1) widen_by_row(box, tile + __builtin_ctzll(which), tile_rows, d);
}

template <typename T>
Tiles<T>::Tiles(const Rows<T>& rows, const Context& context)
    : rows_(rows),
      threads_(useful_threads(context.threads, static_cast<double>(rows.n) * rows.d)),
      count_(static_cast<std::int32_t>((rows.n + tile_rows - 1) / tile_rows)),
      order_(context.workspace.take<std::int32_t>(rows.n, "k-d order")),
      values_(context.workspace.take<T>(positions() * rows.d, "tiles")),
      live_(context.workspace.take<std::uint64_t>(count_, "rows of the tiles")),
      boxes_(context.workspace.take<T>((2 * std::int64_t{count_} - 1) * box_size(rows.d), "boxes of the tiles")) {
  kd_order(rows_, context, order_);
  for (std::int32_t t = 0; t < count_; ++t) live_[t] = lowest_bits(rows_.n - begin({t, t + 1}));
  copy_values();
  fit_boxes();
}

template <typename T>
void Tiles<T>::narrow(const std::uint64_t* live) {
  std::copy_n(live, count_, live_);
  fit_boxes();
}

template <typename T>
void Tiles<T>::copy_values() {
  const int d = rows_.d;
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::int32_t t = 0; t < count_; ++t) {
    T* to = values_ + std::int64_t{t} * d * tile_rows;
    for (int r = 0; r < tile_rows; ++r) {
      // Lanes beyond the last row hold it too; they take no part.
      const T* from = values_at(std::min(std::int64_t{t} * tile_rows + r, rows_.n - 1));
      for (int j = 0; j < d; ++j) to[j * tile_rows + r] = from[j];
    }
  }
}

template <typename T>
void Tiles<T>::fit_boxes() {
  const std::int64_t size = box_size(rows_.d);
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::int32_t t = 0; t < count_; ++t) box_of_rows(tile(t), live(t), rows_.d, boxes_ + Node{t, t + 1}.id() * size);
  const std::vector<std::vector<Node>> levels = levels_below(root());
  for (auto level = levels.rbegin(); level != levels.rend(); ++level)
    for (const Node& node : *level) {
      T* box = boxes_ + node.id() * size;
      std::copy_n(this->box(node.left()), size, box);
      widen(box, this->box(node.right()), rows_.d);
    }
}

template class Tiles<float>;
template class Tiles<double>;
template void box_of_rows(const float*, std::uint64_t, int, float*);
template void box_of_rows(const double*, std::uint64_t, int, double*);

}  // namespace tilelearn::dbscan::cpu
