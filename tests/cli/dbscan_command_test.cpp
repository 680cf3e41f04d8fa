// tilelearn dbscan: results, files and what is said about them.
#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

class DBSCANCommand : public CommandTest {
 protected:
  /// The lines of --labels less the header, as "label,core".
  [[nodiscard]] std::vector<std::string> labels(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "dbscan");
    arguments.insert(arguments.end(), {"--labels", "l.csv", "--quiet"});
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<std::string> lines = lines_of(content("l.csv"));
    EXPECT_FALSE(lines.empty());
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
  }
};

TEST_F(DBSCANCommand, D21_ClustersAreNumberedByTheirFirstCoreRow) {
  put("d21.csv", "x\n10\n10.1\n0\n0.1\n10.2\n0.2\n");
  for (const char* precision : {"float32", "float64"})
    EXPECT_THAT(labels({"d21.csv", "--eps", "0.15", "--min-samples", "2", "--precision", precision}),
                ElementsAre("0,1", "0,1", "1,1", "1,1", "0,1", "1,1"));
  EXPECT_EQ(lines_of(content("l.csv"))[0], "label,core");
}

TEST_F(DBSCANCommand, D07_ARowCountsItselfAndTheBallIsClosed) {
  put("d07.csv", "x\n0\n1\n5\n");
  const auto with = [this](const char* min_samples) {
    return labels({"d07.csv", "--eps", "1", "--min-samples", min_samples});
  };
  EXPECT_THAT(with("1"), ElementsAre("0,1", "0,1", "1,1"));
  EXPECT_THAT(with("2"), ElementsAre("0,1", "0,1", "-1,0"));
  EXPECT_THAT(with("3"), ElementsAre("-1,0", "-1,0", "-1,0"));
}

TEST_F(DBSCANCommand, D01_RowsAtTheEdgeAreNotCore) {
  put("d01.csv", "x\n0\n20\n40\n60\n");
  EXPECT_THAT(labels({"d01.csv", "--eps", "20", "--min-samples", "3"}), ElementsAre("0,0", "0,1", "0,1", "0,0"));
}

TEST_F(DBSCANCommand, MetricsMeasureByTheirFormulas) {
  put("in.csv", "x,y\n0,0\n3,4\n100,100\n");
  const auto are_joined = [this](const char* metric, const char* eps) {
    return labels({"in.csv", "--metric", metric, "--eps", eps, "--min-samples", "2"})[0] == "0,1";
  };
  EXPECT_TRUE(are_joined("euclidean", "5"));
  EXPECT_FALSE(are_joined("euclidean", "4.999"));
  EXPECT_TRUE(are_joined("manhattan", "7"));
  EXPECT_FALSE(are_joined("manhattan", "6.999"));
  EXPECT_TRUE(are_joined("chebyshev", "4"));
  EXPECT_FALSE(are_joined("chebyshev", "3.999"));
  put("directions.csv", "x,y\n2,0\n5,0.1\n0,3\n");
  EXPECT_THAT(labels({"directions.csv", "--metric", "cosine", "--eps", "0.01", "--min-samples", "2"}),
              ElementsAre("0,1", "0,1", "-1,0"));
}

TEST_F(DBSCANCommand, JsonHasTheStatedKeys) {
  put("in.csv", "x\n0\n1\n2\n9\n20\n21\n");
  const Json json = run_json({"dbscan", "in.csv", "--eps", "1", "--min-samples", "2", "--device", "cpu"});
  EXPECT_THAT(keys_of(json), UnorderedElementsAre("estimator", "device", "rows", "columns", "options", "timings_ms",
                                                  "warnings", "result"));
  EXPECT_EQ(json["estimator"], "dbscan");
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_EQ(json["rows"], 6);
  EXPECT_EQ(json["columns"], Json({"x"}));
  EXPECT_EQ(json["options"]["eps"], 1.0);
  EXPECT_EQ(json["options"]["eps_unit"], nullptr);
  EXPECT_EQ(json["options"]["min_samples"], 2);
  EXPECT_EQ(json["options"]["metric"], "euclidean");
  EXPECT_EQ(json["options"]["precision"], "float32");
  EXPECT_EQ(json["result"], Json::parse(R"({"n_clusters": 2, "n_noise": 1, "n_core": 5, "cluster_sizes": [3, 2]})"));
  EXPECT_EQ(json["warnings"], Json::array());
}

