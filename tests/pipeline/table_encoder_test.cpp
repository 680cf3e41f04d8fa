// TableEncoder: columns, categories and missing values of a table become features.
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tilelearn/pipeline.hpp>

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
std::vector<T> values_of(const Matrix<T>& X) {
  return {X.data(), X.data() + X.rows() * X.columns()};
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no InvalidArgument";
}

const char* const animals = "name,legs,mass\ncat,4,3.5\nbird,2,\n,8,0.5\ncat,4,4.5\n";

template <typename T>
class TableEncoderOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TableEncoderOf, Types);

TYPED_TEST(TableEncoderOf, NumbersKeepTheirOrder) {
  const Table table = parse_csv("a,b,t\n1,2,x\n3,4,y\n");
  const TableEncoder all = TableEncoder::fit(table);
  EXPECT_THAT(all.feature_names(), ElementsAre("a", "b"));
  EXPECT_THAT(values_of(all.encode<TypeParam>(table).X), ElementsAre(1, 2, 3, 4));
  const TableEncoder turned = TableEncoder::fit(table, {.columns = {"b", "a"}});
  EXPECT_THAT(values_of(turned.encode<TypeParam>(table).X), ElementsAre(2, 1, 4, 3));
}

TYPED_TEST(TableEncoderOf, CategoriesBecomeZerosAndOnesAndMissingRowsAreDropped) {
  const Table table = parse_csv(animals);
  const TableEncoder encoder = TableEncoder::fit(table, {.columns = {"mass", "name"}, .missing = MissingPolicy::drop});
  EXPECT_THAT(encoder.feature_names(), ElementsAre("mass", "name=bird", "name=cat"));
  const auto features = encoder.encode<TypeParam>(table);
  EXPECT_THAT(features.rows, ElementsAre(0, 3));
  EXPECT_THAT(values_of(features.X), ElementsAre(3.5, 0, 1, 4.5, 0, 1));
  EXPECT_TRUE(encoder.means().empty());
}

// Means of the present values: mass (3.5 + 0.5 + 4.5) / 3; shares of bird and cat 1/3 and 2/3.
TYPED_TEST(TableEncoderOf, MeansAndSharesTakeThePlaceOfMissingValues) {
  using T = TypeParam;
  const Table table = parse_csv(animals);
  const TableEncoder encoder = TableEncoder::fit(table, {.columns = {"name", "mass"}, .missing = MissingPolicy::mean});
  const auto features = encoder.encode<T>(table);
  const T mass = static_cast<T>(3.5 + (-3.0 + 1.0) / 3.0);  // shifted by the first value
  EXPECT_THAT(values_of(features.X),
              ElementsAre(0, 1, 3.5, 1, 0, mass, static_cast<T>(1.0 / 3.0), static_cast<T>(2.0 / 3.0), 0.5, 0, 1, 4.5));
}

TYPED_TEST(TableEncoderOf, TheFirstCategoryIsLeftOutIfAsked) {
  using T = TypeParam;
  const Table table = parse_csv("name,legs,one\ncat,4,z\nbird,2,z\nant,6,z\n");
  const TableEncoder encoder = TableEncoder::fit(table, {.columns = {"name", "one", "legs"}, .drop_first = true});
  EXPECT_TRUE(encoder.drop_first());
  EXPECT_THAT(encoder.columns()[0].categories, ElementsAre("ant", "bird", "cat"));
  EXPECT_THAT(encoder.feature_names(), ElementsAre("name=bird", "name=cat", "legs"));
  EXPECT_THAT(values_of(encoder.encode<T>(table).X), ElementsAre(0, 1, 4, 1, 0, 2, 0, 0, 6));
  EXPECT_THAT(error_of([&] { (void)encoder.encode<T>(parse_csv("name,legs,one\nasp,0,z\n")); }),
              HasSubstr("line 2, column 'name': the fit did not see the category 'asp'"));
  EXPECT_FALSE(TableEncoder::fit(table, {.columns = {"legs"}, .drop_first = true}).drop_first());
}

