#include "linear_regression_run.hpp"

#include <algorithm>

namespace tilelearn::cli {

namespace {

template <typename T>
LinearRows<T> rows_of(const FitData<T>& data) {
  return {data.X(), *data.device_target(), data.device_weights()};
}

/// Whether a feature says nothing: it is the same in all rows that count; without an intercept, it is 0 in them.
template <typename T>
bool is_idle(const Matrix<T>& X, std::int64_t feature, const std::vector<std::int64_t>& rows, bool fit_intercept) {
  const T value = fit_intercept ? X(rows.front(), feature) : T{0};
  return std::all_of(rows.begin(), rows.end(), [&](std::int64_t row) { return X(row, feature) == value; });
}

/// The library counts columns, people name them.
template <typename T>
void add_warnings(const LinearRegressionRequest& request, const FitData<T>& data, LinearRegressionOutcome& outcome) {
  const std::vector<std::int64_t> rows = counted_rows(data);
  const auto features = static_cast<std::int64_t>(outcome.features.size());
  std::int64_t idle = 0;
  for (std::int64_t j = 0; j < features; ++j) {
    if (!is_idle(data.features().X, j, rows, request.fit_intercept)) continue;
    ++idle;
    outcome.warnings.push_back("column '" + outcome.features[static_cast<std::size_t>(j)] + "' is " +
                               (request.fit_intercept ? "constant" : "0 in every row") + ": its coefficient is 0");
  }
  if (!outcome.least_squares) return;
  if (outcome.least_squares->rank < features - idle)
    outcome.warnings.push_back("the columns depend on each other (rank " + std::to_string(outcome.least_squares->rank) +
                               " of " + std::to_string(features) +
                               "): of the coefficients that fit equally well, those of least norm");
  if (outcome.least_squares->summary.residual_degrees <= 0)
    outcome.warnings.push_back("there are no more rows than coefficients: standard errors are not known");
}

template <typename T>
void add_result(const LinearFit<T>& fit, LinearRegressionOutcome& outcome) {
  outcome.coef.assign(fit.coef().data(), fit.coef().data() + fit.coef().columns());
  outcome.intercept = fit.intercept();
  outcome.solver = fit.solver();
  if (const LinearRegression<T>* model = fit.least_squares())
    outcome.least_squares =
        LeastSquaresFacts{model->rank(), model->condition_number(), model->singular_values(), model->summary()};
  if (const Ridge<T>* model = fit.ridge())
    outcome.ridge = PenaltyFacts{model->options().alpha.front(), fit.penalty_scores()};
}

/// The multiply-adds of a fit.
double products_of_columns(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(columns);
}

}  // namespace

template <typename T>
LinearRegressionOutcome run_linear_regression(const Input& input, const TableEncoder& encoder,
                                              const LinearRegressionRequest& request, const DeviceFlags& device) {
  const Stopwatch watch;
  LinearRegressionOutcome outcome;
  outcome.warnings = request.warnings;
  FitData<T> data(input, encoder, outcome);
  outcome.device = choose_device(device, products_of_columns(data.X().rows(), data.X().columns()));
  outcome.timings.read_ms = watch.milliseconds();
  data.copy_to_device(outcome);
  naming_file(input.name, [&] {
    LinearFit<T> fit = fit_repeatedly(request.repeat, outcome.device.device, outcome.timings.fit_ms,
                                      [&] { return LinearFit<T>(request, rows_of(data)); });
    outcome.timings.predict_ms = predict_ms<T>(data, std::nullopt, fit);
    outcome.counted_rows = static_cast<std::int64_t>(counted_rows(data).size());
    outcome.r2 = fit.score(rows_of(data));
    add_result(fit, outcome);
    add_warnings(request, data, outcome);
    outcome.held_out = predict_held_out(input, encoder, request, data);
    if (request.wants_plot && !outcome.held_out) outcome.fitted = predict_fitted(data, fit);
    outcome.pipeline = fit.release(encoder);
  });
  return outcome;
}

template LinearRegressionOutcome run_linear_regression<float>(const Input&, const TableEncoder&,
                                                              const LinearRegressionRequest&, const DeviceFlags&);
template LinearRegressionOutcome run_linear_regression<double>(const Input&, const TableEncoder&,
                                                               const LinearRegressionRequest&, const DeviceFlags&);

}  // namespace tilelearn::cli
