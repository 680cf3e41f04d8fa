// Eigen matrices as views and views as Eigen maps, without a copy. Opt-in: the one header that needs Eigen.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <tilelearn/matrix.hpp>

namespace tilelearn {

namespace detail {

template <typename Derived>
std::true_type owns_elements(const Eigen::PlainObjectBase<Derived>*);
std::false_type owns_elements(const void*);

/// An object with memory that outlives the call: not an owner that is a temporary. Maps and blocks may be temporaries.
template <typename Object>
concept EigenStorage = (std::remove_cvref_t<Object>::Flags & Eigen::DirectAccessBit) != 0 &&
                       (std::is_lvalue_reference_v<Object> ||
                        !decltype(owns_elements(static_cast<std::remove_cvref_t<Object>*>(nullptr)))::value);

/// The element type that the object gives access to: const where the object or its map is.
template <typename Object>
using EigenElement = std::remove_pointer_t<decltype(std::declval<std::remove_reference_t<Object>&>().data())>;

template <typename Element>
using EigenRows = std::conditional_t<
    std::is_const_v<Element>,
    const Eigen::Matrix<std::remove_const_t<Element>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
    Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

template <typename Element>
using EigenColumn =
    std::conditional_t<std::is_const_v<Element>, const Eigen::Matrix<std::remove_const_t<Element>, Eigen::Dynamic, 1>,
                       Eigen::Matrix<Element, Eigen::Dynamic, 1>>;

}  // namespace detail

/// What as_eigen() returns for a matrix: a row-major map with any strides.
template <typename T>
using EigenMatrixMap =
    Eigen::Map<detail::EigenRows<T>, Eigen::Unaligned, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

/// What as_eigen() returns for a vector.
template <typename T>
using EigenVectorMap = Eigen::Map<detail::EigenColumn<T>, Eigen::Unaligned, Eigen::InnerStride<Eigen::Dynamic>>;

/// A rows x columns view of an Eigen matrix, array, map, block or vector (n x 1 or 1 x n) of any storage order and
/// strides. The view borrows the object's memory: it is good for as long as that memory is.
template <detail::EigenStorage Object>
[[nodiscard]] MatrixView<detail::EigenElement<Object>> as_matrix_view(Object&& object) {
  const std::int64_t inner = object.innerStride();
  const std::int64_t outer = object.outerStride();
  constexpr bool row_major = std::remove_cvref_t<Object>::IsRowMajor != 0;
  return {object.data(), object.rows(), object.cols(), row_major ? outer : inner, row_major ? inner : outer};
}

/// The same, and a VectorView of what is a vector by its type (VectorXd, a column, a row).
template <detail::EigenStorage Object>
[[nodiscard]] auto as_view(Object&& object) {
  if constexpr (std::remove_cvref_t<Object>::IsVectorAtCompileTime != 0) {
    return VectorView<detail::EigenElement<Object>>(object.data(), object.size(), Device::cpu(), object.innerStride());
  } else {
    return as_matrix_view(object);
  }
}

/// A map of a view in CPU memory, good for as long as that memory is. @throws InvalidArgument for a CUDA view
template <typename T>
[[nodiscard]] EigenMatrixMap<T> as_eigen(const MatrixView<T>& view) {
  if (!view.device().is_cpu()) detail::throw_not_on_cpu("a matrix, by way of Eigen,");
  return {view.data(), view.rows(), view.columns(), {view.row_stride(), view.column_stride()}};
}
template <typename T>
[[nodiscard]] EigenVectorMap<T> as_eigen(const VectorView<T>& view) {
  if (!view.device().is_cpu()) detail::throw_not_on_cpu("a vector, by way of Eigen,");
  return {view.data(), view.size(), Eigen::InnerStride<Eigen::Dynamic>(view.stride())};
}
template <typename T>
[[nodiscard]] EigenMatrixMap<T> as_eigen(Matrix<T>& matrix) {
  return as_eigen(matrix.view());
}
template <typename T>
[[nodiscard]] EigenMatrixMap<const T> as_eigen(const Matrix<T>& matrix) {
  return as_eigen(matrix.view());
}
template <typename T>
[[nodiscard]] EigenVectorMap<T> as_eigen(Vector<T>& vector) {
  return as_eigen(vector.view());
}
template <typename T>
[[nodiscard]] EigenVectorMap<const T> as_eigen(const Vector<T>& vector) {
  return as_eigen(vector.view());
}

}  // namespace tilelearn
