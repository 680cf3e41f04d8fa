#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/crc64.hpp"
#include "core/model_file.hpp"
#include "core/model_format.hpp"

namespace tilelearn::detail {

using nlohmann::json;
namespace format = model_format;

namespace {

constexpr std::size_t buffer_bytes = 65536;

[[noreturn]] void throw_parse_error(const std::string& path, const std::string& text) {
  throw ParseError(path, 0, 0, text);
}

std::ifstream open_regular_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw_parse_error(path, "no such file");
  if (!std::filesystem::is_regular_file(status)) throw_parse_error(path, "not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_parse_error(path, "cannot be opened: " + std::generic_category().message(errno));
  return file;
}

format::Prologue read_prologue(std::ifstream& file, const std::string& path) {
  format::Prologue prologue{};
  file.read(reinterpret_cast<char*>(&prologue), sizeof(prologue));
  const auto got = static_cast<std::size_t>(file.gcount());
  if (got < sizeof(format::magic) || std::memcmp(prologue.magic, format::magic, sizeof(format::magic)) != 0)
    throw_parse_error(path, "not a tilelearn model file");
  if (got < sizeof(prologue)) throw_parse_error(path, "cut off after " + std::to_string(got) + " bytes");
  if (prologue.version != format::version)
    throw_parse_error(path, "format version " + std::to_string(prologue.version) + ", this library reads version " +
                                std::to_string(format::version));
  return prologue;
}

void check_sizes(const format::Prologue& prologue, const std::string& path) {
  const auto actual = static_cast<std::uint64_t>(std::filesystem::file_size(path));
  if (prologue.file_bytes != actual)
    throw_parse_error(path, "has " + std::to_string(actual) + " bytes where its header says " +
                                std::to_string(prologue.file_bytes) + ": cut off or changed");
  if (prologue.header_bytes > actual - sizeof(prologue))
    throw_parse_error(
        path, "a header of " + std::to_string(prologue.header_bytes) + " bytes in a file of " + std::to_string(actual));
}

/// Leaves the file behind the prologue again.
void check_checksum(std::ifstream& file, const format::Prologue& prologue, const std::string& path) {
  Crc64 checksum;
  checksum.add(&prologue, format::checksummed_prologue_bytes);
  std::array<char, buffer_bytes> buffer{};
  do {
    file.read(buffer.data(), buffer.size());
    checksum.add(buffer.data(), static_cast<std::size_t>(file.gcount()));
  } while (file);
  if (checksum.value() != prologue.checksum) throw_parse_error(path, "checksum mismatch: the file is damaged");
  file.clear();
  file.seekg(sizeof(prologue));
}

json read_header(std::ifstream& file, std::uint64_t bytes, const std::string& path) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes))) throw_parse_error(path, "cannot be read");
  json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto is_object = [&](const char* name) { return header.contains(name) && header[name].is_object(); };
  if (!header.is_object() || !is_object("values") || !is_object("arrays"))
    throw_parse_error(path, "the header is not the JSON of a model");
  return header;
}

}  // namespace

struct ModelReader::State {
  std::string path;
  json header;
  std::int64_t data_begin = 0;
  std::int64_t data_bytes = 0;
};

