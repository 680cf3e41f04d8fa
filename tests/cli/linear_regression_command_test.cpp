// tilelearn linear-regression: results, files and what is said about them.
#include <cmath>

#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "support/test_data.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

/// y is 3 + 2 x, and 10 more where kind is b, 100 more where it is c.
const char* const exact_csv =
    "kind,x,y\na,0,3\nb,1,15\nc,2,107\na,3,9\nb,4,21\nc,5,113\na,6,15\nb,7,27\nc,8,119\na,9,21\n";

/// Small whole numbers: a few roundings of sums around 1000.
constexpr double rounding = 1e-11;

class LinearRegressionCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    put("in.csv", exact_csv);
  }

  [[nodiscard]] Json fit(std::vector<std::string> more = {}, const std::string& file = "in.csv") const {
    more.insert(more.begin(), {"linear-regression", file, "--target", "y"});
    return run_json(std::move(more));
  }
  void refuse(std::vector<std::string> more, const std::string& text, const std::string& file = "in.csv") const {
    more.insert(more.begin(), {"linear-regression", file});
    expect_refusal(more, 2, text);
  }
};

/// Some noise that depends on the row alone, of mean about 0.
double noise(int row) { return static_cast<double>(row * 7919 % 101) / 50.0 - 1.0; }

std::string noisy_csv(int rows, const std::string& last_cells = "") {
  std::string text = "w,x,z,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x = i % 17;
    const double z = i % 5 * 0.5;
    text +=
        "1," + std::to_string(x) + "," + std::to_string(z) + "," + std::to_string(1.0 + 3.0 * x - z + noise(i)) + "\n";
  }
  return text + last_cells;
}

TEST_F(LinearRegressionCommand, JsonHasTheStatedKeysAndTheHandWorkedResult) {
  const Json json = fit();
  EXPECT_THAT(keys_of(json), ::testing::UnorderedElementsAre("estimator", "device", "rows", "columns", "options",
                                                             "timings_ms", "warnings", "result"));
  EXPECT_EQ(json["estimator"], "linear-regression");
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_EQ(json["rows"], 10);
  EXPECT_EQ(json["columns"], Json({"kind=b", "kind=c", "x"}));
  EXPECT_EQ(json["options"]["target"], "y");
  EXPECT_EQ(json["options"]["precision"], "float64");
  EXPECT_EQ(json["options"]["test_fraction"], 0.25);
  EXPECT_EQ(json["options"]["fit_intercept"], true);
  EXPECT_EQ(json["options"]["ridge"], nullptr);
  const Json& result = json["result"];
  EXPECT_THAT(keys_of(result), ::testing::UnorderedElementsAre(
                                   "coef", "intercept", "rank", "singular_values", "r2", "test_r2", "test_rmse",
                                   "test_rows", "std_err", "intercept_std_err", "alpha", "penalty_scores", "solver"));
  EXPECT_THAT(keys_of(result["coef"]), ::testing::UnorderedElementsAre("kind=b", "kind=c", "x"));
  EXPECT_THAT(keys_of(result["std_err"]), ::testing::UnorderedElementsAre("kind=b", "kind=c", "x"));
  EXPECT_NEAR(result["coef"]["kind=b"], 10.0, rounding);
  EXPECT_NEAR(result["coef"]["kind=c"], 100.0, rounding);
  EXPECT_NEAR(result["coef"]["x"], 2.0, rounding);
  EXPECT_NEAR(result["intercept"], 3.0, rounding);
  EXPECT_EQ(result["rank"], 3);
  EXPECT_EQ(result["singular_values"].size(), 3U);
  EXPECT_NEAR(result["r2"], 1.0, rounding);
  EXPECT_NEAR(result["test_r2"], 1.0, rounding);
  EXPECT_NEAR(result["test_rmse"], 0.0, rounding);
  EXPECT_EQ(result["test_rows"], 3) << "2.5 of 10 rows, the half rounded away from 0";
  EXPECT_NEAR(result["std_err"]["x"], 0.0, rounding);
  EXPECT_NEAR(result["intercept_std_err"], 0.0, rounding);
  EXPECT_EQ(result["alpha"], nullptr);
}

