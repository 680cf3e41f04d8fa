#include "kmeans_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <tilelearn/metrics.hpp>

#include "sampling.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t silhouette_rows = 10000;
constexpr std::int32_t typical_iterations = 25;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// What is needed to fit once, or again.
template <typename T>
struct Problem {
  const KMeansRequest& request;
  Features<T> features;              ///< in CPU memory, in the file's units
  std::optional<Vector<T>> weights;  ///< in CPU memory
  Matrix<T> X;                       ///< features on the device, if that is not the CPU
  std::optional<Vector<T>> device_weights;

  [[nodiscard]] MatrixView<const T> rows(const Device& device) const {
    const Matrix<T>& matrix = device.is_cpu() ? features.X : X;
    return {matrix.data(), matrix.rows(), matrix.columns(), device};
  }
  [[nodiscard]] std::optional<VectorView<const T>> row_weights(const Device& device) const {
    if (!weights) return std::nullopt;
    const Vector<T>& vector = device.is_cpu() ? *weights : *device_weights;
    return VectorView<const T>(vector.data(), vector.size(), device);
  }
};

template <typename T>
struct Fitted {
  std::optional<StandardScaler<T>> scaler;
  KMeans<T> model;
};

template <typename T>
std::optional<Vector<T>> gather_weights(const Input& input, const Features<T>& features) {
  if (!input.weights) return std::nullopt;
  Vector<T> weights(static_cast<std::int64_t>(features.rows.size()));
  for (std::int64_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<T>((*input.weights)[features.rows[static_cast<std::size_t>(i)]]);
  return weights;
}

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
Fitted<T> fit_once(const Problem<T>& problem, const Device& device, Console& console) {
  const KMeansRequest& request = problem.request;
  Fitted<T> fitted{std::nullopt, KMeans<T>(request.options)};
  MatrixView<const T> X = problem.rows(device);
  const auto weights = problem.row_weights(device);
  Matrix<T> scaled;
  if (request.standardize) {
    fitted.scaler.emplace();
    scaled = fitted.scaler->fit_transform(X, {.sample_weight = weights});
    X = {scaled.data(), scaled.rows(), scaled.columns(), device};
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

/// Fits `repeat` times; all fits are the same bits, so the last one is kept and the least time reported.
template <typename T>
Fitted<T> fit_repeatedly(const Problem<T>& problem, const Device& device, Console& console, double& least_ms) {
  std::optional<Fitted<T>> fitted;
  for (int i = 0; i < problem.request.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    fitted.emplace(fit_once(problem, device, console));
    device.synchronize();
    const double ms = milliseconds_since(start);
    least_ms = i == 0 ? ms : std::min(least_ms, ms);
  }
  return std::move(*fitted);
}

template <typename T>
void time_predict(const Problem<T>& problem, const Fitted<T>& fitted, const Device& device, double& ms) {
  const auto start = std::chrono::steady_clock::now();
  if (fitted.scaler) {
    const Matrix<T> scaled = fitted.scaler->transform(problem.rows(device));
    static_cast<void>(fitted.model.predict(scaled.view()));
  } else {
    static_cast<void>(fitted.model.predict(problem.rows(device)));
  }
  device.synchronize();
  ms = milliseconds_since(start);
}

/// Rows of the fit that count: those of positive weight.
template <typename T>
std::vector<std::int64_t> counted_rows(const Problem<T>& problem) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < problem.features.X.rows(); ++i)
    if (!problem.weights || (*problem.weights)[i] > T{0}) rows.push_back(i);
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
void add_silhouette(const Problem<T>& problem, const Fitted<T>& fitted, const std::vector<std::int32_t>& labels,
                    KMeansOutcome& outcome) {
  const std::vector<std::int64_t> all = counted_rows(problem);
  const auto rows = sample_rows(all, silhouette_rows, problem.request.options.seed, SampleUse::silhouette);
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
  Matrix<T> X = gather(problem.features.X, rows).to(outcome.device.device);
  if (fitted.scaler) X = fitted.scaler->transform(std::as_const(X).view());
  const MatrixView<const T> view(X.data(), X.rows(), X.columns(), outcome.device.device);
  outcome.silhouette = silhouette_score(view, Vector<std::int32_t>(chosen).view());
  outcome.silhouette_note = rows.size() == all.size() ? "all rows"
                                                      : std::to_string(rows.size()) + " of " +
                                                            count(outcome.rows, "row") + ", drawn with the seed";
}

template <typename T>
void add_scatter(const Input& input, const Problem<T>& problem, const Fitted<T>& fitted,
                 const std::vector<std::int32_t>& labels, KMeansOutcome& outcome) {
  const KMeansRequest& request = problem.request;
  ScatterSource source{labels, outcome.sizes, request.options.seed};
  if (!request.plot_columns.empty()) {
    outcome.scatter = scatter_of_columns(source, input.table, problem.features.rows, request.plot_columns,
                                         outcome.features, outcome.centers);
    return;
  }
  const Matrix<T> centers = fitted.model.cluster_centers().to(Device::cpu());
  if (!fitted.scaler) {
    outcome.scatter = scatter_of_directions(source, problem.features.X, outcome.features, centers);
    return;
  }
  const Matrix<T> scaled = fitted.scaler->transform(problem.features.X.view());
  outcome.scatter = scatter_of_directions(source, scaled, outcome.features, centers);
  outcome.scatter->note = "; columns standardized";
}

/// The scaler counts columns, people name them.
template <typename T>
void add_warnings(const Fitted<T>& fitted, KMeansOutcome& outcome) {
  if (fitted.scaler)
    for (std::size_t j = 0; j < outcome.features.size(); ++j)
      if (fitted.scaler->variance()[j] == 0.0 && fitted.scaler->scale()[j] == 1.0)
        outcome.warnings.push_back("column '" + outcome.features[j] + "' is constant; it is not scaled");
  const std::vector<std::string>& warnings = fitted.model.warnings();
  outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
  if (!std::isfinite(outcome.inertia))
    outcome.warnings.push_back("the inertia is beyond float64: infinite, and null in the JSON");
  if (!outcome.converged)
    outcome.warnings.push_back("not converged after " + count(outcome.n_iter, "iteration") +
                               "; raise --max-iter to go on");
}

template <typename T>
void add_result(const Input& input, const Problem<T>& problem, const Fitted<T>& fitted, KMeansOutcome& outcome) {
  outcome.inertia = fitted.model.inertia();
  outcome.n_iter = fitted.model.n_iter();
  outcome.converged = fitted.model.converged();
  outcome.centers = centers_in_file_units(fitted);
  const std::vector<std::int32_t> labels = fitted.model.labels().to_std();
  outcome.sizes.assign(static_cast<std::size_t>(outcome.centers.rows()), 0);
  for (const std::int64_t row : counted_rows(problem))
    ++outcome.sizes[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)])];
  outcome.labels.assign(static_cast<std::size_t>(input.file_rows), left_out);
  for (std::size_t i = 0; i < labels.size(); ++i)
    outcome.labels[static_cast<std::size_t>(input.row_in_file(problem.features.rows[i]))] = labels[i];
  add_warnings(fitted, outcome);
  if (problem.request.wants_silhouette) add_silhouette(problem, fitted, labels, outcome);
  if (problem.request.wants_plot) add_scatter(input, problem, fitted, labels, outcome);
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
  const auto start = std::chrono::steady_clock::now();
  auto features = naming_file(input.name, [&] { return encoder.encode<T>(input.table); });
  Problem<T> problem{request, std::move(features), {}, {}, {}};
  KMeansOutcome outcome;
  outcome.features = encoder.feature_names();
  outcome.warnings = request.warnings;
  outcome.rows = problem.features.X.rows();
  outcome.file_rows = input.file_rows;
  if (outcome.rows == 0)
    throw UsageError("every row misses a value, so --missing drop leaves none; leave out columns with --exclude");
  if (outcome.rows < outcome.file_rows)
    outcome.warnings.push_back(count(outcome.file_rows - outcome.rows, "row") + " of " +
                               std::to_string(outcome.file_rows) + " left out: missing values");
  problem.weights = gather_weights(input, problem.features);
  outcome.device = choose_device(device, expected_work(outcome.rows, problem.features.X.columns(), request.options));
  const Device& target = outcome.device.device;
  outcome.timings.read_ms = milliseconds_since(start);

  if (target.is_cuda()) {
    const auto copy_start = std::chrono::steady_clock::now();
    problem.X = problem.features.X.to(target);
    if (problem.weights) problem.device_weights = problem.weights->to(target);
    target.synchronize();
    outcome.timings.copy_ms = milliseconds_since(copy_start);
  }
  Fitted<T> fitted = fit_repeatedly(problem, target, console, outcome.timings.fit_ms);
  time_predict(problem, fitted, target, outcome.timings.predict_ms);
  add_result(input, problem, fitted, outcome);
  outcome.pipeline.emplace(encoder, std::move(fitted.scaler), std::move(fitted.model));
  return outcome;
}

template KMeansOutcome run_kmeans<float>(const Input&, const TableEncoder&, const KMeansRequest&, const DeviceFlags&,
                                         Console&);
template KMeansOutcome run_kmeans<double>(const Input&, const TableEncoder&, const KMeansRequest&, const DeviceFlags&,
                                          Console&);

}  // namespace tilelearn::cli
