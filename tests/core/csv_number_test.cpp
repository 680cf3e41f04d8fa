// Decimals to float64: every way of reading them against glibc's strtod, which rounds correctly.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/csv_number.hpp"

namespace tilelearn::csv {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// The fast way where it decides, else the general one: what the reader does. The general way alone must agree.
void expect_as_strtod(const std::string& text) {
  const double expected = std::strtod(text.c_str(), nullptr);
  double value = 0.0;
  ASSERT_TRUE(parse_number(text, '.', value)) << text;
  ASSERT_TRUE(same_bits(value, expected)) << text << " gives " << value << ", not " << expected;
  const std::string line = text + "\n";
  const char* stop = scan_number(line.data(), line.data() + line.size(), '.', value);
  if (stop == nullptr) return;
  ASSERT_EQ(stop, line.data() + text.size()) << text;
  ASSERT_TRUE(same_bits(value, expected)) << "fast: " << text << " gives " << value << ", not " << expected;
}

bool is_fast(const std::string& text) {
  const std::string line = text + "\n";
  double value = 0.0;
  return scan_number(line.data(), line.data() + line.size(), '.', value) != nullptr;
}

std::string random_digits(std::mt19937_64& random, int count) {
  std::string digits;
  for (int i = 0; i < count; ++i) digits += static_cast<char>('0' + random() % 10);
  return digits;
}

TEST(CsvNumber, RandomDecimalsOfEveryShape) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const int digits = 1 + static_cast<int>(random() % 24);
    std::string text = random_digits(random, digits);
    if (random() % 4 != 0) text.insert(random() % (text.size() + 1), ".");
    if (random() % 3 == 0) text += (random() % 2 == 0 ? "e" : "E-") + std::to_string(random() % 40);
    if (random() % 2 == 0) text.insert(0, random() % 2 == 0 ? "-" : "+");
    expect_as_strtod(text);
  }
}

TEST(CsvNumber, ShortestAndLongDigitsOfRandomBits) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 50000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    for (const char* format : {"%.16e", "%.17g", "%.18e", "%.25e"}) {
      char text[64];
      std::snprintf(text, sizeof(text), format, value);
      expect_as_strtod(text);
    }
  }
}

TEST(CsvNumber, HalvesBetweenNeighboursRoundToEven) {
  std::mt19937_64 random(3);
  constexpr std::uint64_t two53 = std::uint64_t{1} << 53;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t odd = two53 + 2 * (random() % (two53 / 2)) + 1;  // half way between two float64 values
    for (const char* end : {"", ".0", ".00", ".000", ".001", ".01"}) expect_as_strtod(std::to_string(odd) + end);
    expect_as_strtod(std::to_string(odd - 1) + ".999");
    // (odd + 1/2) / 2 and so on: half way, one, two and three binary places lower.
    expect_as_strtod(std::to_string(odd / 2) + ".5");
    expect_as_strtod(std::to_string(odd / 4) + (odd % 4 == 1 ? ".25" : ".75"));
    expect_as_strtod(std::to_string(odd / 8) + "." + std::to_string(odd % 8 * 125));
  }
}

TEST(CsvNumber, CommonShapesTakeTheFastWay) {
  for (const char* text : {"0", "-1", "42", "5.1", "1234567.8901", "0.41718530654907227", "-9.3e-05", "1e+3", "5.",
                           ".5", "6144039378640938.000", "1.2345678901234567e-05"})
    EXPECT_TRUE(is_fast(text)) << text;
}

TEST(CsvNumber, EndsOfTheRange) {
  for (const char* text :
       {"4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
        "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "1e308", "1e309", "-1e400", "1e-400", "1e99999999999999999999", "1e-99999999999999999999", "0e999999", "-0e5",
        "-0", "0.0000000000000000000000000000001e40", "100000000000000000000000000000000e-400"})
    expect_as_strtod(text);
}

TEST(CsvNumber, HundredsOfDigits) {
  std::array<char, 2000> text{};
  for (const double value : {std::numeric_limits<double>::max(), 0x1p-1074, 0x1p-1073, 0x1p-1022, 1e22}) {
    std::snprintf(text.data(), text.size(), "%.1100f", value);  // all digits, and zeros
    expect_as_strtod(text.data());
  }
}

TEST(CsvNumber, InfinityInAnyCase) {
  for (const char* text : {"inf", "INF", "Inf", "infinity", "Infinity", "+inf"}) {
    double value = 0.0;
    ASSERT_TRUE(parse_number(text, '.', value)) << text;
    EXPECT_EQ(value, infinity) << text;
  }
  double value = 0.0;
  ASSERT_TRUE(parse_number("-Infinity", '.', value));
  EXPECT_EQ(value, -infinity);
}

TEST(CsvNumber, NothingIsReadInPart) {
  for (const char* text : {"",
                           "+",
                           "-",
                           ".",
                           "-.",
                           "e5",
                           ".e5",
                           "1e",
                           "1e+",
                           "1e5.5",
                           "1.2.3",
                           "1_000",
                           "1,000",
                           "0x1A",
                           "5-3",
                           "--1",
                           "+-1",
                           "1L",
                           "1f",
                           "5%",
                           "$5",
                           "1 2",
                           " 1",
                           "1 ",
                           "nan",
                           "NaN",
                           "nan(1)",
                           "infin",
                           "inf1",
                           "1inf",
                           "\342\210\2221",
                           "1e5e5",
                           "0b1",
                           "1d5",
                           "True"}) {
    double value = 0.0;
    EXPECT_FALSE(parse_number(text, '.', value)) << text;
    // The fast way may stop early, but then not at the end of the cell.
    const std::string line = std::string(text) + "\n";
    const char* stop = scan_number(line.data(), line.data() + line.size(), '.', value);
    EXPECT_TRUE(stop == nullptr || *stop != '\n') << text;
  }
}

TEST(CsvNumber, DecimalComma) {
  double value = 0.0;
  ASSERT_TRUE(parse_number("-1,5e1", ',', value));
  EXPECT_EQ(value, -15.0);
  ASSERT_TRUE(parse_number("0,12345678901234567890123", ',', value));
  EXPECT_EQ(value, 0.12345678901234567890123);
  for (const char* text : {"1.5", "1.234,5", "1,2,3", ","}) EXPECT_FALSE(parse_number(text, ',', value)) << text;
}

TEST(CsvNumber, WhatBeginsLikeANumber) {
  for (const char* text : {"1", "-1x", "+.5%", "5 apples", ".0"}) EXPECT_TRUE(begins_like_number(text, '.')) << text;
  for (const char* text : {"", "-", "x1", "-.", "..1", "--1"}) EXPECT_FALSE(begins_like_number(text, '.')) << text;
}

}  // namespace
}  // namespace tilelearn::csv
