// Writes the digest of the sources into every report of a test program (--gtest_output), as the property source_digest.
#include <gtest/gtest.h>

#include "source_digest.hpp"

namespace {

class DigestEnvironment : public ::testing::Environment {
 public:
  void SetUp() override { ::testing::Test::RecordProperty("source_digest", source_digest); }
};

// Google Test owns and deletes the environment.
const ::testing::Environment* const registered = ::testing::AddGlobalTestEnvironment(new DigestEnvironment);

}  // namespace
