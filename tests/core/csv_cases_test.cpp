// The hard CSV files of tests/data/csv, each line of that list under its id, against the recorded expectations.
#include <array>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <locale>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tilelearn/error.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string data_path(const std::string& file) { return std::string(TILELEARN_TEST_DATA "/data/csv/") + file; }

/// Of this process alone.
std::string scratch_path(const std::string& file) {
  return ::testing::TempDir() + "tilelearn_" + std::to_string(::getpid()) + "_" + file;
}

Table read_case(const std::string& file, const CsvOptions& options = {}) { return read_csv(data_path(file), options); }

nlohmann::json recorded(const std::string& file) {
  std::ifstream stream(data_path("expected.json"));
  return nlohmann::json::parse(stream).at(file);
}

/// Shape, names and values, as far as they are recorded.
void expect_as_recorded(const std::string& file) {
  const nlohmann::json expected = recorded(file);
  const Table table = read_case(file);
  ASSERT_EQ(table.rows(), expected.at("shape").at(0)) << file;
  ASSERT_EQ(table.columns().size(), expected.at("shape").at(1)) << file;
  if (expected.contains("names")) {
    EXPECT_EQ(table.columns(), expected["names"].get<std::vector<std::string>>()) << file;
  }
  if (!expected.contains("values")) return;
  const Matrix<double> values = table.matrix<double>();
  ASSERT_EQ(values.columns(), expected["shape"][1]) << file;
  for (std::int64_t i = 0; i < values.rows(); ++i)
    for (std::int64_t j = 0; j < values.columns(); ++j)
      EXPECT_EQ(values(i, j), expected["values"].at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)))
          << file << " row " << i << " column " << j;
}

struct Caught {
  std::int64_t line = -1;
  std::int64_t column = -1;
  std::string text;
};

/// The ParseError of reading; line -1 if there is none.
Caught catch_parse_error(const std::string& path, const CsvOptions& options = {}) {
  try {
    (void)read_csv(path, options);
  } catch (const ParseError& error) {
    EXPECT_EQ(error.file(), path);
    EXPECT_THAT(error.what(), HasSubstr(path));
    return {error.line(), error.column(), error.what()};
  }
  return {};
}

double cell(const Table& table, std::int64_t row, std::size_t column) {
  return table.numbers(table.columns().at(column))[row];
}

TEST(CsvCases, C01_no_final_newline) { expect_as_recorded("c01_no_final_newline.csv"); }

TEST(CsvCases, C03_byte_order_mark) {
  expect_as_recorded("c03_bom_header.csv");
  expect_as_recorded("c03b_bom_numeric.csv");
  expect_as_recorded("c03c_bom_quoted_delim.csv");
}

TEST(CsvCases, C03_utf16_is_an_error) {
  EXPECT_THAT(catch_parse_error(data_path("c03d_utf16.csv")).text, HasSubstr("UTF-16"));
}

TEST(CsvCases, C05_missing_values_are_nan_in_place) {
  const Table middle = read_case("c05_missing_middle.csv");
  EXPECT_EQ(cell(middle, 0, 0), 1);
  EXPECT_TRUE(std::isnan(cell(middle, 0, 1)));
  EXPECT_EQ(cell(middle, 0, 2), 3);
  EXPECT_EQ(cell(middle, 1, 1), 5);

  const Table first = read_case("c05b_missing_first.csv");
  ASSERT_EQ(first.rows(), 2);
  EXPECT_TRUE(std::isnan(cell(first, 0, 0)));
  EXPECT_EQ(cell(first, 0, 1), 1);
  EXPECT_EQ(cell(first, 1, 0), 1);

  const Table last = read_case("c05c_missing_last.csv");
  ASSERT_EQ(last.columns().size(), 3U);
  EXPECT_TRUE(std::isnan(cell(last, 0, 2)));
  EXPECT_EQ(cell(last, 1, 2), 6);
}

TEST(CsvCases, C05_trailing_delimiter_is_a_column_without_values) {
  const Table table = read_case("c05d_trailing_delim_all.csv");
  ASSERT_EQ(table.columns().size(), 3U);
  EXPECT_EQ(table.missing_count("column_3"), 2);
  EXPECT_EQ(table.kind("column_3"), ColumnKind::number);
  EXPECT_EQ(cell(table, 1, 1), 4);
}

TEST(CsvCases, C07_exponents) { expect_as_recorded("c07_exponents.csv"); }

TEST(CsvCases, C09_precision_and_subnormals) {
  expect_as_recorded("c08_precision.csv");
  const Table table = read_case("c08_precision.csv");
  const auto hex = recorded("c08_precision.csv").at("hex");
  ASSERT_EQ(hex.size(), 12U);
  for (std::size_t j = 0; j < hex.size(); ++j)
    EXPECT_EQ(cell(table, 0, j), std::strtod(hex[j].get<std::string>().c_str(), nullptr)) << "column " << j;
}

