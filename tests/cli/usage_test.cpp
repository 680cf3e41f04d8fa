// Bad use, bad input and bad luck: exit statuses, and texts that say what to do.
#include <gmock/gmock.h>
#include <tilelearn/device.hpp>

#include "cli/command.hpp"
#include "support/test_data.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class Usage : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    put("in.csv", "bill_length,bill_depth,kind\n1,2,a\n3,4,b\n5,7,a\n");
  }
};

TEST_F(Usage, VersionAndHelpAreResults) {
  const CommandResult version = run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.rfind("tilelearn ", 0), 0U);
  for (const std::vector<std::string>& help : {std::vector<std::string>{"--help"},
                                               {"kmeans", "--help"},
                                               {"dbscan", "--help"},
                                               {"linear-regression", "--help"},
                                               {"predict", "--help"},
                                               {"devices", "--help"}}) {
    const CommandResult result = run(help);
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("Usage:"));
    EXPECT_THAT(result.out, HasSubstr("Exit status: 0 done, 1 failed"));
    EXPECT_THAT(result.out, HasSubstr("2 bad usage or input"));
  }
}

TEST_F(Usage, DevicesListsTheCpuAndTheReasonForNoGpu) {
  const CommandResult result = run({"devices"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.rfind("cpu  ", 0), 0U);
  EXPECT_THAT(result.out, HasSubstr(Device::cuda_device_count() > 0 ? "cuda:0  " : "CUDA"));
}

TEST_F(Usage, DevicesAsJson) {
  const CommandResult result = run({"devices", "--json"});
  EXPECT_EQ(result.status, 0);
  const nlohmann::json devices = nlohmann::json::parse(result.out)["devices"];
  ASSERT_GE(devices.size(), 2U) << "the CPU, and GPUs or the reason for none";
  for (const nlohmann::json& device : devices) {
    EXPECT_THAT(keys_of(device), UnorderedElementsAre("name", "kind", "index", "usable", "reason", "description",
                                                      "threads", "memory_bytes"));
    EXPECT_EQ(device["usable"] == true, device["reason"].is_null());
    EXPECT_EQ(device["usable"] == true, device["memory_bytes"].is_object());
  }
  EXPECT_EQ(devices[0]["name"], "cpu");
  EXPECT_EQ(devices[0]["kind"], "cpu");
  EXPECT_EQ(devices[0]["index"], 0);
  EXPECT_EQ(devices[0]["usable"], true);
  EXPECT_GE(devices[0]["threads"], 1);
  EXPECT_GT(devices[0]["memory_bytes"]["total"], devices[0]["memory_bytes"]["free"]);
  EXPECT_EQ(devices[1]["kind"], "cuda");
  const bool has_gpu = Device::cuda_device_count() > 0;
  EXPECT_EQ(devices[1]["index"].is_null(), !has_gpu);
  if (has_gpu) return;
  EXPECT_THAT(devices[1]["reason"].get<std::string>(), HasSubstr("CUDA"));
}

TEST_F(Usage, TheHelpOfFilesNamesTheirColumns) {
  EXPECT_THAT(run({"dbscan", "--help"}).out, HasSubstr("'tilelearn predict' calls its column 'prediction'"));
  EXPECT_THAT(run({"kmeans", "--help"}).out, HasSubstr("'tilelearn predict' calls its column 'prediction'"));
  EXPECT_THAT(run({"predict", "--help"}).out, HasSubstr("column 'prediction' (--labels of a fit calls it 'label')"));
}

TEST_F(Usage, BadFlagsAreBadUsage) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "subcommand is required; see tilelearn --help"},
      {{"kmean", "in.csv"}, "did you mean 'kmeans'?"},
      {{"--seed", "1", "in.csv"}, "'--seed' does not stand here"},
      {{"kmeans"}, "FILE is required; see tilelearn kmeans --help"},
      {{"kmeans", "in.csv", "--clusters", "3"}, "--clusters"},
      {{"kmeans", "in.csv", "--n-clusters", "0"}, "--n-clusters"},
      {{"kmeans", "in.csv", "--n-clusters", "2.5"}, "--n-clusters"},
      {{"kmeans", "in.csv", "--n-clusters", "3000000000"}, "--n-clusters"},
      {{"kmeans", "in.csv", "--n-init", "0"}, "--n-init"},
      {{"kmeans", "in.csv", "--max-iter", "0"}, "--max-iter"},
      {{"kmeans", "in.csv", "--tol", "1e-4x"}, "--tol is '1e-4x'"},
      {{"kmeans", "in.csv", "--tol", "-1", "--n-clusters", "2"}, "tol"},
      {{"kmeans", "in.csv", "--tol", "-1e-9", "--n-clusters", "2"}, "tol is -1e-09"},
      {{"kmeans", "in.csv", "--tol", "nan", "--n-clusters", "2"}, "tol"},
      {{"kmeans", "in.csv", "--seed", "-1"}, "--seed"},
      {{"kmeans", "in.csv", "--seed", "18446744073709551616"}, "--seed"},
      {{"kmeans", "in.csv", "--workspace-limit", "-5"}, "--workspace-limit"},
      {{"kmeans", "in.csv", "--threads", "0"}, "--threads"},
      {{"kmeans", "in.csv", "--threads", "100000"}, "--threads"},
      {{"kmeans", "in.csv", "--repeat", "0"}, "--repeat"},
      {{"kmeans", "in.csv", "--precision", "float16"}, "--precision"},
      {{"kmeans", "in.csv", "--missing", "zero"}, "--missing"},
      {{"kmeans", "in.csv", "--device", "gpu"}, "--device: 'gpu' is no device; give auto, cpu, cuda or cuda:N"},
      {{"kmeans", "in.csv", "--device", "cuda:x"}, "'cuda:x'"},
      {{"predict", "m.tlm", "in.csv", "--device", "cuda:"}, "--device: 'cuda:' is no device"},
      {{"kmeans", "in.csv", "--workspace-limit", "much"}, "--workspace-limit"},
      {{"kmeans", "in.csv", "--header", "--no-header"}, "--no-header"},
      {{"kmeans", "in.csv", "--delimiter", "ab"}, "--delimiter"},
      {{"kmeans", "in.csv", "--plot-columns", "bill_length,bill_depth"}, "--plot"},
      {{"kmeans", "in.csv", "--plot", "p.svg", "--plot-columns", "bill_length"}, "name two"},
      {{"kmeans", "in.csv", "--plot", "p.svg", "--plot-columns", "bill_length,kind"}, "'kind' is text"},
      {{"kmeans", "in.csv", "--columns", "bill_length,,kind"}, "an empty name"},
      {{"kmeans", "in.csv", "--columns", "\"bill_length"}, "quote is not closed"},
      {{"kmeans", "in.csv", "--columns", "bill_length,bill_length", "--n-clusters", "1"}, "named twice"},
      {{"kmeans", "in.csv", "--exclude", "bill_length,bill_depth"}, "no column is left"},
      {{"kmeans", "in.csv", "--columns", "bill_length", "--weights", "bill_length"}, "--weights"},
      {{"kmeans", "in.csv", "--weights", "kind"}, "'kind' is text"},
      {{"predict", "m.tlm"}, "FILE is required"}};
  for (const auto& [arguments, text] : cases) expect_refusal(arguments, 2, text);
}

