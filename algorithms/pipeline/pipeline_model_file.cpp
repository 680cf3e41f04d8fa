// Pipeline to and from model files: each part writes itself as a child.
#include "core/model_file.hpp"
#include "pipeline/pipeline_steps.hpp"

namespace tilelearn {

namespace {

const char* const pipeline_kind = "pipeline";

template <typename Model>
Model read_regression(const detail::ModelReader& reader) {
  Model model = Model::read(reader);
  if (model.coef().rows() != 1)
    reader.fail("an estimator of " + std::to_string(model.coef().rows()) + " targets, where a pipeline has one");
  return model;
}

/// The estimator whose kind the file names, tried in the variant's order.
template <typename T, std::size_t index = 0>
detail::Estimator<T> read_estimator(const detail::ModelReader& reader, const Device& device) {
  if constexpr (index == std::variant_size_v<detail::Estimator<T>>) {
    reader.fail("an estimator of kind '" + reader.kind() + "', which this library does not know");
  } else {
    using Candidate = std::variant_alternative_t<index, detail::Estimator<T>>;
    const Candidate* const tag = nullptr;
    if (reader.kind() == detail::kind_of(tag)) {
      if constexpr (detail::predicts_values<Candidate>)
        return read_regression<Candidate>(reader);
      else
        return Candidate::read(reader, device);
    }
    return read_estimator<T, index + 1>(reader, device);
  }
}

template <typename T>
detail::TypedSteps<T> read_typed(const detail::ModelReader& reader, std::int64_t features, const Device& device) {
  std::optional<StandardScaler<T>> scaler;
  if (reader.has_child("scaler")) scaler = StandardScaler<T>::read(reader.child("scaler"));
  detail::TypedSteps<T> typed{std::move(scaler), read_estimator<T>(reader.child("estimator"), device)};
  const auto fitted = std::visit([](const auto& estimator) { return estimator.n_features_in(); }, typed.estimator);
  if (fitted != features || (typed.scaler && typed.scaler->n_features_in() != features))
    reader.fail("the parts of the pipeline are of different numbers of features");
  return typed;
}

}  // namespace

void Pipeline::save(const std::string& path) const {
  detail::ModelWriter writer(pipeline_kind);
  writer.set("precision", precision() == Precision::float32 ? "float32" : "float64");
  detail::ModelWriter encoder = writer.child("encoder", "table_encoder");
  steps_->encoder.write(encoder);
  std::visit(
      [&](const auto& typed) {
        if (typed.scaler) {
          detail::ModelWriter scaler = writer.child("scaler", "standard_scaler");
          typed.scaler->write(scaler);
        }
        detail::ModelWriter estimator = writer.child("estimator", steps_->kind);
        std::visit([&estimator](const auto& fitted) { fitted.write(estimator); }, typed.estimator);
      },
      steps_->typed);
  writer.write(path);
}

Pipeline Pipeline::load(const std::string& path, const Device& device) {
  const detail::ModelReader reader(path);
  reader.require_kind(pipeline_kind);
  TableEncoder encoder = TableEncoder::read(reader.child("encoder"));
  const auto features = static_cast<std::int64_t>(encoder.feature_names().size());
  const std::string precision = reader.get_text("precision");
  const std::string kind = reader.child("estimator").kind();
  if (precision == "float32")
    return Pipeline(std::make_unique<detail::PipelineSteps>(
        detail::PipelineSteps{kind, std::move(encoder), device, read_typed<float>(reader, features, device)}));
  if (precision == "float64")
    return Pipeline(std::make_unique<detail::PipelineSteps>(
        detail::PipelineSteps{kind, std::move(encoder), device, read_typed<double>(reader, features, device)}));
  reader.fail("value 'precision' is '" + precision + "', must be float32 or float64");
}

}  // namespace tilelearn
