// Model files: what is written reads back as the same bits, and nothing damaged or hostile is believed.
#include "core/model_file.hpp"

#include <bit>
#include <clocale>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <locale>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/atomic_file.hpp"
#include "core/crc64.hpp"
#include "core/model_format.hpp"

namespace tilelearn::detail {
namespace {

namespace fs = std::filesystem;
namespace format = model_format;
using ::testing::HasSubstr;

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("tilelearn-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name = "m.tlm") const { return (folder_ / name).string(); }

  [[nodiscard]] std::string bytes(const std::string& name = "m.tlm") const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void put(const std::string& content) const { std::ofstream(path(), std::ios::binary) << content; }

  /// A file with this header and data; its sizes and checksum are right.
  void forge(const std::string& header, const std::string& data) const {
    std::string body = header;
    const auto data_begin = format::aligned(static_cast<std::int64_t>(sizeof(format::Prologue) + body.size()));
    body.resize(static_cast<std::size_t>(data_begin) - sizeof(format::Prologue));
    body += data;
    format::Prologue prologue{};
    std::memcpy(prologue.magic, format::magic, sizeof(format::magic));
    prologue.version = format::version;
    prologue.header_bytes = header.size();
    prologue.file_bytes = sizeof(prologue) + body.size();
    Crc64 checksum;
    checksum.add(&prologue, format::checksummed_prologue_bytes);
    checksum.add(body.data(), body.size());
    prologue.checksum = checksum.value();
    std::string content(sizeof(prologue), '\0');
    std::memcpy(content.data(), &prologue, sizeof(prologue));
    put(content + body);
  }

  void write_sample() const {
    const Matrix<float> centers{{1.5F, -2.0F}, {0.1F, 3.0F}};
    ModelWriter writer("pipeline");
    ModelWriter part = writer.child("estimator", "kmeans");
    part.set("n_iter", 12).set("converged", true).array("centers", centers.view());
    writer.set("names", std::vector<std::string>{"a", "b"}).write(path());
  }

  fs::path folder_;
};

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no ParseError";
}

TEST_F(ModelFile, EveryTypeReadsBackAsTheSameBits) {
  const std::vector<double> reals = {0.0,
                                     -0.0,
                                     0.1,
                                     1.0 / 3.0,
                                     5e-324,
                                     -1.7976931348623157e308,
                                     4.001327624791884e-08,
                                     std::numeric_limits<double>::infinity()};
  ModelWriter writer("test");
  for (std::size_t i = 0; i < reals.size(); ++i) writer.set("real" + std::to_string(i), reals[i]);
  writer.set("lowest", std::numeric_limits<std::int64_t>::min());
  writer.set("highest", std::numeric_limits<std::uint64_t>::max());
  writer.set("yes", true).set("text", "1,5 \"\\\n\xc3\xa4").set("none", std::vector<std::string>{});
  writer.array("reals", reals).array("large", std::vector<std::int64_t>{std::int64_t{1} << 62, -1});
  writer.write(path());

  const ModelReader reader(path());
  EXPECT_EQ(reader.kind(), "test");
  for (std::size_t i = 0; i < reals.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(reader.get_real("real" + std::to_string(i))),
              std::bit_cast<std::uint64_t>(reals[i]));
  EXPECT_EQ(reader.get_int("lowest"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.get_uint("highest"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(reader.get_bool("yes"));
  EXPECT_EQ(reader.get_text("text"), "1,5 \"\\\n\xc3\xa4");
  EXPECT_TRUE(reader.get_texts("none").empty());
  EXPECT_EQ(std::memcmp(reader.values<double>("reals").data(), reals.data(), reals.size() * sizeof(double)), 0);
  EXPECT_EQ(reader.values<std::int64_t>("large", 2), (std::vector<std::int64_t>{std::int64_t{1} << 62, -1}));
}

TEST_F(ModelFile, C33_ThousandsOfNumbersSurviveARoundTrip) {
  std::vector<double> numbers;
  for (int k = 1; k <= 1000; ++k) numbers.insert(numbers.end(), {k * 0.1, 1.0 / k});
  for (int e = -1074; e <= 1023; ++e) numbers.push_back(std::ldexp(1.0, e));
  ModelWriter writer("test");
  for (std::size_t i = 0; i < numbers.size(); ++i) writer.set(std::to_string(i), numbers[i]);
  writer.write(path());
  const ModelReader reader(path());
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(reader.get_real(std::to_string(i)), numbers[i]);
}

TEST_F(ModelFile, MatricesOfAnyLayoutAreStoredRowMajor) {
  const std::vector<double> storage = {1, 2, 3, 4, 5, 6};
  ModelWriter writer("test");
  writer.array("columns", MatrixView<const double>(storage.data(), 2, 3, 1, 2));
  writer.array("reversed", VectorView<const double>(storage.data() + 5, 3, Device::cpu(), -2));
  writer.array("empty", MatrixView<const double>(nullptr, 0, 3)).write(path());
  const ModelReader reader(path());
  const Matrix<double> columns = reader.matrix<double>("columns", 2, 3);
  EXPECT_EQ(std::vector<double>(columns.data(), columns.data() + 6), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(reader.values<double>("reversed"), (std::vector<double>{6, 4, 2}));
  EXPECT_EQ(reader.matrix<double>("empty", any_size, 3).rows(), 0);
}

TEST_F(ModelFile, PartsHaveNamesOfTheirOwn) {
  ModelWriter writer("pipeline");
  ModelWriter scaler = writer.child("scaler", "standard_scaler");
  ModelWriter estimator = writer.child("estimator", "kmeans");
  scaler.set("x", 1);
  estimator.set("x", 2);
  writer.set("x", 3).write(path());
  const ModelReader reader(path());
  EXPECT_EQ(reader.child("scaler").get_int("x"), 1);
  EXPECT_EQ(reader.child("estimator").get_int("x"), 2);
  EXPECT_EQ(reader.get_int("x"), 3);
  EXPECT_EQ(reader.child("estimator").kind(), "kmeans");
  EXPECT_FALSE(reader.has_child("encoder"));
  EXPECT_THAT(error_of([&] { (void)reader.child("encoder"); }), HasSubstr("no part 'encoder'"));
  EXPECT_THAT(error_of([&] { reader.require_kind("kmeans"); }), HasSubstr("kind 'pipeline', not 'kmeans'"));
}

TEST_F(ModelFile, EqualModelsGiveEqualBytes) {
  write_sample();
  const std::string first = bytes();
  write_sample();
  EXPECT_EQ(bytes(), first);
  EXPECT_EQ(first.size() % format::alignment, 0U);
}

TEST_F(ModelFile, TypesShapesAndRangesAreChecked) {
  write_sample();
  const ModelReader reader = ModelReader(path()).child("estimator");
  EXPECT_THAT(error_of([&] { (void)reader.matrix<double>("centers"); }), HasSubstr("is of float32, not float64"));
  EXPECT_THAT(error_of([&] { (void)reader.matrix<float>("centers", 3); }), HasSubstr("is 2 x 2, expected 3 x any"));
  EXPECT_THAT(error_of([&] { (void)reader.values<float>("centers"); }), HasSubstr("shape of 1 dimensions"));
  EXPECT_THAT(error_of([&] { (void)reader.matrix<float>("weights"); }), HasSubstr("no array 'estimator/weights'"));
  EXPECT_THAT(error_of([&] { (void)reader.get_int("n_iter", 1, 10); }), HasSubstr("is 12, must be from 1 to 10"));
  EXPECT_THAT(error_of([&] { (void)reader.get_text("n_iter"); }), HasSubstr("is not a text"));
  EXPECT_THAT(error_of([&] { (void)reader.get_int("converged"); }), HasSubstr("is not an integer"));
  EXPECT_THAT(error_of([&] { (void)reader.get_bool("seed"); }), HasSubstr("no value 'estimator/seed'"));
}

TEST_F(ModelFile, NonFiniteElementsAreRefusedWhereTheyMeanNothing) {
  const Matrix<float> centers{{1.0F, std::numeric_limits<float>::quiet_NaN()}};
  ModelWriter writer("test");
  writer.array("centers", centers.view()).write(path());
  const ModelReader reader(path());
  EXPECT_THAT(error_of([&] { (void)reader.finite_matrix<float>("centers"); }), HasSubstr("NaN or infinity"));
  EXPECT_TRUE(std::isnan(reader.matrix<float>("centers")(0, 1)));
}

TEST_F(ModelFile, EveryChangedByteIsFound) {
  write_sample();
  const std::string good = bytes();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    put(bad);
    ASSERT_THROW(ModelReader{path()}, ParseError) << "byte " << i;
  }
}

TEST_F(ModelFile, EveryTruncationAndExtensionIsFound) {
  write_sample();
  const std::string good = bytes();
  for (std::size_t size = 0; size < good.size(); ++size) {
    put(good.substr(0, size));
    ASSERT_THROW(ModelReader{path()}, ParseError) << size << " bytes";
  }
  put(good + '\0');
  EXPECT_THROW(ModelReader{path()}, ParseError);
}

TEST_F(ModelFile, HostileHeadersWithARightChecksumAreRefused) {
  const std::string data(64, 'x');
  for (const char* header : {"", "null", "[]", "{", "{\"values\":{}}", "{\"values\":[],\"arrays\":{}}"}) {
    forge(header, data);
    EXPECT_THROW(ModelReader{path()}, ParseError) << header;
  }
  for (const char* array :
       {"7", "{\"type\":\"float32\"}", "{\"type\":\"float32\",\"shape\":[4,4],\"offset\":-64}",
        "{\"type\":\"float32\",\"shape\":[4,4],\"offset\":4}", "{\"type\":\"float32\",\"shape\":[4,4],\"offset\":64}",
        "{\"type\":\"float32\",\"shape\":[4,5],\"offset\":0}", "{\"type\":\"float32\",\"shape\":[-4,-4],\"offset\":0}",
        "{\"type\":\"float32\",\"shape\":[4.0,4],\"offset\":0}", "{\"type\":\"float32\",\"shape\":[16],\"offset\":0}",
        "{\"type\":\"float32\",\"shape\":[4294967296,4294967296],\"offset\":0}",
        "{\"type\":\"float32\",\"shape\":[1000000000,1000000],\"offset\":0}",
        "{\"type\":\"float32\",\"shape\":[4,4],\"offset\":9223372036854775744}",
        "{\"type\":\"float32\",\"shape\":[18446744073709551615,1],\"offset\":0}"}) {
    forge("{\"values\":{\"kind\":\"test\"},\"arrays\":{\"a\":" + std::string(array) + "}}", data);
    EXPECT_THROW((void)ModelReader(path()).matrix<float>("a"), ParseError) << array;
  }
  forge("{\"values\":{},\"arrays\":{\"a\":{\"type\":\"float32\",\"shape\":[4,4],\"offset\":0}}}", data);
  EXPECT_EQ(ModelReader(path()).matrix<float>("a", 4, 4).rows(), 4);
  EXPECT_THROW((void)ModelReader(path()).kind(), ParseError);
}

TEST_F(ModelFile, DeeplyNestedHeadersEndInAnErrorNotInACrash) {
  forge(std::string(1000000, '['), "");
  EXPECT_THROW(ModelReader{path()}, ParseError);
}

TEST_F(ModelFile, OtherFilesAreNamedForWhatTheyAre) {
  EXPECT_THAT(error_of([&] { ModelReader reader(path("missing.tlm")); }), HasSubstr("no such file"));
  EXPECT_THAT(error_of([&] { ModelReader reader(folder_.string()); }), HasSubstr("not a file"));
  put("a,b\n1,2\n");
  EXPECT_THAT(error_of([&] { ModelReader reader(path()); }), HasSubstr("not a tilelearn model file"));
  write_sample();
  std::string newer = bytes();
  newer[8] = 2;
  put(newer);
  EXPECT_THAT(error_of([&] { ModelReader reader(path()); }), HasSubstr("version 2, this library reads version 1"));
}

TEST_F(ModelFile, C17_TheLocaleHasNoInfluence) {
  struct CommaPunctuation : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaPunctuation));
  const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
  ModelWriter writer("test");
  writer.set("half", 0.5).set("million", 1000000).write(path());
  const ModelReader reader(path());
  EXPECT_EQ(reader.get_real("half"), 0.5);
  EXPECT_EQ(reader.get_int("million"), 1000000);
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
  RecordProperty("german_c_locale", german != nullptr ? "installed" : "not installed, the C++ locale was tested alone");
}

TEST_F(ModelFile, AFailedWriteLeavesTheOldFileAndNoOther) {
  write_sample();
  const std::string before = bytes();
  {
    AtomicFile file(path());
    file.write("half of a new model");
  }
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1);
  EXPECT_THROW(ModelWriter("test").write(path("no/such/folder/m.tlm")), Error);
  EXPECT_THROW(ModelWriter("test").write(folder_.string()), Error);
}

TEST_F(ModelFile, ALinkIsFollowedAndPermissionsStay) {
  write_sample();
  fs::permissions(path(), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path(), path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(bytes(), "new");
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ModelFile, DevicesAreWrittenToAndNotReplaced) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_file("/dev/full", "text"), Error);
}

TEST_F(ModelFile, AnOpenDescriptorIsWrittenToAndItsFileNotReplaced) {
  const int descriptor = ::open(path("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0);
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) write_file(folder + std::to_string(descriptor), "text\n");
  ::close(descriptor);
  std::ifstream log(path("log"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(log), {}), "text\ntext\n");
  EXPECT_THROW(write_file("/dev/fd/" + std::to_string(descriptor), "text"), Error) << "closed";
}

TEST(Crc64, MatchesThePublishedCheckValue) {
  Crc64 checksum;
  checksum.add("123456789", 9);
  EXPECT_EQ(checksum.value(), 0x995DC9BBDF1939FAU);  // CRC-64/XZ of the digits 1 to 9
}

}  // namespace
}  // namespace tilelearn::detail
