// CPU backend of DBSCAN: checks values, chooses the regime, keeps the model.
#include <utility>

#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_cpu_check.hpp"
#include "dbscan/dbscan_cpu_fit.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

template <typename T>
std::int32_t fit_rows(const Rows<T>& rows, const Density& density, const Context& context, const FitResult& result) {
  const std::optional<std::int32_t> clusters = fit_grid(rows, density, context, result);
  return clusters.has_value() ? *clusters : fit_tiles(rows, density, context, result);
}

template <typename T>
void predict_rows(const Rows<T>& rows, const Rows<T>& components, const std::int32_t* component_labels,
                  const Context& context, std::int32_t* labels) {
  if (!predict_grid(rows, components, component_labels, context, labels))
    predict_tiles(rows, components, component_labels, context, labels);
}

template <typename T>
Rows<T> rows_of(const MatrixView<const T>& X) {
  return {X.data(), X.rows(), static_cast<int>(X.columns())};
}

/// The model's core rows, from their flags.
template <typename T>
void keep_core_rows(const MatrixView<const T>& X, const std::uint8_t* is_core, Model<T>& model) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < X.rows(); ++i) count += is_core[i];
  const std::int64_t d = X.columns();
  model.core_sample_indices = Vector<std::int64_t>(count, X.device());
  model.components = Matrix<T>(count, d, X.device());
  model.component_labels = Vector<std::int32_t>(count, X.device());
  std::int64_t core = 0;
  for (std::int64_t i = 0; i < X.rows(); ++i)
    if (is_core[i] != 0) model.core_sample_indices.data()[core++] = i;
  const int threads = useful_threads(X.device().threads(), static_cast<double>(count) * static_cast<double>(d));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t c = 0; c < count; ++c) {
    const std::int64_t i = model.core_sample_indices.data()[c];
    model.component_labels.data()[c] = model.labels.data()[i];
    std::copy_n(X.data() + i * d, d, model.components.data() + c * d);
  }
}

template <typename T>
Model<T> fit(const FitProblem<T>& problem) {
  const MatrixView<const T>& X = problem.X;
  const DBSCANOptions& options = problem.options;
  check_values(X, options.metric);
  detail::CpuWorkspace workspace(X.device(), "DBSCAN");
  Stop stop(problem.stop);
  stop.check();
  const Density density = make_density(problem.weights, options.min_samples, workspace);
  const Context context{ball_of(options, X.columns()), X.device().threads(), workspace, stop};
  Model<T> model;
  model.labels = Vector<std::int32_t>(X.rows(), X.device());
  auto* is_core = workspace.take<std::uint8_t>(X.rows(), "core flags");
  const FitResult result{model.labels.data(), is_core};
  model.n_clusters = compares_as_is<T>(options)
                         ? fit_rows(rows_of(X), density, context, result)
                         : fit_rows(as_double(X, options.metric, workspace), density, context, result);
  keep_core_rows(X, is_core, model);
  return model;
}

template <typename T>
Vector<std::int32_t> predict(const PredictProblem<T>& problem) {
  const MatrixView<const T>& X = problem.X;
  const DBSCANOptions& options = problem.options;
  check_values(X, options.metric);
  Vector<std::int32_t> labels(X.rows(), X.device());
  if (problem.components.rows() == 0) {
    std::fill_n(labels.data(), labels.size(), noise);
    return labels;
  }
  check_values(problem.components, options.metric);
  detail::CpuWorkspace workspace(X.device(), "DBSCAN");
  const std::function<bool()> never;
  Stop stop(never);
  const Context context{ball_of(options, X.columns()), X.device().threads(), workspace, stop};
  if (compares_as_is<T>(options))
    predict_rows(rows_of(X), rows_of(problem.components), problem.component_labels.data(), context, labels.data());
  else
    predict_rows(as_double(X, options.metric, workspace), as_double(problem.components, options.metric, workspace),
                 problem.component_labels.data(), context, labels.data());
  return labels;
}

template <typename T>
const Backend<T>& table() {
  static constexpr Backend<T> functions{fit<T>, predict<T>};
  return functions;
}

}  // namespace

template <>
const Backend<float>& backend<float>() {
  return table<float>();
}
template <>
const Backend<double>& backend<double>() {
  return table<double>();
}

}  // namespace tilelearn::dbscan::cpu
