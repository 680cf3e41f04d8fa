// What a Table gives: columns, matrices, labels, one-hot columns, selections, and what it refuses.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tilelearn/error.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Table penguins() {
  return parse_csv("species,mass,year\nGentoo,5000.5,2007\nAdelie,,2008\n\n,3700,2007\nAdelie,3800,NA\n");
}

template <typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

template <typename T>
class TableTyped : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TableTyped, Types);

TEST(Table, StartsEmpty) {
  const Table table;
  EXPECT_EQ(table.rows(), 0);
  EXPECT_THAT(table.columns(), IsEmpty());
  EXPECT_EQ(table.matrix<double>().rows(), 0);
}

TEST(Table, DescribesItsColumns) {
  const Table table = penguins();
  EXPECT_EQ(table.rows(), 4);
  EXPECT_THAT(table.columns(), ElementsAre("species", "mass", "year"));
  EXPECT_THAT(table.numeric_columns(), ElementsAre("mass", "year"));
  EXPECT_TRUE(table.has_column("mass"));
  EXPECT_FALSE(table.has_column("Mass"));
  EXPECT_EQ(table.kind("species"), ColumnKind::category);
  EXPECT_EQ(table.kind("mass"), ColumnKind::number);
  for (const std::string& column : table.columns()) EXPECT_EQ(table.missing_count(column), 1) << column;
}

TEST(Table, GivesNumbersAndCodes) {
  const Table table = penguins();
  EXPECT_EQ(table.numbers("mass")[0], 5000.5);
  EXPECT_TRUE(std::isnan(table.numbers("mass")[1]));
  const auto codes = table.codes("species");
  EXPECT_THAT(std::vector<std::int32_t>(codes.data(), codes.data() + codes.size()), ElementsAre(1, 0, -1, 0));
  EXPECT_THAT(table.categories("species"), ElementsAre("Adelie", "Gentoo"));
}

TEST(Table, CopiesShareTheirColumns) {
  Table copy;
  VectorView<const double> mass;
  {
    const Table table = penguins();
    copy = table;
    mass = table.numbers("mass");
  }
  EXPECT_EQ(copy.numbers("mass").data(), mass.data());
  EXPECT_EQ(mass[3], 3800);
}

TEST(Table, KnowsTheLineOfARow) {
  const Table table = penguins();
  EXPECT_EQ(table.row_line(0), 2);
  EXPECT_EQ(table.row_line(1), 3);
  EXPECT_EQ(table.row_line(2), 5);
  EXPECT_THROW((void)table.row_line(4), InvalidArgument);
  EXPECT_THROW((void)table.row_line(-1), InvalidArgument);
}

TYPED_TEST(TableTyped, MatrixHasTheColumnsInTheOrderAskedFor) {
  const Matrix<TypeParam> matrix = penguins().matrix<TypeParam>({"year", "mass"});
  ASSERT_EQ(matrix.rows(), 4);
  ASSERT_EQ(matrix.columns(), 2);
  EXPECT_EQ(matrix(0, 0), TypeParam{2007});
  EXPECT_EQ(matrix(0, 1), TypeParam{5000.5});
  EXPECT_TRUE(std::isnan(matrix(1, 1)));
  EXPECT_TRUE(std::isnan(matrix(3, 0)));
  EXPECT_EQ(penguins().matrix<TypeParam>().columns(), 2);
}

TYPED_TEST(TableTyped, MatrixOfMoreRowsThanABlock) {
  std::string text = "a,b\n";
  for (int i = 0; i < 257; ++i) text += std::to_string(i) + "," + std::to_string(-i) + "\n";
  const Matrix<TypeParam> matrix = parse_csv(text).matrix<TypeParam>();
  for (int i = 0; i < 257; ++i) {
    ASSERT_EQ(matrix(i, 0), static_cast<TypeParam>(i));
    ASSERT_EQ(matrix(i, 1), static_cast<TypeParam>(-i));
  }
}

