// "-" on the command line: standard input and standard output.
#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class StandardStreams : public CommandTest {};

TEST_F(StandardStreams, ADashIsStandardInput) {
  put("in.csv", two_groups_csv);
  const std::vector<std::string> flags = {"--missing", "drop",  "--n-clusters", "2",
                                          "--labels",  "l.csv", "--plot",       "p.svg"};
  const auto with = [&flags](const std::string& file) {
    std::vector<std::string> all = {"kmeans", file};
    all.insert(all.end(), flags.begin(), flags.end());
    return all;
  };
  ASSERT_EQ(run(with("in.csv")).status, 0);
  const std::string labels = content("l.csv");
  const CommandResult result = run_on(two_groups_csv, with("-"));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("standard input: 7 of 8 rows"));
  EXPECT_THAT(content("p.svg"), HasSubstr("standard input: 2 clusters"));
  EXPECT_EQ(content("l.csv"), labels);
  EXPECT_THAT(run_on("x\n1\n1a\n", {"kmeans", "-"}).err, HasSubstr("tilelearn: standard input:3, column 1"));
  EXPECT_THAT(run_on("", {"kmeans", "-"}).err, HasSubstr("tilelearn: standard input: the file is empty"));
}

// More than one block of reading, and not from the beginning.
TEST_F(StandardStreams, InputIsReadFromWhereItStands) {
  const std::string read_already = "a line that another program has read\n";
  std::string rows;
  constexpr int row_count = 200000;
  for (int i = 0; i < row_count; ++i) rows += std::to_string(i % 2 * 1000 + i % 3) + ",5,7\n";
  ASSERT_GT(rows.size(), std::size_t{1} << 20);
  put("in.csv", read_already + "x,y,z\n" + rows);
  const int in = ::open(path("in.csv").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(in, static_cast<off_t>(read_already.size()), SEEK_SET), static_cast<off_t>(read_already.size()));
  const CommandResult result = run({"kmeans", "-", "--n-clusters", "2", "--json"}, {}, {}, in);
  ::close(in);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["rows"], row_count);
}

TEST_F(StandardStreams, InputThatCannotBeReadIsBadInput) {
  const int folder = ::open(path(".").c_str(), O_RDONLY | O_CLOEXEC);
  const CommandResult result = run({"kmeans", "-"}, {}, {}, folder);
  ::close(folder);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "tilelearn: standard input: cannot be read: Is a directory\n");
}

}  // namespace
}  // namespace tilelearn::testing