TEST(CsvCases, C09_out_of_range_rounds_to_infinity_or_zero) {
  const Table table = read_case("c08b_overflow.csv");
  EXPECT_EQ(cell(table, 0, 0), infinity);
  EXPECT_EQ(cell(table, 0, 1), 0.0);
  EXPECT_EQ(cell(table, 0, 2), -infinity);
  EXPECT_EQ(cell(table, 0, 3), 0.0);
}

TEST(CsvCases, C11_nan_and_infinity_words) {
  expect_as_recorded("c10_nan_inf.csv");
  const Table table = read_case("c10_nan_inf.csv");
  const std::array<double, 4> infinities = {infinity, -infinity, infinity, infinity};
  for (std::size_t j = 0; j < infinities.size(); ++j) {
    EXPECT_TRUE(std::isnan(cell(table, 0, j)));
    EXPECT_EQ(cell(table, 0, 4 + j), infinities[j]);
    EXPECT_EQ(cell(table, 1, j), static_cast<double>(j + 1));
  }
}

TEST(CsvCases, C11_a_row_of_nan_only) {
  expect_as_recorded("c10b_all_nan_row.csv");
  const Table table = read_case("c10b_all_nan_row.csv");
  EXPECT_THAT(table.columns(), ElementsAre("X1", "X2"));
  EXPECT_EQ(table.missing_count("X1"), 1);
}

TEST(CsvCases, C11_a_lone_dash_is_no_value_only_if_asked_for) {
  const Caught caught = catch_parse_error(data_path("c10c_na_words.csv"));
  EXPECT_EQ(caught.line, 5);
  EXPECT_EQ(caught.column, 2);
  EXPECT_THAT(caught.text, HasSubstr("'-'"));

  CsvOptions options;
  options.missing_values.emplace_back("-");
  const Table table = read_case("c10c_na_words.csv", options);
  EXPECT_EQ(table.missing_count("y"), 5);
  EXPECT_EQ(table.missing_count("x"), 0);
}

TEST(CsvCases, C13_quoted_decimal_comma) {
  const Caught caught = catch_parse_error(data_path("c11c_quote_decimal_comma.csv"));
  EXPECT_EQ(caught.line, 1);
  EXPECT_EQ(caught.column, 1);
  EXPECT_THAT(caught.text, HasSubstr("'1,5'"));

  // Delimiter and decimal mark are both the comma, and only the quotes tell them apart.
  const Table table = read_case("c11c_quote_decimal_comma.csv", {.decimal = ','});
  ASSERT_EQ(table.columns().size(), 2U);
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(cell(table, 0, 0), 1.5);
  EXPECT_EQ(cell(table, 0, 1), 2.0);
  EXPECT_EQ(cell(table, 1, 0), 2.5);
  EXPECT_EQ(cell(table, 1, 1), 3.0);
}

TEST(CsvCases, C15_blank_lines) {
  expect_as_recorded("c12_blank_lines.csv");
  const Table table = read_case("c12_blank_lines.csv");
  EXPECT_EQ(table.row_line(0), 1);
  EXPECT_EQ(table.row_line(1), 3);
  EXPECT_EQ(cell(table, 1, 1), 4);
  const Table blanks = read_case("c12b_ws_line.csv");
  EXPECT_EQ(blanks.rows(), 2);
  EXPECT_EQ(blanks.columns().size(), 2U);
}

/// Numbers of a C++ locale with a decimal comma and dots between thousands.
class CommaNumbers : public std::numpunct<char> {
 protected:
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(CsvCases, C17_global_cpp_locale_has_no_influence) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
  const Table table = parse_csv("a,b\n0.5,1234567.25\n1e-400,1e400\n");
  const TableLabels labels = table.labels("b");
  std::locale::global(before);
  EXPECT_EQ(table.numbers("a")[0], 0.5);
  EXPECT_EQ(table.numbers("b")[0], 1234567.25);
  EXPECT_THAT(labels.classes, ElementsAre("1234567.25", "inf"));
}

TEST(CsvCases, C17_c_locale_has_no_influence) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "the locale de_DE.UTF-8 is not installed";
  const Table table = parse_csv("a,b\n0.5,0.12345678901234567890123\n");
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(table.numbers("a")[0], 0.5);
  EXPECT_EQ(table.numbers("b")[0], 0.12345678901234567890123);
}

TEST(CsvCases, C17_decimal_comma_is_an_option) {
  const Caught caught = catch_parse_error(data_path("c14_decimal_comma.csv"));
  EXPECT_EQ(caught.line, 1);
  EXPECT_EQ(caught.column, 1);
  EXPECT_THAT(caught.text, HasSubstr("'0,5'"));

  const Table table = read_case("c14_decimal_comma.csv", {.decimal = ','});
  ASSERT_EQ(table.columns().size(), 2U);
  ASSERT_EQ(table.rows(), 2);
  EXPECT_EQ(cell(table, 0, 0), 0.5);
  EXPECT_EQ(cell(table, 0, 1), 1.5);
  EXPECT_EQ(cell(table, 1, 0), 2.25);
  EXPECT_EQ(cell(table, 1, 1), 3.0);
}

