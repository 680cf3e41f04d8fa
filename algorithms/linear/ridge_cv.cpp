// The class RidgeCV: judges all penalties from one factorisation, keeps the model of the best.
#include <algorithm>
#include <cmath>
#include <utility>

#include <tilelearn/ridge.hpp>

#include "core/text.hpp"
#include "linear/linear_model.hpp"
#include "linear/ridge_path.hpp"

namespace tilelearn {

namespace {

const char* const name = "RidgeCV";

void check_penalties(const std::vector<double>& alphas) {
  if (alphas.empty()) throw InvalidArgument("RidgeCV: there are no alphas to choose from");
  for (const double alpha : alphas)
    if (!(alpha >= 0.0 && std::isfinite(alpha)))
      throw InvalidArgument("RidgeCV: one of the alphas is " + detail::shortest_text(alpha) +
                            ", must be 0 or more and finite");
}

}  // namespace

template <typename T>
RidgeCV<T>::RidgeCV(RidgeCVOptions options) : options_(std::move(options)) {}

template <typename T>
RidgeCV<T>& RidgeCV<T>::fit(const MatrixView<const T>& X, const VectorView<const T>& y,
                            const LinearRegressionFitArguments<T>& arguments) {
  return fit(X, linear::as_matrix(y), arguments);
}

template <typename T>
RidgeCV<T>& RidgeCV<T>::fit(const MatrixView<const T>& X, const MatrixView<const T>& Y,
                            const LinearRegressionFitArguments<T>& arguments) {
  const linear::Rows<T> rows{X, Y, arguments.sample_weight};
  linear::check_rows(rows, name);
  check_penalties(options_.alphas);
  linear::LeastSquaresOptions options{options_.fit_intercept};
  options.sharp_factor = true;
  options.stop = arguments.stop;
  linear::LeastSquares found = linear::least_squares(linear::backend_for<T>(X.device()), rows, options);
  const linear::RidgePath path(found);
  std::vector<double> scores;
  for (const double alpha : options_.alphas) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < found.t; ++k) sum += path.gcv(alpha, k, options_.fit_intercept);
    scores.push_back(sum / static_cast<double>(found.t));
  }
  const auto best = static_cast<std::size_t>(std::min_element(scores.begin(), scores.end()) - scores.begin());
  const double alpha = options_.alphas[best];
  linear::penalise(path, std::vector<double>(static_cast<std::size_t>(found.t), alpha), options_.fit_intercept, found);
  if (alpha == 0.0) linear::warn_of_rank(found);
  Ridge<T> model(RidgeOptions{{alpha}, options_.fit_intercept});
  model.model_ = linear::make_model(std::move(found), name);
  model_ = std::move(model);
  scores_ = std::move(scores);
  return *this;
}

template <typename T>
double RidgeCV<T>::alpha() const {
  return model().options().alpha.front();
}
template <typename T>
const std::vector<double>& RidgeCV<T>::scores() const {
  (void)model();
  return scores_;
}
template <typename T>
const Ridge<T>& RidgeCV<T>::model() const {
  if (!model_) throw NotFitted("RidgeCV: call fit first");
  return *model_;
}
template <typename T>
Ridge<T> RidgeCV<T>::release() {
  (void)model();
  Ridge<T> result = std::move(*model_);
  model_.reset();
  scores_.clear();
  return result;
}
template <typename T>
const RidgeCVOptions& RidgeCV<T>::options() const noexcept {
  return options_;
}

template class RidgeCV<float>;
template class RidgeCV<double>;

}  // namespace tilelearn
