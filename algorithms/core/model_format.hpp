// The layout of a model file, version 1. All integers are little-endian.
//
//   bytes   0..7    magic
//           8..11   version of the format (uint32)
//          12..15   zero
//          16..23   bytes of the JSON header, H (uint64)
//          24..31   bytes of the whole file (uint64)
//          32..39   CRC-64 of all bytes but these eight (uint64)
//          40..     JSON header, then zeros up to a multiple of 64 bytes: here the data begin
//   data            arrays, row-major, each at a multiple of 64 bytes, zeros between them
//
// The header: {"library": "0.1.0", "values": {name: value}, "arrays": {name: {"type", "shape", "offset"}}}, offsets
// counted from the beginning of the data. A name is a path: what belongs to a part of a model begins with the part's
// name and a slash. "kind" names what a model, or a part of it, is. Booleans, integers, texts and lists of texts are
// JSON's own; a real number is a text with the fewest digits that read back as the same float64, so that neither the
// locale nor a JSON library's idea of numbers touches it.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tilelearn::detail::model_format {

static_assert(std::endian::native == std::endian::little, "model files are written as memory holds them");

inline constexpr char magic[8] = {'\x89', 'T', 'L', 'M', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::int64_t alignment = 64;

struct Prologue {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;
  std::uint64_t header_bytes;
  std::uint64_t file_bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(Prologue) == 40 && std::is_trivially_copyable_v<Prologue>);

inline constexpr std::size_t checksummed_prologue_bytes = 32;

constexpr std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// What the header calls an element type.
template <typename T>
constexpr std::string_view type_name() {
  if constexpr (std::is_same_v<T, float>)
    return "float32";
  else if constexpr (std::is_same_v<T, double>)
    return "float64";
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return "int32";
  else
    return "int64";
}

}  // namespace tilelearn::detail::model_format
