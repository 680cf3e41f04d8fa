// tilelearn dbscan --suggest-eps: the curve of distances, its knee, its pictures.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;
using Rows = std::vector<std::vector<double>>;
using Distance = std::function<double(const std::vector<double>&, const std::vector<double>&)>;

class SuggestEps : public CommandTest {
 protected:
  [[nodiscard]] Json suggest(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"dbscan", "--suggest-eps"});
    return run_json(arguments);
  }

  void put_rows(const std::string& name, const Rows& rows) const {
    std::string text;
    for (const std::vector<double>& row : rows) {
      for (std::size_t j = 0; j < row.size(); ++j) text += (j == 0 ? "" : ",") + Json(row[j]).dump();
      text += '\n';
    }
    put(name, text);
  }
};

/// Values on a coarse grid from -range to range: many rows are equal, many distances too.
Rows some_rows(std::size_t rows, std::size_t columns, double range) {
  constexpr unsigned steps = 41;
  unsigned state = 1;
  Rows result(rows, std::vector<double>(columns));
  for (std::vector<double>& row : result)
    for (double& value : row) {
      state = state * 1664525U + 1013904223U;
      value = range * (2.0 * static_cast<double>((state >> 16U) % steps) / (steps - 1) - 1.0);
    }
  return result;
}

