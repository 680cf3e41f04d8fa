// Model files: named values and arrays, checked before they are believed. model_format.hpp has the layout.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <tilelearn/matrix.hpp>

namespace tilelearn::detail {

/// Collects a model and writes it as a whole. A writer is a cheap handle: children write into the same file.
///
///   ModelWriter writer("kmeans");
///   writer.set("n_iter", 12).set("inertia", 3.5).array("centers", centers.view());
///   writer.write("m.tlm");
class ModelWriter {
 public:
  explicit ModelWriter(const std::string& kind);

  /// A part of this model: its names do not collide with those of other parts.
  [[nodiscard]] ModelWriter child(const std::string& part, const std::string& kind) const;

  /// A boolean, an integer or a real number.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  ModelWriter& set(const std::string& name, T value) {
    if constexpr (std::is_same_v<T, bool>)
      set_bool(name, value);
    else if constexpr (std::is_floating_point_v<T>)
      set_real(name, static_cast<double>(value));
    else if constexpr (std::is_signed_v<T>)
      set_int(name, static_cast<std::int64_t>(value));
    else
      set_uint(name, static_cast<std::uint64_t>(value));
    return *this;
  }
  ModelWriter& set(const std::string& name, const std::string& value);
  ModelWriter& set(const std::string& name, const char* value) { return set(name, std::string(value)); }
  ModelWriter& set(const std::string& name, const std::vector<std::string>& values);

  /// A copy of the elements, from any device and layout. T is float, double, int32_t or int64_t.
  template <typename T>
  ModelWriter& array(const std::string& name, const MatrixView<const T>& values);
  template <typename T>
  ModelWriter& array(const std::string& name, const VectorView<const T>& values);
  template <typename T>
  ModelWriter& array(const std::string& name, const std::vector<T>& values) {
    return array(name, VectorView<const T>(values.data(), static_cast<std::int64_t>(values.size())));
  }

  /// The file appears complete or not at all; equal models give equal bytes. @throws Error
  void write(const std::string& path) const;

 private:
  struct State;
  ModelWriter(std::shared_ptr<State> state, std::string prefix);
  void set_bool(const std::string& name, bool value);
  void set_int(const std::string& name, std::int64_t value);
  void set_uint(const std::string& name, std::uint64_t value);
  void set_real(const std::string& name, double value);

  std::shared_ptr<State> state_;
  std::string prefix_;
};

/// Any number of rows, columns or elements is accepted.
inline constexpr std::int64_t any_size = -1;

/// Reads a model file. The constructor checks sizes and the checksum with a fixed small buffer; no allocation is larger
/// than the file. Whatever is damaged, missing or of another type or shape is a ParseError that names the file.
class ModelReader {
 public:
  explicit ModelReader(const std::string& path);

  /// What the model, or this part of it, is.
  [[nodiscard]] std::string kind() const;
  /// @throws ParseError if kind() differs
  void require_kind(const std::string& kind) const;

  [[nodiscard]] bool has_child(const std::string& part) const;
  [[nodiscard]] ModelReader child(const std::string& part) const;

  [[nodiscard]] bool get_bool(const std::string& name) const;
  /// @throws ParseError also for a value outside lowest..highest
  [[nodiscard]] std::int64_t get_int(const std::string& name,
                                     std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                                     std::int64_t highest = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::uint64_t get_uint(const std::string& name) const;
  [[nodiscard]] double get_real(const std::string& name) const;
  [[nodiscard]] std::string get_text(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> get_texts(const std::string& name) const;

  /// "float32", "float64", "int32" or "int64".
  [[nodiscard]] std::string array_type(const std::string& name) const;
  /// Two-dimensional, of this shape (any_size: of any), on `device`.
  template <typename T>
  [[nodiscard]] Matrix<T> matrix(const std::string& name, std::int64_t rows = any_size, std::int64_t columns = any_size,
                                 const Device& device = Device::cpu()) const;
  /// The same, where NaN and infinity have no meaning.
  template <typename T>
  [[nodiscard]] Matrix<T> finite_matrix(const std::string& name, std::int64_t rows = any_size,
                                        std::int64_t columns = any_size, const Device& device = Device::cpu()) const;
  /// One-dimensional.
  template <typename T>
  [[nodiscard]] std::vector<T> values(const std::string& name, std::int64_t size = any_size) const;

  /// For contradictions that only the model's own reader sees.
  [[noreturn]] void fail(const std::string& text) const;

 private:
  struct State;
  struct Array;
  ModelReader(std::shared_ptr<const State> state, std::string prefix);
  [[nodiscard]] Array find_array(const std::string& name, const std::string& type, std::size_t dimensions) const;
  void read_array(const Array& array, void* to) const;

  std::shared_ptr<const State> state_;
  std::string prefix_;
};

}  // namespace tilelearn::detail
