#include <tilelearn/error.hpp>

namespace tilelearn {

namespace {

std::string describe(const std::string& what_for, std::int64_t asked, std::int64_t free) {
  std::string text = what_for + ": out of memory, asked for " + std::to_string(asked) + " bytes";
  if (free >= 0) text += ", free are " + std::to_string(free);
  return text;
}

std::string place(const std::string& file, std::int64_t line, std::int64_t column, const std::string& text) {
  std::string result = file;
  if (line > 0) result += ":" + std::to_string(line);
  if (column > 0) result += ", column " + std::to_string(column);
  return result + ": " + text;
}

}  // namespace

Error::Error(const std::string& text) : std::runtime_error(text) {}
Error::~Error() = default;

InvalidArgument::InvalidArgument(const std::string& text) : Error(text) {}
InvalidArgument::~InvalidArgument() = default;

ShapeMismatch::ShapeMismatch(const std::string& text) : Error(text) {}
ShapeMismatch::~ShapeMismatch() = default;

NotFitted::NotFitted(const std::string& text) : Error(text) {}
NotFitted::~NotFitted() = default;

DeviceUnavailable::DeviceUnavailable(const std::string& text) : Error(text) {}
DeviceUnavailable::~DeviceUnavailable() = default;

OutOfMemory::OutOfMemory(const std::string& what_for, std::int64_t asked_bytes, std::int64_t free_bytes)
    : Error(describe(what_for, asked_bytes, free_bytes)), asked_bytes_(asked_bytes), free_bytes_(free_bytes) {}
OutOfMemory::~OutOfMemory() = default;

CudaError::CudaError(const std::string& text, int code) : Error(text), code_(code) {}
CudaError::~CudaError() = default;

ParseError::ParseError(const std::string& file, std::int64_t line, std::int64_t column, const std::string& text)
    : Error(place(file, line, column, text)), file_(file), line_(line), column_(column) {}
ParseError::~ParseError() = default;

Cancelled::Cancelled(const std::string& text) : Error(text) {}
Cancelled::~Cancelled() = default;

}  // namespace tilelearn