// NIST's certified values; their fifteen digits leave 1e-14, their conditions less than 1e3 of it.
TEST_F(LinearRegressionCommand, NorrisHasItsCertifiedValues) {
  const Json result = fit({}, test_data("data/nist/norris.csv"))["result"];
  const auto expect = [](const Json& value, double certified) {
    EXPECT_NEAR(value.get<double>(), certified, std::abs(certified) * 1e-11);
  };
  expect(result["intercept"], -0.262323073774029);
  expect(result["coef"]["x"], 1.00211681802045);
  expect(result["intercept_std_err"], 0.232818234301152);
  expect(result["std_err"]["x"], 0.429796848199937e-3);
  expect(result["r2"], 0.999993745883712);
}

TEST_F(LinearRegressionCommand, HeldOutRowsAreJudgedByAFitOfTheOthers) {
  put("noisy.csv", noisy_csv(200));
  const Json one = fit({"--exclude", "w"}, "noisy.csv");
  EXPECT_EQ(one["result"]["test_rows"], 50);
  EXPECT_GT(one["result"]["test_rmse"], 0.3) << "the noise's own";
  EXPECT_LT(one["result"]["test_rmse"], 0.9);
  EXPECT_EQ(fit({"--exclude", "w"}, "noisy.csv")["result"], one["result"]) << "the seed decides, not the run";
  const Json other = fit({"--exclude", "w", "--seed", "1"}, "noisy.csv");
  EXPECT_NE(other["result"]["test_r2"], one["result"]["test_r2"]);
  const Json none = fit({"--exclude", "w", "--test-fraction", "0"}, "noisy.csv");
  EXPECT_EQ(none["result"]["test_r2"], nullptr);
  EXPECT_EQ(none["result"]["test_rmse"], nullptr);
  EXPECT_EQ(none["result"]["test_rows"], 0);
  for (const char* key : {"coef", "intercept", "std_err", "r2"}) {
    EXPECT_EQ(other["result"][key], one["result"][key]) << key << " is of all rows";
    EXPECT_EQ(none["result"][key], one["result"][key]) << key << " is of all rows";
  }
}

TEST_F(LinearRegressionCommand, ARowOfWeightZeroIsTheSameAsNoRow) {
  put("zero.csv", noisy_csv(40, "0,900,-70,1e6\n"));
  put("none.csv", noisy_csv(40));
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--weights", "w"},
                                               {"--weights", "w", "--standardize"},
                                               {"--weights", "w", "--ridge", "2"}}) {
    const Json zero = fit(more, "zero.csv")["result"];
    const Json none = fit(more, "none.csv")["result"];
    EXPECT_EQ(zero["test_rows"], none["test_rows"]);
    for (const char* key : {"intercept", "r2", "test_r2", "test_rmse"})
      EXPECT_NEAR(zero[key], none[key], rounding) << key;
    for (const char* column : {"x", "z"}) EXPECT_NEAR(zero["coef"][column], none["coef"][column], rounding) << column;
  }
  EXPECT_THAT(run({"linear-regression", "zero.csv", "--target", "y", "--weights", "w"}).out,
              HasSubstr("zero.csv: 41 rows, 1 of them of weight zero, 2 columns"));
}

// z has one value: where its row is held out, the others know no mean of it.
TEST_F(LinearRegressionCommand, HeldOutRowsLendNoMeanToTheOthers) {
  put("mean.csv", "x,z,y\n0,,1\n1,,3\n2,5,4\n3,,8\n4,,9\n5,,10\n6,,14\n7,,15\n");
  int refused = 0;
  constexpr int seeds = 10;
  for (int seed = 0; seed < seeds; ++seed) {
    const CommandResult result = run({"linear-regression", "mean.csv", "--target", "y", "--missing", "mean",
                                      "--test-fraction", "0.5", "--seed", std::to_string(seed)});
    if (result.status == 0) continue;
    ++refused;
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("mean.csv, without the rows held out: column 'z' has no values"));
    EXPECT_THAT(result.err, HasSubstr("--test-fraction 0 holds none out"));
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, seeds);
  EXPECT_EQ(fit({"--missing", "mean", "--test-fraction", "0"}, "mean.csv")["rows"], 8);
}

TEST_F(LinearRegressionCommand, TooFewRowsToHoldOutAreAllFitted) {
  put("few.csv", "x,y\n0,1\n1,3\n2,5\n3,8\n");
  const Json json = fit({}, "few.csv");
  EXPECT_EQ(json["result"]["test_r2"], nullptr);
  EXPECT_EQ(json["result"]["test_rows"], 0);
  EXPECT_THAT(run({"linear-regression", "few.csv", "--target", "y"}).out,
              HasSubstr("held out    no row: 0.25 of 4 rows is fewer than 2"));
}

