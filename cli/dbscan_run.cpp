#include "dbscan_run.hpp"

#include <algorithm>
#include <string>

#include "dbscan_work.hpp"
#include "directions.hpp"
#include "positions.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

template <typename T>
struct Fitted {
  std::optional<StandardScaler<T>> scaler;
  DBSCAN<T> model;
};

template <typename T>
Fitted<T> fit_once(const DBSCANRequest& request, const FitData<T>& data) {
  Fitted<T> fitted{make_scaler(request, data.X()), DBSCAN<T>(request.options)};
  const DBSCANFitArguments<T> arguments{.sample_weight = data.device_weights()};
  if (fitted.scaler) {
    const Matrix<T> scaled = fitted.scaler->transform(data.X());
    fitted.model.fit(scaled.view(), arguments);
  } else {
    fitted.model.fit(data.X(), arguments);
  }
  return fitted;
}

template <typename T>
std::vector<std::int32_t> core_flags(const DBSCAN<T>& model, std::int64_t rows) {
  std::vector<std::int32_t> flags(static_cast<std::size_t>(rows), 0);
  for (const std::int64_t row : model.core_sample_indices().to_std()) flags[static_cast<std::size_t>(row)] = 1;
  return flags;
}

void count_rows(const std::vector<std::int32_t>& labels, const std::vector<std::int32_t>& core, std::int32_t clusters,
                DBSCANOutcome& outcome) {
  outcome.sizes.assign(static_cast<std::size_t>(clusters), 0);
  outcome.core_sizes = outcome.sizes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    outcome.n_core += core[i];
    if (labels[i] == noise_label) {
      ++outcome.n_noise;
      continue;
    }
    ++outcome.sizes[static_cast<std::size_t>(labels[i])];
    outcome.core_sizes[static_cast<std::size_t>(labels[i])] += core[i];
  }
}

template <typename T>
Scatter make_scatter(const Input& input, const DBSCANRequest& request, const FitData<T>& data, const Fitted<T>& fitted,
                     const std::vector<std::int32_t>& labels, const DBSCANOutcome& outcome) {
  const ScatterSource source{labels, outcome.sizes, request.seed};
  if (!request.plot_columns.empty())
    return scatter_of_columns(source, input.table, data.features().rows, request.plot_columns, outcome.features, {});
  if (!fitted.scaler) return scatter_of_directions(source, data.features().X, outcome.features, Matrix<T>());
  const Matrix<T> scaled = fitted.scaler->transform(data.features().X.view());
  Scatter scatter = scatter_of_directions(source, scaled, outcome.features, Matrix<T>());
  scatter.note = "; columns standardized";
  return scatter;
}

template <typename T>
std::string noise_text(const DBSCANRequest& request, const FitData<T>& data) {
  const std::int64_t rows = data.features().X.rows();
  double most = static_cast<double>(rows);  // that a neighbourhood holds
  std::string reason = rows == 1 ? "there is 1 row" : "there are " + std::to_string(rows) + " rows";
  if (data.weights()) {
    most = 0.0;
    for (std::int64_t i = 0; i < rows; ++i) most += std::max(static_cast<double>((*data.weights())[i]), 0.0);
    reason = "the weights above 0 sum to " + brief(most);
  }
  if (static_cast<T>(most) >= static_cast<T>(request.options.min_samples))
    return "every row is noise; raise --eps or lower --min-samples, see also --suggest-eps";
  return "every row is noise, whatever --eps is: --min-samples is " + std::to_string(request.options.min_samples) +
         ", but " + reason;
}

/// The model knows eps in the units of the fit, people know their own.
template <typename T>
void add_warnings(const DBSCANRequest& request, const FitData<T>& data, const Fitted<T>& fitted,
                  DBSCANOutcome& outcome) {
  if (request.standardize) warn_of_constant_columns(fitted.scaler, outcome);
  if (fitted.model.n_clusters() == 0) {
    outcome.warnings.push_back(noise_text(request, data));
    return;
  }
  const std::vector<std::string>& warnings = fitted.model.warnings();
  outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
}

template <typename T>
void add_result(const Input& input, const DBSCANRequest& request, const FitData<T>& data, const Fitted<T>& fitted,
                DBSCANOutcome& outcome) {
  const std::vector<std::int32_t> labels = fitted.model.labels().to_std();
  const std::vector<std::int32_t> core = core_flags(fitted.model, outcome.rows);
  count_rows(labels, core, fitted.model.n_clusters(), outcome);
  outcome.labels = for_file_rows(input, data.features().rows, labels);
  outcome.core = for_file_rows(input, data.features().rows, core);
  add_warnings(request, data, fitted, outcome);
  if (request.wants_plot) outcome.scatter = make_scatter(input, request, data, fitted, labels, outcome);
}

}  // namespace

template <typename T>
std::optional<StandardScaler<T>> make_scaler(const DBSCANRequest& request, const MatrixView<const T>& X) {
  if (request.options.metric == DBSCANMetric::haversine) return radians_scaler<T>();
  if (!request.standardize) return std::nullopt;
  StandardScaler<T> scaler;
  scaler.fit(X);
  return scaler;
}

template <typename T>
void check_rows_of_metric(const Input& input, const TableEncoder& encoder, const DBSCANRequest& request,
                          const FitData<T>& data) {
  if (request.options.metric != DBSCANMetric::cosine) return;
  const std::optional<StandardScaler<T>> scaler = make_scaler(request, data.X());
  check_directions<T>({input.name, input.table, encoder, data.features()}, scaler ? &*scaler : nullptr, RowsOf::fit);
}

template <typename T>
DBSCANOutcome run_dbscan(const Input& input, const TableEncoder& encoder, const DBSCANRequest& request,
                         const DeviceFlags& device) {
  const Stopwatch watch;
  DBSCANOutcome outcome;
  outcome.warnings = request.warnings;
  FitData<T> data(input, encoder, outcome);
  check_rows_of_metric(input, encoder, request, data);
  outcome.device = choose_device(device, dbscan_work(outcome.rows, outcome.rows, data.X().columns()));
  outcome.timings.read_ms = watch.milliseconds();
  data.copy_to_device(outcome);
  Fitted<T> fitted = fit_repeatedly(request.repeat, outcome.device.device, outcome.timings.fit_ms,
                                    [&] { return fit_once(request, data); });
  outcome.timings.predict_ms = predict_ms(data, fitted.scaler, fitted.model);
  add_result(input, request, data, fitted, outcome);
  outcome.pipeline.emplace(encoder, std::move(fitted.scaler), std::move(fitted.model));
  return outcome;
}

template std::optional<StandardScaler<float>> make_scaler(const DBSCANRequest&, const MatrixView<const float>&);
template std::optional<StandardScaler<double>> make_scaler(const DBSCANRequest&, const MatrixView<const double>&);
template void check_rows_of_metric(const Input&, const TableEncoder&, const DBSCANRequest&, const FitData<float>&);
template void check_rows_of_metric(const Input&, const TableEncoder&, const DBSCANRequest&, const FitData<double>&);
template DBSCANOutcome run_dbscan<float>(const Input&, const TableEncoder&, const DBSCANRequest&, const DeviceFlags&);
template DBSCANOutcome run_dbscan<double>(const Input&, const TableEncoder&, const DBSCANRequest&, const DeviceFlags&);

}  // namespace tilelearn::cli
