// Matrices and vectors: owners of memory on one device, and views of memory that somebody else owns.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tilelearn/device.hpp>
#include <tilelearn/error.hpp>
#include <tilelearn/export.hpp>

namespace tilelearn {

namespace detail {

/// rows * columns * element_bytes. @throws InvalidArgument for a negative size or a product beyond 2^63 - 1
TILELEARN_API std::int64_t checked_bytes(std::int64_t rows, std::int64_t columns, std::size_t element_bytes);

/// A move-only block of bytes on a device, freed in the order of that device's queue.
class TILELEARN_API Storage {
 public:
  Storage() noexcept = default;
  /// Uninitialised memory. @throws OutOfMemory
  Storage(const Device& device, std::int64_t bytes);
  Storage(Storage&& other) noexcept;
  Storage& operator=(Storage&& other) noexcept;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const Device& device() const noexcept { return device_; }

 private:
  Device device_;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// A two-dimensional block anywhere, strides in elements.
struct StridedBlock {
  void* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// Copies rows x columns elements between any two devices and any two layouts. Synchronises when a host is involved.
TILELEARN_API void copy_block(const StridedBlock& to, const Device& to_device, const StridedBlock& from,
                              const Device& from_device, std::int64_t rows, std::int64_t columns,
                              std::size_t element_bytes);

[[noreturn]] TILELEARN_API void throw_not_on_cpu(const char* what);
[[noreturn]] TILELEARN_API void throw_outside(std::int64_t row, std::int64_t column, std::int64_t rows,
                                              std::int64_t columns);

}  // namespace detail

template <typename T>
class Matrix;
template <typename T>
class Vector;

/// n elements, `stride` apart, in memory that somebody else owns on `device`. T may be const.
template <typename T>
class VectorView {
 public:
  VectorView() = default;
  VectorView(T* data, std::int64_t size, const Device& device = Device::cpu(), std::int64_t stride = 1)
      : data_(data), size_(size), stride_(stride), device_(device) {}
  /// A view of const elements from a view of mutable ones.
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  VectorView(const VectorView<U>& other) : VectorView(other.data(), other.size(), other.device(), other.stride()) {}

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t stride() const noexcept { return stride_; }
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  [[nodiscard]] bool is_contiguous() const noexcept { return stride_ == 1 || size_ <= 1; }
  /// Element access in CPU memory, unchecked.
  T& operator[](std::int64_t i) const noexcept { return data_[i * stride_]; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  std::int64_t stride_ = 1;
  Device device_;
};

/// rows x columns elements in memory that somebody else owns on `device`: element (i, j) lies at
/// data[i * row_stride + j * column_stride]. Strides are in elements, may be zero or negative. T may be const.
template <typename T>
class MatrixView {
 public:
  MatrixView() = default;
  /// Row-major and contiguous.
  MatrixView(T* data, std::int64_t rows, std::int64_t columns, const Device& device = Device::cpu())
      : MatrixView(data, rows, columns, columns, 1, device) {}
  MatrixView(T* data, std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride,
             const Device& device = Device::cpu())
      : data_(data),
        rows_(rows),
        columns_(columns),
        row_stride_(row_stride),
        column_stride_(column_stride),
        device_(device) {}
  /// A view of const elements from a view of mutable ones.
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  MatrixView(const MatrixView<U>& other)
      : MatrixView(other.data(), other.rows(), other.columns(), other.row_stride(), other.column_stride(),
                   other.device()) {}

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::int64_t row_stride() const noexcept { return row_stride_; }
  [[nodiscard]] std::int64_t column_stride() const noexcept { return column_stride_; }
  [[nodiscard]] const Device& device() const noexcept { return device_; }
  /// Row-major without gaps.
  [[nodiscard]] bool is_contiguous() const noexcept {
    return (column_stride_ == 1 || columns_ <= 1) && (row_stride_ == columns_ || rows_ <= 1);
  }
  /// Element access in CPU memory, unchecked.
  T& operator()(std::int64_t row, std::int64_t column) const noexcept {
    return data_[row * row_stride_ + column * column_stride_];
  }

 private:
  T* data_ = nullptr;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t row_stride_ = 0;
  std::int64_t column_stride_ = 1;
  Device device_;
};

/// Owns n contiguous elements on one device. Move-only; copies are asked for with clone() or to().
template <typename T>
class Vector {
 public:
  Vector() = default;
  /// Uninitialised elements.
  explicit Vector(std::int64_t size, const Device& device = Device::cpu())
      : storage_(device, detail::checked_bytes(size, 1, sizeof(T))), size_(size) {}
  /// Elements in CPU memory.
  Vector(std::initializer_list<T> values) : Vector(static_cast<std::int64_t>(values.size())) {
    std::int64_t i = 0;
    for (const T& value : values) data()[i++] = value;
  }
  /// A copy, in CPU memory, of a std::vector.
  explicit Vector(const std::vector<T>& values) : Vector(static_cast<std::int64_t>(values.size())) {
    for (std::int64_t i = 0; i < size_; ++i) data()[i] = values[static_cast<std::size_t>(i)];
  }

  [[nodiscard]] T* data() noexcept { return static_cast<T*>(storage_.data()); }
  [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(storage_.data()); }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] const Device& device() const noexcept { return storage_.device(); }

