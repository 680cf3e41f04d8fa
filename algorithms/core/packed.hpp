// Any view as one that is row-major without gaps on the device of a call: itself where it is, else a copy that lives
// beside it.
#pragma once

#include <optional>
#include <utility>

#include <tilelearn/matrix.hpp>

#include "core/workspace.hpp"

namespace tilelearn::detail {

template <typename T>
class PackedMatrix {
 public:
  explicit PackedMatrix(const MatrixView<const T>& source)
      : PackedMatrix(source, source.device(), "packed copy of X") {}

  /// `what_for` names the copy in an OutOfMemory.
  PackedMatrix(const MatrixView<const T>& source, const Device& device, const char* what_for) {
    if (source.is_contiguous() && &source.device().impl() == &device.impl()) {
      view_ = {source.data(), source.rows(), source.columns(), device};
      return;
    }
    require_workspace(device, checked_bytes(source.rows(), source.columns(), sizeof(T)), what_for);
    copy_ = copy_to(source, device);
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
  explicit PackedVector(const VectorView<const T>& source)
      : PackedVector(source, source.device(), "packed copy of a vector") {}

  PackedVector(const VectorView<const T>& source, const Device& device, const char* what_for) {
    if (source.is_contiguous() && &source.device().impl() == &device.impl()) {
      view_ = {source.data(), source.size(), device};
      return;
    }
    require_workspace(device, checked_bytes(source.size(), 1, sizeof(T)), what_for);
    copy_ = copy_to(source, device);
    view_ = std::as_const(copy_).view();
  }

  [[nodiscard]] const VectorView<const T>& view() const noexcept { return view_; }

 private:
  Vector<T> copy_;
  VectorView<const T> view_;
};

/// A vector that may be absent, such as weights.
template <typename T>
class PackedOptional {
 public:
  PackedOptional(const std::optional<VectorView<const T>>& source, const Device& device, const char* what_for) {
    if (source.has_value()) view_ = packed_.emplace(*source, device, what_for).view();
  }

  [[nodiscard]] const std::optional<VectorView<const T>>& view() const noexcept { return view_; }

 private:
  std::optional<PackedVector<T>> packed_;
  std::optional<VectorView<const T>> view_;
};

}  // namespace tilelearn::detail
