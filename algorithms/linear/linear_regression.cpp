// The class LinearRegression: checks what it is given, has it solved where the data live, keeps the model.
#include <tilelearn/linear_regression.hpp>

#include <cmath>
#include <utility>

#include "core/finite.hpp"
#include "core/text.hpp"
#include "linear/linear_model.hpp"
#include "linear/row_units.hpp"

namespace tilelearn {

namespace {

using linear::LinearModel;

const char* const name = "LinearRegression";

void check_options(const LinearRegressionOptions& options) {
  if (!(options.tol >= 0.0 && options.tol < 1.0))
    throw InvalidArgument("LinearRegression: tol is " + detail::shortest_text(options.tol) +
                          ", must be 0 (automatic) or more and below 1");
  if (options.solver > LeastSquaresSolver::double_double)
    throw InvalidArgument("LinearRegression: solver is " + std::to_string(static_cast<int>(options.solver)) +
                          ", which is none");
}

template <typename T>
void check_rows(const linear::Rows<T>& rows) {
  if (rows.X.rows() == 0 || rows.X.columns() == 0)
    throw InvalidArgument("LinearRegression: X is " + detail::shape_text(rows.X.rows(), rows.X.columns()) +
                          ", needs at least one row and one column");
  if (rows.Y.columns() == 0) throw InvalidArgument("LinearRegression: Y has no columns, needs at least one target");
  if (rows.Y.rows() != rows.X.rows())
    throw ShapeMismatch("LinearRegression: X has " + detail::count_text(rows.X.rows(), "row") + ", but there are " +
                        detail::count_text(rows.Y.rows(), "target"));
  if (rows.Y.device() != rows.X.device())
    throw InvalidArgument("LinearRegression: the targets are on " + rows.Y.device().name() + ", X is on " +
                          rows.X.device().name());
  if (!rows.weights) return;
  if (rows.weights->size() != rows.X.rows())
    throw ShapeMismatch("LinearRegression: X has " + detail::count_text(rows.X.rows(), "row") + ", but there are " +
                        detail::count_text(rows.weights->size(), "weight"));
  if (rows.weights->device() != rows.X.device())
    throw InvalidArgument("LinearRegression: the weights are on " + rows.weights->device().name() + ", X is on " +
                          rows.X.device().name());
}

const LinearModel& fitted(const std::unique_ptr<LinearModel>& model, const char* method) {
  if (!model) throw NotFitted(std::string("LinearRegression::") + method + ": call fit first");
  return *model;
}

void check_features(const LinearModel& model, std::int64_t columns) {
  if (columns != model.features())
    throw ShapeMismatch("LinearRegression: X has " + detail::count_text(columns, "column") +
                        ", the model was fitted on " + std::to_string(model.features()));
}

void check_one_target(const LinearModel& model, const char* method, const char* instead) {
  if (model.targets() != 1)
    throw InvalidArgument(std::string("LinearRegression::") + method + ": the fit had " +
                          std::to_string(model.targets()) + " targets; " + instead);
}

/// One column of values.
template <typename T>
MatrixView<const T> as_matrix(const VectorView<const T>& y) {
  return {y.data(), y.size(), 1, y.stride(), 1, y.device()};
}

/// sum w (y - mean)^2
template <typename T>
double squares_about_mean(const linear::Backend<T>& backend, linear::Rows<T> rows, const linear::RowFacts<T>& facts) {
  const std::int64_t d = rows.X.columns();
  rows.X = MatrixView<const T>(nullptr, rows.X.rows(), 0, rows.X.device());
  const linear::Units units{{facts.pilot.begin() + d, facts.pilot.end()}, {1.0}, facts.weight_scale};
  const linear::Gram gram = backend.gram(rows, units, linear::Precision::float64);
  const double sum = gram.sum(0).high;
  return std::fmax(0.0, gram.at(0, 0).high - sum * sum / gram.sum(1).high);
}

}  // namespace

template <typename T>
LinearRegression<T>::LinearRegression(const LinearRegressionOptions& options) : options_(options) {}
template <typename T>
LinearRegression<T>::LinearRegression(LinearRegression&&) noexcept = default;
template <typename T>
LinearRegression<T>& LinearRegression<T>::operator=(LinearRegression&&) noexcept = default;
template <typename T>
LinearRegression<T>::~LinearRegression() = default;

template <typename T>
LinearRegression<T>& LinearRegression<T>::fit(const MatrixView<const T>& X, const VectorView<const T>& y,
                                              const LinearRegressionFitArguments<T>& arguments) {
  return fit(X, as_matrix(y), arguments);
}

template <typename T>
LinearRegression<T>& LinearRegression<T>::fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
                                              const LinearRegressionFitArguments<T>& arguments) {
  check_options(options_);
  const linear::Rows<T> rows{X, Y, arguments.sample_weight};
  check_rows(rows);
  linear::LeastSquares found =
      linear::least_squares(linear::backend_for<T>(X.device()), rows,
                            {options_.fit_intercept, options_.solver, options_.tol, 0.0, arguments.stop});
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
  for (const std::string& warning : found.warnings) model->warnings.push_back(std::string(name) + ": " + warning);
  model_ = std::move(model);
  return *this;
}