TEST_F(Usage, UnknownFlagsAreAnsweredWithNearNames) {
  expect_refusal({"dbscan", "in.csv", "--eps", "1", "--min_samples", "3"}, 2,
                 "there is no flag '--min_samples'; did you mean '--min-samples'? See tilelearn dbscan --help");
  expect_refusal({"dbscan", "in.csv", "--epss=1"}, 2, "there is no flag '--epss'; did you mean '--eps'?");
  expect_refusal({"predict", "m.tlm", "in.csv", "--columns", "x"}, 2,
                 "there is no flag '--columns'; see tilelearn predict --help");
  expect_refusal({"devices", "--quiet"}, 2, "there is no flag '--quiet'; see tilelearn devices --help");
  expect_refusal({"dbscan", "in.csv", "more.csv", "--eps", "1"}, 2, "was not expected: more.csv; see tilelearn dbscan");
}

TEST_F(Usage, AnEmptyTextIsNotTheSameAsNoFlag) {
  for (const char* list : {"--columns", "--exclude", "--text-columns"})
    expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", list, ""}, 2, std::string(list) + ": the list is empty");
  expect_refusal({"kmeans", "in.csv", "--plot", "p.svg", "--plot-columns", ""}, 2, "the list is empty");
  expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", "--weights", ""}, 2, "--weights: no column is named");
  for (const char* file : {"--labels", "--model", "--plot", "--json-file"})
    expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", file, ""}, 2, std::string(file) + ": no file is named");
  expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", "--delimiter", ""}, 2, "--delimiter: no character");
}

