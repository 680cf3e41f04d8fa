// Data by name: the same array for the same name, sizes, type and seed, whatever the number of threads.
//
//   normal   independent standard normal values
//   blobs    k centres uniform in the box [-10, 10]^d, rows normal with standard deviation 1 around a random centre
//   uniform  independent values uniform in [0, 1)
#pragma once

#include <cstdint>
#include <string>

#include <tilelearn/matrix.hpp>

namespace tilelearn::benchmarks {

struct DataSpec {
  std::string generator = "normal";
  std::int64_t n = 0;
  std::int64_t d = 0;
  std::int64_t blobs = 1;  ///< centres of the generator blobs, not read by the others
  std::uint64_t seed = 1;

  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

/// n x d values in CPU memory. Throws InvalidArgument for an unknown generator.
template <typename T>
Matrix<T> generate(const DataSpec& spec);

}  // namespace tilelearn::benchmarks
