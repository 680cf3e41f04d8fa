#include <iostream>

#include <tilelearn/tilelearn.hpp>

namespace tl = tilelearn;

int main() {
  const tl::Device device = tl::Device::best();  // the first usable GPU, else the CPU
  const tl::Table table = tl::read_csv("examples/data/penguins.csv");
  const std::vector<std::string> columns{"bill_length_mm", "flipper_length_mm"};
  const tl::Matrix<float> X = table.select(table.complete_rows(columns)).matrix<float>(columns).to(device);

  tl::KMeans<float> model({.n_clusters = 3, .seed = 7});
  const tl::Vector<std::int32_t> labels = model.fit_predict(X);  // lives where X lives
  std::cout << labels.size() << " penguins, inertia " << model.inertia() << '\n';
}
