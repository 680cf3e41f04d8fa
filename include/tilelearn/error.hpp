// Every exception that tilelearn throws. Texts carry the numbers: sizes, indices, bytes, line and column.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <tilelearn/export.hpp>

namespace tilelearn {

/// Base of all errors of the library.
class TILELEARN_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;
};

/// An option or an input value is outside what the method accepts (NaN in X, n_clusters < 1, ...).
class TILELEARN_API InvalidArgument : public Error {
 public:
  explicit InvalidArgument(const std::string& text);
  InvalidArgument(const InvalidArgument&) = default;
  InvalidArgument& operator=(const InvalidArgument&) = default;
  ~InvalidArgument() override;
};

/// Two inputs, or an input and a fitted model, do not fit together in rows or columns.
class TILELEARN_API ShapeMismatch : public Error {
 public:
  explicit ShapeMismatch(const std::string& text);
  ShapeMismatch(const ShapeMismatch&) = default;
  ShapeMismatch& operator=(const ShapeMismatch&) = default;
  ~ShapeMismatch() override;
};

/// A fitted attribute or predict was asked for before fit.
class TILELEARN_API NotFitted : public Error {
 public:
  explicit NotFitted(const std::string& text);
  NotFitted(const NotFitted&) = default;
  NotFitted& operator=(const NotFitted&) = default;
  ~NotFitted() override;
};

/// The device does not exist here; the text says what is missing (driver, library, index).
class TILELEARN_API DeviceUnavailable : public Error {
 public:
  explicit DeviceUnavailable(const std::string& text);
  DeviceUnavailable(const DeviceUnavailable&) = default;
  DeviceUnavailable& operator=(const DeviceUnavailable&) = default;
  ~DeviceUnavailable() override;
};

/// An allocation failed, or would have broken the workspace limit.
class TILELEARN_API OutOfMemory : public Error {
 public:
  OutOfMemory(const std::string& what_for, std::int64_t asked_bytes, std::int64_t free_bytes);
  OutOfMemory(const OutOfMemory&) = default;
  OutOfMemory& operator=(const OutOfMemory&) = default;
  ~OutOfMemory() override;

  [[nodiscard]] std::int64_t asked_bytes() const noexcept { return asked_bytes_; }
  /// Bytes that were free; -1 where that is not known.
  [[nodiscard]] std::int64_t free_bytes() const noexcept { return free_bytes_; }

 private:
  std::int64_t asked_bytes_;
  std::int64_t free_bytes_;
};

/// A CUDA call failed; the text has the call, its place and CUDA's own explanation.
class TILELEARN_API CudaError : public Error {
 public:
  CudaError(const std::string& text, int code);
  CudaError(const CudaError&) = default;
  CudaError& operator=(const CudaError&) = default;
  ~CudaError() override;

  /// The cudaError_t, cublasStatus_t or cusolverStatus_t.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// A file cannot be read as what it should be. Line and column count from 1; 0 means the whole file.
class TILELEARN_API ParseError : public Error {
 public:
  ParseError(const std::string& file, std::int64_t line, std::int64_t column, const std::string& text);
  ParseError(const ParseError&) = default;
  ParseError& operator=(const ParseError&) = default;
  ~ParseError() override;

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::int64_t line() const noexcept { return line_; }
  /// The column as a spreadsheet counts it (field number), not the character position.
  [[nodiscard]] std::int64_t column() const noexcept { return column_; }

 private:
  std::string file_;
  std::int64_t line_;
  std::int64_t column_;
};

/// The caller's stop function ended the work.
class TILELEARN_API Cancelled : public Error {
 public:
  explicit Cancelled(const std::string& text);
  Cancelled(const Cancelled&) = default;
  Cancelled& operator=(const Cancelled&) = default;
  ~Cancelled() override;
};

}  // namespace tilelearn
