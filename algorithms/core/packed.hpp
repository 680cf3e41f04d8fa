// Any view as one that is row-major without gaps: itself where it is, else a copy that lives beside it.
#pragma once

#include <utility>

#include <tilelearn/matrix.hpp>

#include "core/workspace.hpp"

namespace tilelearn::detail {

template <typename T>
class PackedMatrix {
 public:
  explicit PackedMatrix(const MatrixView<const T>& source) : view_(source) {
    if (source.is_contiguous()) return;
    require_workspace(source.device(), checked_bytes(source.rows(), source.columns(), sizeof(T)), "packed copy of X");
    copy_ = copy_to(source, source.device());
    view_ = std::as_const(copy_).view();
  }

  [[nodiscard]] const MatrixView<const T>& view() const noexcept { return view_; }

 private:
  Matrix<T> copy_;
  MatrixView<const T> view_;
};

template <typename T>
class PackedVector {
 public:
  explicit PackedVector(const VectorView<const T>& source) : view_(source) {
    if (source.is_contiguous()) return;
    require_workspace(source.device(), checked_bytes(source.size(), 1, sizeof(T)), "packed copy of a vector");
    copy_ = copy_to(source, source.device());
    view_ = std::as_const(copy_).view();
  }

  [[nodiscard]] const VectorView<const T>& view() const noexcept { return view_; }

 private:
  Vector<T> copy_;
  VectorView<const T> view_;
};

}  // namespace tilelearn::detail
