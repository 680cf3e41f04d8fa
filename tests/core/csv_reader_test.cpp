// Reading CSV beyond the recorded files: detection, options, faults, and pieces that are parsed in parallel.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tilelearn/error.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Caught {
  std::int64_t line = -1;
  std::int64_t column = -1;
  std::string text;
};

Caught catch_parse_error(std::string_view text, const CsvOptions& options = {}) {
  try {
    (void)parse_csv(text, options);
  } catch (const ParseError& error) {
    return {error.line(), error.column(), error.what()};
  }
  return {};
}

void expect_fault(std::string_view text, std::int64_t line, std::int64_t column, const std::string& words,
                  const CsvOptions& options = {}) {
  const Caught caught = catch_parse_error(text, options);
  EXPECT_EQ(caught.line, line) << text;
  EXPECT_EQ(caught.column, column) << text;
  EXPECT_THAT(caught.text, HasSubstr(words)) << text;
}

std::vector<double> numbers(const Table& table, const std::string& column) {
  const auto view = table.numbers(column);
  return {view.data(), view.data() + view.size()};
}

/// The texts of a column of categories, "<missing>" for missing ones.
std::vector<std::string> texts(const Table& table, const std::string& column) {
  std::vector<std::string> result;
  const auto codes = table.codes(column);
  for (std::int64_t i = 0; i < codes.size(); ++i)
    result.push_back(codes[i] < 0 ? "<missing>" : table.categories(column).at(static_cast<std::size_t>(codes[i])));
  return result;
}

TEST(CsvReader, DetectsEveryDelimiter) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    std::string text = "a,b\n1,2\n";
    std::replace(text.begin(), text.end(), ',', delimiter);
    const Table table = parse_csv(text);
    EXPECT_THAT(table.columns(), ElementsAre("a", "b")) << delimiter;
  }
}

TEST(CsvReader, DetectsTheDelimiterBesideOthers) {
  EXPECT_THAT(parse_csv("a;b\n\"x;y\";1\nz;2\n").columns(), ElementsAre("a", "b"));
  EXPECT_THAT(parse_csv("when,what\n10:30|x,1\n11:30|y,2\n").columns(), ElementsAre("when", "what"));
  EXPECT_THAT(parse_csv("1,a;b,2\n3,c;d,4\n").columns().size(), 3U);
  EXPECT_THAT(parse_csv("0,5;abc\n1,5;def\n", {.decimal = ','}).columns().size(), 2U);
  expect_fault("0,5;abc\n1,5;def\n", 1, 1, "'0,5'");
}

TEST(CsvReader, TakesTheDelimiterThatIsGiven) {
  const Table table = parse_csv("a b\n1 2\n", {.delimiter = ' '});
  EXPECT_THAT(table.columns(), ElementsAre("a", "b"));
  EXPECT_THAT(numbers(table, "b"), ElementsAre(2));
  EXPECT_EQ(parse_csv("a;b,c\n1;2,3\n", {.delimiter = ';', .text_columns = {"b,c"}}).columns().size(), 2U);
}

TEST(CsvReader, DetectsTheHeader) {
  EXPECT_THAT(parse_csv("x,y\n1,2\n").columns(), ElementsAre("x", "y"));
  EXPECT_THAT(parse_csv("colour,shape\nred,round\n").columns(), ElementsAre("colour", "shape"));
  EXPECT_THAT(parse_csv("id,1st,2nd\n1,2,3\n").columns(), ElementsAre("id", "1st", "2nd"));
  EXPECT_THAT(parse_csv("5.1,3.5,setosa\n4.9,3.0,setosa\n").columns(), ElementsAre("column_1", "column_2", "column_3"));
  EXPECT_EQ(parse_csv("NA,?\n1,2\n").rows(), 2);
  expect_fault("1_000,2_000\n1,2\n", 1, 1, "'1_000'");
}

TEST(CsvReader, TakesTheHeaderThatIsGiven) {
  const Table with = parse_csv("2019,2020\n1,2\n", {.header = true});
  EXPECT_THAT(with.columns(), ElementsAre("2019", "2020"));
  EXPECT_EQ(with.rows(), 1);
  const Table without = parse_csv("red,round\nblue,square\n", {.header = false});
  EXPECT_EQ(without.rows(), 2);
  EXPECT_THAT(texts(without, "column_1"), ElementsAre("red", "blue"));
}

