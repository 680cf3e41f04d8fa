// One program, loader_probe, in copies of the build folder's bin/ and lib/ whose CUDA library differs.
#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string cuda_library = std::string("libtilelearn_cuda.so.") + TILELEARN_VERSION;

fs::path build_folder() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

bool has_driver() { return dlopen("libcuda.so.1", RTLD_LAZY) != nullptr; }

struct Outcome {
  int exit_code;
  std::string output;
};

Outcome run(const fs::path& program) {
  FILE* pipe = popen(("'" + program.string() + "' 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + program.string());
  Outcome outcome{};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.output.append(buffer.data(), count);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// A folder with bin/loader_probe and the first library alone; a test adds a CUDA library of its choice.
class Loader : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tilelearn loader XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directories(root_ / "bin");
    fs::create_directories(root_ / "lib");
    fs::copy(build_folder() / "bin" / "loader_probe", root_ / "bin");
    for (const auto& file : fs::directory_iterator(build_folder() / "lib"))
      if (file.path().filename().string().rfind("libtilelearn.so", 0) == 0)
        fs::copy_file(fs::canonical(file.path()), root_ / "lib" / file.path().filename());
  }

  void TearDown() override {
    if (!root_.empty()) fs::remove_all(root_);
  }

  void add_cuda_library(const fs::path& file) { fs::copy_file(fs::canonical(file), root_ / "lib" / cuda_library); }
  [[nodiscard]] Outcome run_probe() const { return run(root_ / "bin" / "loader_probe"); }

  static void expect_cpu_work(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("cpu: 0 0 1 1\n"));
    EXPECT_THAT(outcome.output, HasSubstr("cpu again: 0 0 1 1\n"));
  }

  static void expect_no_cuda(const Outcome& outcome) {
    EXPECT_THAT(outcome.output, HasSubstr("devices: 0\nbest: cpu\nunavailable: "));
  }

 private:
  fs::path root_;
};

TEST_F(Loader, cuda_library_absent) {
  const Outcome outcome = run_probe();
  expect_cpu_work(outcome);
  expect_no_cuda(outcome);
  EXPECT_THAT(outcome.output, HasSubstr("the CUDA library of tilelearn cannot be opened"));
  EXPECT_THAT(outcome.output, HasSubstr(cuda_library));
}

TEST_F(Loader, cuda_library_of_another_version) {
  add_cuda_library(build_folder() / "lib" / "impostors" / "other_version" / cuda_library);
  const Outcome outcome = run_probe();
  expect_cpu_work(outcome);
  expect_no_cuda(outcome);
  EXPECT_THAT(outcome.output, HasSubstr(cuda_library + " has version 0.0.1, needed is " + TILELEARN_VERSION));
}

TEST_F(Loader, cuda_library_that_is_not_ours) {
  add_cuda_library(build_folder() / "lib" / "impostors" / "no_entry" / cuda_library);
  const Outcome outcome = run_probe();
  expect_cpu_work(outcome);
  expect_no_cuda(outcome);
  EXPECT_THAT(outcome.output, HasSubstr(cuda_library + " is not a tilelearn library"));
}

TEST_F(Loader, cuda_library_present) {
  if (TILELEARN_HAS_CUDA == 0) GTEST_SKIP() << "this build has no CUDA library";
  add_cuda_library(build_folder() / "lib" / cuda_library);
  const Outcome outcome = run_probe();
  expect_cpu_work(outcome);
  EXPECT_THAT(outcome.output, Not(HasSubstr("cannot be opened")));
  if (has_driver()) {
    EXPECT_THAT(outcome.output, HasSubstr("best: cuda:0\n"));
    EXPECT_THAT(outcome.output, HasSubstr("cuda: 0 0 1 1\n"));
  } else {
    expect_no_cuda(outcome);
    EXPECT_THAT(outcome.output, HasSubstr("driver"));
  }
}

}  // namespace
