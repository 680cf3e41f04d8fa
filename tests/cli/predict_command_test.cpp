// tilelearn predict: a model file applied to the same and to other rows.
#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;

class PredictCommand : public CommandTest {
 protected:
  void fit(const std::vector<std::string>& more = {}) const {
    put("in.csv", two_groups_csv);
    std::vector<std::string> all = {"kmeans", "in.csv", "--n-clusters", "2", "--model", "m.tlm", "--labels", "l.csv"};
    all.insert(all.end(), more.begin(), more.end());
    const CommandResult result = run(all);
    ASSERT_EQ(result.status, 0) << result.err;
  }
};

std::string with_other_header(std::string text) { return text.replace(0, text.find('\n'), "prediction"); }

TEST_F(PredictCommand, EqualsTheLabelsOfTheFit) {
  const std::vector<std::vector<std::string>> ways = {{"--missing", "drop"},
                                                      {"--missing", "drop", "--standardize"},
                                                      {"--missing", "mean", "--standardize", "--precision", "float64"},
                                                      {"--missing", "mean", "--columns", "y,kind,x"},
                                                      {"--missing", "drop", "--columns", "y,kind", "--standardize"}};
  for (const auto& way : ways) {
    fit(way);
    const CommandResult printed = run({"predict", "m.tlm", "in.csv"});
    EXPECT_EQ(printed.status, 0) << printed.err;
    EXPECT_EQ(printed.out, with_other_header(content("l.csv")));
    EXPECT_EQ(run({"predict", "m.tlm", "in.csv", "--output", "p.csv", "--quiet"}).out, "");
    EXPECT_EQ(content("p.csv"), printed.out);
  }
}

TEST_F(PredictCommand, FindsColumnsByNameInAnyOrder) {
  fit({"--missing", "drop"});
  put("other.csv", "extra;y;x\n7;0.2;0.1\n8;10.4;10.2\n");
  const CommandResult result = run({"predict", "m.tlm", "other.csv"});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string low = content("l.csv").substr(6, 1);
  EXPECT_EQ(result.out, "prediction\n" + low + "\n" + (low == "0" ? "1" : "0") + "\n");
}

TEST_F(PredictCommand, ColumnsThatAreMissingOrStrangeAreNamed) {
  fit({"--missing", "mean", "--columns", "x,kind"});
  put("renamed.csv", "X1,kind\n1,a\n");
  const CommandResult renamed = run({"predict", "m.tlm", "renamed.csv"});
  EXPECT_EQ(renamed.status, 2);
  EXPECT_THAT(renamed.err, HasSubstr("no column 'x'"));
  put("category.csv", "x,kind\n1,a\n2,c\n");
  const CommandResult category = run({"predict", "m.tlm", "category.csv"});
  EXPECT_EQ(category.status, 2);
  EXPECT_THAT(category.err, HasSubstr("category.csv: line 3"));
  EXPECT_THAT(category.err, HasSubstr("'c'"));
}

