// Does CPU work, then asks for a CUDA device: prints what it got, or the typed reason why there is none.
#include <cstdint>
#include <exception>
#include <iostream>

#include <tilelearn/kmeans.hpp>

namespace tl = tilelearn;

namespace {

void work_on(const char* what, const tl::Device& device) {
  const auto X = tl::Matrix<float>{{0.0F}, {1.0F}, {10.0F}, {11.0F}}.to(device);
  const tl::Matrix<float> init{{0.0F}, {10.0F}};
  tl::KMeans<float> model({.n_clusters = 2});
  model.fit(X, {.init_centers = init.view()});
  std::cout << what << ':';
  for (const std::int32_t label : model.labels().to_std()) std::cout << ' ' << label;
  std::cout << '\n';
}

}  // namespace

int main() {
  try {
    work_on("cpu", tl::Device::cpu());
    std::cout << "devices: " << tl::Device::cuda_device_count() << '\n';
    std::cout << "best: " << tl::Device::best().name() << '\n';
    try {
      work_on("cuda", tl::Device::cuda());
    } catch (const tl::DeviceUnavailable& error) {
      std::cout << "unavailable: " << error.what() << '\n';
    }
    work_on("cpu again", tl::Device::cpu());
    return 0;
  } catch (const std::exception& error) {
    std::cout << "unexpected: " << error.what() << '\n';
    return 1;
  }
}
