// What every linear estimator does with rows and a fitted plane.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/finite.hpp"
#include "core/text.hpp"
#include "linear/linear_model.hpp"
#include "linear/row_units.hpp"

namespace tilelearn::linear {

namespace {

void check_features(const LinearModel& model, std::int64_t columns, const std::string& estimator) {
  if (columns != model.features())
    throw ShapeMismatch(estimator + ": X has " + detail::count_text(columns, "column") + ", the model was fitted on " +
                        std::to_string(model.features()));
}

/// sum w (y - mean)^2, the targets in the units that are put into `scale`.
template <typename T>
double squares_about_mean(const Backend<T>& backend, Rows<T> rows, const RowFacts<T>& facts, double* scale) {
  const std::int64_t d = rows.X.columns();
  rows.X = MatrixView<const T>(nullptr, rows.X.rows(), 0, rows.X.device());
  Units units{{facts.pilot.begin() + d, facts.pilot.end()}, {1.0}, facts.weight_scale};
  Gram gram = backend.gram(rows, units, Precision::float64);
  if (improve_scales(rows, gram, units)) gram = backend.gram(rows, units, Precision::float64);
  *scale = units.scale.front();
  const double sum = gram.sum(0).high;
  return std::fmax(0.0, gram.at(0, 0).high - sum * sum / gram.sum(1).high);
}

/// sum w (y - prediction)^2, the targets times `scale`.
template <typename T>
double squares_of_residuals(const Backend<T>& backend, const Rows<T>& rows, const RowFacts<T>& facts, Plane plane,
                            double scale) {
  for (double& coef : plane.coef) coef *= scale;
  plane.intercept.front() *= scale;
  Units units = facts.units(false);
  units.scale.back() = scale;
  return backend.residual_sums(rows, units, plane).squares.front();
}

}  // namespace

template <typename T>
void check_rows(const Rows<T>& rows, const char* estimator) {
  const std::string name(estimator);
  if (rows.X.rows() == 0 || rows.X.columns() == 0)
    throw InvalidArgument(name + ": X is " + detail::shape_text(rows.X.rows(), rows.X.columns()) +
                          ", needs at least one row and one column");
  if (rows.Y.columns() == 0) throw InvalidArgument(name + ": Y has no columns, needs at least one target");
  if (rows.Y.rows() != rows.X.rows())
    throw ShapeMismatch(name + ": X has " + detail::count_text(rows.X.rows(), "row") + ", but there are " +
                        detail::count_text(rows.Y.rows(), "target"));
  if (rows.Y.device() != rows.X.device())
    throw InvalidArgument(name + ": the targets are on " + rows.Y.device().name() + ", X is on " +
                          rows.X.device().name());
  if (!rows.weights) return;
  if (rows.weights->size() != rows.X.rows())
    throw ShapeMismatch(name + ": X has " + detail::count_text(rows.X.rows(), "row") + ", but there are " +
                        detail::count_text(rows.weights->size(), "weight"));
  if (rows.weights->device() != rows.X.device())
    throw InvalidArgument(name + ": the weights are on " + rows.weights->device().name() + ", X is on " +
                          rows.X.device().name());
}

const LinearModel& fitted(const std::unique_ptr<LinearModel>& model, const char* estimator) {
  if (!model) throw NotFitted(std::string(estimator) + ": call fit first");
  return *model;
}

std::unique_ptr<LinearModel> make_model(LeastSquares&& found, const char* estimator) {
  auto model = std::make_unique<LinearModel>();
  model->coef = Matrix<double>(found.t, found.d);
  std::copy(found.coef.begin(), found.coef.end(), model->coef.data());
  model->intercept = std::move(found.intercept);
  model->rank = found.rank;
  model->observations = found.observations;
  model->weight = found.weight;
  model->factor = std::move(found.factor);
  model->residual_squares = std::move(found.residual_squares);
  model->total_squares = std::move(found.total_squares);
  model->means = std::move(found.means);
  model->solver = found.solver;
  for (const std::string& warning : found.warnings) model->warnings.push_back(std::string(estimator) + ": " + warning);
  return model;
}

template <typename T>
Matrix<T> predict_all(const LinearModel& model, const MatrixView<const T>& X, const char* estimator) {
  check_features(model, X.columns(), estimator);
  Matrix<T> result(X.rows(), model.targets(), X.device());
  if (X.rows() == 0) return result;
  if (!backend_for<T>(X.device()).predict(X, model.plane(), result.view())) detail::throw_if_not_finite(X, estimator);
  return result;
}

template <typename T>
Vector<T> predict(const LinearModel& model, const MatrixView<const T>& X, const char* estimator) {
  if (model.targets() != 1)
    throw InvalidArgument(std::string(estimator) + "::predict: the fit had " + std::to_string(model.targets()) +
                          " targets; call predict_all");
  const Matrix<T> all = predict_all(model, X, estimator);
  return copy_to(VectorView<const T>(all.data(), all.rows(), all.device()), all.device());
}

template <typename T>
double score(const LinearModel& model, const Rows<T>& rows, const char* estimator) {
  if (model.targets() != 1)
    throw InvalidArgument(std::string(estimator) + "::score: the fit had " + std::to_string(model.targets()) +
                          " targets; score the columns of predict_all one by one");
  check_rows(rows, estimator);
  check_features(model, rows.X.columns(), estimator);
  const Backend<T>& backend = backend_for<T>(rows.X.device());
  const RowFacts<T> facts = inspect_rows(backend, rows);
  double scale = 1.0;
  const double total = squares_about_mean(backend, rows, facts, &scale);
  const double residual = squares_of_residuals(backend, rows, facts, model.plane(), scale);
  if (!std::isfinite(residual)) detail::throw_if_not_finite(rows.X, estimator);
  if (total == 0.0) return residual == 0.0 ? 1.0 : 0.0;
  return 1.0 - residual / total;
}

template void check_rows(const Rows<float>&, const char*);
template void check_rows(const Rows<double>&, const char*);
template Matrix<float> predict_all(const LinearModel&, const MatrixView<const float>&, const char*);
template Matrix<double> predict_all(const LinearModel&, const MatrixView<const double>&, const char*);
template Vector<float> predict(const LinearModel&, const MatrixView<const float>&, const char*);
template Vector<double> predict(const LinearModel&, const MatrixView<const double>&, const char*);
template double score(const LinearModel&, const Rows<float>&, const char*);
template double score(const LinearModel&, const Rows<double>&, const char*);

}  // namespace tilelearn::linear