TEST_F(DBSCANCommand, TheSummarySaysWhatWasFound) {
  put("in.csv", "x\n0\n1\n2\nNA\n9\n");
  const CommandResult result = run({"dbscan", "in.csv", "--eps", "1", "--min-samples", "3", "--missing", "drop",
                                    "--device", "cpu", "--repeat", "2"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"in.csv: 4 of 5 rows", "cpu (", "as asked", "fit ", "(fastest of 2)", "predict ",
                           "1 cluster and 1 row of noise; 1 core row", "eps         1, euclidean; min_samples 3",
                           "cluster  rows  core rows", "      0     3          1", "  noise     1          0"})
    EXPECT_THAT(result.out, HasSubstr(part));
  EXPECT_THAT(result.err, HasSubstr("warning: 1 row of 5 left out"));
}

TEST_F(DBSCANCommand, QuietPrintsNothing) {
  put("in.csv", "x\n0\n1\n9\n");
  const CommandResult result = run({"dbscan", "in.csv", "--eps", "1", "--quiet", "--model", "m.tlm"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_TRUE(exists("m.tlm"));
}

TEST_F(DBSCANCommand, LabelsHaveARowForEachRowOfTheFile) {
  put("in.csv", "x\n0\nNA\n1\n9\n");
  const std::vector<std::string> flags = {"in.csv", "--eps", "1", "--min-samples", "2", "--missing"};
  const auto with = [&](const char* policy) {
    std::vector<std::string> all = flags;
    all.emplace_back(policy);
    return labels(all);
  };
  EXPECT_THAT(with("drop"), ElementsAre("0,1", ",", "0,1", "-1,0"));
  EXPECT_THAT(with("mean"), ElementsAre("0,1", "-1,0", "0,1", "-1,0"));
}

TEST_F(DBSCANCommand, WeightsCountTowardsMinSamplesAndNothingElse) {
  put("in.csv", "w,x\n2.5,0\n-1,0.5\n0,5\n3,9\n0.5,9.5\n");
  EXPECT_THAT(labels({"in.csv", "--weights", "w", "--eps", "1", "--min-samples", "3"}),
              ElementsAre("-1,0", "-1,0", "-1,0", "0,1", "0,1"));
  EXPECT_THAT(labels({"in.csv", "--weights", "w", "--eps", "1", "--min-samples", "1"}),
              ElementsAre("0,1", "0,1", "-1,0", "1,1", "1,1"));
  EXPECT_THAT(labels({"in.csv", "--weights", "w", "--eps", "1", "--min-samples", "1", "--standardize"}),
              ElementsAre("0,1", "0,1", "1,1", "1,1", "1,1"))
      << "rows count alike for the scale: the standard deviation is 4.03, and 4 is within it";
  put("bad.csv", "w,x\n1,0\ninf,1\n");
  expect_refusal({"dbscan", "bad.csv", "--weights", "w", "--eps", "1"}, 2,
                 "bad.csv: line 3, column 'w': the weight is inf; weights must be finite");
}

TEST_F(DBSCANCommand, NothingButNoiseIsAWarning) {
  put("in.csv", "lat,lon\n0,0\n0,50\n");
  const Json json = run_json({"dbscan", "in.csv", "--metric", "haversine", "--eps", "10", "--min-samples", "2"});
  EXPECT_EQ(json["result"]["n_clusters"], 0);
  EXPECT_EQ(json["warnings"].size(), 1U);
  EXPECT_THAT(json["warnings"][0].get<std::string>(), HasSubstr("every row is noise; raise --eps"));
}

TEST_F(DBSCANCommand, AnyNumberOfThreadsGivesTheSameBytes) {
  std::string rows = "x,y,z\n";
  for (int i = 0; i < 2000; ++i)
    rows +=
        std::to_string(i * 7919 % 1013) + "," + std::to_string(i * 104729 % 997) + "," + std::to_string(i % 17) + "\n";
  put("in.csv", rows);
  const auto run_with = [this](const std::string& name, const std::string& threads) {
    const CommandResult result =
        run({"dbscan", "in.csv", "--standardize", "--eps", "0.15", "--device", "cpu", "--threads", threads, "--labels",
             name + ".csv", "--model", name + ".tlm", "--plot", name + ".svg"});
    ASSERT_EQ(result.status, 0) << result.err;
  };
  run_with("one", "1");
  run_with("two", "2");
  for (const char* type : {".csv", ".tlm", ".svg"}) {
    EXPECT_FALSE(content(std::string("one") + type).empty());
    EXPECT_EQ(content(std::string("one") + type), content(std::string("two") + type)) << type;
  }
}

TEST_F(DBSCANCommand, TheWorkspaceLimitIsObeyedOrRefused) {
  put("in.csv", two_groups_csv);
  const std::vector<std::string> arguments = {"dbscan",        "in.csv", "--missing",        "drop",
                                              "--eps",         "1.5",    "--labels",         "l.csv",
                                              "--min-samples", "2",      "--workspace-limit"};
  const auto with_limit = [&](const char* limit) {
    std::vector<std::string> all = arguments;
    all.emplace_back(limit);
    return run(all);
  };
  ASSERT_EQ(with_limit("1GB").status, 0);
  const std::string expected = content("l.csv");
  const CommandResult tight = with_limit("1");
  if (tight.status == 0)
    EXPECT_EQ(content("l.csv"), expected);
  else
    EXPECT_THAT(tight.err, HasSubstr("out of memory"));
}

TEST_F(DBSCANCommand, StandardInputIsAFileToo) {
  const CommandResult result =
      run_on("x\n0\n1\n9\n", {"dbscan", "-", "--eps", "1", "--min-samples", "2", "--quiet", "--labels", "-"});
  EXPECT_EQ(result.out, "label,core\n0,1\n0,1\n-1,0\n") << result.err;
}

TEST_F(DBSCANCommand, PredictEqualsTheLabelsOfTheFit) {
  put("in.csv", two_groups_csv);
  const std::vector<std::vector<std::string>> ways = {
      {"--eps", "1.5", "--missing", "drop"},
      {"--eps", "0.4", "--missing", "drop", "--standardize"},
      {"--eps", "0.4", "--missing", "mean", "--standardize", "--precision", "float64"},
      {"--eps", "0.001", "--missing", "drop", "--columns", "x,y,kind", "--metric", "cosine"},
      {"--eps", "0.1", "--missing", "drop", "--precision", "float64"}};
  for (std::vector<std::string> way : ways) {
    way.insert(way.begin(), {"dbscan", "in.csv", "--min-samples", "2", "--model", "m.tlm", "--labels", "l.csv"});
    ASSERT_EQ(run(way).status, 0);
    std::string expected = "prediction\n";
    std::vector<std::string> lines = lines_of(content("l.csv"));
    for (std::size_t i = 1; i < lines.size(); ++i)
      expected += (lines[i] == "," ? "\"\"" : lines[i].substr(0, lines[i].find(','))) + "\n";
    EXPECT_EQ(run({"predict", "m.tlm", "in.csv"}).out, expected) << ::testing::PrintToString(way);
  }
}

TEST_F(DBSCANCommand, NoiseIsGreyInThePicture) {
  put("in.csv", "x,y\n0,0\n1,0\n0,1\n50,50\n51,50\n50,51\n20,30\n");
  ASSERT_EQ(run({"dbscan", "in.csv", "--eps", "2", "--min-samples", "3", "--plot", "p.svg"}).status, 0);
  const std::string picture = content("p.svg");
  for (const char* part : {"in.csv: 2 clusters and 1 row of noise", "all 7 rows", ">0 (3)<", ">1 (3)<", ">noise (1)<",
                           "principal direction 1"})
    EXPECT_THAT(picture, HasSubstr(part));
  EXPECT_EQ(count_of(picture, "#9a9a9a"), 2U) << "the row and its mark in the legend";
  EXPECT_THAT(picture, Not(HasSubstr("centres")));
  constexpr std::size_t legend_marks = 3;
  EXPECT_EQ(count_of(picture, "<circle"), 7 + legend_marks);
  ASSERT_EQ(run({"dbscan", "in.csv", "--columns", "x", "--eps", "2", "--plot", "p.svg"}).status, 0);
  EXPECT_THAT(content("p.svg"), HasSubstr(">noise (7)<"));
}

TEST_F(DBSCANCommand, AsManyClustersAsRowsAreDrawnAndListedShort) {
  std::string rows = "x\n";
  for (int i = 0; i < 3000; ++i) rows += std::to_string(10 * i) + "\n";
  put("in.csv", rows);
  const CommandResult result = run({"dbscan", "in.csv", "--eps", "1", "--min-samples", "1", "--plot", "p.svg"});
  EXPECT_THAT(result.out, HasSubstr("3000 clusters and 0 rows of noise"));
  EXPECT_THAT(result.out, HasSubstr("(3000 clusters in all; --json gives every size)"));
  EXPECT_LT(lines_of(result.out).size(), 70U);
  EXPECT_THAT(content("p.svg"), HasSubstr("and 2980 more"));
}

TEST_F(DBSCANCommand, NothingButNoiseSaysWhatNoEpsCanChange) {
  put("in.csv", "w,x\n0.5,1\n-3,2\n0.25,3\n");
  const auto warning = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"dbscan", "in.csv", "--eps", "0.1", "--columns", "x"});
    return run_json(more)["warnings"][0].get<std::string>();
  };
  EXPECT_EQ(warning({}), "every row is noise, whatever --eps is: --min-samples is 5, but there are 3 rows");
  EXPECT_EQ(warning({"--weights", "w", "--min-samples", "1"}),
            "every row is noise, whatever --eps is: --min-samples is 1, but the weights above 0 sum to 0.75");
  EXPECT_THAT(warning({"--min-samples", "2"}), HasSubstr("raise --eps"));
  put("one.csv", "x\n1\n");
  EXPECT_THAT(run_json({"dbscan", "one.csv", "--eps", "1"})["warnings"][0].get<std::string>(),
              HasSubstr("but there is 1 row"));
}

