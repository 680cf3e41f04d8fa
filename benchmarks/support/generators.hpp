// Data by name: the same array for the same name, sizes, type and seed, whatever the number of threads.
//
//   normal   independent standard normal values
//   blobs    k centres uniform in the box [-10, 10]^d, rows normal with standard deviation s around a random centre
//   varied   the same with standard deviations from s / 32 to s, one for each centre, and one row in 1000 anywhere in
//            the box
//   roads    two columns: rows near k closed curves in that box, a fifth of them at a few stops on each, rounded to
//            1 / 1024, so that many rows are equal
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
  std::int64_t blobs = 1;  ///< centres or curves k; not read by normal and uniform
  double sd = 1.0;         ///< standard deviation s; not read by normal, roads and uniform
  std::uint64_t seed = 1;

  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

/// n x d values in CPU memory. Throws InvalidArgument for an unknown generator, or one that has another d.
template <typename T>
Matrix<T> generate(const DataSpec& spec);

}  // namespace tilelearn::benchmarks