struct ModelReader::Array {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

ModelReader::ModelReader(const std::string& path) {
  std::ifstream file = open_regular_file(path);
  const format::Prologue prologue = read_prologue(file, path);
  check_sizes(prologue, path);
  check_checksum(file, prologue, path);
  auto state = std::make_shared<State>();
  state->path = path;
  state->header = read_header(file, prologue.header_bytes, path);
  const auto header_end = static_cast<std::int64_t>(sizeof(prologue) + prologue.header_bytes);
  state->data_begin = format::aligned(header_end);
  state->data_bytes = static_cast<std::int64_t>(prologue.file_bytes) - state->data_begin;
  state_ = std::move(state);
}

ModelReader::ModelReader(std::shared_ptr<const State> state, std::string prefix)
    : state_(std::move(state)), prefix_(std::move(prefix)) {}

void ModelReader::fail(const std::string& text) const { throw_parse_error(state_->path, text); }

std::string ModelReader::kind() const { return get_text("kind"); }

void ModelReader::require_kind(const std::string& kind) const {
  const std::string found = this->kind();
  if (found != kind) fail("holds a model of kind '" + found + "', not '" + kind + "'");
}

bool ModelReader::has_child(const std::string& part) const {
  return state_->header["values"].contains(prefix_ + part + "/kind");
}

ModelReader ModelReader::child(const std::string& part) const {
  if (!has_child(part)) fail("has no part '" + prefix_ + part + "'");
  return {state_, prefix_ + part + "/"};
}

// The getters share two steps: find the value, check its type.
namespace {

template <typename Check>
const json& find_value(const ModelReader& reader, const json& values, const std::string& name, const char* type,
                       Check is_of_type) {
  const auto found = values.find(name);
  if (found == values.end()) reader.fail("has no value '" + name + "'");
  if (!is_of_type(*found)) reader.fail("value '" + name + "' is not " + type);
  return *found;
}

bool is_int64(const json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
}

bool is_texts(const json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& text) { return text.is_string(); });
}

}  // namespace

bool ModelReader::get_bool(const std::string& name) const {
  return find_value(*this, state_->header["values"], prefix_ + name, "a boolean",
                    [](const json& value) { return value.is_boolean(); })
      .get<bool>();
}

std::int64_t ModelReader::get_int(const std::string& name, std::int64_t lowest, std::int64_t highest) const {
  const auto value =
      find_value(*this, state_->header["values"], prefix_ + name, "an integer", is_int64).get<std::int64_t>();
  if (value < lowest || value > highest)
    fail("value '" + prefix_ + name + "' is " + std::to_string(value) + ", must be from " + std::to_string(lowest) +
         " to " + std::to_string(highest));
  return value;
}

std::uint64_t ModelReader::get_uint(const std::string& name) const {
  return find_value(*this, state_->header["values"], prefix_ + name, "an unsigned integer",
                    [](const json& value) { return value.is_number_unsigned(); })
      .get<std::uint64_t>();
}

double ModelReader::get_real(const std::string& name) const {
  const std::string text = get_text(name);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    fail("value '" + prefix_ + name + "' is not a real number: '" + text + "'");
  return value;
}

std::string ModelReader::get_text(const std::string& name) const {
  return find_value(*this, state_->header["values"], prefix_ + name, "a text",
                    [](const json& value) { return value.is_string(); })
      .get<std::string>();
}

std::vector<std::string> ModelReader::get_texts(const std::string& name) const {
  return find_value(*this, state_->header["values"], prefix_ + name, "a list of texts", is_texts)
      .get<std::vector<std::string>>();
}

std::string ModelReader::array_type(const std::string& name) const {
  const json& arrays = state_->header["arrays"];
  const auto found = arrays.find(prefix_ + name);
  if (found == arrays.end()) fail("has no array '" + prefix_ + name + "'");
  if (!found->is_object() || !found->contains("type") || !(*found)["type"].is_string())
    fail("array '" + prefix_ + name + "' is not described");
  return (*found)["type"].get<std::string>();
}