// Centred, x'x = 2 and x'y = 4: the coefficient is 4 / (2 + alpha), the intercept the mean.
TEST_F(LinearRegressionCommand, OnePenaltyIsTaken) {
  put("line.csv", "x,y\n-1,3\n0,5\n1,7\n");
  const Json result = fit({"--ridge", "2", "--test-fraction", "0"}, "line.csv")["result"];
  EXPECT_NEAR(result["coef"]["x"], 1.0, rounding);
  EXPECT_NEAR(result["intercept"], 5.0, rounding);
  EXPECT_EQ(result["alpha"], 2.0);
  for (const char* key : {"rank", "singular_values", "std_err", "intercept_std_err"})
    EXPECT_EQ(result[key], nullptr) << key << " is not told of a fit with penalties";
  EXPECT_THAT(run({"linear-regression", "line.csv", "--target", "y", "--ridge", "2"}).out,
              HasSubstr("penalty 2; solver"));
}

TEST_F(LinearRegressionCommand, OfSeveralPenaltiesThatOfTheLeastScoreIsTaken) {
  put("noisy.csv", noisy_csv(60));
  const Json json = fit({"--exclude", "w", "--ridge", "1000,0.1,1e6"}, "noisy.csv");
  EXPECT_EQ(json["options"]["ridge"], Json({1000.0, 0.1, 1e6}));
  const Json& result = json["result"];
  EXPECT_EQ(result["alpha"], 0.1);
  ASSERT_EQ(result["penalty_scores"].size(), 3U);
  EXPECT_LT(result["penalty_scores"][1], result["penalty_scores"][0]);
  EXPECT_LT(result["penalty_scores"][0], result["penalty_scores"][2]);
  EXPECT_GT(result["test_r2"], 0.99);
  EXPECT_THAT(run({"linear-regression", "noisy.csv", "--target", "y", "--exclude", "w", "--ridge", "1000,0.1,1e6"}).out,
              HasSubstr("penalty 0.1, chosen by generalised cross-validation"));
}

// Through the origin: sum x y / sum x^2 = (2 + 8) / 5.
TEST_F(LinearRegressionCommand, WithoutAnInterceptTheLineGoesThroughTheOrigin) {
  put("line.csv", "x,y\n1,2\n2,4\n");
  const Json json = fit({"--no-intercept"}, "line.csv");
  EXPECT_EQ(json["options"]["fit_intercept"], false);
  EXPECT_NEAR(json["result"]["coef"]["x"], 2.0, rounding);
  EXPECT_EQ(json["result"]["intercept"], 0.0);
  EXPECT_EQ(json["result"]["intercept_std_err"], nullptr);
  const std::string printed = run({"linear-regression", "line.csv", "--target", "y", "--no-intercept"}).out;
  EXPECT_THAT(printed, Not(HasSubstr("(intercept)")));
  EXPECT_THAT(printed, HasSubstr("(about 0)"));
}

TEST_F(LinearRegressionCommand, TheSummarySaysWhatWasDone) {
  const CommandResult result =
      run({"linear-regression", "in.csv", "--target", "y", "--device", "cpu", "--repeat", "3"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part :
       {"in.csv: 10 rows, 3 columns", "as asked", "(fastest of 3)", "rank        3 of 3, condition number ",
        "; solver ", "held out    R2 1, RMSE ", "on 3 rows drawn with the seed", "estimate", "std. error", "95 % from",
        "(intercept)", "kind=b", "kind=c", "residual standard error", "R2 1, adjusted 1"})
    EXPECT_THAT(result.out, HasSubstr(part));
  EXPECT_EQ(result.err, "column 'kind' is text: used as 2 columns of 0 and 1, against 'a'\n");
}

TEST_F(LinearRegressionCommand, LongTablesAreCut) {
  constexpr int columns = 120;
  std::string csv = "y";
  for (int j = 0; j < columns; ++j) csv += ",x" + std::to_string(j);
  csv += "\n";
  for (int i = 0; i < 2 * columns; ++i) {
    csv += std::to_string(i % 7);
    for (int j = 0; j < columns; ++j) csv += "," + std::to_string((i * (j + 3) + i * i * j) % 101);
    csv += "\n";
  }
  put("wide.csv", csv);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--ridge", "1"}}) {
    std::vector<std::string> all = {"linear-regression", "wide.csv", "--target", "y"};
    all.insert(all.end(), more.begin(), more.end());
    const CommandResult result = run(all);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("x99 "));
    EXPECT_THAT(result.out, Not(HasSubstr("x100 ")));
    EXPECT_THAT(result.out, HasSubstr("(the first 100 of 120 coefficients; --json gives all)"));
  }
}