TEST_F(Usage, UnknownColumnsAreAnsweredWithNearNames) {
  expect_refusal({"kmeans", "in.csv", "--columns", "bill_lenght"}, 2, "did you mean 'bill_length'?");
  expect_refusal({"kmeans", "in.csv", "--exclude", "DEPTH"}, 2, "did you mean 'bill_depth'?");
  expect_refusal({"kmeans", "in.csv", "--weights", "w"}, 2, "Its columns are: bill_length, bill_depth, kind");
  expect_refusal({"kmeans", "in.csv", "--plot", "p.svg", "--plot-columns", "a,b"}, 2, "--plot-columns");
  expect_refusal({"kmeans", "in.csv", "--columns", "bill_lenght,kind,width"}, 2,
                 "none of these 2 columns: 'bill_lenght' (did you mean 'bill_length'?), 'width'. Its columns are: ");
  expect_refusal({"kmeans", "in.csv", "--text-columns", "knd"}, 2, "--text-columns: the file has no column 'knd' (did");
}

TEST_F(Usage, BadInputIsBadInput) {
  put("weights.csv", "w,x\n1,1\n-2,2\n3,3\n");
  put("infinite.csv", "x\n1\ninf\n3\n");
  put("huge.csv", "x,y\n1,2\n1e39,3\n");
  put("empty.csv", "");
  put("all_missing.csv", "x,y\n1,\n,2\n");
  expect_refusal({"kmeans", "missing.csv"}, 2, "missing.csv");
  expect_refusal({"kmeans", "."}, 2, ".");
  expect_refusal({"kmeans", "empty.csv"}, 2, "empty.csv");
  put("ragged.csv", "x,y\n1,2\n3\n");
  put("one.csv", "w,x\n1,5\n0,6\n");
  expect_refusal({"kmeans", "in.csv", "--n-clusters", "4"}, 2, "n_clusters is 4, but X has only 3 rows");
  expect_refusal({"kmeans", "ragged.csv"}, 2, "has 1 field, but the one in line 1 has 2");
  expect_refusal({"kmeans", "one.csv", "--n-clusters", "2", "--weights", "w"}, 2, "only 1 row of positive weight");
  expect_refusal({"kmeans", "weights.csv", "--weights", "w"}, 2, "weights.csv: line 3, column 'w': the weight is -2");
  expect_refusal({"kmeans", "infinite.csv", "--n-clusters", "1"}, 2, "infinite.csv: line 3, column 'x'");
  expect_refusal({"kmeans", "huge.csv", "--n-clusters", "1", "--columns", "x"}, 2,
                 "huge.csv: line 3, column 'x': 1e+39 is beyond float32; use --precision float64");
  expect_refusal({"kmeans", "huge.csv", "--n-clusters", "1", "--columns", "y", "--weights", "x"}, 2,
                 "use --precision float64");
  EXPECT_EQ(run({"kmeans", "huge.csv", "--n-clusters", "1", "--precision", "float64"}).status, 0);
  expect_refusal({"kmeans", "all_missing.csv", "--missing", "drop"}, 2, "--exclude");
}

