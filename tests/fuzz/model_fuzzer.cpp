// libFuzzer target for model files: any file either loads as a model that predicts or is a ParseError.
//
// Compile this file and the library's host sources (those named *_levels.cpp once for each level, see
// cmake/TilelearnLevels.cmake) with clang++ -fsanitize=address,undefined,fuzzer-no-link -fopenmp, link with fuzzer,
// then: OMP_NUM_THREADS=1 ./model_fuzzer -max_len=2000 -max_total_time=60 FOLDER_WITH_MODEL_FILES
//
// Sizes and checksum are made right first: a file that they refuse exercises nothing behind them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include <unistd.h>
#include <tilelearn/pipeline.hpp>

#include "core/crc64.hpp"
#include "core/model_format.hpp"

namespace {

namespace format = tilelearn::detail::model_format;

std::string with_right_checksum(std::string bytes) {
  if (bytes.size() < sizeof(format::Prologue)) return bytes;
  format::Prologue prologue{};
  std::memcpy(&prologue, bytes.data(), sizeof(prologue));
  prologue.file_bytes = bytes.size();
  tilelearn::detail::Crc64 checksum;
  checksum.add(&prologue, format::checksummed_prologue_bytes);
  checksum.add(bytes.data() + sizeof(prologue), bytes.size() - sizeof(prologue));
  prologue.checksum = checksum.value();
  std::memcpy(bytes.data(), &prologue, sizeof(prologue));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/tilelearn-model-fuzzer-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << with_right_checksum({reinterpret_cast<const char*>(data), size});
  try {
    const tilelearn::Pipeline pipeline = tilelearn::Pipeline::load(path);
    static_cast<void>(pipeline.predict(tilelearn::parse_csv("x,y\n1,2\n3,4\n")));
  } catch (const tilelearn::Error&) {
  }
  return 0;
}
