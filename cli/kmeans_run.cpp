#include "kmeans_run.hpp"

#include <algorithm>
#include <cmath>

#include <tilelearn/metrics.hpp>

#include "sampling.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t silhouette_rows = 10000;
constexpr std::int32_t typical_iterations = 25;

template <typename T>
struct Fitted {
  std::optional<StandardScaler<T>> scaler;
  KMeans<T> model;
};

/// First centres in the units of the fit, rounded once.
template <typename T>
Matrix<T> scaled_centers(const Matrix<double>& centers, const std::optional<StandardScaler<T>>& scaler) {
  Matrix<T> result(centers.rows(), centers.columns());
  for (std::int64_t c = 0; c < centers.rows(); ++c)
    for (std::int64_t j = 0; j < centers.columns(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double value = centers(c, j);
      result(c, j) = static_cast<T>(scaler ? (value - scaler->mean()[column]) / scaler->scale()[column] : value);
    }
  return result;
}

/// Centres of the fit in the file's units, in float64.
template <typename T>
Matrix<double> centers_in_file_units(const Fitted<T>& fitted) {
  const Matrix<T> centers = fitted.model.cluster_centers().to(Device::cpu());
  Matrix<double> result(centers.rows(), centers.columns());
  for (std::int64_t c = 0; c < centers.rows(); ++c)
    for (std::int64_t j = 0; j < centers.columns(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double value = static_cast<double>(centers(c, j));
      result(c, j) =
          fitted.scaler ? std::fma(value, fitted.scaler->scale()[column], fitted.scaler->mean()[column]) : value;
    }
  return result;
}

template <typename T>
Fitted<T> fit_once(const KMeansRequest& request, const FitData<T>& data, Console& console) {
  Fitted<T> fitted{std::nullopt, KMeans<T>(request.options)};
  MatrixView<const T> X = data.X();
  const auto weights = data.device_weights();
  Matrix<T> scaled;
  if (request.standardize) {
    fitted.scaler.emplace();
    scaled = fitted.scaler->fit_transform(X, {.sample_weight = weights});
    X = std::as_const(scaled).view();
  }
  KMeansFitArguments<T> arguments;
  arguments.sample_weight = weights;
  Matrix<T> init;
  if (request.init_centers) {
    init = scaled_centers(*request.init_centers, fitted.scaler);
    arguments.init_centers = std::as_const(init).view();
  }
  arguments.progress = [&](const KMeansProgress& progress) {
    console.progress("start " + std::to_string(progress.start + 1) + ", iteration " +
                     std::to_string(progress.iteration) + " of at most " + std::to_string(request.options.max_iter) +
                     ", centres moved by " + brief(std::sqrt(progress.center_shift), 3));
  };
  fitted.model.fit(X, arguments);
  console.end_progress();
  return fitted;
}

/// Rows of the fit that count: those of positive weight.
template <typename T>
std::vector<std::int64_t> counted_rows(const FitData<T>& data) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < data.features().X.rows(); ++i)
    if (!data.weights() || (*data.weights())[i] > T{0}) rows.push_back(i);
  return rows;
}

template <typename T>
Matrix<T> gather(const Matrix<T>& X, const std::vector<std::int64_t>& rows) {
  Matrix<T> result(static_cast<std::int64_t>(rows.size()), X.columns());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(X.data() + rows[i] * X.columns(), X.columns(),
                result.data() + static_cast<std::int64_t>(i) * X.columns());
  return result;
}

/// Of the rows as they were fitted (scaled if asked), at most silhouette_rows of them.
template <typename T>
void add_silhouette(const FitData<T>& data, const Fitted<T>& fitted, const std::vector<std::int32_t>& labels,
                    KMeansOutcome& outcome) {
  const std::vector<std::int64_t> all = counted_rows(data);
  const auto rows = sample_rows(all, silhouette_rows, fitted.model.options().seed, SampleUse::silhouette);
  std::vector<std::int32_t> chosen;
  chosen.reserve(rows.size());
  for (const std::int64_t row : rows) chosen.push_back(labels[static_cast<std::size_t>(row)]);
  std::vector<std::int32_t> distinct = chosen;
  std::sort(distinct.begin(), distinct.end());
  const auto clusters = std::unique(distinct.begin(), distinct.end()) - distinct.begin();
  if (clusters < 2 || clusters >= static_cast<std::ptrdiff_t>(rows.size())) {
    outcome.silhouette_note =
        "not defined for " + count(clusters, "cluster") + " of " + count(static_cast<std::int64_t>(rows.size()), "row");
    return;
  }
  Matrix<T> X = gather(data.features().X, rows).to(outcome.device.device);
  if (fitted.scaler) X = fitted.scaler->transform(std::as_const(X).view());
  const MatrixView<const T> view(X.data(), X.rows(), X.columns(), outcome.device.device);
  outcome.silhouette = silhouette_score(view, Vector<std::int32_t>(chosen).view());
  outcome.silhouette_note = rows.size() == all.size() ? "all rows"
                                                      : std::to_string(rows.size()) + " of " +
                                                            count(outcome.rows, "row") + ", drawn with the seed";
}

