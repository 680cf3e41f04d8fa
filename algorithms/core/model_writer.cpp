#include <charconv>
#include <cstring>
#include <iterator>

#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "core/crc64.hpp"
#include "core/model_file.hpp"
#include "core/model_format.hpp"

namespace tilelearn::detail {

using nlohmann::json;
namespace format = model_format;

struct ModelWriter::State {
  json values = json::object();
  json arrays = json::object();
  std::string data;  ///< arrays, padded; its size is a multiple of the alignment

  template <typename T>
  void add(const std::string& name, const std::vector<std::int64_t>& shape, const Matrix<T>& elements) {
    if (arrays.contains(name)) throw InvalidArgument("model file: array '" + name + "' is set twice");
    arrays[name] = {{"type", format::type_name<T>()}, {"shape", shape}, {"offset", data.size()}};
    const auto bytes = static_cast<std::size_t>(elements.rows() * elements.columns()) * sizeof(T);
    if (bytes > 0) data.append(reinterpret_cast<const char*>(elements.data()), bytes);
    data.resize(static_cast<std::size_t>(format::aligned(static_cast<std::int64_t>(data.size()))));
  }
};

ModelWriter::ModelWriter(const std::string& kind) : ModelWriter(std::make_shared<State>(), "") { set("kind", kind); }

ModelWriter::ModelWriter(std::shared_ptr<State> state, std::string prefix)
    : state_(std::move(state)), prefix_(std::move(prefix)) {}

ModelWriter ModelWriter::child(const std::string& part, const std::string& kind) const {
  ModelWriter result(state_, prefix_ + part + "/");
  result.set("kind", kind);
  return result;
}

void ModelWriter::set_bool(const std::string& name, bool value) { state_->values[prefix_ + name] = value; }
void ModelWriter::set_int(const std::string& name, std::int64_t value) { state_->values[prefix_ + name] = value; }
void ModelWriter::set_uint(const std::string& name, std::uint64_t value) { state_->values[prefix_ + name] = value; }

void ModelWriter::set_real(const std::string& name, double value) {
  char text[32];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), value);
  state_->values[prefix_ + name] = std::string(text, end);
}

ModelWriter& ModelWriter::set(const std::string& name, const std::string& value) {
  state_->values[prefix_ + name] = value;
  return *this;
}

ModelWriter& ModelWriter::set(const std::string& name, const std::vector<std::string>& values) {
  state_->values[prefix_ + name] = values;
  return *this;
}

template <typename T>
ModelWriter& ModelWriter::array(const std::string& name, const MatrixView<const T>& values) {
  state_->add(prefix_ + name, {values.rows(), values.columns()}, copy_to(values, Device::cpu()));
  return *this;
}

template <typename T>
ModelWriter& ModelWriter::array(const std::string& name, const VectorView<const T>& values) {
  const MatrixView<const T> column(values.data(), values.size(), 1, values.stride(), 1, values.device());
  state_->add(prefix_ + name, {values.size()}, copy_to(column, Device::cpu()));
  return *this;
}

void ModelWriter::write(const std::string& path) const {
  const json header = {{"library", TILELEARN_VERSION}, {"values", state_->values}, {"arrays", state_->arrays}};
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception& error) {
    throw InvalidArgument(std::string("model file: a text is not valid UTF-8: ") + error.what());
  }
  const auto header_bytes = text.size();
  const auto data_begin = format::aligned(static_cast<std::int64_t>(sizeof(format::Prologue) + header_bytes));
  text.resize(static_cast<std::size_t>(data_begin) - sizeof(format::Prologue));

  format::Prologue prologue{};
  std::memcpy(prologue.magic, format::magic, sizeof(format::magic));
  prologue.version = format::version;
  prologue.header_bytes = header_bytes;
  prologue.file_bytes = sizeof(prologue) + text.size() + state_->data.size();
  Crc64 checksum;
  checksum.add(&prologue, format::checksummed_prologue_bytes);
  checksum.add(text.data(), text.size());
  checksum.add(state_->data.data(), state_->data.size());
  prologue.checksum = checksum.value();

  AtomicFile file(path);
  file.write(&prologue, sizeof(prologue));
  file.write(text);
  file.write(state_->data);
  file.commit();
}

template ModelWriter& ModelWriter::array(const std::string&, const MatrixView<const float>&);
template ModelWriter& ModelWriter::array(const std::string&, const MatrixView<const double>&);
template ModelWriter& ModelWriter::array(const std::string&, const MatrixView<const std::int32_t>&);
template ModelWriter& ModelWriter::array(const std::string&, const MatrixView<const std::int64_t>&);
template ModelWriter& ModelWriter::array(const std::string&, const VectorView<const float>&);
template ModelWriter& ModelWriter::array(const std::string&, const VectorView<const double>&);
template ModelWriter& ModelWriter::array(const std::string&, const VectorView<const std::int32_t>&);
template ModelWriter& ModelWriter::array(const std::string&, const VectorView<const std::int64_t>&);

}  // namespace tilelearn::detail
