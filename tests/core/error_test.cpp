// Errors: one root, texts with the numbers.
#include <tilelearn/error.hpp>

#include <gtest/gtest.h>

namespace tilelearn {
namespace {

template <typename E>
class ErrorKind : public ::testing::Test {};
using Kinds = ::testing::Types<InvalidArgument, ShapeMismatch, NotFitted, DeviceUnavailable, Cancelled>;
TYPED_TEST_SUITE(ErrorKind, Kinds);

TYPED_TEST(ErrorKind, IsAnErrorWithItsText) {
  try {
    throw TypeParam("X is 3 x 0");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "X is 3 x 0");
  }
  EXPECT_TRUE((std::is_base_of_v<std::runtime_error, TypeParam>));
}

TEST(OutOfMemory, SaysWhatForAndHowMuch) {
  const OutOfMemory error("labels", 4000, 1234);
  EXPECT_STREQ(error.what(), "labels: out of memory, asked for 4000 bytes, free are 1234");
  EXPECT_EQ(error.asked_bytes(), 4000);
  EXPECT_EQ(error.free_bytes(), 1234);
  EXPECT_STREQ(OutOfMemory("labels", 4000, -1).what(), "labels: out of memory, asked for 4000 bytes");
  EXPECT_TRUE((std::is_base_of_v<Error, OutOfMemory>));
}

TEST(ParseError, SaysWhere) {
  const ParseError error("a.csv", 12, 3, "'1x' is no number");
  EXPECT_STREQ(error.what(), "a.csv:12, column 3: '1x' is no number");
  EXPECT_EQ(error.file(), "a.csv");
  EXPECT_EQ(error.line(), 12);
  EXPECT_EQ(error.column(), 3);
  EXPECT_STREQ(ParseError("a.csv", 12, 0, "too few fields").what(), "a.csv:12: too few fields");
  EXPECT_STREQ(ParseError("a.csv", 0, 0, "is empty").what(), "a.csv: is empty");
  EXPECT_TRUE((std::is_base_of_v<Error, ParseError>));
}

TEST(CudaError, KeepsTheCode) {
  const CudaError error("CUDA: misaligned address", 716);
  EXPECT_EQ(error.code(), 716);
  EXPECT_TRUE((std::is_base_of_v<Error, CudaError>));
}

}  // namespace
}  // namespace tilelearn
