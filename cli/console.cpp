#include "console.hpp"

#include <iostream>

#include <unistd.h>

namespace tilelearn::cli {

namespace {

constexpr std::chrono::milliseconds first_progress{1000};
constexpr std::chrono::milliseconds between_progress{100};
const char* const clear_line = "\r\x1b[K";

}  // namespace

Console::Console(bool quiet)
    : quiet_(quiet),
      shows_progress_(!quiet && ::isatty(STDERR_FILENO) == 1),
      next_progress_(Clock::now() + first_progress) {}

Console::~Console() { end_progress(); }

void Console::note(const std::string& text) {
  end_progress();
  if (!quiet_) std::cerr << text << '\n';
}

void Console::warn(const std::string& text) { note("warning: " + text); }

void Console::report(const std::vector<std::string>& notes, const std::vector<std::string>& warnings) {
  for (const std::string& text : notes) note(text);
  for (const std::string& text : warnings) warn(text);
}

void Console::progress(const std::string& text) {
  if (!shows_progress_ || Clock::now() < next_progress_) return;
  std::cerr << clear_line << text << std::flush;
  line_is_open_ = true;
  next_progress_ = Clock::now() + between_progress;
}

void Console::end_progress() {
  if (line_is_open_) std::cerr << clear_line << std::flush;
  line_is_open_ = false;
}

}  // namespace tilelearn::cli
