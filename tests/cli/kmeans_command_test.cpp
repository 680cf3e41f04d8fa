// tilelearn kmeans: results, files and what is said about them.
#include <cmath>

#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class KMeansCommand : public CommandTest {};

// K09: X = 0, 2, 10 with weights 3, 1, 2 has centres 0.5 and 10 and inertia 3 (0.25 * 3 + 2.25).
TEST_F(KMeansCommand, K09_JsonHasTheStatedKeysAndTheHandWorkedResult) {
  put("k09.csv", "w,x\n3,0\n1,2\n2,10\n");
  const Json json = run_json({"kmeans", "k09.csv", "--weights", "w", "--n-clusters", "2", "--device", "cpu"});
  EXPECT_THAT(keys_of(json), ::testing::UnorderedElementsAre("estimator", "device", "rows", "columns", "options",
                                                             "timings_ms", "warnings", "result"));
  EXPECT_THAT(keys_of(json["timings_ms"]), ::testing::UnorderedElementsAre("read", "copy", "fit", "predict"));
  EXPECT_THAT(keys_of(json["result"]),
              ::testing::UnorderedElementsAre("inertia", "n_iter", "converged", "cluster_sizes", "cluster_centers"));
  EXPECT_EQ(json["estimator"], "kmeans");
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_EQ(json["rows"], 3);
  EXPECT_EQ(json["columns"], Json({"x"}));
  EXPECT_EQ(json["options"]["n_clusters"], 2);
  EXPECT_EQ(json["options"]["weights"], "w");
  EXPECT_EQ(json["options"]["tol"], 1e-4);
  EXPECT_EQ(json["result"]["inertia"], 3.0);
  EXPECT_EQ(json["result"]["converged"], true);
  std::vector<double> centers = {json["result"]["cluster_centers"][0][0], json["result"]["cluster_centers"][1][0]};
  std::sort(centers.begin(), centers.end());
  EXPECT_EQ(centers, (std::vector<double>{0.5, 10.0}));
  EXPECT_EQ(json["result"]["cluster_sizes"][0].get<int>() + json["result"]["cluster_sizes"][1].get<int>(), 3);
}

TEST_F(KMeansCommand, ARowOfWeightZeroIsTheSameAsNoRow) {
  put("zero.csv", "w,x,y\n1,0,5\n1,1,\n1,10,7\n0,500,9000\n");
  put("none.csv", "w,x,y\n1,0,5\n1,1,\n1,10,7\n");
  for (const char* scale : {"--missing=mean", "--standardize"}) {
    const std::vector<std::string> flags = {"--weights", "w", "--missing", "mean", "--n-clusters", "2", scale};
    std::vector<std::string> zero = {"kmeans", "zero.csv"};
    std::vector<std::string> none = {"kmeans", "none.csv"};
    zero.insert(zero.end(), flags.begin(), flags.end() - (scale[2] == 'm' ? 1 : 0));
    none.insert(none.end(), flags.begin(), flags.end() - (scale[2] == 'm' ? 1 : 0));
    EXPECT_EQ(run_json(zero)["result"], run_json(none)["result"]) << scale;
  }
}

TEST_F(KMeansCommand, RowsOfWeightZeroAreCountedApart) {
  put("in.csv", "w,x\n1,0\n0,1\n2,10\n1,11\n");
  EXPECT_THAT(run({"kmeans", "in.csv", "--n-clusters", "2", "--columns", "x", "--weights", "w"}).out,
              HasSubstr("in.csv: 4 rows, 1 of them of weight zero, 1 column"));
  EXPECT_THAT(run({"kmeans", "in.csv", "--n-clusters", "2", "--columns", "x"}).out, HasSubstr("in.csv: 4 rows, 1 col"));
}