TEST_F(Usage, NotesComeAfterTheChecks) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"kmeans", "in.csv", "--n-clusters", "4"},
        {"dbscan", "in.csv", "--eps", "1", "--device", "cuda:4095"},
        {"dbscan", "in.csv", "--eps", "1", "--plot", "p.svg", "--plot-columns", "a,b"}}) {
    const CommandResult result = run(arguments);
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.err, ::testing::StartsWith("tilelearn: ")) << "nothing was left out of work that was not done";
  }
  EXPECT_THAT(run({"dbscan", "in.csv", "--eps", "1"}).err, HasSubstr("1 column of text not used: kind; name it with"));
  put("two.csv", "x,k,l\n1,a,b\n");
  EXPECT_THAT(run({"dbscan", "two.csv", "--eps", "1"}).err, HasSubstr("2 columns of text not used: k, l; name them"));
}

TEST_F(Usage, ColumnsThatCannotBeUsedAreErrorsThatNameTheFile) {
  put("text.csv", "k,l\na,b\nc,d\n");
  put("empty.csv", "x,y\n1,\n2,\n");
  put("zero.csv", "w,x\n0,1\n0,2\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"text.csv"}, "text.csv: no column holds numbers; name columns of text with --columns. The file has: k, l"},
      {{"in.csv", "--columns", "bill_depth,bill_depth"}, "--columns: column 'bill_depth' is named twice"},
      {{"empty.csv", "--missing", "mean"}, "empty.csv: column 'y' has no values"},
      {{"empty.csv", "--missing", "drop"}, "empty.csv: every row misses a value"}};
  for (const auto& [arguments, text] : cases)
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"kmeans", "--n-clusters", "1"}, {"dbscan", "--eps", "1"}}) {
      std::vector<std::string> all = command;
      all.insert(all.end(), arguments.begin(), arguments.end());
      expect_refusal(all, 2, text);
    }
  expect_refusal({"kmeans", "zero.csv", "--n-clusters", "1", "--weights", "w"}, 2,
                 "zero.csv: column 'w': no weight is above 0");
  put("below.csv", "w,x\n1e-60,1\n0,2\n");
  expect_refusal({"kmeans", "below.csv", "--n-clusters", "1", "--weights", "w"}, 2,
                 "below.csv: column 'w': no weight is above 0 in float32; use --precision float64");
}

TEST_F(Usage, NamesThatAreNotUtf8CannotGoIntoAModel) {
  put("latin1.csv", "a,h\xF6he\n1,2\n3,4\n");
  expect_refusal({"kmeans", "latin1.csv", "--n-clusters", "2", "--labels", "l.csv", "--model", "m.tlm"}, 2, "iconv");
}

TEST_F(Usage, BadFirstCentresAreBadInput) {
  put("other.csv", "a,b\n1,2\n");
  put("three.csv", "1,2,3\n");
  put("gap.csv", "bill_length,bill_depth\n1,2\n3,\n");
  put("good.csv", "bill_length,bill_depth\n1,2\n3,4\n");
  expect_refusal({"kmeans", "in.csv", "--init", "kmeans++"}, 2, "nor a file");
  expect_refusal({"kmeans", "in.csv", "--init", "other.csv"}, 2, "bill_length, bill_depth");
  expect_refusal({"kmeans", "in.csv", "--init", "three.csv"}, 2, "2 columns");
  expect_refusal({"kmeans", "in.csv", "--init", "gap.csv"}, 2, "line 3");
  expect_refusal({"kmeans", "in.csv", "--init", "good.csv", "--n-clusters", "3"}, 2, "holds 2 centres");
}

TEST_F(Usage, C24_CellsThatAreNumbersInPartAreErrorsThatNameThePlace) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data("data/csv"))) {
    if (entry.path().filename().string().rfind("c24_bad_", 0) != 0) continue;
    ++files;
    expect_refusal({"kmeans", entry.path().string(), "--n-clusters", "1"}, 2, "column");
  }
  EXPECT_GT(files, 5);
}

