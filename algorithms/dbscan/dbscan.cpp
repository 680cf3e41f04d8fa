// The class DBSCAN: checks shapes and options, brings views into the layout of the backends, keeps the model.
#include <tilelearn/dbscan.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/cuda_module.hpp"
#include "core/packed.hpp"
#include "core/text.hpp"
#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_metric.hpp"

namespace tilelearn {

namespace {

constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();
/// What core/exact_sum.hpp can add up: three products a column.
constexpr std::int64_t most_columns = std::int64_t{1} << 27;
constexpr const char* packed_rows = "DBSCAN: packed copy of X";

template <typename T>
const dbscan::Backend<T>& backend_for(const Device& device) {
  if (device.is_cpu()) return dbscan::cpu::backend<T>();
  if constexpr (std::is_same_v<T, float>)
    return detail::cuda_module().dbscan_float();
  else
    return detail::cuda_module().dbscan_double();
}

/// eps as the searches use it. A double beyond the range of float becomes infinity, a tiny one 0.
template <typename T>
T rounded_eps(const DBSCANOptions& options) {
  static_assert(std::numeric_limits<T>::is_iec559);
  return static_cast<T>(options.eps);
}

template <typename T>
void check_options(const DBSCANOptions& options) {
  const auto eps = rounded_eps<T>(options);
  if (!(eps > T{0}) || !std::isfinite(eps)) {
    const bool was_good = options.eps > 0.0 && std::isfinite(options.eps);
    throw InvalidArgument("DBSCAN: eps is " + detail::shortest_text(options.eps) +
                          (was_good ? ", in float32 " + detail::shortest_text(eps) : std::string()) +
                          ", must be above 0 and finite");
  }
  if (options.min_samples < 1)
    throw InvalidArgument("DBSCAN: min_samples is " + std::to_string(options.min_samples) + ", must be 1 or more");
  if (options.metric < DBSCANMetric::euclidean || options.metric > DBSCANMetric::haversine)
    throw InvalidArgument("DBSCAN: metric is " + std::to_string(static_cast<int>(options.metric)) +
                          ", must be one of DBSCANMetric");
}

template <typename T>
void check_rows(const MatrixView<const T>& X, DBSCANMetric metric) {
  if (X.rows() < 1 || X.columns() < 1)
    throw InvalidArgument("DBSCAN: X is " + detail::shape_text(X.rows(), X.columns()) +
                          ", needs at least one row and one column");
  if (X.rows() > most_rows || X.columns() > most_columns)
    throw InvalidArgument("DBSCAN: X is " + detail::shape_text(X.rows(), X.columns()) + ", must be at most " +
                          detail::shape_text(most_rows, most_columns));
  if (metric == DBSCANMetric::haversine && X.columns() != dbscan::haversine_columns)
    throw InvalidArgument("DBSCAN: X has " + detail::count_text(X.columns(), "column") +
                          ", but haversine takes 2 (latitude, longitude)");
  detail::checked_bytes(X.rows(), X.columns(), sizeof(double));
}

template <typename T>
void check_weights_shape(const VectorView<const T>& weights, const MatrixView<const T>& X) {
  if (weights.size() != X.rows())
    throw ShapeMismatch("DBSCAN: X has " + detail::count_text(X.rows(), "row") + ", but there are " +
                        detail::count_text(weights.size(), "weight"));
  if (weights.device() != X.device())
    throw InvalidArgument("DBSCAN: the weights are on " + weights.device().name() + ", X is on " + X.device().name());
}

template <typename T>
const dbscan::Model<T>& fitted(const std::unique_ptr<dbscan::Model<T>>& model) {
  if (model == nullptr) throw NotFitted("DBSCAN: call fit first");
  return *model;
}

template <typename T>
void warn_of_noise(dbscan::Model<T>& model, const DBSCANOptions& options) {
  if (model.n_clusters > 0) return;
  model.warnings.push_back("DBSCAN: every row is noise: none has min_samples = " + std::to_string(options.min_samples) +
                           " within eps = " + detail::shortest_text(options.eps));
}

}  // namespace

template <typename T>
DBSCAN<T>::DBSCAN(const DBSCANOptions& options) : options_(options) {}
template <typename T>
DBSCAN<T>::DBSCAN(DBSCAN&&) noexcept = default;
template <typename T>
DBSCAN<T>& DBSCAN<T>::operator=(DBSCAN&&) noexcept = default;
template <typename T>
DBSCAN<T>::~DBSCAN() = default;

template <typename T>
DBSCAN<T>& DBSCAN<T>::fit(const MatrixView<const T>& X, const DBSCANFitArguments<T>& arguments) {
  check_options<T>(options_);
  check_rows(X, options_.metric);
  if (arguments.sample_weight.has_value()) check_weights_shape(*arguments.sample_weight, X);
  const detail::PackedMatrix<T> rows(X, X.device(), packed_rows);
  const detail::PackedOptional<T> weights(arguments.sample_weight, X.device(), "DBSCAN: packed copy of the weights");
  dbscan::FitProblem<T> problem{rows.view(), weights.view(), options_, arguments.stop};
  problem.options.eps = double{rounded_eps<T>(options_)};
  auto model = std::make_unique<dbscan::Model<T>>(backend_for<T>(X.device()).fit(problem));
  model->n_features_in = X.columns();
  warn_of_noise(*model, options_);
  model_ = std::move(model);
  return *this;
}

template <typename T>
Vector<std::int32_t> DBSCAN<T>::fit_predict(const MatrixView<const T>& X, const DBSCANFitArguments<T>& arguments) {
  return fit(X, arguments).labels().clone();
}

template <typename T>
Vector<std::int32_t> DBSCAN<T>::predict(const MatrixView<const T>& X) const {
  const dbscan::Model<T>& model = fitted(model_);
  if (X.columns() != model.n_features_in)
    throw ShapeMismatch("DBSCAN: X has " + detail::count_text(X.columns(), "column") + ", the model was fitted on " +
                        std::to_string(model.n_features_in));
  check_rows(X, options_.metric);
  const detail::PackedMatrix<T> rows(X, X.device(), packed_rows);
  const detail::PackedMatrix<T> components(model.components.view(), X.device(), "DBSCAN: copy of the core rows");
  const detail::PackedVector<std::int32_t> labels(model.component_labels.view(), X.device(),
                                                  "DBSCAN: copy of the core rows' labels");
  dbscan::PredictProblem<T> problem{rows.view(), components.view(), labels.view(), options_};
  problem.options.eps = double{rounded_eps<T>(options_)};
  return backend_for<T>(X.device()).predict(problem);
}

template <typename T>
const Vector<std::int32_t>& DBSCAN<T>::labels() const {
  return fitted(model_).labels;
}
template <typename T>
const Vector<std::int64_t>& DBSCAN<T>::core_sample_indices() const {
  return fitted(model_).core_sample_indices;
}
template <typename T>
const Matrix<T>& DBSCAN<T>::components() const {
  return fitted(model_).components;
}
template <typename T>
std::int32_t DBSCAN<T>::n_clusters() const {
  return fitted(model_).n_clusters;
}
template <typename T>
std::int64_t DBSCAN<T>::n_features_in() const {
  return fitted(model_).n_features_in;
}
template <typename T>
const std::vector<std::string>& DBSCAN<T>::warnings() const {
  return fitted(model_).warnings;
}
template <typename T>
const DBSCANOptions& DBSCAN<T>::options() const noexcept {
  return options_;
}

template class DBSCAN<float>;
template class DBSCAN<double>;

}  // namespace tilelearn