TEST_F(DBSCANCommand, ARowWithoutDirectionIsToldWhy) {
  put("below.csv", "x,y\n1,2\n1e-60,0\n3,4\n");
  put("mean.csv", "x,y\n1,1\n3,3\n2,2\n");
  put("filled.csv", "x,y\n1e-60,2\n,0\n1e-60,4\n");
  for (const std::vector<std::string>& work :
       {std::vector<std::string>{"--eps", "0.1"}, {"--suggest-eps", "--min-samples", "2"}}) {
    const auto refuse = [&](std::vector<std::string> arguments, const std::string& text) {
      arguments.insert(arguments.begin(), {"dbscan", "--metric", "cosine"});
      arguments.insert(arguments.end(), work.begin(), work.end());
      expect_refusal(arguments, 2, text);
    };
    refuse({"below.csv"},
           "below.csv: line 3: every value of the row is 0 or below what float32 holds (its least is 1e-45)");
    refuse({"below.csv"}, "use --precision float64");
    refuse({"filled.csv", "--missing", "mean"},
           "filled.csv: line 3: every value of the row is 0 or below what float32");
    refuse({"mean.csv", "--standardize"}, "mean.csv: line 4: the row is the mean of all columns");
  }
  EXPECT_THAT(
      labels({"below.csv", "--metric", "cosine", "--eps", "0.1", "--min-samples", "2", "--precision", "float64"}),
      ElementsAre("0,1", "-1,0", "0,1"));
}

