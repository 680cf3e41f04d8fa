// tilelearn kmeans --plot: what the picture shows and says.
#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Picture : public CommandTest {};

TEST_F(Picture, NamesItsAxesAndClusters) {
  put("in.csv", two_groups_csv);
  const std::vector<std::string> arguments = {"kmeans", "in.csv", "--missing", "drop", "--n-clusters", "2"};
  const auto draw = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--plot", "p.svg"});
    all.insert(all.end(), more.begin(), more.end());
    const CommandResult result = run(all);
    EXPECT_EQ(result.status, 0) << result.err;
    return content("p.svg");
  };
  const std::string columns = draw({"--plot-columns", "y,x"});
  for (const char* part : {"<svg xmlns", ">x</text>", ">y</text>", "in.csv: 2 clusters", "all 7 rows", ">0 (", ">1 (",
                           "centres", "</svg>"})
    EXPECT_THAT(columns, HasSubstr(part));
  constexpr std::size_t legend_marks = 2;
  EXPECT_EQ(count_of(columns, "<circle"), 7 + legend_marks);
  const std::string directions = draw({});
  EXPECT_THAT(directions, HasSubstr("principal direction 1 ("));
  EXPECT_THAT(directions, HasSubstr("principal direction 2 ("));
}

TEST_F(Picture, NamesThatAreNotUtf8GetReplacementCharacters) {
  put("latin1.csv", "a,h\xF6he,\xC3\xA9t\xC3\xA9\n1,2,3\n4,5,6\n");
  for (const char* columns : {"a,h\xF6he", "a,\xC3\xA9t\xC3\xA9"})
    ASSERT_EQ(run({"kmeans", "latin1.csv", "--n-clusters", "2", "--plot", std::string(columns).substr(2) + ".svg",
                   "--plot-columns", columns})
                  .status,
              0);
  EXPECT_THAT(content("h\xF6he.svg"), HasSubstr(">h\xEF\xBF\xBDhe<"));
  EXPECT_THAT(content("h\xF6he.svg"), Not(HasSubstr("\xF6")));
  EXPECT_THAT(content("\xC3\xA9t\xC3\xA9.svg"), HasSubstr(">\xC3\xA9t\xC3\xA9<"));
}

// Points on the line y = 2 x vary along one direction alone.
TEST_F(Picture, PrincipalDirectionsOfALineShareAllAndNothing) {
  put("line.csv", "x,y\n0,0\n1,2\n2,4\n10,20\n");
  ASSERT_EQ(run({"kmeans", "line.csv", "--n-clusters", "2", "--plot", "p.svg"}).status, 0);
  EXPECT_THAT(content("p.svg"), HasSubstr("principal direction 1 (100 % of the variance)"));
}

TEST_F(Picture, ValuesOfAnySizeAreDrawnOrRefused) {
  put("huge.csv", "x,y\n1e300,2e300\n-1e300,3e300\n2e300,-1e300\n");
  put("tiny.csv", "x,y\n1e-200,1e-210\n2e-200,3e-200\n5e-200,1e-200\n");
  put("same.csv", "x,y\n1.7e308,1\n1.7e308,2\n1.7e308,3\n");
  const std::vector<std::string> fit = {"--n-clusters", "1", "--precision", "float64", "--plot", "p.svg"};
  const auto draw = [&](const std::string& file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"kmeans", file};
    all.insert(all.end(), fit.begin(), fit.end());
    all.insert(all.end(), more.begin(), more.end());
    const CommandResult result = run(all);
    EXPECT_EQ(result.status, 0) << result.err;
    for (const char* bad : {"nan", "inf"}) EXPECT_THAT(content("p.svg"), Not(HasSubstr(bad))) << file;
    return content("p.svg");
  };
  constexpr const char* none = "(0 % of the variance)";
  EXPECT_THAT(draw("huge.csv"), Not(HasSubstr(none))) << "squares would overflow";
  EXPECT_THAT(draw("tiny.csv"), Not(HasSubstr(none))) << "squares would underflow";
  static_cast<void>(draw("same.csv"));
  static_cast<void>(draw("same.csv", {"--plot-columns", "x,y"}));
  put("apart.csv", "x,y\n-1.7e308,1\n1.7e308,2\n0,3\n");
  std::vector<std::string> apart = {"kmeans", "apart.csv", "--labels", "l.csv"};
  apart.insert(apart.end(), fit.begin(), fit.end());
  std::filesystem::remove(path("p.svg"));
  expect_refusal(apart, 2, "--plot: the values are too far apart to draw");
}

TEST_F(Picture, ALegendOfManyClustersSaysHowManyItLeavesOut) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 46; ++i) rows += std::to_string(i / 2 * 10) + "," + std::to_string(i / 2 % 5) + "\n";
  put("in.csv", rows);
  const auto legend_of = [this](const char* clusters) {
    EXPECT_EQ(run({"kmeans", "in.csv", "--n-clusters", clusters, "--plot", "p.svg"}).status, 0);
    return content("p.svg");
  };
  const std::string cut = legend_of("23");
  EXPECT_THAT(cut, HasSubstr(">19 ("));
  EXPECT_THAT(cut, Not(HasSubstr(">20 (")));
  EXPECT_THAT(cut, HasSubstr(">and 3 more</text>"));
  EXPECT_THAT(legend_of("20"), Not(HasSubstr(" more</text>")));
}

TEST_F(Picture, ALargePictureDrawsASampleAndSaysSo) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 6000; ++i) rows += std::to_string(i % 100) + "," + std::to_string(i / 100) + "\n";
  put("in.csv", rows);
  ASSERT_EQ(run({"kmeans", "in.csv", "--n-clusters", "3", "--plot", "p.svg", "--quiet"}).status, 0);
  constexpr std::size_t legend_marks = 3;
  EXPECT_EQ(count_of(content("p.svg"), "<circle"), 5000 + legend_marks);
  EXPECT_THAT(content("p.svg"), HasSubstr("5000 of 6000 rows drawn"));
}

}  // namespace
}  // namespace tilelearn::testing
