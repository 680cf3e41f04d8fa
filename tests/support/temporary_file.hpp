// A file of a test, removed with the object.
#pragma once

#include <filesystem>
#include <string>

#include <unistd.h>

namespace tilelearn::testing {

class TemporaryFile {
 public:
  /// A name of its own in the folder for temporary files; nothing is written.
  explicit TemporaryFile(const std::string& name = "file")
      : path_((std::filesystem::temp_directory_path() / ("tilelearn-" + std::to_string(::getpid()) + "-" + name))
                  .string()) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tilelearn::testing