TEST_F(LinearRegressionCommand, StandardizedColumnsGiveTheSamePredictions) {
  const Json plain = fit();
  const Json standardized = fit({"--standardize", "--model", "m.tlm"});
  EXPECT_NEAR(standardized["result"]["intercept"], 45.0, rounding) << "the mean of y";
  EXPECT_NE(standardized["result"]["coef"]["x"], plain["result"]["coef"]["x"]);
  EXPECT_NEAR(standardized["result"]["test_r2"], 1.0, rounding);
  EXPECT_THAT(run({"linear-regression", "in.csv", "--target", "y", "--standardize"}).out,
              HasSubstr("y on standardized columns\n"));
}

TEST_F(LinearRegressionCommand, PredictAppliesTheModel) {
  put("new.csv", "extra;x;kind\n1;10;c\n2;100;a\n3;-1;b\n");
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--standardize"},
                                               {"--precision", "float32"},
                                               {"--ridge", "0"},
                                               {"--test-fraction", "0", "--missing", "mean"}}) {
    std::vector<std::string> all = {"linear-regression", "in.csv", "--target", "y", "--model", "m.tlm", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    ASSERT_EQ(run(all).out, "");
    const CommandResult result = run({"predict", "m.tlm", "new.csv"});
    ASSERT_EQ(result.status, 0) << result.err;
    const std::vector<std::string> lines = lines_of(result.out);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0], "prediction");
    // float32: roundings of about 200, some of them of sums.
    const double tolerance = more.size() > 1 && more[1] == "float32" ? 1e-3 : rounding;
    EXPECT_NEAR(std::stod(lines[1]), 123.0, tolerance);
    EXPECT_NEAR(std::stod(lines[2]), 203.0, tolerance);
    EXPECT_NEAR(std::stod(lines[3]), 11.0, tolerance);
  }
}