TEST(CsvReader, NamesColumnsWithoutAName) {
  EXPECT_THAT(parse_csv(",a,\"\"\n0,1,2\n").columns(), ElementsAre("column_1", "a", "column_3"));
}

TEST(CsvReader, QuotesAreThoseOfRfc4180) {
  const Table table = parse_csv("id,text\r\n1,\"say \"\"hi\"\", twice\"\r\n2,\"two\r\nlines\"\r\n3,\" kept \"\r\n");
  EXPECT_THAT(texts(table, "text"), ElementsAre("say \"hi\", twice", "two\r\nlines", " kept "));
  EXPECT_EQ(table.row_line(1), 3);
  EXPECT_EQ(table.row_line(2), 5);
  EXPECT_THAT(numbers(parse_csv("a,b\n\"1.5\",\"\"\n"), "a"), ElementsAre(1.5));
  EXPECT_EQ(parse_csv("a,b\n\"1.5\",\"\"\n").missing_count("b"), 1);
}

TEST(CsvReader, OtherQuotesAndNone) {
  EXPECT_THAT(texts(parse_csv("a,b\n'x,y',1\n", {.quote = '\''}), "a"), ElementsAre("x,y"));
  EXPECT_THAT(texts(parse_csv("a,b\n5\" pipe,1\n", {.quote = '\0'}), "a"), ElementsAre("5\" pipe"));
}

TEST(CsvReader, EveryLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const char* line : {"a,b", "1,2", "", "3,4"}) text.append(line).append(end);
    const Table table = parse_csv(text);
    EXPECT_THAT(numbers(table, "b"), ElementsAre(2, 4));
    EXPECT_EQ(table.row_line(1), 4);
  }
}

