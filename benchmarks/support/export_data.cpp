// Writes what a generator makes as a NumPy file, so that other libraries work on the same array:
// export_data GENERATOR N D BLOBS SD SEED float32|float64 OUT.npy
#include <bit>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "support/generators.hpp"

namespace tl = tilelearn;
namespace tb = tilelearn::benchmarks;

namespace {

static_assert(std::endian::native == std::endian::little, "the type codes below say little-endian");

/// NumPy's format, version 1.0: magic, length of the header, header as a Python dictionary, the values.
template <typename T>
void write_npy(const std::string& path, const tl::Matrix<T>& X) {
  constexpr std::size_t alignment = 64;
  constexpr std::size_t prefix_bytes = 10;
  std::string header = std::string("{'descr': '<f") + std::to_string(sizeof(T)) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(X.rows()) + ", " +
                       std::to_string(X.columns()) + "), }";
  header.append(alignment - (prefix_bytes + header.size() + 1) % alignment, ' ');
  header += '\n';
  const char length[] = {static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8).write(length, sizeof length) << header;
  file.write(reinterpret_cast<const char*>(X.data()), X.rows() * X.columns() * static_cast<std::int64_t>(sizeof(T)));
  if (!file.flush()) throw tl::Error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) {
    std::cerr << "usage: export_data GENERATOR N D BLOBS SD SEED float32|float64 OUT.npy\n";
    return 2;
  }
  try {
    const tb::DataSpec spec{argv[1],
                            std::stoll(argv[2]),
                            std::stoll(argv[3]),
                            std::stoll(argv[4]),
                            std::stod(argv[5]),
                            std::stoull(argv[6])};
    const std::string type = argv[7];
    if (type == "float32")
      write_npy(argv[8], tb::generate<float>(spec));
    else if (type == "float64")
      write_npy(argv[8], tb::generate<double>(spec));
    else
      throw tl::InvalidArgument("type '" + type + "': must be float32 or float64");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
