// tilelearn dbscan --metric haversine: positions in degrees, distances in kilometres on the Earth.
#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Positions : public CommandTest {
 protected:
  /// Whether two positions are within so many kilometres.
  [[nodiscard]] bool are_within(const std::string& a, const std::string& b, const std::string& kilometres,
                                const std::vector<std::string>& more = {}) const {
    put("two.csv", "lat,lon\n" + a + "\n" + b + "\n");
    std::vector<std::string> arguments = {"dbscan",   "two.csv",       "--metric", "haversine", "--eps",
                                          kilometres, "--min-samples", "2",        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out)["result"]["n_clusters"] == 1;
  }
};

// A degree of a great circle is 6371.0088 km x pi / 180 = 111.195080 km.
TEST_F(Positions, ADegreeIsSoManyKilometres) {
  EXPECT_TRUE(are_within("0,0", "0,1", "111.1951"));
  EXPECT_FALSE(are_within("0,0", "0,1", "111.1950"));
  EXPECT_TRUE(are_within("10,20", "11,20", "111.1951"));
  EXPECT_FALSE(are_within("10,20", "11,20", "111.1950"));
}

TEST_F(Positions, TheEarthIsRound) {
  EXPECT_TRUE(are_within("0,179.99", "0,-179.99", "2.3"));
  EXPECT_FALSE(are_within("0,179.99", "0,-179.99", "2.2"));
  EXPECT_TRUE(are_within("0,179.99", "0,180.01", "2.3"));
  EXPECT_TRUE(are_within("90,0", "90,180", "0.001"));
  EXPECT_TRUE(are_within("60,10", "60,12", "112")) << "half as far as at the equator";
  EXPECT_FALSE(are_within("90,0", "-90,0", "20015"));
  EXPECT_TRUE(are_within("90,0", "-90,0", "20016"));
  EXPECT_TRUE(are_within("0,360", "0,0", "0.001"));
}

TEST_F(Positions, MetresNeedFloat64WhichIsTheDefault) {
  EXPECT_TRUE(are_within("0,179", "0,179.00001", "0.0012")) << "1.11 m";
  EXPECT_FALSE(are_within("0,179", "0,179.00001", "0.0011"));
  EXPECT_TRUE(are_within("0,179", "0,179.000001", "0.0001", {"--precision", "float32"}))
      << "0.11 m, less than float32 tells apart";
}