TEST_F(DBSCANCommand, BadFlagsAreBadUsage) {
  put("in.csv", "x,y,kind\n1,2,a\n3,4,b\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "--eps is missing"},
      {{"--eps", "0"}, "--eps is 0, must be above 0"},
      {{"--eps", "-0"}, "--eps is -0, must be above 0"},
      {{"--eps", "-1e-9"}, "--eps is -1e-09, must be above 0"},
      {{"--eps", "nan"}, "--eps is nan, must be above 0"},
      {{"--eps", "inf"}, "--eps is inf, must be above 0 and finite"},
      {{"--eps", "0.5x"}, "--eps is '0.5x'"},
      {{"--eps", ""}, "--eps is ''"},
      {{"--eps", "1", "--min-samples", "0"}, "--min-samples"},
      {{"--eps", "1", "--min-samples", "-3"}, "--min-samples"},
      {{"--eps", "1", "--min-samples", "2.5"}, "--min-samples"},
      {{"--eps", "1", "--metric", "minkowski"}, "--metric"},
      {{"--eps", "1", "--columns", "z"}, "no column 'z'"},
      {{"--eps", "1", "--n-clusters", "3"}, "--n-clusters"},
      {{"--eps", "1", "--plot", "in.csv"}, "is the file that is read"}};
  for (auto [arguments, text] : cases) {
    arguments.insert(arguments.begin(), {"dbscan", "in.csv"});
    expect_refusal(arguments, 2, text);
  }
  put("zeros.csv", "x,y\n1,2\n0,0\n");
  expect_refusal({"dbscan", "zeros.csv", "--metric", "cosine", "--eps", "0.1"}, 2, "zeros.csv: line 3");
  put("infinite.csv", "x\n1\ninf\n");
  expect_refusal({"dbscan", "infinite.csv", "--eps", "1"}, 2, "infinite.csv: line 3, column 'x'");
}

}  // namespace
}  // namespace tilelearn::testing