TEST_F(LinearRegressionCommand, PredictLeavesRowsWithoutAValueEmpty) {
  ASSERT_EQ(run({"linear-regression", "in.csv", "--target", "y", "--missing", "drop", "--model", "m.tlm"}).status, 0);
  put("gaps.csv", "x,kind\n1,a\n,b\n2,\n");
  const CommandResult result = run({"predict", "m.tlm", "gaps.csv"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(lines_of(result.out).at(2), "\"\"");
  EXPECT_EQ(lines_of(result.out).at(3), "\"\"");
  EXPECT_THAT(result.err, HasSubstr("2 rows of 3 left empty: missing values, which the model drops"));
  ASSERT_EQ(run({"linear-regression", "in.csv", "--target", "y", "--model", "m.tlm"}).status, 0);
  expect_refusal({"predict", "m.tlm", "gaps.csv"}, 2, "gaps.csv: line 4, column 'kind': no value");
  put("unknown.csv", "x,kind\n1,d\n");
  expect_refusal({"predict", "m.tlm", "unknown.csv"}, 2, "the fit did not see the category 'd'");
}

TEST_F(LinearRegressionCommand, ARowWithoutTargetIsDroppedOrRefused) {
  put("gap.csv", "w,x,y\n1,0,1\n1,1,NA\n1,2,5\n,3,7\n1,4,9\n1,,11\n1,6,13\n");
  const Json json = fit({"--weights", "w", "--missing", "drop"}, "gap.csv");
  EXPECT_EQ(json["rows"], 4);
  EXPECT_EQ(json["warnings"], Json({"3 rows of 7 left out: missing values"}));
  EXPECT_NEAR(json["result"]["coef"]["x"], 2.0, rounding);
  put("target.csv", "x,y\n0,1\n1,\n2,5\n");
  for (const char* policy : {"error", "mean"})
    refuse({"--target", "y", "--missing", policy}, "target.csv: line 3, column 'y': the target is missing",
           "target.csv");
  put("infinite.csv", "x,y\n0,1\n1,inf\n2,5\n");
  refuse({"--target", "y"}, "infinite.csv: line 3, column 'y': the target is inf; targets must be finite",
         "infinite.csv");
  put("huge.csv", "x,y\n0,1\n1,1e39\n2,5\n");
  refuse({"--target", "y", "--precision", "float32"}, "1e+39 is beyond float32; use --precision float64", "huge.csv");
}

TEST_F(LinearRegressionCommand, ColumnsWithoutAnythingToSayAreNamed) {
  put("idle.csv", "a,b,c,t,y\n1,7,2,k,3\n2,7,4,k,5\n3,7,6,k,8\n4,7,8,k,9\n");
  const CommandResult result = run({"linear-regression", "idle.csv", "--target", "y", "--test-fraction", "0"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err,
            "column 't' is text: not used, for 'k' is its only value\n"
            "warning: column 'b' is constant: its coefficient is 0\n"
            "warning: the columns depend on each other (rank 1 of 3): of the coefficients that fit equally well, those "
            "of least norm\n");
  put("few.csv", "x,y\n1,2\n3,4\n");
  EXPECT_THAT(run({"linear-regression", "few.csv", "--target", "y"}).err,
              HasSubstr("there are no more rows than coefficients: standard errors are not known"));
  const Json json = fit({}, "few.csv");
  EXPECT_EQ(json["result"]["std_err"]["x"], nullptr);
}

TEST_F(LinearRegressionCommand, PicturesAreOfTheRowsHeldOut) {
  put("noisy.csv", noisy_csv(200));
  const auto draw = [this](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"linear-regression", "noisy.csv", "--target", "y", "--plot", "p.svg", "--residual-plot", "r.svg"});
    const CommandResult result = run(more);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("wrote p.svg\nwrote r.svg\n"));
  };
  draw({});
  for (const char* part :
       {"<svg xmlns", ">actual y</text>", ">predicted y</text>", "noisy.csv: y, predicted against actual",
        "50 rows held out; R2 0.9", "predicted = actual", "class=\"mark\"", "</svg>"})
    EXPECT_THAT(content("p.svg"), HasSubstr(part));
  for (const char* part : {">predicted y</text>", ">residual: actual less predicted</text>",
                           "noisy.csv: residuals of y", "50 rows held out; R2 0.9", "no residual", "class=\"mark\""})
    EXPECT_THAT(content("r.svg"), HasSubstr(part));
  EXPECT_EQ(count_of(content("p.svg"), "<circle"), 50U);
  EXPECT_EQ(count_of(content("r.svg"), "<circle"), 50U);
  draw({"--test-fraction", "0", "--weights", "w"});
  EXPECT_THAT(content("p.svg"), HasSubstr("200 rows of the fit; R2"));
  EXPECT_EQ(count_of(content("r.svg"), "<circle"), 200U);
}

TEST_F(LinearRegressionCommand, ALargePictureDrawsASampleAndSaysSo) {
  put("large.csv", noisy_csv(6000));
  ASSERT_EQ(run({"linear-regression", "large.csv", "--target", "y", "--test-fraction", "0", "--plot", "-", "--quiet",
                 "--residual-plot", "r.svg"})
                .status,
            0);
  EXPECT_EQ(count_of(content("r.svg"), "<circle"), 5000U);
  EXPECT_THAT(content("r.svg"), HasSubstr("6000 rows of the fit, 5000 of them drawn; R2"));
}

TEST_F(LinearRegressionCommand, ReadsStandardInputAndWritesFiles) {
  const CommandResult result =
      run_on(exact_csv, {"linear-regression", "-", "--target", "y", "--json", "--json-file", "j.json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out), Json::parse(content("j.json")));
  EXPECT_EQ(Json::parse(result.out)["result"], fit()["result"]);
}

TEST_F(LinearRegressionCommand, ThreadsAndRunsGiveTheSameBits) {
  put("noisy.csv", noisy_csv(3000));
  const Json one = fit({"--threads", "1"}, "noisy.csv")["result"];
  for (const char* threads : {"2", "5"}) EXPECT_EQ(fit({"--threads", threads}, "noisy.csv")["result"], one);
}

}  // namespace
}  // namespace tilelearn::testing
