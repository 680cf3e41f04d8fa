// tilelearn linear-regression: bad use, and what is said of it.
#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

class LinearRegressionUsage : public CommandTest {
 protected:
  void refuse(std::vector<std::string> more, const std::string& text, const std::string& file = "in.csv") const {
    more.insert(more.begin(), {"linear-regression", file});
    expect_refusal(more, 2, text);
  }
};

TEST_F(LinearRegressionUsage, BadUseIsAnsweredWithWhatToDo) {
  put("in.csv", "kind,x,y\na,0,3\nb,1,15\nc,2,107\na,3,9\nb,4,21\n");
  refuse({}, "--target is required; see tilelearn linear-regression --help");
  refuse({"--target", ""}, "--target: no column is named");
  refuse({"--target", "Y "}, "did you mean 'y'?");
  refuse({"--target", "prize"}, "--target: the file has no column 'prize'. Its columns are: kind, x, y");
  refuse({"--target", "kind"}, "--target: column 'kind' is text; targets are numbers");
  refuse({"--target", "y", "--columns", "x,y"}, "column 'y' is named by --columns and by --target");
  refuse({"--target", "y", "--weights", "y"}, "column 'y' is named by --target and by --weights");
  refuse({"--target", "y", "--columns", "kid"}, "--columns: the file has no column 'kid' (did you mean 'kind'?)");
  refuse({"--target", "y", "--exclude", "x,kind"}, "in.csv: no column is left to use");
  refuse({"--target", "y", "--test-fraction", "1"}, "--test-fraction is 1, must be from 0 to below 1");
  refuse({"--target", "y", "--test-fraction", "-0.1"}, "--test-fraction is -0.1, must be from 0 to below 1");
  refuse({"--target", "y", "--test-fraction", "nan"}, "--test-fraction is nan, must be");
  refuse({"--target", "y", "--test-fraction", "a quarter"}, "--test-fraction is 'a quarter'; give a number");
  refuse({"--target", "y", "--ridge", "1,-2"}, "--ridge: a penalty is -2, must be 0 or more and finite");
  refuse({"--target", "y", "--ridge", "inf"}, "--ridge: a penalty is inf, must be 0 or more and finite");
  refuse({"--target", "y", "--ridge", "1,,2"}, "--ridge is ''; give a number");
  refuse({"--target", "y", "--ridge", "much"}, "--ridge is 'much'; give a number");
  refuse({"--target", "y", "--labels", "l.csv"}, "there is no flag '--labels'");
  refuse({"--target", "y", "--no_intercept"}, "did you mean '--no-intercept'?");
  refuse({"--target", "y", "--residual-plot", "in.csv"}, "is the file that is read (FILE)");
  refuse({"--target", "y", "--residual-plot", "-"}, "is standard output, which takes the summary");
  refuse({"--target", "y", "--residual-plot", "p.svg", "--plot", "p.svg"}, "name two files");
  expect_refusal({"linear-regresion", "in.csv", "--target", "y"}, 2, "did you mean 'linear-regression'?");
}

TEST_F(LinearRegressionUsage, TextThatNamesRowsIsNotTakenForAFeature) {
  std::string csv = "name,x,y\n";
  for (int i = 0; i < 1002; ++i)
    csv += "n" + std::to_string(i) + "," + std::to_string(i % 9) + "," + std::to_string(i) + "\n";
  put("names.csv", csv);
  refuse({"--target", "y"}, "names.csv: column 'name' is text of 1002 different values", "names.csv");
  EXPECT_EQ(run_json({"linear-regression", "names.csv", "--target", "y", "--exclude", "name"})["columns"],
            nlohmann::json({"x"}));
  put("same.csv", "k,k=b,y\na,1,2\nb,2,3\na,4,4\n");
  refuse({"--target", "y"}, "both a column and a value of another are called 'k=b'", "same.csv");
  put("one.csv", "k,y\na,1\na,2\n");
  refuse({"--target", "y"}, "one.csv: no feature is left: every column is of one category", "one.csv");
}

}  // namespace
}  // namespace tilelearn::testing
