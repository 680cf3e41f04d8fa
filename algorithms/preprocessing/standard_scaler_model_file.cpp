// StandardScaler to and from model files. Statistics are float64 for every T, so one file serves both.
#include <algorithm>
#include <cmath>

#include <tilelearn/standard_scaler.hpp>

#include "core/model_file.hpp"
#include "preprocessing/standard_scaler_backend.hpp"

namespace tilelearn {

namespace {

const char* const kind = "standard_scaler";

void check(const detail::ModelReader& reader, const standard_scaler::Model& model) {
  if (model.mean.empty()) reader.fail("a scaler of no columns");
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto divides = [](double value) { return std::isfinite(value) && value > 0.0; };
  if (!std::all_of(model.mean.begin(), model.mean.end(), finite)) reader.fail("a mean of the scaler is not finite");
  if (!std::all_of(model.scale.begin(), model.scale.end(), divides))
    reader.fail("a scale of the scaler is not positive and finite");
}

}  // namespace

template <typename T>
void StandardScaler<T>::write(detail::ModelWriter& writer) const {
  writer.set("with_mean", options_.with_mean).set("with_std", options_.with_std).set("warnings", warnings());
  writer.array("mean", mean()).array("variance", variance()).array("scale", scale());
}

template <typename T>
StandardScaler<T> StandardScaler<T>::read(const detail::ModelReader& reader) {
  reader.require_kind(kind);
  StandardScaler scaler({.with_mean = reader.get_bool("with_mean"), .with_std = reader.get_bool("with_std")});
  auto model = std::make_unique<standard_scaler::Model>();
  model->mean = reader.values<double>("mean");
  const auto columns = static_cast<std::int64_t>(model->mean.size());
  model->variance = reader.values<double>("variance", columns);
  model->scale = reader.values<double>("scale", columns);
  model->warnings = reader.get_texts("warnings");
  check(reader, *model);
  scaler.model_ = std::move(model);
  return scaler;
}

template <typename T>
void StandardScaler<T>::save(const std::string& path) const {
  detail::ModelWriter writer(kind);
  write(writer);
  writer.write(path);
}

template <typename T>
StandardScaler<T> StandardScaler<T>::load(const std::string& path) {
  return read(detail::ModelReader(path));
}

template void StandardScaler<float>::write(detail::ModelWriter&) const;
template void StandardScaler<double>::write(detail::ModelWriter&) const;
template StandardScaler<float> StandardScaler<float>::read(const detail::ModelReader&);
template StandardScaler<double> StandardScaler<double>::read(const detail::ModelReader&);
template void StandardScaler<float>::save(const std::string&) const;
template void StandardScaler<double>::save(const std::string&) const;
template StandardScaler<float> StandardScaler<float>::load(const std::string&);
template StandardScaler<double> StandardScaler<double>::load(const std::string&);

}  // namespace tilelearn
