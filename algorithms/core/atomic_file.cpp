#include "core/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tilelearn/error.hpp>

namespace tilelearn::detail {

namespace {

constexpr mode_t all_may_read_and_write = 0666;  // less the process's umask
constexpr mode_t permission_bits = 0777;

/// The file that a chain of symbolic links ends in, or the path itself.
std::string resolve_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto resolved = std::filesystem::weakly_canonical(path, error);
  return error ? path : resolved.string();
}

/// The open descriptor that the path names, or -1. To follow its link instead would replace the file that a shell has
/// opened, and what it holds already.
int named_descriptor(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.compare(0, folder.size(), folder) != 0) continue;
    int descriptor = -1;
    const char* end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, descriptor);
    if (error == std::errc{} && stop == end) return descriptor;
  }
  return -1;
}

std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return target + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(resolve_links(path)) {
  if (const int descriptor = named_descriptor(path); descriptor >= 0) {
    descriptor_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("open");
    return;
  }
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open");
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail("write");
  open_temporary();
  // Some file systems have no permissions to set; the content matters more.
  if (exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & permission_bits));
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::open_temporary() {
  do {
    temporary_ = temporary_name(target_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, all_may_read_and_write);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail("create");
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  const bool replaces = !temporary_.empty();
  if (replaces && ::fsync(descriptor_) != 0 && errno != EINVAL) fail("write");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  const bool closed = ::close(descriptor) == 0;
  if (replaces && (!closed || ::rename(temporary_.c_str(), target_.c_str()) != 0)) {
    const int reason = errno;
    ::unlink(temporary_.c_str());
    errno = reason;
    fail("write");
  }
  if (!closed) fail("write");
}

void AtomicFile::fail(const std::string& action) const {
  throw Error("cannot " + action + " '" + path_ + "': " + std::generic_category().message(errno));
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace tilelearn::detail
