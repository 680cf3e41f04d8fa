// Flags whose value is a number: what they take, and what is said of the rest.
#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class NumberFlags : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    put("in.csv", "x,y\n0,0\n0,1\n9,9\n");
    put("positions.csv", "lat,lon\n0,0\n0,1\n9,9\n");
  }

  void refuse(const std::vector<std::string>& arguments, const std::string& text) const {
    expect_refusal(arguments, 2, text);
  }
  /// Of dbscan over in.csv.
  [[nodiscard]] nlohmann::json options_with(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"dbscan", "in.csv"});
    return run_json(arguments)["options"];
  }
};

TEST_F(NumberFlags, IntegersAreRefusedWithTheirRange) {
  for (const std::string flag : {"--min-samples", "--repeat"})
    for (const std::string text :
         {"2.5", "1e3", "3000000000", "99999999999999999999", "0", "-1", "abc", "", " 3", "0x10"})
      refuse({"dbscan", "in.csv", "--eps", "1", flag, text},
             flag + " is '" + text + "'; give an integer from 1 to 2147483647");
  for (const std::string flag : {"--n-clusters", "--n-init", "--max-iter", "--repeat"})
    for (const std::string text : {"2.5", "1e3", "3000000000", "0"})
      refuse({"kmeans", "in.csv", flag, text}, flag + " is '" + text + "'; give an integer from 1 to 2147483647");
  for (const std::string text : {"2.5", "0", "4097"})
    refuse({"kmeans", "in.csv", "--threads", text}, "--threads is '" + text + "'; give an integer from 1 to 4096");
  for (const std::string text : {"2.5", "-1", "18446744073709551616"})
    refuse({"kmeans", "in.csv", "--seed", text},
           "--seed is '" + text + "'; give an integer from 0 to 18446744073709551615");
}

TEST_F(NumberFlags, IntegersAreDecimal) {
  EXPECT_EQ(options_with({"--eps", "1", "--min-samples", "010"})["min_samples"], 10) << "not octal";
  EXPECT_EQ(options_with({"--eps", "1", "--min-samples", "2147483647"})["min_samples"], 2147483647);
}

TEST_F(NumberFlags, BytesAreANumberOrASize) {
  const auto limit = [this](const char* text) {
    return options_with({"--eps", "1", "--workspace-limit", text})["workspace_limit"].get<std::int64_t>();
  };
  constexpr std::int64_t megabyte = 1 << 20;
  EXPECT_EQ(limit("1048577"), megabyte + 1);
  for (const char* text : {"512MB", "512mb", "512 MB", "512M", "512MiB", "524288kB", "536870912b"})
    EXPECT_EQ(limit(text), 512 * megabyte) << text;
  for (const std::string text : {"2.5", "1e9", "9EB", "99999999999999999999GB", "5XB", "-5", ""})
    refuse({"dbscan", "in.csv", "--eps", "1", "--workspace-limit", text},
           "--workspace-limit is '" + text + "'; give a number of bytes below 2^63, or a size such as 512MB");
}

TEST_F(NumberFlags, AnEpsBeyondThePrecisionIsAnsweredWithItsLargest) {
  const std::string beyond_float32 = ", too large for float32, whose largest number is 3.4028235e+38; use --precision";
  for (const std::string eps : {"1e39", "3.5e38", "1e308", "1e400"})
    refuse({"dbscan", "in.csv", "--eps", eps}, "--eps is " + eps + beyond_float32);
  refuse({"dbscan", "in.csv", "--eps", "1e400", "--precision", "float64"},
         "--eps is 1e400, too large for float64, whose largest number is 1.7976931348623157e+308");
  refuse({"dbscan", "positions.csv", "--metric", "haversine", "--eps", "1e400"}, "too large for float64");
  EXPECT_EQ(options_with({"--eps", "3.4028235e38"})["eps"], 3.4028235e38);
  EXPECT_EQ(options_with({"--eps", "1e39", "--precision", "float64"})["eps"], 1e39);
}

TEST_F(NumberFlags, AnEpsBelowThePrecisionIsAnsweredWithItsLeast) {
  for (const std::string eps : {"1e-60", "1e-400"})
    refuse(
        {"dbscan", "in.csv", "--eps", eps},
        "--eps is " + eps + ", too small: the least that float32 holds is about 1.4013e-45; use --precision float64");
  refuse({"dbscan", "in.csv", "--eps", "1e-400", "--precision", "float64"},
         "the least that float64 holds is about 4.94");
  EXPECT_EQ(options_with({"--eps", "1e-60", "--precision", "float64"})["eps"], 1e-60);
  refuse({"dbscan", "positions.csv", "--metric", "haversine", "--precision", "float32", "--eps", "1e-42"},
         "the least that float32 holds is about 8.92768e-42 km");
  for (const std::string eps : {"0", "0e5", "-0", "-inf"})
    refuse({"dbscan", "in.csv", "--eps", eps}, "must be above 0 and finite");
}

TEST_F(NumberFlags, OtherRealsBeyondFloat64AreRefusedToo) {
  refuse({"kmeans", "in.csv", "--tol", "1e400"}, "--tol is 1e400, too large for float64, whose largest number is 1.79");
  refuse({"kmeans", "in.csv", "--tol", "1e-400"}, "--tol is 1e-400, too small for float64, whose least number above 0");
}

TEST_F(NumberFlags, HelpSaysWhatIsRequiredAndWhatTheSeedIsFor) {
  const std::string help = run({"dbscan", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("Required, unless --suggest-eps is given"));
  EXPECT_THAT(help, HasSubstr("rows that --plot draws and --suggest-eps measures"));
  EXPECT_THAT(help, HasSubstr("labels do not depend on it"));
  EXPECT_THAT(run({"kmeans", "--help"}).out, Not(HasSubstr("labels do not depend on it")));
}

}  // namespace
}  // namespace tilelearn::testing