template <typename T>
Vector<T> LinearRegression<T>::predict(const MatrixView<const T>& X) const {
  check_one_target(fitted(model_, "predict"), "predict", "call predict_all");
  const Matrix<T> all = predict_all(X);
  return copy_to(VectorView<const T>(all.data(), all.rows(), all.device()), all.device());
}

template <typename T>
Matrix<T> LinearRegression<T>::predict_all(const MatrixView<const T>& X) const {
  const LinearModel& model = fitted(model_, "predict");
  check_features(model, X.columns());
  Matrix<T> result(X.rows(), model.targets(), X.device());
  if (X.rows() == 0) return result;
  if (!linear::backend_for<T>(X.device()).predict(X, model.plane(), result.view()))
    detail::throw_if_not_finite(X, name);
  return result;
}

template <typename T>
double LinearRegression<T>::score(const MatrixView<const T>& X, const VectorView<const T>& y,
                                  const std::optional<VectorView<const T>>& sample_weight) const {
  const LinearModel& model = fitted(model_, "score");
  check_one_target(model, "score", "score the columns of predict_all one by one");
  const linear::Rows<T> rows{X, as_matrix(y), sample_weight};
  check_rows(rows);
  check_features(model, X.columns());
  const linear::Backend<T>& backend = linear::backend_for<T>(X.device());
  const linear::RowFacts<T> facts = linear::inspect_rows(backend, rows);
  const double residual = backend.residual_sums(rows, facts.units(false), model.plane()).squares.front();
  const double total = squares_about_mean(backend, rows, facts);
  if (!std::isfinite(residual) || !std::isfinite(total)) {
    detail::throw_if_not_finite(X, name);
    detail::throw_if_not_finite(rows.Y, "LinearRegression: the targets");
  }
  if (total == 0.0) return residual == 0.0 ? 1.0 : 0.0;
  return 1.0 - residual / total;
}

template <typename T>
const Matrix<double>& LinearRegression<T>::coef() const {
  return fitted(model_, "coef").coef;
}
template <typename T>
const std::vector<double>& LinearRegression<T>::intercept() const {
  return fitted(model_, "intercept").intercept;
}
template <typename T>
std::int64_t LinearRegression<T>::rank() const {
  return fitted(model_, "rank").rank;
}
template <typename T>
const std::vector<double>& LinearRegression<T>::singular_values() const {
  return fitted(model_, "singular_values").singular_values();
}
template <typename T>
double LinearRegression<T>::condition_number() const {
  const LinearModel& model = fitted(model_, "condition_number");
  if (model.rank == 0) return 1.0;
  const std::vector<double>& values = model.singular_values();
  return values.front() / values[static_cast<std::size_t>(model.rank - 1)];
}
template <typename T>
LeastSquaresSolver LinearRegression<T>::solver_used() const {
  return fitted(model_, "solver_used").solver;
}
template <typename T>
std::int64_t LinearRegression<T>::n_features_in() const {
  return fitted(model_, "n_features_in").features();
}
template <typename T>
const std::vector<std::string>& LinearRegression<T>::warnings() const {
  return fitted(model_, "warnings").warnings;
}
template <typename T>
const LinearRegressionOptions& LinearRegression<T>::options() const noexcept {
  return options_;
}

template class LinearRegression<float>;
template class LinearRegression<double>;

}  // namespace tilelearn
