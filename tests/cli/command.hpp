// Runs the built command as a process of its own, in a folder of its own.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilelearn::testing {

struct CommandResult {
  int status = -1;  ///< exit status; -1 if a signal ended it
  std::string out{};
  std::string err{};
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The command lies beside the test program.
inline std::string command_path() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tilelearn").string();
}

class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("tilelearn-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Arguments are passed as they are; files are relative to the test's folder. `out_path` takes standard output,
  /// standard input comes from the descriptor `in`.
  [[nodiscard]] CommandResult run(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment = {},
                                  const std::string& out_path = {}, int in = STDIN_FILENO) const {
    const std::string out = out_path.empty() ? path(".stdout") : out_path;
    const pid_t child = ::fork();
    if (child == 0) execute(arguments, environment, in, out, path(".stderr"));
    int wait_status = 0;
    ::waitpid(child, &wait_status, 0);
    CommandResult result{WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1, {}, read_file(path(".stderr"))};
    if (out_path.empty()) result.out = read_file(out);
    std::filesystem::remove(path(".stdout"));
    std::filesystem::remove(path(".stderr"));
    return result;
  }

  /// Standard input is a socket that holds a short text: like a pipe it ends, unlike a pipe it has no name to open.
  [[nodiscard]] CommandResult run_on(const std::string& text, const std::vector<std::string>& arguments) const {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    CommandResult result = run(arguments, {}, {}, ends[0]);
    ::close(ends[0]);
    return result;
  }

  /// Runs with --json and parses it; an error of the command is an error of the test.
  [[nodiscard]] nlohmann::json run_json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const { return read_file(path(name)); }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::ptrdiff_t file_count() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator{});
  }

  /// Fails with this status and text in the last line on standard error, prints no result and leaves no file.
  void expect_refusal(const std::vector<std::string>& arguments, int status, const std::string& text) const {
    const std::ptrdiff_t files = file_count();
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, status) << ::testing::PrintToString(arguments);
    EXPECT_EQ(result.out, "") << ::testing::PrintToString(arguments);
    ASSERT_FALSE(result.err.empty()) << ::testing::PrintToString(arguments);
    const std::string last_line = result.err.substr(result.err.rfind('\n', result.err.size() - 2) + 1);
    EXPECT_THAT(last_line, ::testing::StartsWith("tilelearn: ")) << ::testing::PrintToString(arguments);
    EXPECT_THAT(last_line, ::testing::HasSubstr(text)) << ::testing::PrintToString(arguments);
    EXPECT_EQ(file_count(), files) << ::testing::PrintToString(arguments);
  }

 private:
  [[noreturn]] void execute(const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& environment, int in, const std::string& out,
                            const std::string& err) const {
    constexpr int cannot_execute = 127;
    constexpr mode_t owner_only = 0600;
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::dup2(in, STDIN_FILENO);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, owner_only), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, owner_only), STDERR_FILENO);
    if (::chdir(folder_.c_str()) != 0) ::_exit(cannot_execute);
    std::string program = command_path();
    std::vector<std::string> copies = arguments;
    std::vector<char*> pointers = {program.data()};
    for (std::string& argument : copies) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::execv(program.c_str(), pointers.data());
    ::_exit(cannot_execute);
  }

  std::filesystem::path folder_;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

inline std::vector<std::string> keys_of(const nlohmann::json& json) {
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  return keys;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// Two clear groups in two columns with a name each, a column of text and a missing value in the last row but one.
inline const char* const two_groups_csv =
    "x,y,kind\n0,0,a\n0.5,1,b\n1,0.5,a\n10,10,b\n10.5,11,a\n11,10.5,a\n11,,b\n10.1,10.2,a\n";

}  // namespace tilelearn::testing