TEST_F(KMeansCommand, StandardOutputIsTheJsonAndNothingElse) {
  put("in.csv", two_groups_csv);
  const CommandResult result = run({"kmeans", "in.csv", "--missing", "drop", "--n-clusters", "2", "--json", "--labels",
                                    "l.csv", "--json-file", "j.json"});
  ASSERT_EQ(result.status, 0) << result.err;
  Json printed = Json::parse(result.out);
  Json written = Json::parse(content("j.json"));
  EXPECT_EQ(result.out.front(), '{');
  EXPECT_EQ(result.out.substr(result.out.size() - 2), "}\n");
  EXPECT_EQ(printed, written);
  EXPECT_EQ(printed["rows"], 7);
  EXPECT_EQ(printed["warnings"], Json({"1 row of 8 left out: missing values"}));
  EXPECT_THAT(result.err, HasSubstr("warning: 1 row of 8 left out"));
  EXPECT_THAT(result.err, HasSubstr("wrote l.csv"));
}

TEST_F(KMeansCommand, TheSummarySaysWhatWasDone) {
  put("in.csv", two_groups_csv);
  const CommandResult result =
      run({"kmeans", "in.csv", "--missing", "drop", "--n-clusters", "2", "--device", "cpu", "--repeat", "3"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"in.csv: 7 of 8 rows", "cpu (", "as asked", "read ", "copy ", "fit ", "(fastest of 3)",
                           "predict ", "2 clusters, converged after", "inertia", "silhouette", "(all rows)", "cluster"})
    EXPECT_THAT(result.out, HasSubstr(part));
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b"))) << "progress belongs on a terminal";
}

TEST_F(KMeansCommand, QuietPrintsNothing) {
  put("in.csv", two_groups_csv);
  const CommandResult result =
      run({"kmeans", "in.csv", "--missing", "drop", "--n-clusters", "2", "--quiet", "--labels", "l.csv"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(exists("l.csv"));
}

TEST_F(KMeansCommand, LabelsHaveARowForEachRowOfTheFile) {
  put("in.csv", two_groups_csv);
  ASSERT_EQ(run({"kmeans", "in.csv", "--missing", "drop", "--n-clusters", "2", "--labels", "l.csv"}).status, 0);
  const std::vector<std::string> lines = lines_of(content("l.csv"));
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[0], "label");
  EXPECT_EQ(lines[7], "\"\"") << "an empty cell that readers do not skip as a blank line";
  const std::string low = lines[1];
  const std::string high = low == "0" ? "1" : "0";
  EXPECT_THAT(lines, ::testing::ElementsAre("label", low, low, low, high, high, high, "\"\"", high));
}

TEST_F(KMeansCommand, ARowWithoutWeightIsDroppedLikeOthers) {
  put("in.csv", "w,x\n1,0\nNA,5\n2,1\n1,NA\n1,9\n");
  const std::vector<std::string> flags = {"kmeans", "in.csv", "--weights", "w", "--n-clusters", "2"};
  std::vector<std::string> drop = flags;
  drop.insert(drop.end(), {"--missing", "drop", "--labels", "l.csv"});
  const Json json = run_json(drop);
  EXPECT_EQ(json["rows"], 3);
  const std::vector<std::string> lines = lines_of(content("l.csv"));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[2], "\"\"");
  EXPECT_EQ(lines[4], "\"\"");
  EXPECT_EQ(lines[1], lines[3]);
  EXPECT_NE(lines[1], lines[5]);
  std::vector<std::string> mean = flags;
  mean.insert(mean.end(), {"--missing", "mean"});
  const CommandResult result = run(mean);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("line 3, column 'w': the weight is missing"));
}