TEST_F(PredictCommand, AllColumnsThatAreMissingAreNamed) {
  put("in.csv", "a,width,code,kind\n1,2,7,u\n3,4,x,v\n");
  ASSERT_EQ(run({"kmeans", "in.csv", "--text-columns", "code", "--columns", "a,width,code,kind", "--n-clusters", "1",
                 "--model", "m.tlm"})
                .status,
            0);
  put("other.csv", "a,Width\n1,2\n");
  const CommandResult result = run({"predict", "m.tlm", "other.csv"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(
      result.err,
      "tilelearn: other.csv: the model: the file has none of these 3 columns: 'width' (did you mean 'Width'?), 'code', "
      "'kind'. Its columns are: a, Width\n");
}

// One line each: nothing is said of a device that does no work, nor of flags that predict does not have.
TEST_F(PredictCommand, ErrorsStandAloneAndNameThePlace) {
  put("positions.csv", "lat,lon\n0,0\n0,1\n");
  put("in.csv", "x,y\n1,2\n3,4\n");
  put("kinds.csv", "x,kind\n1,a\n3,b\n");
  const auto fit = [this](const char* file, const std::string& model, std::vector<std::string> more) {
    more.insert(more.begin(), {"dbscan", file, "--eps", "0.1", "--min-samples", "1", "--model", model});
    const CommandResult result = run(more);
    ASSERT_EQ(result.status, 0) << result.err;
  };
  fit("in.csv", "m.tlm", {});
  fit("in.csv", "cosine.tlm", {"--metric", "cosine"});
  fit("kinds.csv", "kinds.tlm", {"--columns", "x,kind"});
  fit("positions.csv", "earth.tlm", {"--metric", "haversine"});
  const auto refuse = [this](const std::string& model, const std::string& text, const std::string& complaint) {
    put("new.csv", text);
    const CommandResult result = run({"predict", model, "new.csv"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, ::testing::StartsWith("tilelearn: new.csv: " + complaint));
    EXPECT_EQ(count_of(result.err, "\n"), 1U) << result.err;
    for (const char* flag : {"--columns", "--exclude", "--metric", "--standardize", "drop such rows"})
      EXPECT_THAT(result.err, ::testing::Not(HasSubstr(flag)));
  };
  refuse("m.tlm", "x,y\n1,2\n2,\n", "line 3, column 'y': no value, as in 1 of 2 rows; the model takes none such");
  refuse("m.tlm", "x,y\n1,2\n1e39,3\n", "line 3, column 'x': 1e+39 is beyond float32, in which the model works");
  refuse("m.tlm", "x,y\n1,2\ninf,3\n", "line 3, column 'x': the value is not finite");
  refuse("m.tlm", "x,y\n,a\n1,b\n", "line 2, column 'x': no value");
  refuse("m.tlm", "x,y\n1,\n1,b\n", "line 3, column 'y': 'b' is text, but the model was fitted on numbers");
  refuse("cosine.tlm", "x,y\n1,2\n0,0\n", "line 3: the row is all zeros, which has no direction");
  refuse("cosine.tlm", "x,y\n1,2\n1e-60,0\n", "line 3: every value of the row is 0 or below what float32 holds");
  refuse("kinds.tlm", "x,kind\n1,a\n1,c\n", "line 3, column 'kind': the fit did not see the category 'c'");
  refuse("earth.tlm", "lat,lon\nnorth,east\n", "line 2, column 'lat': 'north' is text, but the model was fitted on");
  refuse("earth.tlm", "lat,lon\n1,2\n100,3\n", "line 3, column 'lat': the latitude is 100 degrees, must be from -90");
}

TEST_F(PredictCommand, AModelIsNotReadFromStandardInput) {
  put("in.csv", "x\n1\n");
  for (const char* file : {"in.csv", "-"})
    expect_refusal({"predict", "-", file}, 2, "MODEL is '-', but only FILE may be standard input");
}

TEST_F(PredictCommand, ReadsStandardInputAndWritesStandardOutput) {
  fit({"--missing", "drop"});
  const CommandResult named = run({"predict", "m.tlm", "in.csv"});
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"predict", "m.tlm", "-"}, {"predict", "m.tlm", "-", "--output", "-"}}) {
    const CommandResult result = run_on(two_groups_csv, arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, named.out);
    EXPECT_EQ(result.err, named.err);
  }
  EXPECT_FALSE(exists("-"));
  const CommandResult strange = run_on("x,y\n1,2\n3,inf\n", {"predict", "m.tlm", "-"});
  EXPECT_EQ(strange.status, 2);
  EXPECT_THAT(strange.err, HasSubstr("tilelearn: standard input: line 3, column 'y'"));
}

TEST_F(PredictCommand, CategoriesThatLookLikeNumbersStayCategories) {
  put("in.csv", "code\n1\nx\n1\n2\n");
  ASSERT_EQ(
      run({"kmeans", "in.csv", "--text-columns", "code", "--columns", "code", "--n-clusters", "3", "--model", "m.tlm"})
          .status,
      0);
  put("numbers.csv", "code\n1\n2\n1\n");
  const CommandResult result = run({"predict", "m.tlm", "numbers.csv"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.substr(11, 1), result.out.substr(15, 1));
  EXPECT_NE(result.out.substr(11, 1), result.out.substr(13, 1));
}

TEST_F(PredictCommand, DamagedAndOtherFilesAreNoModels) {
  fit({"--missing", "drop"});
  std::string model = content("m.tlm");
  model[model.size() / 2] = static_cast<char>(model[model.size() / 2] ^ 1);
  put("damaged.tlm", model);
  put("short.tlm", model.substr(0, 100));
  for (const char* file : {"damaged.tlm", "short.tlm", "in.csv", "missing.tlm"}) {
    const CommandResult result = run({"predict", file, "in.csv", "--output", "p.csv"});
    EXPECT_EQ(result.status, 2) << file;
    EXPECT_THAT(result.err, HasSubstr(file));
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(exists("p.csv"));
  }
}

}  // namespace
}  // namespace tilelearn::testing
