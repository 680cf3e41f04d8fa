// The class Pipeline: encoder, scaler and estimator in a row.
#include <tilelearn/pipeline.hpp>

#include <algorithm>
#include <limits>
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

void check_one_target(std::int64_t targets) {
  if (targets != 1)
    throw InvalidArgument("Pipeline: the estimator was fitted on " + std::to_string(targets) +
                          " targets, a pipeline predicts one");
}

template <typename T, template <typename> class Model>
std::unique_ptr<detail::PipelineSteps> make_steps(TableEncoder encoder, std::optional<StandardScaler<T>> scaler,
                                                  Model<T> model) {
  if constexpr (detail::predicts_values<Model<T>>) check_one_target(model.coef().rows());
  check_features(encoder, scaler, model.n_features_in());
  std::string kind = detail::kind_of(&model);
  const Device device = detail::device_of(model);
  detail::TypedSteps<T> typed{std::move(scaler), std::move(model)};
  return std::make_unique<detail::PipelineSteps>(
      detail::PipelineSteps{std::move(kind), std::move(encoder), device, std::move(typed)});
}

/// What stands for a row that is left out.
template <typename Result>
constexpr Result no_prediction = left_out;
template <>
constexpr double no_prediction<double> = std::numeric_limits<double>::quiet_NaN();

template <typename Result, typename Model>
constexpr bool gives = detail::predicts_values<Model> == std::is_same_v<Result, double>;

/// Before any work, so that no table hides the mistake. @throws InvalidArgument
template <typename Result>
void check_prediction(const Pipeline& pipeline) {
  if (pipeline.predicts_values() == std::is_same_v<Result, double>) return;
  throw InvalidArgument("Pipeline: the estimator is of kind '" + pipeline.kind() + "', whose predictions are " +
                        (pipeline.predicts_values() ? "numbers: call predict_values" : "labels: call predict"));
}

template <typename T>
Vector<double> widened(const Vector<T>& values) {
  const std::vector<T> narrow = values.to_std();
  return Vector<double>(std::vector<double>(narrow.begin(), narrow.end())).to(values.device());
}

template <typename Result, typename T>
Vector<Result> predict_scaled(const detail::TypedSteps<T>& steps, const MatrixView<const T>& X) {
  return std::visit(
      [&X](const auto& estimator) -> Vector<Result> {
        if constexpr (!gives<Result, std::decay_t<decltype(estimator)>>)
          throw InvalidArgument("Pipeline: the estimator has no such predictions");  // check_prediction has said so
        else if constexpr (std::is_same_v<decltype(estimator.predict(X)), Vector<Result>>)
          return estimator.predict(X);
        else
          return widened(estimator.predict(X));
      },
      steps.estimator);
}

template <typename Result, typename T>
Vector<Result> predict_features(const detail::TypedSteps<T>& steps, const MatrixView<const T>& X) {
  if (!steps.scaler) return predict_scaled<Result>(steps, X);
  const Matrix<T> scaled = steps.scaler->transform(X);
  return predict_scaled<Result>(steps, scaled.view());
}

template <typename Result, typename T>
Vector<Result> predict_table(const detail::PipelineSteps& all, const detail::TypedSteps<T>& steps, const Table& table) {
  Features<T> features = all.encoder.encode<T>(table);
  Vector<Result> result(table.rows());
  std::fill(result.data(), result.data() + result.size(), no_prediction<Result>);
  if (features.rows.empty()) return result;
  const Matrix<T> X = all.device.is_cpu() ? std::move(features.X) : features.X.to(all.device);
  const MatrixView<const T> view(X.data(), X.rows(), X.columns(), all.device);
  const std::vector<Result> predicted = predict_features<Result>(steps, view).to_std();
  for (std::size_t i = 0; i < predicted.size(); ++i) result[features.rows[i]] = predicted[i];
  return result;
}

template <typename Result, typename T>
Vector<Result> predict_matrix(const Pipeline& pipeline, const detail::PipelineSteps& steps,
                              const MatrixView<const T>& X) {
  check_prediction<Result>(pipeline);
  if (const auto* typed = std::get_if<detail::TypedSteps<T>>(&steps.typed)) return predict_features<Result>(*typed, X);
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
Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, LinearRegression<float> model)
    : steps_(make_steps(std::move(encoder), std::move(scaler), std::move(model))) {}
Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, LinearRegression<double> model)
    : steps_(make_steps(std::move(encoder), std::move(scaler), std::move(model))) {}
Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<float>> scaler, Ridge<float> model)
    : steps_(make_steps(std::move(encoder), std::move(scaler), std::move(model))) {}
Pipeline::Pipeline(TableEncoder encoder, std::optional<StandardScaler<double>> scaler, Ridge<double> model)
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

bool Pipeline::predicts_values() const noexcept {
  return std::visit(
      [](const auto& typed) {
        return std::visit(
            [](const auto& estimator) { return detail::predicts_values<std::decay_t<decltype(estimator)>>; },
            typed.estimator);
      },
      steps_->typed);
}

Vector<std::int32_t> Pipeline::predict(const Table& table) const {
  check_prediction<std::int32_t>(*this);
  return std::visit([&](const auto& typed) { return predict_table<std::int32_t>(*steps_, typed, table); },
                    steps_->typed);
}

Vector<std::int32_t> Pipeline::predict(const MatrixView<const float>& X) const {
  return predict_matrix<std::int32_t>(*this, *steps_, X);
}
Vector<std::int32_t> Pipeline::predict(const MatrixView<const double>& X) const {
  return predict_matrix<std::int32_t>(*this, *steps_, X);
}

Vector<double> Pipeline::predict_values(const Table& table) const {
  check_prediction<double>(*this);
  return std::visit([&](const auto& typed) { return predict_table<double>(*steps_, typed, table); }, steps_->typed);
}

Vector<double> Pipeline::predict_values(const MatrixView<const float>& X) const {
  return predict_matrix<double>(*this, *steps_, X);
}
Vector<double> Pipeline::predict_values(const MatrixView<const double>& X) const {
  return predict_matrix<double>(*this, *steps_, X);
}

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
template const LinearRegression<float>* Pipeline::as<LinearRegression<float>>() const noexcept;
template const LinearRegression<double>* Pipeline::as<LinearRegression<double>>() const noexcept;
template const Ridge<float>* Pipeline::as<Ridge<float>>() const noexcept;
template const Ridge<double>* Pipeline::as<Ridge<double>>() const noexcept;
template const StandardScaler<float>* Pipeline::scaler<float>() const noexcept;
template const StandardScaler<double>* Pipeline::scaler<double>() const noexcept;

}  // namespace tilelearn