  [[nodiscard]] VectorView<T> view() { return {data(), size_, device()}; }
  [[nodiscard]] VectorView<const T> view() const { return {data(), size_, device()}; }
  operator VectorView<T>() { return view(); }
  operator VectorView<const T>() const { return view(); }

  /// A copy on `target`. Synchronises when the CPU is involved.
  [[nodiscard]] Vector to(const Device& target) const {
    Vector result(size_, target);
    detail::copy_block({result.data(), 1, 1}, target, {const_cast<T*>(data()), 1, 1}, device(), size_, 1, sizeof(T));
    return result;
  }
  [[nodiscard]] Vector clone() const { return to(device()); }
  /// A copy in a std::vector, from any device.
  [[nodiscard]] std::vector<T> to_std() const {
    std::vector<T> result(static_cast<std::size_t>(size_));
    detail::copy_block({result.data(), 1, 1}, Device::cpu(), {const_cast<T*>(data()), 1, 1}, device(), size_, 1,
                       sizeof(T));
    return result;
  }

  /// Element access in CPU memory. @throws InvalidArgument for another device or an index outside
  T& operator[](std::int64_t i) { return data()[checked(i)]; }
  const T& operator[](std::int64_t i) const { return data()[checked(i)]; }

 private:
  [[nodiscard]] std::int64_t checked(std::int64_t i) const {
    if (!device().is_cpu()) detail::throw_not_on_cpu("an element of a Vector");
    if (i < 0 || i >= size_) detail::throw_outside(i, 0, size_, 1);
    return i;
  }

  detail::Storage storage_;
  std::int64_t size_ = 0;
};

/// Owns rows x columns elements on one device, row-major without gaps; rows are samples. Move-only.
template <typename T>
class Matrix {
 public:
  Matrix() = default;
  /// Uninitialised elements.
  Matrix(std::int64_t rows, std::int64_t columns, const Device& device = Device::cpu())
      : storage_(device, detail::checked_bytes(rows, columns, sizeof(T))), rows_(rows), columns_(columns) {}
  /// Rows of equal length in CPU memory. @throws ShapeMismatch if they are not
  Matrix(std::initializer_list<std::initializer_list<T>> values)
      : Matrix(static_cast<std::int64_t>(values.size()),
               values.size() == 0 ? 0 : static_cast<std::int64_t>(values.begin()->size())) {
    T* out = data();
    for (const auto& row : values) {
      if (static_cast<std::int64_t>(row.size()) != columns_)
        throw ShapeMismatch("Matrix: row " + std::to_string(&row - values.begin()) + " has " +
                            std::to_string(row.size()) + " elements, row 0 has " + std::to_string(columns_));
      for (const T& value : row) *out++ = value;
    }
  }

  [[nodiscard]] T* data() noexcept { return static_cast<T*>(storage_.data()); }
  [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(storage_.data()); }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }
  [[nodiscard]] const Device& device() const noexcept { return storage_.device(); }

  [[nodiscard]] MatrixView<T> view() { return {data(), rows_, columns_, device()}; }
  [[nodiscard]] MatrixView<const T> view() const { return {data(), rows_, columns_, device()}; }
  operator MatrixView<T>() { return view(); }
  operator MatrixView<const T>() const { return view(); }

  /// A copy on `target`. Synchronises when the CPU is involved.
  [[nodiscard]] Matrix to(const Device& target) const {
    Matrix result(rows_, columns_, target);
    detail::copy_block({result.data(), columns_, 1}, target, {const_cast<T*>(data()), columns_, 1}, device(), rows_,
                       columns_, sizeof(T));
    return result;
  }
  [[nodiscard]] Matrix clone() const { return to(device()); }

  /// Element access in CPU memory. @throws InvalidArgument for another device or an index outside
  T& operator()(std::int64_t row, std::int64_t column) { return data()[checked(row, column)]; }
  const T& operator()(std::int64_t row, std::int64_t column) const { return data()[checked(row, column)]; }

 private:
  [[nodiscard]] std::int64_t checked(std::int64_t row, std::int64_t column) const {
    if (!device().is_cpu()) detail::throw_not_on_cpu("an element of a Matrix");
    if (row < 0 || row >= rows_ || column < 0 || column >= columns_)
      detail::throw_outside(row, column, rows_, columns_);
    return row * columns_ + column;
  }

  detail::Storage storage_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

/// A row-major copy, without gaps, of any view, on `target`.
template <typename T>
[[nodiscard]] Matrix<std::remove_const_t<T>> copy_to(const MatrixView<T>& from, const Device& target) {
  using Value = std::remove_const_t<T>;
  Matrix<Value> result(from.rows(), from.columns(), target);
  detail::copy_block({result.data(), from.columns(), 1}, target,
                     {const_cast<Value*>(from.data()), from.row_stride(), from.column_stride()}, from.device(),
                     from.rows(), from.columns(), sizeof(T));
  return result;
}

/// A copy, without gaps, of any view, on `target`.
template <typename T>
[[nodiscard]] Vector<std::remove_const_t<T>> copy_to(const VectorView<T>& from, const Device& target) {
  using Value = std::remove_const_t<T>;
  Vector<Value> result(from.size(), target);
  detail::copy_block({result.data(), 1, 1}, target, {const_cast<Value*>(from.data()), from.stride(), 1}, from.device(),
                     from.size(), 1, sizeof(T));
  return result;
}

}  // namespace tilelearn
