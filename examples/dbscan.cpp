// DBSCAN in a page: earthquakes by where they were, on the GPU if there is one, else on the CPU. Run it in the folder
// that holds examples/.
//
// Expected output:
//   1000 earthquakes: 5 clusters, 48 rows of noise, 866 core rows
//   cluster 0: 749 earthquakes
//   cluster 1: 120 earthquakes
//   cluster 2: 47 earthquakes
//   cluster 3: 20 earthquakes
//   cluster 4: 16 earthquakes
//   new at 15.0 S 166.9 E: cluster 1
//   new at 10.0 S 150.0 E: cluster -1
#include <algorithm>
#include <cstdio>

#include <tilelearn/tilelearn.hpp>

namespace tl = tilelearn;

int main() {
  constexpr double degrees = 57.29577951308232;  // in a radian
  constexpr double earth_radius_km = 6371.0088;  // the mean one of the IUGG
  constexpr double eps_km = 100.0;
  const tl::Device device = tl::Device::best();
  const tl::Table table = tl::read_csv("examples/data/quakes.csv");
  const auto radians = tl::StandardScaler<double>::from_statistics({0.0, 0.0}, {degrees, degrees});
  const tl::Matrix<double> X = radians.transform(table.matrix<double>({"lat", "long"}).to(device));

  tl::DBSCAN<double> model({.eps = eps_km / earth_radius_km, .min_samples = 10, .metric = tl::DBSCANMetric::haversine});
  const std::vector<std::int32_t> labels = model.fit_predict(X).to_std();  // -1: noise
  const auto size_of = [&labels](std::int32_t label) {
    return static_cast<int>(std::count(labels.begin(), labels.end(), label));
  };
  std::printf("%d earthquakes: %d clusters, %d rows of noise, %d core rows\n", static_cast<int>(X.rows()),
              model.n_clusters(), size_of(-1), static_cast<int>(model.core_sample_indices().size()));
  for (std::int32_t c = 0; c < model.n_clusters(); ++c) std::printf("cluster %d: %d earthquakes\n", c, size_of(c));

  const tl::Matrix<double> news = tl::Matrix<double>{{-15.0, 166.9}, {-10.0, 150.0}}.to(device);
  const std::vector<std::int32_t> found = model.predict(radians.transform(news)).to_std();
  std::printf("new at 15.0 S 166.9 E: cluster %d\n", found[0]);
  std::printf("new at 10.0 S 150.0 E: cluster %d\n", found[1]);
}