TEST(CsvReader, BlanksAroundFields) {
  const Table table = parse_csv("a, b ,c\n 1 ,\t2, x y \n 3, \"4\" ,z\n");
  EXPECT_THAT(table.columns(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(numbers(table, "b"), ElementsAre(2, 4));
  EXPECT_THAT(texts(table, "c"), ElementsAre("x y", "z"));
  EXPECT_EQ(parse_csv("a\tb\n1\t\n\t\n").missing_count("b"), 2);
}

TEST(CsvReader, MissingWords) {
  std::string text = "x\n";
  for (const std::string& word : default_missing_values()) text += "\"" + word + "\"\n";
  const Table table = parse_csv(text + "7\n");
  EXPECT_EQ(table.missing_count("x"), static_cast<std::int64_t>(default_missing_values().size()));
  EXPECT_EQ(parse_csv("x,y\n-999,1\n-9,2\n", {.missing_values = {"-999"}}).missing_count("x"), 1);
  expect_fault("x,y\nNA,1\n5,2\n", 2, 1, "'NA'", {.missing_values = {""}});
  expect_fault("x,y\n,1\n5,2\n", 2, 1, "''", {.missing_values = {"NA"}});
}

TEST(CsvReader, MixedColumnsQuoteTheFirstCellThatIsNoNumber) {
  expect_fault("x,y\n1,2\n2,12abc\n3,1_000\n", 3, 2, "'y': '12abc' is not a number, but '2' in line 2");
  expect_fault("x,y\nA1,2\nB2,3\n17,4\n", 2, 1, "'A1'");
  expect_fault("1,2\n0x1A,4\n", 2, 1, "'0x1A'");
  expect_fault("x,2\n3,4\n", 1, 1, "header");
  expect_fault("a,b\n\"one\n\ntwo\",1\nx,2\ny,z\n", 6, 2, "'z'");
}

TEST(CsvReader, TextColumnsMayHoldAnything) {
  const Table table = parse_csv("zip,y\n01234,2\nA1,3\n?,4\n", {.text_columns = {"zip"}});
  EXPECT_EQ(table.kind("zip"), ColumnKind::category);
  EXPECT_THAT(texts(table, "zip"), ElementsAre("01234", "A1", "<missing>"));
  EXPECT_EQ(parse_csv("a,b\n,1\n", {.text_columns = {"a"}}).kind("a"), ColumnKind::category);
  EXPECT_THROW((void)parse_csv("a\n1\n", {.text_columns = {"b"}}), InvalidArgument);
  const Table lenient = parse_csv("a,b\n1,2\n", {.text_columns = {"b", "c"}, .text_columns_must_exist = false});
  EXPECT_EQ(lenient.columns(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(lenient.kind("a"), ColumnKind::number);
  EXPECT_EQ(lenient.kind("b"), ColumnKind::category);
}

TEST(CsvReader, SignsAndDotsMayBeCategories) {
  EXPECT_THAT(parse_csv("strand,y\n+,1\n-,2\n").categories("strand"), ElementsAre("+", "-"));
  EXPECT_THAT(parse_csv("a,y\n-,1\n-,2\n", {.text_columns = {"a"}}).categories("a"), ElementsAre("-"));
  expect_fault("a,y\n,1\n...,2\n", 3, 1, "'...'");
}

TEST(CsvReader, RaggedRecords) {
  expect_fault("a,b,c\n1,2,3\n4,5\n", 3, 3, "has 2 fields, but the one in line 1 has 3");
  expect_fault("a,b,c\n1,2,3\n4,5,6,7,8\n", 3, 4, "has 5 fields, but the one in line 1 has 3");
  expect_fault("a,b\n\n\"1\n\",2\n3\n", 5, 2, "has 1 field, but the one in line 1 has 2");
}

TEST(CsvReader, FaultyQuotes) {
  expect_fault("a,b\n1,\"two\n3,4\n", 2, 2, "never closed");
  expect_fault("a,b\n1,two\"\n", 2, 2, "inside a field");
  expect_fault("a,b\n1,\"two\"x\n", 2, 2, "text follows");
  expect_fault("a,\"b\n1,2\n", 1, 2, "never closed");
}

TEST(CsvReader, OtherFaults) {
  expect_fault("a,b,a\n1,2,3\n", 1, 3, "the name 'a' is that of column 1 too");
  expect_fault(std::string_view("a,b\n1,2\n3,\0\n", 12), 3, 0, "NUL");
  expect_fault("\xEF\xBB\xBF", 0, 0, "empty");
  // The fault of a record counts before the fault of a column.
  expect_fault("a,b\n1,2\nx,2\n3\n", 4, 2, "has 1 field,");
}

TEST(CsvReader, OptionsThatContradict) {
  EXPECT_THROW((void)parse_csv("a\n1\n", {.decimal = ':'}), InvalidArgument);
  EXPECT_THROW((void)parse_csv("a\n1\n", {.delimiter = '"'}), InvalidArgument);
  EXPECT_THROW((void)parse_csv("a\n1\n", {.delimiter = '\n'}), InvalidArgument);
  EXPECT_THROW((void)parse_csv("a\n1\n", {.delimiter = 'e'}), InvalidArgument);
  EXPECT_THROW((void)parse_csv("a\n1\n", {.quote = ',', .decimal = ','}), InvalidArgument);
  EXPECT_THROW((void)parse_csv("a\n1\n", {.threads = -1}), InvalidArgument);
  EXPECT_THROW((void)parse_csv("a\n1\n", {.threads = Device::max_threads + 1}), InvalidArgument);
}

TEST(CsvReader, ReadsAPipeToItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  constexpr std::int64_t rows = 200000;  // more than a pipe or a block holds
  std::thread writer([end = ends[1]] {
    std::string text = "x\n";
    for (std::int64_t i = 0; i < rows; ++i) text += std::to_string(i) + "\n";
    for (std::size_t sent = 0; sent < text.size();)
      sent += static_cast<std::size_t>(::write(end, text.data() + sent, text.size() - sent));
    ::close(end);
  });
  const Table table = read_csv("/dev/fd/" + std::to_string(ends[0]));
  writer.join();
  ::close(ends[0]);
  ASSERT_EQ(table.rows(), rows);
  EXPECT_EQ(table.numbers("x")[rows - 1], static_cast<double>(rows - 1));
}

constexpr std::size_t block_bytes = std::size_t{1} << 20;  // the reader cuts near multiples of it

/// A record that is hard to cut, before it plain ones up to `offset`, after it a few more.
std::string text_with_record_at(std::size_t offset, const std::string& record) {
  std::string text = "n,s\n";
  const std::string plain = "12345,abcdefgh\n";
  while (text.size() + 2 * plain.size() < offset) text += plain;
  text += "1," + std::string(offset - text.size() - 3, 'p') + "\n";
  return text + record + "7,last\n8,\"la\"\"st\"\n";
}

TEST(CsvPieces, ABorderMayFallOnAnyByteOfARecord) {
  const std::string record = "-2.5,\"a \"\"q\"\"\n\n1,2\r\n\"\"\"\"\n9,\"\n";
  for (std::size_t before = 0; before <= record.size() + 1; ++before) {
    const Table table = parse_csv(text_with_record_at(block_bytes - before, record), {.threads = 2});
    const std::int64_t rows = table.rows();
    ASSERT_EQ(table.numbers("n")[rows - 3], -2.5) << before;
    ASSERT_EQ(table.row_line(rows - 2), table.row_line(rows - 3) + 5) << before;
    const auto categories = table.categories("s");
    const auto last_texts = texts(table.select({rows - 3, rows - 2, rows - 1}), "s");
    ASSERT_THAT(last_texts, ElementsAre("a \"q\"\n\n1,2\r\n\"\"\n9,", "last", "la\"st")) << before;
  }
}

TEST(CsvPieces, FaultsAreFoundWhereTheyAre) {
  for (std::size_t before = 0; before <= 12; ++before) {
    const std::string good = text_with_record_at(block_bytes - before, "3,x\n");
    const auto line = static_cast<std::int64_t>(std::count(good.begin(), good.end(), '\n') - 2);
    const std::string text = text_with_record_at(block_bytes - before, "3,x\",4\n");
    for (const int threads : {1, 2, 5}) expect_fault(text, line, 2, "inside a field", {.threads = threads});
  }
}

/// Several blocks of numbers, categories that first occur late, blank lines, quoted newlines and missing cells.
std::string varied_text(std::int64_t rows) {
  std::string text = "number,category,mostly_missing\n";
  for (std::int64_t i = 0; i < rows; ++i) {
    text += i % 11 == 0 ? "" : std::to_string(static_cast<double>(i) / 7);
    text += i % 13 == 0 ? ",\"multi\nline " + std::to_string(i % 5) + "\","
                        : ",c" + std::to_string(i % 1000 + i / 9999) + ",";
    text += i % 10007 == 10006 ? "1\n" : "\n";
    if (i % 97 == 0) text += "  \r\n";
  }
  return text;
}

TEST(CsvPieces, TheNumberOfThreadsHasNoInfluence) {
  const std::string text = varied_text(150000);
  ASSERT_GT(text.size(), 2 * block_bytes);
  const Table one = parse_csv(text, {.threads = 1});
  ASSERT_EQ(one.rows(), 150000);
  for (const int threads : {2, 3, 8}) {
    const Table other = parse_csv(text, {.threads = threads});
    ASSERT_EQ(other.rows(), one.rows());
    EXPECT_EQ(other.categories("category"), one.categories("category"));
    for (std::int64_t i = 0; i < one.rows(); ++i) {
      ASSERT_EQ(other.row_line(i), one.row_line(i));
      ASSERT_EQ(other.codes("category")[i], one.codes("category")[i]);
      for (const char* column : {"number", "mostly_missing"})
        ASSERT_EQ(std::bit_cast<std::uint64_t>(other.numbers(column)[i]),
                  std::bit_cast<std::uint64_t>(one.numbers(column)[i]));
    }
  }
}

TEST(CsvPieces, EveryCellIsWhereItBelongs) {
  constexpr std::int64_t rows = 150000;
  const Table table = parse_csv(varied_text(rows));
  std::int64_t line = 2;
  for (std::int64_t i = 0; i < rows; ++i) {
    ASSERT_EQ(table.row_line(i), line);
    line += 1 + (i % 13 == 0 ? 1 : 0) + (i % 97 == 0 ? 1 : 0);
    const double number = table.numbers("number")[i];
    ASSERT_EQ(std::isnan(number), i % 11 == 0);
    if (i % 11 != 0) {
      ASSERT_EQ(number, std::stod(std::to_string(static_cast<double>(i) / 7)));
    }
    const std::string expected =
        i % 13 == 0 ? "multi\nline " + std::to_string(i % 5) : "c" + std::to_string(i % 1000 + i / 9999);
    ASSERT_EQ(table.categories("category").at(static_cast<std::size_t>(table.codes("category")[i])), expected);
  }
}

TEST(CsvPieces, TextAmongNumbersIsFoundInAnyPiece) {
  std::string text = varied_text(150000);
  const std::size_t at = text.rfind(",c");
  const auto line =
      static_cast<std::int64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
  const std::size_t cell = text.rfind('\n', at) + 1;
  text.replace(cell, at - cell, "12abc");
  for (const int threads : {1, 2, 7}) expect_fault(text, line, 1, "'12abc'", {.threads = threads});
}

}  // namespace
}  // namespace tilelearn