TYPED_TEST(TableTyped, OneHotOfCategoriesAndNumbers) {
  const Matrix<TypeParam> species = penguins().one_hot<TypeParam>("species");
  ASSERT_EQ(species.columns(), 2);
  EXPECT_EQ(species(0, 0), TypeParam{0});
  EXPECT_EQ(species(0, 1), TypeParam{1});
  EXPECT_EQ(species(3, 0), TypeParam{1});
  EXPECT_TRUE(std::isnan(species(2, 0)) && std::isnan(species(2, 1)));
  const Matrix<TypeParam> year = penguins().one_hot<TypeParam>("year");
  ASSERT_EQ(year.columns(), 2);
  EXPECT_EQ(year(1, 1), TypeParam{1});
}

TEST(Table, FloatsAreRoundedFromTheNearestDouble) {
  const Table table = parse_csv("x\n0.1\n1e-60\n16777217\n3.4028235e38\n");
  const Matrix<float> matrix = table.matrix<float>();
  EXPECT_EQ(matrix(0, 0), 0.1F);
  EXPECT_EQ(matrix(1, 0), 0.0F);
  EXPECT_EQ(matrix(2, 0), 16777216.0F);
  EXPECT_EQ(matrix(3, 0), std::numeric_limits<float>::max());
}

TEST(Table, ValuesBeyondFloatAreRefusedByLine) {
  const Table table = parse_csv("x,y\n1,2\n3,-1e39\n4,inf\n");
  const std::string message = message_of([&] { (void)table.matrix<float>({"x", "y"}); });
  EXPECT_THAT(message, HasSubstr("'y'"));
  EXPECT_THAT(message, HasSubstr("-1e+39 in line 3"));
  EXPECT_EQ(table.matrix<double>()(1, 1), -1e39);
  EXPECT_EQ(parse_csv("y\ninf\n").matrix<float>()(0, 0), std::numeric_limits<float>::infinity());
}

TEST(Table, LabelsOfCategories) {
  const TableLabels labels = penguins().labels("species");
  EXPECT_THAT(labels.codes.to_std(), ElementsAre(1, 0, -1, 0));
  EXPECT_THAT(labels.classes, ElementsAre("Adelie", "Gentoo"));
}

TEST(Table, LabelsOfNumbersAreTheirDistinctValues) {
  const TableLabels labels = parse_csv("x\n10\n9\n-0\n0.1\n\"\"\n0\n1e1\n").labels("x");
  EXPECT_THAT(labels.classes, ElementsAre("0", "0.1", "9", "10"));
  EXPECT_THAT(labels.codes.to_std(), ElementsAre(3, 2, 0, 1, -1, 0, 3));
}

TEST(Table, CompleteRowsAndSelection) {
  const Table table = penguins();
  EXPECT_THAT(table.complete_rows({"mass", "year"}), ElementsAre(0, 2));
  EXPECT_THAT(table.complete_rows({}), ElementsAre(0, 1, 2, 3));
  const Table selected = table.select({3, 0});
  EXPECT_EQ(selected.rows(), 2);
  EXPECT_EQ(selected.columns(), table.columns());
  EXPECT_EQ(selected.numbers("mass")[0], 3800);
  EXPECT_EQ(selected.codes("species")[1], 1);
  EXPECT_EQ(selected.missing_count("mass"), 0);
  EXPECT_EQ(selected.missing_count("year"), 1);
  EXPECT_EQ(selected.row_line(0), 6);
  EXPECT_EQ(selected.row_line(1), 2);
  EXPECT_EQ(table.select({}).rows(), 0);
  EXPECT_THROW((void)table.select({4}), InvalidArgument);
}

TEST(Table, RefusesColumnsThatAreNotThereOrOfTheOtherKind) {
  const Table table = penguins();
  EXPECT_THAT(message_of([&] { (void)table.numbers("height"); }), HasSubstr("species, mass, year"));
  EXPECT_THAT(message_of([&] { (void)table.numbers("species"); }), HasSubstr("'Gentoo' in line 2"));
  EXPECT_THAT(message_of([&] { (void)table.matrix<double>({"mass", "species"}); }), HasSubstr("'species'"));
  EXPECT_THAT(message_of([&] { (void)table.codes("mass"); }), HasSubstr("'mass'"));
  EXPECT_THAT(message_of([&] { (void)table.categories("mass"); }), HasSubstr("'mass'"));
  EXPECT_THROW((void)table.labels("height"), InvalidArgument);
  EXPECT_THROW((void)table.complete_rows({"height"}), InvalidArgument);
}

}  // namespace
}  // namespace tilelearn
