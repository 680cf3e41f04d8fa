#include "standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include <tilelearn/error.hpp>

namespace tilelearn::cli {

std::string read_standard_input() {
  constexpr std::size_t block = std::size_t{1} << 20;
  std::string text;
  std::size_t size = 0;
  do {
    text.resize(size + block);
    size += std::fread(text.data() + size, 1, block, stdin);
  } while (size == text.size());
  if (std::ferror(stdin) != 0)
    throw ParseError(name_of_input(standard_stream), 0, 0, "cannot be read: " + std::generic_category().message(errno));
  text.resize(size);
  return text;
}

std::string name_of_input(const std::string& file) { return file == standard_stream ? "standard input" : file; }

bool is_standard_output(const std::string& path) {
  if (path == standard_output_path) return true;
  struct stat named {};
  struct stat output {};
  if (::stat(path.c_str(), &named) != 0 || ::fstat(STDOUT_FILENO, &output) != 0) return false;
  const bool is_same = named.st_dev == output.st_dev && named.st_ino == output.st_ino;
  return is_same && (!S_ISCHR(output.st_mode) || ::isatty(STDOUT_FILENO) == 1);
}

}  // namespace tilelearn::cli