TEST_F(KMeansCommand, AMissingValueIsAnErrorThatSaysWhatToDo) {
  put("in.csv", two_groups_csv);
  const CommandResult result = run({"kmeans", "in.csv", "--labels", "l.csv"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("line 8, column 'y'"));
  EXPECT_THAT(result.err, HasSubstr("--missing drop"));
  EXPECT_THAT(result.err, HasSubstr("--missing mean"));
  EXPECT_FALSE(exists("l.csv"));
}

TEST_F(KMeansCommand, TheMeanIsFilledIn) {
  put("in.csv", "x\n1\nNA\n3\n");
  const Json json = run_json({"kmeans", "in.csv", "--missing", "mean", "--n-clusters", "1", "--precision", "float64"});
  EXPECT_EQ(json["rows"], 3);
  EXPECT_EQ(json["result"]["cluster_centers"][0][0], 2.0);
  EXPECT_EQ(json["result"]["inertia"], 2.0);
}

TEST_F(KMeansCommand, FirstCentresFromAFileAreInTheFilesUnits) {
  put("in.csv", "a,b\n0,1000\n2,1002\n10,2000\n12,2002\n");
  put("names.csv", "b,a\n2000,10\n1000,0\n");  // found by name, so cluster 0 is the upper one
  put("plain.csv", "10,2000\n0,1000\n");       // by position
  for (const char* init : {"names.csv", "plain.csv"})
    for (const char* scale : {"--standardize", "--seed=0"}) {
      const Json json = run_json({"kmeans", "in.csv", "--init", init, scale, "--precision", "float64"});
      const auto centers = json["result"]["cluster_centers"];
      EXPECT_EQ(json["options"]["n_clusters"], 2);
      EXPECT_NEAR(centers[0][0].get<double>(), 11.0, 1e-12) << "a few ulp from scaling there and back";
      EXPECT_NEAR(centers[0][1].get<double>(), 2001.0, 1e-9);
      EXPECT_NEAR(centers[1][0].get<double>(), 1.0, 1e-12);
      EXPECT_NEAR(centers[1][1].get<double>(), 1001.0, 1e-9);
    }
}

TEST_F(KMeansCommand, SeveralStartsFromGivenCentresAreOneAndAWarning) {
  put("in.csv", "x\n0\n1\n10\n");
  put("centers.csv", "x\n0\n10\n");
  const Json several = run_json({"kmeans", "in.csv", "--init", "centers.csv", "--n-init", "5"});
  EXPECT_EQ(several["warnings"],
            Json({"--n-init is 5, but --init centers.csv gives the first centres: there is one start"}));
  EXPECT_EQ(several["options"]["n_init"], 1);
  EXPECT_THAT(run({"kmeans", "in.csv", "--init", "centers.csv", "--n-init", "5"}).err, HasSubstr("warning: --n-init"));
  EXPECT_EQ(run_json({"kmeans", "in.csv", "--init", "centers.csv", "--n-init", "1"})["warnings"], Json::array());
  EXPECT_EQ(run_json({"kmeans", "in.csv", "--init", "random", "--n-init", "5", "--n-clusters", "2"})["warnings"],
            Json::array());
}

TEST_F(KMeansCommand, PrintedCentresAsFirstCentresChangeNothing) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 60; ++i)
    rows += std::to_string((i * 37 % 61) * 0.1 + i % 3 * 9) + "," + std::to_string((i * 53 % 59) * 0.1) + "\n";
  put("in.csv", rows);
  const Json first = run_json({"kmeans", "in.csv", "--n-clusters", "3", "--tol", "0"});
  std::string centers = "x,y\n";
  for (const Json& center : first["result"]["cluster_centers"])
    centers += center[0].dump() + "," + center[1].dump() + "\n";
  put("centers.csv", centers);
  const Json second = run_json({"kmeans", "in.csv", "--init", "centers.csv", "--tol", "0"});
  EXPECT_EQ(second["result"]["cluster_centers"], first["result"]["cluster_centers"]);
  EXPECT_EQ(second["result"]["inertia"], first["result"]["inertia"]);
}

TEST_F(KMeansCommand, NumbersReadBackAsTheSameBits) {
  put("in.csv", "x\n0.1\n");
  const auto center_of = [this](const char* precision) {
    return run_json(
               {"kmeans", "in.csv", "--n-clusters", "1", "--precision", precision})["result"]["cluster_centers"][0][0]
        .get<double>();
  };
  EXPECT_EQ(center_of("float64"), 0.1);
  EXPECT_EQ(center_of("float32"), static_cast<double>(0.1F));
}

