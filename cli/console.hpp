// Standard error: notes, warnings and progress. Results go to standard output and are not this class's matter.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tilelearn::cli {

class Console {
 public:
  explicit Console(bool quiet);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  /// Removes the line of progress, so that an error that ends the command has a line of its own.
  ~Console();

  /// What the command did or took for granted; not with --quiet.
  void note(const std::string& text);
  /// What is odd but not wrong; not with --quiet.
  void warn(const std::string& text);
  /// All notes, then all warnings.
  void report(const std::vector<std::string>& notes, const std::vector<std::string>& warnings);
  /// Shown on a terminal alone, after a second, ten times a second at most; not with --quiet.
  void progress(const std::string& text);
  /// Removes the line of progress.
  void end_progress();

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool shows_progress_;
  bool line_is_open_ = false;
  Clock::time_point next_progress_;
};

}  // namespace tilelearn::cli