template <typename T>
void add_scatter(const Input& input, const KMeansRequest& request, const FitData<T>& data, const Fitted<T>& fitted,
                 const std::vector<std::int32_t>& labels, KMeansOutcome& outcome) {
  ScatterSource source{labels, outcome.sizes, request.options.seed};
  if (!request.plot_columns.empty()) {
    outcome.scatter = scatter_of_columns(source, input.table, data.features().rows, request.plot_columns,
                                         outcome.features, outcome.centers);
    return;
  }
  const Matrix<T> centers = fitted.model.cluster_centers().to(Device::cpu());
  if (!fitted.scaler) {
    outcome.scatter = scatter_of_directions(source, data.features().X, outcome.features, centers);
    return;
  }
  const Matrix<T> scaled = fitted.scaler->transform(data.features().X.view());
  outcome.scatter = scatter_of_directions(source, scaled, outcome.features, centers);
  outcome.scatter->note = "; columns standardized";
}

template <typename T>
void add_warnings(const Fitted<T>& fitted, KMeansOutcome& outcome) {
  warn_of_constant_columns(fitted.scaler, outcome);
  const std::vector<std::string>& warnings = fitted.model.warnings();
  outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
  if (!std::isfinite(outcome.inertia))
    outcome.warnings.push_back("the inertia is beyond float64: infinite, and null in the JSON");
  if (!outcome.converged)
    outcome.warnings.push_back("not converged after " + count(outcome.n_iter, "iteration") +
                               "; raise --max-iter to go on");
}

template <typename T>
void add_result(const Input& input, const KMeansRequest& request, const FitData<T>& data, const Fitted<T>& fitted,
                KMeansOutcome& outcome) {
  outcome.inertia = fitted.model.inertia();
  outcome.n_iter = fitted.model.n_iter();
  outcome.converged = fitted.model.converged();
  outcome.centers = centers_in_file_units(fitted);
  const std::vector<std::int32_t> labels = fitted.model.labels().to_std();
  outcome.sizes.assign(static_cast<std::size_t>(outcome.centers.rows()), 0);
  for (const std::int64_t row : counted_rows(data))
    ++outcome.sizes[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)])];
  outcome.labels = for_file_rows(input, data.features().rows, labels);
  add_warnings(fitted, outcome);
  if (request.wants_silhouette) add_silhouette(data, fitted, labels, outcome);
  if (request.wants_plot) add_scatter(input, request, data, fitted, labels, outcome);
}

double expected_work(std::int64_t rows, std::int64_t columns, const KMeansOptions& options) {
  const std::int32_t starts = options.n_init > 0 ? options.n_init : 1;
  return static_cast<double>(rows) * static_cast<double>(columns) * options.n_clusters * starts *
         std::min(options.max_iter, typical_iterations);
}

}  // namespace

template <typename T>
KMeansOutcome run_kmeans(const Input& input, const TableEncoder& encoder, const KMeansRequest& request,
                         const DeviceFlags& device, Console& console) {
  const Stopwatch watch;
  KMeansOutcome outcome;
  outcome.warnings = request.warnings;
  FitData<T> data(input, encoder, outcome);
  outcome.device = choose_device(device, expected_work(outcome.rows, data.X().columns(), request.options));
  outcome.timings.read_ms = watch.milliseconds();
  data.copy_to_device(outcome);
  Fitted<T> fitted = fit_repeatedly(request.repeat, outcome.device.device, outcome.timings.fit_ms,
                                    [&] { return fit_once(request, data, console); });
  outcome.timings.predict_ms = predict_ms(data, fitted.scaler, fitted.model);
  add_result(input, request, data, fitted, outcome);
  outcome.pipeline.emplace(encoder, std::move(fitted.scaler), std::move(fitted.model));
  return outcome;
}

template KMeansOutcome run_kmeans<float>(const Input&, const TableEncoder&, const KMeansRequest&, const DeviceFlags&,
                                         Console&);
template KMeansOutcome run_kmeans<double>(const Input&, const TableEncoder&, const KMeansRequest&, const DeviceFlags&,
                                          Console&);

}  // namespace tilelearn::cli