// (1e200)^2 is beyond float64, and JSON has no infinity.
TEST_F(KMeansCommand, AnInertiaBeyondFloat64IsNullWithAWarning) {
  put("in.csv", "x\n-1e200\n0\n1e200\n");
  const std::vector<std::string> fit = {"kmeans",      "in.csv",  "--n-clusters", "1",
                                        "--precision", "float64", "--model",      "m.tlm"};
  const Json json = run_json(fit);
  EXPECT_EQ(json["result"]["inertia"], Json());
  EXPECT_EQ(json["warnings"], Json({"the inertia is beyond float64: infinite, and null in the JSON"}));
  EXPECT_EQ(json["result"]["cluster_centers"], Json::array({{0.0}}));
  EXPECT_THAT(run(fit).out, HasSubstr("inertia     inf\n"));
  EXPECT_EQ(run({"predict", "m.tlm", "in.csv"}).out, "prediction\n0\n0\n0\n");
  EXPECT_THAT(run({"kmeans", "--help"}).out, HasSubstr("one beyond float64 is null"));
}

TEST_F(KMeansCommand, OneDistinctRowIsSingular) {
  put("in.csv", "x,y\n3,4\n3,4\n3,4\n");
  EXPECT_EQ(run_json({"kmeans", "in.csv", "--n-clusters", "2"})["warnings"],
            Json({"KMeans: only 1 distinct row was found for 2 clusters; the others are empty"}));
  put("in.csv", "x,y\n3,4\n3,4\n5,6\n");
  EXPECT_EQ(run_json({"kmeans", "in.csv", "--n-clusters", "3"})["warnings"],
            Json({"KMeans: only 2 distinct rows were found for 3 clusters; the others are empty"}));
}

TEST_F(KMeansCommand, TwoRunsAndAnyNumberOfThreadsGiveTheSameBytes) {
  std::string rows = "x,y,z\n";
  for (int i = 0; i < 3000; ++i)
    rows +=
        std::to_string(i * 7919 % 1013) + "," + std::to_string(i * 104729 % 997) + "," + std::to_string(i % 17) + "\n";
  put("in.csv", rows);
  const auto run_with = [this](const std::string& name, const std::string& threads) {
    const CommandResult result =
        run({"kmeans", "in.csv", "--standardize", "--n-clusters", "7", "--seed", "5", "--device", "cpu", "--threads",
             threads, "--labels", name + ".csv", "--model", name + ".tlm", "--plot", name + ".svg"});
    ASSERT_EQ(result.status, 0) << result.err;
  };
  run_with("one", "1");
  run_with("two", "2");
  run_with("again", "2");
  for (const char* type : {".csv", ".tlm", ".svg"}) {
    EXPECT_FALSE(content(std::string("one") + type).empty());
    EXPECT_EQ(content(std::string("one") + type), content(std::string("two") + type)) << type;
    EXPECT_EQ(content(std::string("two") + type), content(std::string("again") + type)) << type;
  }
}