ModelReader::Array ModelReader::find_array(const std::string& name, const std::string& type,
                                           std::size_t dimensions) const {
  Array array{prefix_ + name, {}, 0, type == "float64" || type == "int64" ? 8 : 4};
  const std::string found_type = array_type(name);
  if (found_type != type) fail("array '" + array.name + "' is of " + found_type + ", not " + type);
  const json& entry = state_->header["arrays"][array.name];
  const auto is_size = [](const json& value) { return is_int64(value) && value.get<std::int64_t>() >= 0; };
  if (!entry.contains("offset") || !is_size(entry["offset"]) || !entry.contains("shape") ||
      !entry["shape"].is_array() || entry["shape"].size() != dimensions ||
      !std::all_of(entry["shape"].begin(), entry["shape"].end(), is_size))
    fail("array '" + array.name + "' has no shape of " + std::to_string(dimensions) + " dimensions and offset");
  array.shape = entry["shape"].get<std::vector<std::int64_t>>();
  array.offset = entry["offset"].get<std::int64_t>();
  for (const std::int64_t size : array.shape)
    if (__builtin_mul_overflow(array.bytes, size, &array.bytes)) fail("array '" + array.name + "' is impossibly large");
  if (array.bytes > 0 && (array.offset % format::alignment != 0 || array.offset > state_->data_bytes ||
                          array.bytes > state_->data_bytes - array.offset))
    fail("array '" + array.name + "' of " + std::to_string(array.bytes) + " bytes lies outside the file's data");
  return array;
}

void ModelReader::read_array(const Array& array, void* to) const {
  if (array.bytes == 0) return;
  std::ifstream file = open_regular_file(state_->path);
  file.seekg(state_->data_begin + array.offset);
  if (!file.read(static_cast<char*>(to), array.bytes)) fail("array '" + array.name + "' cannot be read");
}

template <typename T>
Matrix<T> ModelReader::matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                              const Device& device) const {
  const Array array = find_array(name, std::string(format::type_name<T>()), 2);
  if ((rows != any_size && array.shape[0] != rows) || (columns != any_size && array.shape[1] != columns))
    fail("array '" + array.name + "' is " + std::to_string(array.shape[0]) + " x " + std::to_string(array.shape[1]) +
         ", expected " + (rows == any_size ? "any" : std::to_string(rows)) + " x " +
         (columns == any_size ? "any" : std::to_string(columns)));
  Matrix<T> result(array.shape[0], array.shape[1]);
  read_array(array, result.data());
  return device.is_cpu() ? std::move(result) : result.to(device);
}

template <typename T>
Matrix<T> ModelReader::finite_matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                                     const Device& device) const {
  Matrix<T> result = matrix<T>(name, rows, columns);
  const std::int64_t size = result.rows() * result.columns();
  if (!std::all_of(result.data(), result.data() + size, [](T value) { return std::isfinite(value); }))
    fail("array '" + prefix_ + name + "' holds a NaN or infinity");
  return device.is_cpu() ? std::move(result) : result.to(device);
}

template <typename T>
std::vector<T> ModelReader::values(const std::string& name, std::int64_t size) const {
  const Array array = find_array(name, std::string(format::type_name<T>()), 1);
  if (size != any_size && array.shape[0] != size)
    fail("array '" + array.name + "' has " + std::to_string(array.shape[0]) + " elements, expected " +
         std::to_string(size));
  std::vector<T> result(static_cast<std::size_t>(array.shape[0]));
  read_array(array, result.data());
  return result;
}

template Matrix<float> ModelReader::matrix(const std::string&, std::int64_t, std::int64_t, const Device&) const;
template Matrix<double> ModelReader::matrix(const std::string&, std::int64_t, std::int64_t, const Device&) const;
template Matrix<std::int32_t> ModelReader::matrix(const std::string&, std::int64_t, std::int64_t, const Device&) const;
template Matrix<std::int64_t> ModelReader::matrix(const std::string&, std::int64_t, std::int64_t, const Device&) const;
template Matrix<float> ModelReader::finite_matrix(const std::string&, std::int64_t, std::int64_t, const Device&) const;
template Matrix<double> ModelReader::finite_matrix(const std::string&, std::int64_t, std::int64_t, const Device&) const;
template std::vector<float> ModelReader::values(const std::string&, std::int64_t) const;
template std::vector<double> ModelReader::values(const std::string&, std::int64_t) const;
template std::vector<std::int32_t> ModelReader::values(const std::string&, std::int64_t) const;
template std::vector<std::int64_t> ModelReader::values(const std::string&, std::int64_t) const;

}  // namespace tilelearn::detail