TEST_F(Usage, FilesThatAreReadAreNotOverwritten) {
  const std::string before = content("in.csv");
  put("centers.csv", "bill_length,bill_depth\n1,2\n");
  std::filesystem::create_symlink("in.csv", path("link.csv"));
  for (const char* flag : {"--labels", "--model", "--plot", "--json-file"})
    for (const char* target : {"in.csv", "./in.csv", "link.csv"})
      expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", flag, target}, 2, "is the file that is read");
  expect_refusal({"kmeans", "in.csv", "--init", "centers.csv", "--labels", "centers.csv"}, 2, "(--init)");
  expect_refusal({"kmeans", "in.csv", "--labels", "same", "--model", "./same"}, 2, "name two files");
  const int in = ::open(path("in.csv").c_str(), O_RDONLY | O_CLOEXEC);
  const CommandResult redirected = run({"kmeans", "-", "--n-clusters", "2", "--labels", "in.csv"}, {}, {}, in);
  ::close(in);
  EXPECT_EQ(redirected.status, 2);
  EXPECT_THAT(redirected.err, HasSubstr("is the file that is read (FILE)"));
  EXPECT_EQ(content("in.csv"), before);
}

TEST_F(Usage, StandardOutputTakesOneThing) {
  const std::vector<std::string> fit = {"kmeans", "in.csv", "--n-clusters", "2"};
  const auto with = [&fit](std::vector<std::string> more) {
    more.insert(more.begin(), fit.begin(), fit.end());
    return more;
  };
  std::filesystem::create_symlink("/proc/self/fd/1", path("link"));
  for (const char* flag : {"--labels", "--model", "--plot", "--json-file"})
    for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "link"}) {
      expect_refusal(with({flag, name, "--json"}), 2,
                     "is standard output, which takes the JSON of --json; name another");
      expect_refusal(with({flag, name}), 2,
                     "is standard output, which takes the summary; name another file, or add --q");
      const CommandResult alone = run(with({flag, name, "--quiet"}));
      EXPECT_EQ(alone.status, 0) << alone.err;
      EXPECT_NE(alone.out, "");
    }
  expect_refusal(with({"--quiet", "--labels", "-", "--plot", "-"}), 2, "name two files");
  EXPECT_EQ(run(with({"--quiet", "--labels", "-"})).out.substr(0, 6), "label\n");
  // A file that standard output is sent to would be replaced, and the JSON lost with the old one.
  const CommandResult sent = run(with({"--labels", "out.txt", "--json"}), {}, path("out.txt"));
  EXPECT_EQ(sent.status, 2);
  EXPECT_THAT(sent.err, HasSubstr("--labels 'out.txt' is standard output"));
  EXPECT_EQ(run(with({"--labels", "/dev/null", "--json"}), {}, "/dev/null").status, 0) << "nothing to mix up";
}

TEST_F(Usage, OutputsThatCannotBeWrittenAreFailures) {
  expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", "--labels", "no/such/l.csv"}, 1, "no/such/l.csv");
  expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", "--model", "."}, 1, "directory");
  expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", "--labels", "/dev/full"}, 1, "No space left");
  const CommandResult full = run({"kmeans", "in.csv", "--n-clusters", "2", "--json"}, {}, "/dev/full");
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err,
            "1 column of text not used: kind; name it with --columns to use it\n"
            "tilelearn: cannot write to standard output\n");
  EXPECT_EQ(run({"kmeans", "--help"}, {}, "/dev/full").status, 1);
}

TEST_F(Usage, AFailureLeavesFilesAsTheyWere) {
  put("l.csv", "precious");
  EXPECT_EQ(run({"kmeans", "in.csv", "--n-clusters", "9", "--labels", "l.csv", "--model", "m.tlm"}).status, 2);
  EXPECT_EQ(content("l.csv"), "precious");
  EXPECT_FALSE(exists("m.tlm"));
}

TEST_F(Usage, AGpuThatIsNotThereIsAFailureWithItsReason) {
  if (Device::cuda_device_count() > 0) GTEST_SKIP() << "this machine has a CUDA device";
  expect_refusal({"kmeans", "in.csv", "--n-clusters", "2", "--device", "cuda"}, 1, "use --device cpu");
  const CommandResult automatic = run({"kmeans", "in.csv", "--n-clusters", "2"});
  EXPECT_EQ(automatic.status, 0);
  EXPECT_THAT(automatic.out, HasSubstr("no usable GPU"));
}

}  // namespace
}  // namespace tilelearn::testing