TEST_F(KMeansCommand, C17_TheLocaleOfTheEnvironmentHasNoInfluence) {
  put("in.csv", "x\n0.5\n1.5\n1000000.25\n");
  const std::vector<std::string> arguments = {"kmeans", "in.csv", "--n-clusters", "2", "--labels", "l.csv"};
  const CommandResult plain = run(arguments, {{"LC_ALL", "C"}});
  const std::string labels = content("l.csv");
  const CommandResult german = run(arguments, {{"LC_ALL", "de_DE.UTF-8"}});
  const auto without_time = [](std::string text) {
    const std::size_t begin = text.find("time ");
    return text.erase(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(german.status, 0);
  EXPECT_EQ(without_time(german.out), without_time(plain.out));
  EXPECT_THAT(plain.out, HasSubstr("1e+06"));
  EXPECT_EQ(content("l.csv"), labels);
}

TEST_F(KMeansCommand, TheWorkspaceLimitIsObeyedOrRefused) {
  put("in.csv", two_groups_csv);
  const std::vector<std::string> arguments = {"kmeans",   "in.csv", "--missing",        "drop", "--n-clusters", "2",
                                              "--labels", "l.csv",  "--workspace-limit"};
  const auto with_limit = [&](const char* limit) {
    std::vector<std::string> all = arguments;
    all.emplace_back(limit);
    return run(all);
  };
  ASSERT_EQ(with_limit("1GB").status, 0);
  const std::string labels = content("l.csv");
  const CommandResult tight = with_limit("1");
  if (tight.status == 0)
    EXPECT_EQ(content("l.csv"), labels);
  else
    EXPECT_THAT(tight.err, HasSubstr("out of memory"));
}

TEST_F(KMeansCommand, TheSilhouetteOfManyRowsIsOfASampleAndSaysSo) {
  std::string rows = "x\n";
  for (int i = 0; i < 10001; ++i) rows += std::to_string(i % 2 * 1000 + i % 7) + "\n";
  put("in.csv", rows);
  const CommandResult result = run({"kmeans", "in.csv", "--n-clusters", "2"});
  EXPECT_THAT(result.out, HasSubstr("10000 of 10001 rows, drawn with the seed"));
  EXPECT_THAT(result.out, HasSubstr("silhouette  0.99"));
}

TEST_F(KMeansCommand, ColumnsAreChosenExcludedAndQuoted) {
  put("in.csv", "a,\"b,c\",d\n1,2,3\n4,5,6\n");
  const auto columns = [this](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"kmeans", "in.csv", "--n-clusters", "1"});
    return run_json(flags)["columns"];
  };
  EXPECT_EQ(columns({}), Json({"a", "b,c", "d"}));
  EXPECT_EQ(columns({"--columns", "d,\"b,c\""}), Json({"d", "b,c"}));
  EXPECT_EQ(columns({"--exclude", "\"b,c\""}), Json({"a", "d"}));
  EXPECT_EQ(columns({"--weights", "a"}), Json({"b,c", "d"}));
}

TEST_F(KMeansCommand, TextBecomesZerosAndOnes) {
  put("in.csv", "k,x\nred,1\nblue,2\nred,3\n");
  const CommandResult result = run({"kmeans", "in.csv", "--columns", "k", "--n-clusters", "2", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["columns"], Json({"k=blue", "k=red"}));
  EXPECT_EQ(Json::parse(result.out)["result"]["inertia"], 0.0);
  EXPECT_THAT(result.err, HasSubstr("column 'k' is text: used as 2 columns of 0 and 1"));
}

TEST_F(KMeansCommand, TextThatIsNotUsedIsNamed) {
  put("in.csv", "share,x,kind\n5%,1,a\n6%,2,b\n7%,9,a\n");
  EXPECT_THAT(run({"kmeans", "in.csv", "--n-clusters", "2"}).err,
              HasSubstr("2 columns of text not used: share, kind;"));
  EXPECT_THAT(run({"kmeans", "in.csv", "--n-clusters", "2", "--exclude", "kind"}).err,
              HasSubstr("1 column of text not used: share;"));
  EXPECT_EQ(run({"kmeans", "in.csv", "--n-clusters", "2", "--columns", "x"}).err, "");
  EXPECT_EQ(run({"kmeans", "in.csv", "--n-clusters", "2", "--quiet"}).err, "");
}

TEST_F(KMeansCommand, DialectsMayBeStated) {
  put("in.csv", "1,5;2,5\n3,5;4,5\n");
  const Json json =
      run_json({"kmeans", "in.csv", "--no-header", "--delimiter", "semicolon", "--decimal-comma", "--n-clusters", "1"});
  EXPECT_EQ(json["columns"], Json({"column_1", "column_2"}));
  EXPECT_EQ(json["result"]["cluster_centers"], Json::array({{2.5, 3.5}}));
}

TEST_F(KMeansCommand, AConstantColumnIsNamedWhenItCannotBeScaled) {
  put("in.csv", "x,same\n1,4\n2,4\n9,4\n");
  const Json json = run_json({"kmeans", "in.csv", "--standardize", "--n-clusters", "2"});
  EXPECT_EQ(json["warnings"], Json({"column 'same' is constant; it is not scaled"}));
}

}  // namespace
}  // namespace tilelearn::testing