TEST(CsvCases, C19_wide_record) {
  expect_as_recorded("c16_wide.csv");
  const Matrix<double> values = read_case("c16_wide.csv").matrix<double>();
  double sum = 0.0;
  for (std::int64_t j = 0; j < values.columns(); ++j) sum += values(0, j);
  EXPECT_EQ(sum, recorded("c16_wide.csv").at("sum"));
}

TEST(CsvCases, C21_many_records) {
  constexpr std::int64_t rows = 120000;
  const std::string path = scratch_path("many_records.csv");
  {
    std::ofstream file(path);
    file << "i,half,word\n";
    for (std::int64_t i = 0; i < rows; ++i)
      file << i << ',' << i << ".5,\"padding that makes the file long, " << i % 7 << "\"\n";
  }
  const Table table = read_csv(path);
  std::remove(path.c_str());
  ASSERT_EQ(table.rows(), rows);
  ASSERT_EQ(table.columns().size(), 3U);
  double sum = 0.0;
  for (std::int64_t i = 0; i < rows; ++i) {
    sum += table.numbers("i")[i];
    ASSERT_EQ(table.numbers("i")[i], static_cast<double>(i));
    ASSERT_EQ(table.numbers("half")[i], static_cast<double>(i) + 0.5);
    ASSERT_EQ(table.codes("word")[i], i % 7);
  }
  EXPECT_EQ(sum, 7199940000.0);
}

TEST(CsvCases, C23_and_C27_no_column_is_taken_as_the_label) {
  expect_as_recorded("c18_two_cols.csv");
  const Matrix<float> values = read_case("c18_two_cols.csv").matrix<float>();
  ASSERT_EQ(values.columns(), 2);
  EXPECT_EQ(values(0, 0), 0.0F);
  EXPECT_EQ(values(1, 1), 1.0F);
}

TEST(CsvCases, C24_numbers_are_never_read_in_part) {
  for (const char* number : {"01", "03", "05", "07", "09", "11", "13", "15", "17", "19", "21"}) {
    const std::string file = std::string("c24_bad_") + number + ".csv";
    const Caught caught = catch_parse_error(data_path(file));
    EXPECT_EQ(caught.line, 2) << file;
    EXPECT_EQ(caught.column, 1) << file;
    EXPECT_THAT(caught.text, HasSubstr("'" + recorded(file).at("cell").get<std::string>() + "'"));
  }
}

TEST(CsvCases, C25_empty_files) {
  EXPECT_THAT(catch_parse_error(data_path("c20_empty.csv")).text, HasSubstr("empty"));
  EXPECT_THAT(catch_parse_error(data_path("c20c_newline_only.csv")).text, HasSubstr("empty"));
  EXPECT_THAT(catch_parse_error(data_path("c20b_header_only.csv")).text, HasSubstr("no row"));
  expect_as_recorded("c20d_single_value.csv");
  EXPECT_EQ(cell(read_case("c20d_single_value.csv"), 0, 0), 42);
  expect_as_recorded("c20e_single_column.csv");
}

TEST(CsvCases, C25_paths_that_cannot_be_read) {
  EXPECT_EQ(catch_parse_error(data_path("no_such_file.csv")).line, 0);
  EXPECT_EQ(catch_parse_error(::testing::TempDir()).line, 0);
}

TEST(CsvCases, C25_no_permission) {
  const std::string path = scratch_path("no_permission.csv");
  std::ofstream(path) << "a\n1\n";
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  constexpr uid_t nobody = 65534;
  const bool superuser = ::geteuid() == 0;  // who may read everything
  if (superuser) {
    ASSERT_EQ(::seteuid(nobody), 0);
  }
  const Caught caught = catch_parse_error(path);
  if (superuser) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  std::remove(path.c_str());
  EXPECT_EQ(caught.line, 0);
  EXPECT_THAT(caught.text, HasSubstr("ermission"));
}

TEST(CsvCases, C31_string_labels_keep_their_names) {
  const Table table = parse_csv("x,cls\n1,b\n2,a\n3,b");
  const TableLabels labels = table.labels("cls");
  EXPECT_THAT(labels.classes, ElementsAre("a", "b"));
  EXPECT_THAT(labels.codes.to_std(), ElementsAre(1, 0, 1));
  EXPECT_THROW((void)table.matrix<double>({"x", "cls"}), InvalidArgument);
}

TEST(CsvCases, C33_seventeen_digits_read_back_as_the_same_bits) {
  std::vector<double> values;
  for (int k = 1; k <= 1000; ++k) {
    values.push_back(k * 0.1);
    values.push_back(-1.0 / k);
  }
  for (int exponent = -1074; exponent <= 1023; ++exponent) values.push_back(std::ldexp(1.0, exponent));
  std::string text = "x\n";
  for (const double value : values) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.17g\n", value);
    text += digits.data();
  }
  const Table table = parse_csv(text);
  ASSERT_EQ(table.rows(), static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(table.numbers("x")[static_cast<std::int64_t>(i)], values[i]) << "row " << i;
}

}  // namespace
}  // namespace tilelearn
