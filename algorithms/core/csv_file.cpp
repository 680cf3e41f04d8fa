// Opening, mapping and reading files through POSIX calls.
#include "core/csv_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tilelearn/error.hpp>

namespace tilelearn::csv {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
  throw ParseError(path, 0, 0, what + ": " + std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) fail(path, "cannot be opened", errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number_); }

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

std::string read_to_end(const Descriptor& file, const std::string& path) {
  constexpr std::size_t block = std::size_t{1} << 20;
  std::string contents;
  std::size_t size = 0;
  for (;;) {
    if (contents.size() - size < block) contents.resize(2 * contents.size() + block);
    const ssize_t count = ::read(file.number(), contents.data() + size, block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, "cannot be read", errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  contents.resize(size);
  return contents;
}

}  // namespace

FileText::FileText(const std::string& path) {
  const Descriptor file(path);
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) fail(path, "cannot be examined", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "cannot be read", EISDIR);
  // Files of /proc are regular and say that they are empty.
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (mapping != MAP_FAILED) {
      mapping_ = mapping;
      text_ = {static_cast<const char*>(mapping), size};
      return;
    }
  }
  contents_ = read_to_end(file, path);
  text_ = contents_;
}

FileText::~FileText() {
  if (mapping_ != nullptr) ::munmap(mapping_, text_.size());
}

}  // namespace tilelearn::csv
