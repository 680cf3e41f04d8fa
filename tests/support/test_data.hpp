// Where the tests' data files lie, also for a test program that was carried to another machine.
#pragma once

#include <cstdlib>
#include <string>

namespace tilelearn::testing {

/// The path of a file of the folder tests/; the environment variable TILELEARN_TEST_DATA names another such folder.
inline std::string test_data(const std::string& file) {
  const char* folder = std::getenv("TILELEARN_TEST_DATA");
  return (folder != nullptr ? std::string(folder) : std::string(TILELEARN_TEST_DATA)) + "/" + file;
}

}  // namespace tilelearn::testing
