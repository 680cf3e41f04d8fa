// A command line that cannot be followed: exit status 2, like input that cannot be used.
#pragma once

#include <stdexcept>
#include <string>

namespace tilelearn::cli {

class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& text) : std::runtime_error(text) {}
};

}  // namespace tilelearn::cli