std::vector<double> by_definition(const Rows& rows, std::size_t k, const Distance& distance) {
  std::vector<double> result;
  for (const std::vector<double>& a : rows) {
    std::vector<double> all;
    for (const std::vector<double>& b : rows) all.push_back(distance(a, b));
    std::sort(all.begin(), all.end());
    result.push_back(all[k - 1]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Distances to the second row, itself the first: 1, 1, 2, 4, 8. Below the chord by 0, 1/4, 5/14, 9/28, 0: the knee
// is 2.
TEST_F(SuggestEps, HandWorkedCurve) {
  put("in.csv", "x\n0\n1\n3\n7\n15\n");
  const Json json = suggest({"in.csv", "--min-samples", "2"});
  EXPECT_THAT(keys_of(json), UnorderedElementsAre("estimator", "device", "rows", "columns", "options", "timings_ms",
                                                  "warnings", "suggestion"));
  EXPECT_EQ(json["estimator"], "dbscan");
  EXPECT_EQ(json["rows"], 5);
  EXPECT_EQ(json["options"]["eps"], nullptr);
  EXPECT_EQ(json["options"]["min_samples"], 2);
  EXPECT_EQ(json["suggestion"]["k_distances"], Json::array({1.0, 1.0, 2.0, 4.0, 8.0}));
  EXPECT_EQ(json["suggestion"]["knee"], 2);
  EXPECT_EQ(json["suggestion"]["eps"], 2.0);
  EXPECT_EQ(json["suggestion"]["core_share"], 0.6);
}

TEST_F(SuggestEps, DistancesAreThoseOfTheDefinition) {
  const std::vector<std::pair<std::string, Distance>> metrics = {{"euclidean",
                                                                  [](const auto& a, const auto& b) {
                                                                    double sum = 0.0;
                                                                    for (std::size_t j = 0; j < a.size(); ++j)
                                                                      sum += (a[j] - b[j]) * (a[j] - b[j]);
                                                                    return std::sqrt(sum);
                                                                  }},
                                                                 {"manhattan",
                                                                  [](const auto& a, const auto& b) {
                                                                    double sum = 0.0;
                                                                    for (std::size_t j = 0; j < a.size(); ++j)
                                                                      sum += std::abs(a[j] - b[j]);
                                                                    return sum;
                                                                  }},
                                                                 {"chebyshev", [](const auto& a, const auto& b) {
                                                                    double most = 0.0;
                                                                    for (std::size_t j = 0; j < a.size(); ++j)
                                                                      most = std::max(most, std::abs(a[j] - b[j]));
                                                                    return most;
                                                                  }}};
  for (const std::size_t columns : {1U, 2U, 3U, 17U, 40U}) {
    const Rows rows = some_rows(300, columns, 10.0);
    put_rows("in.csv", rows);
    for (const auto& [metric, distance] : metrics)
      for (const std::size_t k : {1U, 4U, 300U}) {
        const Json json = suggest({"in.csv", "--no-header", "--metric", metric, "--min-samples", std::to_string(k),
                                   "--precision", "float64"});
        const std::vector<double> found = json["suggestion"]["k_distances"];
        const std::vector<double> expected = by_definition(rows, k, distance);
        ASSERT_EQ(found.size(), expected.size());
        // Additions in another order: an ulp a column at most.
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_NEAR(found[i], expected[i], 1e-14 * static_cast<double>(columns) * (1.0 + expected[i]))
              << metric << ", k " << k << ", " << columns << " columns, position " << i;
      }
  }
}

TEST_F(SuggestEps, CosineAndKilometresAreThoseOfTheDefinition) {
  Rows rows = some_rows(200, 2, 80.0);
  for (std::vector<double>& row : rows) row[0] += 0.5;  // no row of zeros
  put_rows("in.csv", rows);
  const Distance cosine = [](const auto& a, const auto& b) {
    return 1.0 - (a[0] * b[0] + a[1] * b[1]) / (std::hypot(a[0], a[1]) * std::hypot(b[0], b[1]));
  };
  const Distance kilometres = [](const auto& a, const auto& b) {
    const double radian = std::acos(-1.0) / 180.0;
    const double north = std::sin((a[0] - b[0]) * radian / 2);
    const double east = std::sin((a[1] - b[1]) * radian / 2);
    return 2 * 6371.0088 *
           std::asin(std::sqrt(north * north + std::cos(a[0] * radian) * std::cos(b[0] * radian) * east * east));
  };
  const auto compare = [&](const std::string& metric, const Distance& distance, double tolerance) {
    const Json json = suggest(
        {"in.csv", "--no-header", "--columns", "column_1,column_2", "--metric", metric, "--precision", "float64"});
    const std::vector<double> found = json["suggestion"]["k_distances"];
    const std::vector<double> expected = by_definition(rows, 5, distance);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << metric;
  };
  compare("cosine", cosine, 1e-14);        // 1 less a number near 1
  compare("haversine", kilometres, 1e-9);  // a micrometre
}

TEST_F(SuggestEps, AFitWithTheProposalHasTheStatedShareOfCoreRows) {
  put_rows("in.csv", some_rows(500, 3, 1.0));
  for (const char* scale : {"--standardize", "--seed=0"}) {
    const Json json = suggest({"in.csv", "--no-header", scale, "--precision", "float64"});
    const std::string eps = json["suggestion"]["eps"].dump();
    const Json fit = run_json({"dbscan", "in.csv", "--no-header", scale, "--precision", "float64", "--eps", eps});
    EXPECT_EQ(fit["result"]["n_core"].get<double>(), std::round(500 * json["suggestion"]["core_share"].get<double>()));
    EXPECT_GT(fit["result"]["n_core"], 0);
  }
}

TEST_F(SuggestEps, ProposalsAreShortAndNotBelowTheKnee) {
  put("in.csv", "x\n0\n0.123456\n0.246912\n5\n9\n");
  const Json json = suggest({"in.csv", "--min-samples", "2", "--precision", "float64"});
  EXPECT_EQ(json["suggestion"]["eps"], 0.124);
  put("large.csv", "x\n0\n1.23456e200\n2.46912e200\n5e201\n9e201\n");
  const Json large = suggest({"large.csv", "--min-samples", "2", "--precision", "float64"});
  EXPECT_EQ(large["suggestion"]["eps"], 1.24e200) << "squares would overflow";
}

// The curve of HandWorkedCurve beside a row that is far beyond the square root of float64.
TEST_F(SuggestEps, HugeValuesHideNoSmallDistances) {
  put("far.csv", "x,y\n0,0\n1,0\n3,0\n7,0\n15,0\n1e300,0\n");
  put("offset.csv", "x,y\n1e300,0\n1e300,1\n1e300,3\n1e300,7\n1e300,15\n");
  for (const char* metric : {"euclidean", "manhattan", "chebyshev"}) {
    const std::vector<std::string> flags = {"--metric", metric, "--min-samples", "2", "--precision", "float64"};
    const auto distances = [&](const std::string& file) {
      std::vector<std::string> arguments = {file};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      return suggest(arguments)["suggestion"]["k_distances"];
    };
    EXPECT_EQ(distances("far.csv"), Json::array({1.0, 1.0, 2.0, 4.0, 8.0, 1e300})) << metric;
    EXPECT_EQ(distances("offset.csv"), Json::array({1.0, 1.0, 2.0, 4.0, 8.0})) << metric;
  }
}

TEST_F(SuggestEps, DistancesBeyondFloat64AreSaidAndNotDrawn) {
  put("in.csv", "x\n0\n1e307\n2e307\n1.7e308\n-1.7e308\n");
  for (const char* metric : {"euclidean", "manhattan", "chebyshev"}) {
    const Json json =
        suggest({"in.csv", "--precision", "float64", "--min-samples", "3", "--metric", metric, "--plot", "p.svg"});
    EXPECT_EQ(json["suggestion"]["k_distances"], Json::array({1e307, 2e307, 2e307, 1.7e308 - 1e307, nullptr}))
        << metric;
    EXPECT_EQ(json["suggestion"]["eps"], 2e307);
    EXPECT_EQ(json["suggestion"]["core_share"], 0.6) << "of all rows";
    EXPECT_THAT(json["warnings"],
                ElementsAre("1 distance is beyond float64: not in the picture, and null in the JSON"));
    for (const char* bad : {"nan", "inf"}) EXPECT_THAT(content("p.svg"), Not(HasSubstr(bad))) << metric;
    EXPECT_THAT(content("p.svg"), HasSubstr("eps 2e+307"));
  }
  put("two.csv", "x\n-1.7e308\n1.7e308\n");
  expect_refusal({"dbscan", "two.csv", "--suggest-eps", "--precision", "float64", "--min-samples", "2"}, 2,
                 "no row has 2 rows within 1.7976931348623157e+308, the largest number of float64");
}

TEST_F(SuggestEps, AProposalIsOneThatThePrecisionHolds) {
  put("huge.csv", "x\n-3e38\n3e38\n");
  const Json json = suggest({"huge.csv", "--min-samples", "2", "--plot", "p.svg"});
  EXPECT_EQ(json["suggestion"]["eps"], nullptr) << "6e38 is beyond float32";
  EXPECT_THAT(json["warnings"], ElementsAre("no eps is proposed: the distances are beyond what float32 holds; use "
                                            "--precision float64"));
  EXPECT_THAT(content("p.svg"), Not(HasSubstr("nan")));
  EXPECT_THAT(run({"dbscan", "huge.csv", "--suggest-eps", "--min-samples", "2"}).out,
              HasSubstr("proposal    none: the distances are beyond what float32 holds"));
  EXPECT_EQ(suggest({"huge.csv", "--min-samples", "2", "--precision", "float64"})["suggestion"]["eps"], 6e38);
  put("largest.csv", "x\n0\n3.4028234e38\n");
  const double largest = suggest({"largest.csv", "--min-samples", "2"})["suggestion"]["eps"];
  EXPECT_EQ(static_cast<float>(largest), 3.4028234e38F) << "three digits would round it up to infinity";
  put("narrow.csv", "x,y\n1,0\n1,1e-30\n");
  const std::vector<std::string> cosine = {"narrow.csv", "--min-samples", "2", "--metric", "cosine"};
  const Json below = suggest(cosine);
  EXPECT_EQ(below["suggestion"]["eps"], nullptr) << "5e-61 is 0 in float32";
  EXPECT_THAT(below["warnings"], ElementsAre(HasSubstr("the distances are below what float32 holds")));
}

TEST_F(SuggestEps, RowsInOnePlaceAreCountedInGoodEnglish) {
  put("in.csv", "x\n1\n1\n1\n");
  const auto warning = [this](const char* min_samples) {
    return suggest({"in.csv", "--min-samples", min_samples})["warnings"][0].get<std::string>();
  };
  EXPECT_EQ(warning("1"), "with --min-samples 1 every row is a core row: any eps will do");
  EXPECT_EQ(warning("2"), "every row measured has 1 other row or more at distance 0: any eps will do");
  EXPECT_EQ(warning("3"), "every row measured has 2 other rows or more at distance 0: any eps will do");
}

TEST_F(SuggestEps, EqualRowsGiveNoEpsOfZero) {
  put("half.csv", "x\n1\n1\n1\n1\n1\n1\n2\n4\n");
  const Json half = suggest({"half.csv", "--min-samples", "2"});
  EXPECT_EQ(half["suggestion"]["knee"], 5);
  EXPECT_EQ(half["suggestion"]["eps"], 1.0) << "the least distance above 0";
  put("all.csv", "x\n1\n1\n1\n");
  const Json all = suggest({"all.csv", "--min-samples", "3"});
  EXPECT_EQ(all["suggestion"]["eps"], nullptr);
  EXPECT_THAT(all["warnings"][0].get<std::string>(), HasSubstr("any eps will do"));
  EXPECT_THAT(run({"dbscan", "all.csv", "--suggest-eps", "--min-samples", "3", "--plot", "p.svg"}).out,
              HasSubstr("proposal    none"));
  EXPECT_THAT(content("p.svg"), HasSubstr("<polyline"));
  put("one.csv", "x\n1\n");
  EXPECT_EQ(suggest({"one.csv", "--min-samples", "1"})["suggestion"]["eps"], nullptr);
}

TEST_F(SuggestEps, ThePictureInTheTerminal) {
  put("in.csv", "x\n0\n1\n3\n7\n15\n");
  const CommandResult result = run({"dbscan", "in.csv", "--min-samples", "2", "--suggest-eps"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"in.csv: 5 rows, 1 column", "measured    all 5 rows; euclidean; min_samples 2",
                           "distance within which a row has 2 rows, itself included", "  8 |", "  0 |\n",
                           "    |********************************\n",
                           "proposal    --eps 2, the knee of the curve (o): 60 % of the rows would be core rows"})
    EXPECT_THAT(result.out, HasSubstr(part));
  const std::string knee_line = result.out.substr(result.out.find("  2 |"), 5 + 64);
  EXPECT_EQ(knee_line.find('o'), 5U + 2 * 63 / 4) << "the third of five rows";
  for (const std::string& line : lines_of(result.out)) {
    EXPECT_LE(line.size(), 100U);
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
  EXPECT_EQ(run({"dbscan", "in.csv", "--suggest-eps", "--quiet", "--plot", "p.svg"}).out, "");
}

TEST_F(SuggestEps, ThePictureInAFile) {
  put("in.csv", "lat,lon\n0,0\n0,1\n0,3\n0,7\n0,15\n");
  ASSERT_EQ(run({"dbscan", "in.csv", "--min-samples", "2", "--suggest-eps", "--metric", "haversine", "--plot", "p.svg",
                 "--json-file", "j.json"})
                .status,
            0);
  const std::string picture = content("p.svg");
  for (const char* part : {"in.csv: distances of rows", "all 5 rows; haversine", "<polyline class=\"curve\"", "(km)<",
                           "rows in ascending order", ">eps 223<"})
    EXPECT_THAT(picture, HasSubstr(part));
  EXPECT_EQ(count_of(picture, "<circle"), 1U) << "the knee";
  EXPECT_EQ(Json::parse(content("j.json"))["suggestion"]["eps"], 223.0) << "two degrees are 222.39 km";
}

TEST_F(SuggestEps, OfManyRowsSomeAreMeasured) {
  std::string rows = "x\n";
  for (int i = 0; i < 10001; ++i) rows += std::to_string(i * 7919 % 10007) + "\n";
  put("in.csv", rows);
  const std::vector<std::string> arguments = {"dbscan", "in.csv", "--suggest-eps"};
  EXPECT_THAT(run(arguments).out, HasSubstr("measured    10000 rows, drawn with the seed, among all 10001;"));
  const auto with = [this](const char* seed, const char* threads) {
    return suggest({"in.csv", "--seed", seed, "--threads", threads})["suggestion"];
  };
  const Json one = with("1", "1");
  EXPECT_EQ(one["k_distances"].size(), 10000U);
  EXPECT_EQ(one, with("1", "3"));
}

TEST_F(SuggestEps, WhatHasNoEffectIsSaid) {
  put("in.csv", "w,x\n1,0\n2,1\n3,3\nNA,4\n");
  const Json json =
      suggest({"in.csv", "--weights", "w", "--missing", "drop", "--min-samples", "2", "--device", "cuda"});
  EXPECT_EQ(json["rows"], 3);
  EXPECT_THAT(json["warnings"], ElementsAre(HasSubstr("1 row of 4 left out"), HasSubstr("whatever their weights"),
                                            HasSubstr("works on the CPU; --device cuda")));
}

TEST_F(SuggestEps, BadUse) {
  put("in.csv", "x,y\n1,2\n3,4\n0,0\n");
  const auto refuse = [this](std::vector<std::string> arguments, const std::string& text) {
    arguments.insert(arguments.begin(), {"dbscan", "in.csv", "--suggest-eps"});
    expect_refusal(arguments, 2, text);
  };
  refuse({"--eps", "1"}, "leave out --eps");
  refuse({"--labels", "l.csv"}, "--labels: there is no fit");
  refuse({"--model", "m.tlm"}, "--model: there is no fit");
  refuse({"--plot", "p.svg", "--plot-columns", "x,y"}, "--plot-columns: there is no fit");
  refuse({"--min-samples", "4"}, "--min-samples is 4, but there are 3 rows");
  refuse({"--min-samples", "2", "--metric", "cosine"}, "in.csv: line 4: the row is all zeros");
  refuse({"--min-samples", "2", "--metric", "haversine"}, "no column is called lat");
  refuse({"--min-samples", "2", "--plot", "in.csv"}, "is the file that is read");
}

}  // namespace
}  // namespace tilelearn::testing
