// The class Pipeline: encoder, scaler and estimator in a row.
#include <tilelearn/pipeline.hpp>

#include <algorithm>
#include <type_traits>

#include "pipeline/pipeline_steps.hpp"

namespace tilelearn {

namespace {

template <typename T>
constexpr const char* type_name() {
  return std::is_same_v<T, float> ? "float32" : "float64";
}

template <typename T>
void check_features(const TableEncoder& encoder, const std::optional<StandardScaler<T>>& scaler,
                    std::int64_t estimator_features) {
  const auto features = static_cast<std::int64_t>(encoder.feature_names().size());
  const auto check = [features](const char* part, std::int64_t found) {
    if (found != features)
      throw ShapeMismatch(std::string("Pipeline: the encoder makes ") + std::to_string(features) + " features, the " +
                          part + " was fitted on " + std::to_string(found));
  };
  if (scaler) check("scaler", scaler->n_features_in());
  check("estimator", estimator_features);
}

template <typename T, template <typename> class Model>
std::unique_ptr<detail::PipelineSteps> make_steps(TableEncoder encoder, std::optional<StandardScaler<T>> scaler,
                                                  Model<T> model) {
  check_features(encoder, scaler, model.n_features_in());
  std::string kind = detail::kind_of(&model);
  const Device device = detail::device_of(model);
  detail::TypedSteps<T> typed{std::move(scaler), std::move(model)};
  return std::make_unique<detail::PipelineSteps>(
      detail::PipelineSteps{std::move(kind), std::move(encoder), device, std::move(typed)});
}

template <typename T>
Vector<std::int32_t> predict_features(const detail::TypedSteps<T>& steps, const MatrixView<const T>& X) {
  const auto predict = [&steps](const MatrixView<const T>& features) {
    return std::visit([&features](const auto& estimator) { return estimator.predict(features); }, steps.estimator);
  };
  if (!steps.scaler) return predict(X);
  const Matrix<T> scaled = steps.scaler->transform(X);
  return predict(scaled.view());
}

template <typename T>
Vector<std::int32_t> predict_table(const detail::PipelineSteps& all, const detail::TypedSteps<T>& steps,
                                   const Table& table) {
  Features<T> features = all.encoder.encode<T>(table);
  Vector<std::int32_t> result(table.rows());
  std::fill(result.data(), result.data() + result.size(), left_out);
  if (features.rows.empty()) return result;
  const Matrix<T> X = all.device.is_cpu() ? std::move(features.X) : features.X.to(all.device);
  const MatrixView<const T> view(X.data(), X.rows(), X.columns(), all.device);
  const std::vector<std::int32_t> predicted = predict_features(steps, view).to_std();
  for (std::size_t i = 0; i < predicted.size(); ++i) result[features.rows[i]] = predicted[i];
  return result;
}

template <typename T>
Vector<std::int32_t> predict_matrix(const detail::PipelineSteps& steps, const MatrixView<const T>& X) {
  if (const auto* typed = std::get_if<detail::TypedSteps<T>>(&steps.typed)) return predict_features(*typed, X);
  throw InvalidArgument(std::string("Pipeline: the matrix is of ") + type_name<T>() +
                        ", the model of the other precision; see Pipeline::precision()");
}

}  // namespace

Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, KMeans<float> model)
    : steps_(make_steps(std::move(encoder), std::move(scaler), std::move(model))) {}
Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, KMeans<double> model)
    : steps_(make_steps(std::move(encoder), std::move(scaler), std::move(model))) {}
Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, DBSCAN<float> model)
    : steps_(make_steps(std::move(encoder), std::move(scaler), std::move(model))) {}
Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, DBSCAN<double> model)
    : steps_(make_steps(std::move(encoder), std::move(scaler), std::move(model))) {}
Pipeline::Pipeline(std::unique_ptr<detail::PipelineSteps> steps) : steps_(std::move(steps)) {}
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;
Pipeline::~Pipeline() = default;

const std::string& Pipeline::kind() const noexcept { return steps_->kind; }

Precision Pipeline::precision() const noexcept {
  return std::holds_alternative<detail::TypedSteps<float>>(steps_->typed) ? Precision::float32 : Precision::float64;
}

const TableEncoder& Pipeline::encoder() const noexcept { return steps_->encoder; }

Vector<std::int32_t> Pipeline::predict(const Table& table) const {
  return std::visit([&](const auto& typed) { return predict_table(*steps_, typed, table); }, steps_->typed);
}

Vector<std::int32_t> Pipeline::predict(const MatrixView<const float>& X) const { return predict_matrix(*steps_, X); }
Vector<std::int32_t> Pipeline::predict(const MatrixView<const double>& X) const { return predict_matrix(*steps_, X); }

template <typename Estimator>
const Estimator* Pipeline::as() const noexcept {
  return std::visit(
      [](const auto& typed) -> const Estimator* {
        return std::visit(
            [](const auto& estimator) -> const Estimator* {
              if constexpr (std::is_same_v<std::decay_t<decltype(estimator)>, Estimator>)
                return &estimator;
              else
                return nullptr;
            },
            typed.estimator);
      },
      steps_->typed);
}

template <typename T>
const StandardScaler<T>* Pipeline::scaler() const noexcept {
  const auto* typed = std::get_if<detail::TypedSteps<T>>(&steps_->typed);
  return typed != nullptr && typed->scaler ? &*typed->scaler : nullptr;
}

template const KMeans<float>* Pipeline::as<KMeans<float>>() const noexcept;
template const KMeans<double>* Pipeline::as<KMeans<double>>() const noexcept;
template const DBSCAN<float>* Pipeline::as<DBSCAN<float>>() const noexcept;
template const DBSCAN<double>* Pipeline::as<DBSCAN<double>>() const noexcept;
template const StandardScaler<float>* Pipeline::scaler<float>() const noexcept;
template const StandardScaler<double>* Pipeline::scaler<double>() const noexcept;

}  // namespace tilelearn
