// The class LinearRegression: checks what it is given, has it solved where the data live, keeps the model.
#include <tilelearn/linear_regression.hpp>

#include <utility>

#include "core/text.hpp"
#include "linear/linear_model.hpp"
#include "linear/partial_fit.hpp"

namespace tilelearn {

namespace {

const char* const name = "LinearRegression";

void check_options(const LinearRegressionOptions& options) {
  if (!(options.tol >= 0.0 && options.tol < 1.0))
    throw InvalidArgument("LinearRegression: tol is " + detail::shortest_text(options.tol) +
                          ", must be 0 (automatic) or more and below 1");
  if (options.solver > LeastSquaresSolver::double_double)
    throw InvalidArgument("LinearRegression: solver is " + std::to_string(static_cast<int>(options.solver)) +
                          ", which is none");
  if (options.positive && options.solver != LeastSquaresSolver::automatic &&
      options.solver != LeastSquaresSolver::double_double)
    throw InvalidArgument(
        "LinearRegression: positive coefficients are found in double-double arithmetic alone; leave the "
        "solver automatic");
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
  return fit(X, linear::as_matrix(y), arguments);
}

template <typename T>
LinearRegression<T>& LinearRegression<T>::fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
                                              const LinearRegressionFitArguments<T>& arguments) {
  check_options(options_);
  const linear::Rows<T> rows{X, Y, arguments.sample_weight};
  linear::check_rows(rows, name);
  linear::LeastSquaresOptions options{options_.fit_intercept, options_.solver, options_.tol};
  options.positive = options_.positive;
  options.stop = arguments.stop;
  linear::LeastSquares found = linear::least_squares(linear::backend_for<T>(X.device()), rows, options);
  if (!options_.positive) linear::warn_of_rank(found);
  model_ = linear::make_model(std::move(found), name);
  return *this;
}

template <typename T>
LinearRegression<T>& LinearRegression<T>::partial_fit(const MatrixView<const T>& X, const VectorView<const T>& y,
                                                      const std::optional<VectorView<const T>>& sample_weight) {
  return partial_fit(X, linear::as_matrix(y), sample_weight);
}

template <typename T>
LinearRegression<T>& LinearRegression<T>::partial_fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
                                                      const std::optional<VectorView<const T>>& sample_weight) {
  check_options(options_);
  if (options_.solver != LeastSquaresSolver::automatic && options_.solver != LeastSquaresSolver::double_double)
    throw InvalidArgument(
        "LinearRegression::partial_fit: rows are read once, which takes double-double arithmetic; leave "
        "the solver automatic");
  const linear::Rows<T> rows{X, Y, sample_weight};
  linear::check_rows(rows, name);
  if (!X.device().is_cpu()) {  // rows are regrouped, and summed in double-double, on the CPU
    const Matrix<T> X_here = copy_to(X, Device::cpu());
    const Matrix<T> Y_here = copy_to(Y, Device::cpu());
    std::optional<Vector<T>> weights_here;
    if (sample_weight) weights_here = copy_to(*sample_weight, Device::cpu());
    return partial_fit(X_here.view(), Y_here.view(),
                       weights_here ? std::optional(std::as_const(*weights_here).view()) : std::nullopt);
  }
  if (partial_ && (partial_->features() != X.columns() || partial_->targets() != Y.columns()))
    throw ShapeMismatch("LinearRegression::partial_fit: X and Y have " + detail::count_text(X.columns(), "column") +
                        " and " + detail::count_text(Y.columns(), "target") + ", the parts before had " +
                        std::to_string(partial_->features()) + " and " + std::to_string(partial_->targets()));
  if (partial_) {
    partial_->add(rows, options_.fit_intercept);
    return *this;
  }
  auto partial = std::make_unique<linear::PartialFit<T>>(X.columns(), Y.columns());
  partial->add(rows, options_.fit_intercept);
  partial_ = std::move(partial);
  return *this;
}

template <typename T>
LinearRegression<T>& LinearRegression<T>::finish() {
  if (!partial_) throw InvalidArgument("LinearRegression::finish: call partial_fit first");
  const std::unique_ptr<linear::PartialFit<T>> partial = std::move(partial_);
  linear::LeastSquaresOptions options{options_.fit_intercept, options_.solver, options_.tol};
  options.positive = options_.positive;
  linear::LeastSquares found = partial->finish(options);
  if (!options_.positive) linear::warn_of_rank(found);
  model_ = linear::make_model(std::move(found), name);
  return *this;
}

template <typename T>
Vector<T> LinearRegression<T>::predict(const MatrixView<const T>& X) const {
  return linear::predict(linear::fitted(model_, name), X, name);
}

template <typename T>
Matrix<T> LinearRegression<T>::predict_all(const MatrixView<const T>& X) const {
  return linear::predict_all(linear::fitted(model_, name), X, name);
}

template <typename T>
double LinearRegression<T>::score(const MatrixView<const T>& X, const VectorView<const T>& y,
                                  const std::optional<VectorView<const T>>& sample_weight) const {
  return linear::score(linear::fitted(model_, name), linear::Rows<T>{X, linear::as_matrix(y), sample_weight}, name);
}

template <typename T>
const Matrix<double>& LinearRegression<T>::coef() const {
  return linear::fitted(model_, name).coef;
}
template <typename T>
const std::vector<double>& LinearRegression<T>::intercept() const {
  return linear::fitted(model_, name).intercept;
}
template <typename T>
std::int64_t LinearRegression<T>::rank() const {
  return linear::fitted(model_, name).rank;
}
template <typename T>
const std::vector<double>& LinearRegression<T>::singular_values() const {
  return linear::fitted(model_, name).singular_values();
}
template <typename T>
double LinearRegression<T>::condition_number() const {
  const linear::LinearModel& model = linear::fitted(model_, name);
  if (model.rank == 0) return 1.0;
  const std::vector<double>& values = model.singular_values();
  return values.front() / values[static_cast<std::size_t>(model.rank - 1)];
}
template <typename T>
LeastSquaresSolver LinearRegression<T>::solver_used() const {
  return linear::fitted(model_, name).solver;
}
template <typename T>
std::int64_t LinearRegression<T>::n_features_in() const {
  return linear::fitted(model_, name).features();
}
template <typename T>
const std::vector<std::string>& LinearRegression<T>::warnings() const {
  return linear::fitted(model_, name).warnings;
}
template <typename T>
const LinearRegressionOptions& LinearRegression<T>::options() const noexcept {
  return options_;
}

template class LinearRegression<float>;
template class LinearRegression<double>;

}  // namespace tilelearn
