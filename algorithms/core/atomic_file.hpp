// An output file that appears complete or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilelearn::detail {

/// Collects bytes in a temporary file beside `path`; commit() gives it the name. Without commit() the temporary file is
/// removed and whatever stood under `path` stays. A symbolic link is followed, an existing file's permissions are kept.
/// What is neither a file nor free (a pipe, /dev/null) is written directly, as is an open descriptor (/dev/stdout,
/// /dev/fd/3), whatever it leads to.
///
/// @throws Error that names the path and the system's reason
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Makes the file durable and visible. Nothing may be written afterwards.
  void commit();

 private:
  [[noreturn]] void fail(const std::string& action) const;
  void open_temporary();

  std::string path_;       ///< as the caller named it
  std::string target_;     ///< links resolved
  std::string temporary_;  ///< empty when the target is written directly
  int descriptor_ = -1;
};

/// The whole of a text, atomically.
void write_file(const std::string& path, std::string_view text);

}  // namespace tilelearn::detail
