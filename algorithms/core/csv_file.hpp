// The bytes of a file: mapped where that is possible, read to the end where not (pipes, devices).
#pragma once

#include <string>
#include <string_view>

namespace tilelearn::csv {

class FileText {
 public:
  /// @throws ParseError that names the path: missing, no permission, a directory, a read error
  explicit FileText(const std::string& path);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText();

  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  void* mapping_ = nullptr;
  std::string contents_;
  std::string_view text_;
};

}  // namespace tilelearn::csv