// Shares of bird and cat are 1/3 and 2/3; bird, the first, has no feature.
TYPED_TEST(TableEncoderOf, TheFirstCategoryHasNoShareWhereItIsLeftOut) {
  using T = TypeParam;
  const Table table = parse_csv(animals);
  const TableEncoder encoder =
      TableEncoder::fit(table, {.columns = {"name", "legs"}, .missing = MissingPolicy::mean, .drop_first = true});
  EXPECT_THAT(encoder.means(), ElementsAre(2.0 / 3.0, 4.5));
  EXPECT_THAT(values_of(encoder.encode<T>(table).X), ElementsAre(1, 4, 0, 2, static_cast<T>(2.0 / 3.0), 8, 1, 4));
}

TYPED_TEST(TableEncoderOf, MeansAreWeighted) {
  const Table table = parse_csv("x\n1\n2\n\"\"\n9\n");
  const std::vector<double> weights = {1, 3, 5, 0};
  const TableEncoder encoder = TableEncoder::fit(
      table, {.missing = MissingPolicy::mean, .sample_weight = VectorView<const double>(weights.data(), 4)});
  EXPECT_THAT(encoder.means(), ElementsAre(1.75));
}

TYPED_TEST(TableEncoderOf, FaultsNameLineAndColumn) {
  using T = TypeParam;
  const Table table = parse_csv(animals);
  const auto encode = [](const TableEncoder& encoder, const char* text) {
    return error_of([&] { (void)encoder.encode<T>(parse_csv(text)); });
  };
  const TableEncoder strict = TableEncoder::fit(parse_csv("x,t\n1,a\n2,b\n"), {.columns = {"x", "t"}});
  EXPECT_THAT(encode(strict, "x,t\n1,a\nNA,b\n"), HasSubstr("line 3, column 'x': no value (the column misses 1 of 2)"));
  EXPECT_THAT(encode(strict, "x,t\n1,a\n2,c\n"), HasSubstr("line 3, column 't': the fit did not see the category 'c'"));
  EXPECT_THAT(encode(strict, "x,t\n1,a\n-inf,b\n"), HasSubstr("line 3, column 'x': the value is not finite"));
  EXPECT_THAT(encode(strict, "x,t\n1,1\n2,2\n"), HasSubstr("'t' holds numbers where categories were fitted"));
  EXPECT_THAT(encode(strict, "x,u\n1,a\n"), HasSubstr("'t'"));
  EXPECT_THAT(encode(strict, "x,t\np,a\n"), HasSubstr("'x'"));
}

TEST(TableEncoder, ColumnsThatCannotBeUsedAreErrors) {
  const Table table = parse_csv("x,t,gone\n1,a,\n2,b,\n");
  EXPECT_THROW((void)TableEncoder::fit(table, {.columns = {"y"}}), InvalidArgument);
  EXPECT_THAT(error_of([&] { (void)TableEncoder::fit(table, {.columns = {"x", "x"}}); }), HasSubstr("named twice"));
  EXPECT_THAT(error_of([&] { (void)TableEncoder::fit(parse_csv("t\na\nb\n")); }), HasSubstr("no column of numbers"));
  EXPECT_THAT(error_of([&] { (void)TableEncoder::fit(table, {.missing = MissingPolicy::mean}); }),
              HasSubstr("column 'gone' has no values"));
  EXPECT_THAT(error_of([] { (void)TableEncoder::fit(parse_csv("t\na\na\n"), {.columns = {"t"}, .drop_first = true}); }),
              HasSubstr("no feature is left"));
  const std::vector<double> weights = {1.0};
  EXPECT_THROW((void)TableEncoder::fit(table, {.sample_weight = VectorView<const double>(weights.data(), 1)}),
               ShapeMismatch);
}

}  // namespace
}  // namespace tilelearn
