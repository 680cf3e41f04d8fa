// The class Ridge: one penalty is part of the normal equations, several come from one factorisation.
#include <tilelearn/ridge.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "linear/linear_model.hpp"
#include "linear/ridge_path.hpp"

namespace tilelearn {

namespace {

const char* const name = "Ridge";

void check_penalties(const std::vector<double>& alpha, std::int64_t targets) {
  for (const double one : alpha)
    if (!(one >= 0.0 && std::isfinite(one)))
      throw InvalidArgument("Ridge: alpha is " + detail::shortest_text(one) + ", must be 0 or more and finite");
  const auto count = static_cast<std::int64_t>(alpha.size());
  if (count != 1 && count != targets)
    throw InvalidArgument("Ridge: there are " + std::to_string(count) + " penalties for " +
                          detail::count_text(targets, "target") + ", must be one or one for each");
}

}  // namespace

template <typename T>
Ridge<T>::Ridge(RidgeOptions options) : options_(std::move(options)) {}
template <typename T>
Ridge<T>::Ridge(Ridge&&) noexcept = default;
template <typename T>
Ridge<T>& Ridge<T>::operator=(Ridge&&) noexcept = default;
template <typename T>
Ridge<T>::~Ridge() = default;

template <typename T>
Ridge<T>& Ridge<T>::fit(const MatrixView<const T>& X, const VectorView<const T>& y,
                        const LinearRegressionFitArguments<T>& arguments) {
  return fit(X, linear::as_matrix(y), arguments);
}

template <typename T>
Ridge<T>& Ridge<T>::fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
                        const LinearRegressionFitArguments<T>& arguments) {
  const linear::Rows<T> rows{X, Y, arguments.sample_weight};
  linear::check_rows(rows, name);
  check_penalties(options_.alpha, Y.columns());
  const bool one_penalty = options_.alpha.size() == 1;
  linear::LeastSquaresOptions options{options_.fit_intercept};
  options.alpha = one_penalty ? options_.alpha.front() : 0.0;
  options.sharp_factor = !one_penalty;
  options.stop = arguments.stop;
  linear::LeastSquares found = linear::least_squares(linear::backend_for<T>(X.device()), rows, options);
  if (!one_penalty) linear::penalise(linear::RidgePath(found), options_.alpha, options_.fit_intercept, found);
  if (std::find(options_.alpha.begin(), options_.alpha.end(), 0.0) != options_.alpha.end()) linear::warn_of_rank(found);
  model_ = linear::make_model(std::move(found), name);
  return *this;
}

template <typename T>
Vector<T> Ridge<T>::predict(const MatrixView<const T>& X) const {
  return linear::predict(linear::fitted(model_, name), X, name);
}

template <typename T>
Matrix<T> Ridge<T>::predict_all(const MatrixView<const T>& X) const {
  return linear::predict_all(linear::fitted(model_, name), X, name);
}

template <typename T>
double Ridge<T>::score(const MatrixView<const T>& X, const VectorView<const T>& y,
                       const std::optional<VectorView<const T>>& sample_weight) const {
  return linear::score(linear::fitted(model_, name), linear::Rows<T>{X, linear::as_matrix(y), sample_weight}, name);
}

template <typename T>
const Matrix<double>& Ridge<T>::coef() const {
  return linear::fitted(model_, name).coef;
}
template <typename T>
const std::vector<double>& Ridge<T>::intercept() const {
  return linear::fitted(model_, name).intercept;
}
template <typename T>
LeastSquaresSolver Ridge<T>::solver_used() const {
  return linear::fitted(model_, name).solver;
}
template <typename T>
std::int64_t Ridge<T>::n_features_in() const {
  return linear::fitted(model_, name).features();
}
template <typename T>
const std::vector<std::string>& Ridge<T>::warnings() const {
  return linear::fitted(model_, name).warnings;
}
template <typename T>
const RidgeOptions& Ridge<T>::options() const noexcept {
  return options_;
}

template class Ridge<float>;
template class Ridge<double>;

}  // namespace tilelearn
