// Fits and predicts with the installed library; fails if an answer is not the one worked out by hand.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

#include <tilelearn/tilelearn.hpp>

namespace tl = tilelearn;

int main() {
  const tl::Matrix<double> X{{0.0, 0.0}, {0.0, 2.0}, {10.0, 0.0}, {10.0, 2.0}};
  const tl::Matrix<double> init{{0.0, 0.0}, {10.0, 0.0}};
  tl::KMeans<double> model({.n_clusters = 2});
  model.fit(X, {.init_centers = init.view()});

  const tl::Matrix<double> fresh{{9.0, 9.0}, {-1.0, 0.0}};
  const std::vector<std::int32_t> predicted = model.predict(fresh).to_std();
  std::cout << "inertia " << model.inertia() << ", predicted " << predicted[0] << ' ' << predicted[1] << '\n';

  try {
    static_cast<void>(model.predict(tl::Matrix<double>{{1.0}}));
    return EXIT_FAILURE;
  } catch (const tl::ShapeMismatch& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
  const bool right = model.inertia() == 4.0 && predicted == std::vector<std::int32_t>{1, 0};
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
