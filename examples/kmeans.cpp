// K-means in a page: nine flowers of three kinds, by two lengths, on the GPU if there is one, else on the CPU.
//
// Expected output:
//   3 clusters of 9 rows in 2 iterations, inertia 0.1200
//   cluster 0: 5.0000 3.4000
//   cluster 1: 6.5000 2.9000
//   cluster 2: 5.9000 4.4000
//   a new row (5.1, 3.5) belongs to cluster 0
#include <cstdio>

#include <tilelearn/tilelearn.hpp>

namespace tl = tilelearn;

int main() {
  const tl::Device device = tl::Device::best();
  const tl::Matrix<float> X = tl::Matrix<float>{{5.0F, 3.4F}, {6.5F, 2.9F}, {5.9F, 4.4F}, {4.9F, 3.3F}, {6.4F, 2.8F},
                                                {5.8F, 4.3F}, {5.1F, 3.5F}, {6.6F, 3.0F}, {6.0F, 4.5F}}
                                  .to(device);

  tl::KMeans<float> model({.n_clusters = 3, .seed = 7});
  model.fit(X);
  std::printf("%d clusters of %d rows in %d iterations, inertia %.4f\n", model.options().n_clusters,
              static_cast<int>(X.rows()), model.n_iter(), model.inertia());

  const tl::Matrix<float> centers = model.cluster_centers().to(tl::Device::cpu());
  for (int c = 0; c < 3; ++c)
    std::printf("cluster %d: %.4f %.4f\n", c, static_cast<double>(centers(c, 0)), static_cast<double>(centers(c, 1)));

  const tl::Matrix<float> row = tl::Matrix<float>{{5.1F, 3.5F}}.to(device);
  std::printf("a new row (5.1, 3.5) belongs to cluster %d\n", model.predict(row).to_std().front());
}
