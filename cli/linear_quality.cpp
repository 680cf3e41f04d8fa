#include "linear_quality.hpp"

#include <algorithm>
#include <cmath>

#include "held_out_rows.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

template <typename T>
double weight_of(const FitData<T>& data, std::int64_t row) {
  return data.weights() ? static_cast<double>((*data.weights())[row]) : 1.0;
}

/// The rows' weights, and 0 for all others: no row to a fit, and none to a score.
template <typename T>
Vector<T> weights_of(const FitData<T>& data, const std::vector<std::int64_t>& rows) {
  Vector<T> weights(data.features().X.rows());
  std::fill(weights.data(), weights.data() + weights.size(), T{0});
  for (const std::int64_t row : rows) weights[row] = static_cast<T>(weight_of(data, row));
  return weights;
}

template <typename T>
VectorView<const T> view_on(const Vector<T>& vector, const Device& device) {
  return {vector.data(), vector.size(), device};
}

/// Scaled by the largest residual, whose square may be beyond float64.
template <typename T>
double rmse_of(const FitData<T>& data, const std::vector<std::int64_t>& rows, const Predictions& predictions) {
  double largest = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    largest = std::max(largest, std::abs(predictions.actual[i] - predictions.predicted[i]));
  if (largest == 0.0) return 0.0;
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double residual = (predictions.actual[i] - predictions.predicted[i]) / largest;
    sum += weight_of(data, rows[i]) * residual * residual;
    total += weight_of(data, rows[i]);
  }
  return largest * std::sqrt(sum / total);
}

template <typename T>
Predictions predict_rows(const FitData<T>& data, const MatrixView<const T>& X, const LinearFit<T>& fit,
                         const std::vector<std::int64_t>& rows) {
  const Vector<T> weights = weights_of(data, rows).to(X.device());
  const std::vector<T> predicted = fit.predict(X).to_std();
  Predictions result;
  for (const std::int64_t row : rows) {
    result.actual.push_back(static_cast<double>((*data.target())[row]));
    result.predicted.push_back(static_cast<double>(predicted[static_cast<std::size_t>(row)]));
  }
  result.quality.r2 = fit.score({X, *data.device_target(), view_on(weights, X.device())});
  result.quality.rmse = rmse_of(data, rows, result);
  return result;
}

/// Missing values filled in with means that the held-out rows have no part in.
template <typename T>
Matrix<T> features_without(const Input& input, const TableEncoder& encoder, const std::vector<std::int64_t>& held_out) {
  std::vector<double> weights(static_cast<std::size_t>(input.table.rows()), 1.0);
  if (input.weights) weights = std::vector<double>(input.weights->data(), input.weights->data() + weights.size());
  for (const std::int64_t row : held_out) weights[static_cast<std::size_t>(row)] = 0.0;
  TableEncoderOptions options;
  options.columns = input.columns;
  options.missing = encoder.missing();
  options.sample_weight = VectorView<const double>(weights.data(), input.table.rows());
  options.drop_first = encoder.drop_first();
  return TableEncoder::fit(input.table, options).encode<T>(input.table).X;
}

template <typename T>
Predictions predict_without(const Input& input, const TableEncoder& encoder, const LinearRegressionRequest& request,
                            const FitData<T>& data, const std::vector<std::int64_t>& held_out) {
  const Device device = data.X().device();
  Matrix<T> own;
  MatrixView<const T> X = data.X();
  if (encoder.missing() == MissingPolicy::mean) {
    own = features_without<T>(input, encoder, held_out).to(device);
    X = MatrixView<const T>(own.data(), own.rows(), own.columns(), device);
  }
  std::vector<std::int64_t> others;
  const std::vector<std::int64_t> counted = counted_rows(data);
  std::set_difference(counted.begin(), counted.end(), held_out.begin(), held_out.end(), std::back_inserter(others));
  const Vector<T> weights = weights_of(data, others).to(device);
  const LinearFit<T> fit(request, {X, *data.device_target(), view_on(weights, device)});
  return predict_rows(data, X, fit, held_out);
}

}  // namespace

template <typename T>
std::vector<std::int64_t> counted_rows(const FitData<T>& data) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < data.features().X.rows(); ++i)
    if (weight_of(data, i) > 0.0) rows.push_back(i);
  return rows;
}

template <typename T>
std::optional<Predictions> predict_held_out(const Input& input, const TableEncoder& encoder,
                                            const LinearRegressionRequest& request, const FitData<T>& data) {
  const std::vector<std::int64_t> held_out = hold_out(counted_rows(data), request.test_fraction, request.seed);
  if (held_out.empty()) return std::nullopt;
  try {
    return predict_without(input, encoder, request, data, held_out);
  } catch (const InvalidArgument& error) {
    throw UsageError(input.name + ", without the rows held out: " + error.what() +
                     "; --test-fraction 0 holds none out");
  }
}

template <typename T>
Predictions predict_fitted(const FitData<T>& data, const LinearFit<T>& fit) {
  return predict_rows(data, data.X(), fit, counted_rows(data));
}

template std::vector<std::int64_t> counted_rows(const FitData<float>&);
template std::vector<std::int64_t> counted_rows(const FitData<double>&);
template std::optional<Predictions> predict_held_out(const Input&, const TableEncoder&, const LinearRegressionRequest&,
                                                     const FitData<float>&);
template std::optional<Predictions> predict_held_out(const Input&, const TableEncoder&, const LinearRegressionRequest&,
                                                     const FitData<double>&);
template Predictions predict_fitted(const FitData<float>&, const LinearFit<float>&);
template Predictions predict_fitted(const FitData<double>&, const LinearFit<double>&);

}  // namespace tilelearn::cli