TEST_F(Positions, ColumnsAreFoundByNameOrGivenInOrder) {
  const auto columns = [this](const std::string& header, const std::vector<std::string>& more = {}) {
    put("in.csv", header + "\n120,10,1,x\n121,11,2,y\n");
    std::vector<std::string> arguments = {"dbscan", "in.csv", "--metric", "haversine", "--eps", "500"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_json(arguments)["columns"].get<std::vector<std::string>>();
  };
  EXPECT_THAT(columns("lon,lat,mag,kind"), ElementsAre("lat", "lon"));
  EXPECT_THAT(columns("Longitude,Latitude,mag,kind"), ElementsAre("Latitude", "Longitude"));
  EXPECT_THAT(columns("LNG,LAT,mag,kind"), ElementsAre("LAT", "LNG"));
  EXPECT_THAT(columns("long,lat,mag,kind"), ElementsAre("lat", "long"));
  EXPECT_THAT(columns("x,y,mag,kind", {"--columns", "y,x"}), ElementsAre("y", "x"));
}

TEST_F(Positions, TheSummaryNamesUnitsAndColumns) {
  put("in.csv", "id,lat,long\n7,-20.4,181.6\n8,-20.6,181\n");
  const CommandResult result = run({"dbscan", "in.csv", "--metric", "haversine", "--eps", "99.5", "--plot", "p.svg"});
  EXPECT_THAT(result.out, HasSubstr("positions   latitude lat, longitude long (degrees)"));
  EXPECT_THAT(result.out, HasSubstr("eps         99.5 km, haversine"));
  EXPECT_THAT(content("p.svg"), HasSubstr(">long</text>"));
  EXPECT_THAT(content("p.svg"), HasSubstr(">lat</text>"));
  const nlohmann::json json = run_json({"dbscan", "in.csv", "--metric", "haversine", "--eps", "99.5"});
  EXPECT_EQ(json["options"]["eps"], 99.5);
  EXPECT_EQ(json["options"]["eps_unit"], "km");
  EXPECT_EQ(json["options"]["precision"], "float64");
}

TEST_F(Positions, AModelTakesDegreesToo) {
  put("in.csv", "lat,lon\n52.5,13.4\n52.6,13.3\n52.4,13.5\n48.1,11.6\n48.2,11.5\n48.0,11.6\n");
  for (const char* precision : {"float64", "float32"}) {
    ASSERT_EQ(run({"dbscan", "in.csv", "--metric", "haversine", "--eps", "20", "--min-samples", "3", "--model", "m.tlm",
                   "--precision", precision})
                  .status,
              0);
    put("new.csv", "lon,name,lat\n13.35,near Berlin,52.55\n11.55,near Munich,48.15\n2.35,Paris,48.86\n");
    EXPECT_EQ(run({"predict", "m.tlm", "new.csv"}).out, "prediction\n0\n1\n-1\n");
  }
  put("swapped.csv", "lat,lon\n1,2\n113.4,52.5\n");
  expect_refusal({"predict", "m.tlm", "swapped.csv"}, 2, "swapped.csv: line 3, column 'lat': the latitude is 113.4");
}

TEST_F(Positions, RowsWithoutAPositionAreAnErrorOrLeftOut) {
  put("gap.csv", "lat,lon\n1,2\n,3\n4,5\n");
  const std::vector<std::string> fit = {"dbscan", "gap.csv", "--metric", "haversine", "--eps", "10"};
  const CommandResult error = run(fit);
  EXPECT_EQ(error.status, 2);
  EXPECT_THAT(error.err, HasSubstr("gap.csv: line 3, column 'lat': no value"));
  EXPECT_THAT(error.err, HasSubstr("--missing drop"));
  EXPECT_THAT(error.err, Not(HasSubstr("mean"))) << "it is refused";
  EXPECT_THAT(error.err, Not(HasSubstr("--exclude"))) << "both columns are needed";
  EXPECT_EQ(run_json({"dbscan", "gap.csv", "--metric", "haversine", "--eps", "10", "--missing", "drop"})["rows"], 2);
  expect_refusal({"dbscan", "gap.csv", "--metric", "haversine", "--suggest-eps", "--missing", "mean"}, 2,
                 "--missing mean would put rows");
}

TEST_F(Positions, WhatIsNoPositionIsBadInput) {
  put("in.csv", "lat,lon,depth,kind\n1,2,3,a\n4,5,6,b\n");
  put("latitude.csv", "lat,lon\n1,2\n-90.001,3\n");
  put("longitude.csv", "lat,lon\n1,2\n4,360.5\n");
  put("infinite.csv", "lat,lon\n1,2\n4,-inf\n");
  put("nothing.csv", "x,y\n1,2\n4,3\n");
  put("two.csv", "lat,latitude,lon\n1,2,3\n4,3,2\n");
  const auto refuse = [this](std::vector<std::string> arguments, const std::string& text) {
    arguments.insert(arguments.begin(), "dbscan");
    arguments.insert(arguments.end(), {"--metric", "haversine", "--eps", "10"});
    expect_refusal(arguments, 2, text);
  };
  refuse({"in.csv", "--columns", "lat,lon,depth"},
         "haversine takes two columns, latitude and longitude, but 3 columns");
  refuse({"in.csv", "--columns", "lat"}, "but 1 column would be used: lat");
  refuse({"in.csv", "--exclude", "lon"}, "but 1 column would be used: lat");
  refuse({"in.csv", "--columns", "lat,kind"},
         "in.csv: haversine takes latitude and longitude in degrees, but column 'kind' is text");
  refuse({"in.csv", "--standardize"}, "--standardize");
  refuse({"in.csv", "--missing", "mean"}, "--missing mean would put rows where the mean of all positions is");
  refuse({"latitude.csv"},
         "latitude.csv: line 3, column 'lat': the latitude is -90.001 degrees, must be from -90 to 90");
  refuse({"longitude.csv"}, "longitude.csv: line 3, column 'lon': the longitude is 360.5 degrees");
  refuse({"infinite.csv"}, "infinite.csv: line 3, column 'lon'");
  refuse({"nothing.csv"}, "no column is called lat or latitude; name the two with --columns");
  refuse({"two.csv"}, "the columns lat and latitude may all be the latitude");
}

}  // namespace
}  // namespace tilelearn::testing
