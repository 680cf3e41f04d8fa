#include "linear_fit.hpp"

namespace tilelearn::cli {

template <typename T>
LinearFit<T>::LinearFit(const LinearRegressionRequest& request, const LinearRows<T>& rows) {
  if (!request.standardize) {
    fit(request, rows);
    return;
  }
  scaler_.emplace();
  const Matrix<T> scaled = scaler_->fit_transform(rows.X, {.sample_weight = rows.weights});
  fit(request, {scaled.view(), rows.y, rows.weights});
}

template <typename T>
void LinearFit<T>::fit(const LinearRegressionRequest& request, const LinearRows<T>& rows) {
  const LinearRegressionFitArguments<T> arguments{.sample_weight = rows.weights};
  if (request.penalties.empty()) {
    model_ = LinearRegression<T>({.fit_intercept = request.fit_intercept});
    std::get<LinearRegression<T>>(model_).fit(rows.X, rows.y, arguments);
    return;
  }
  RidgeCV<T> ridge({.alphas = request.penalties, .fit_intercept = request.fit_intercept});
  ridge.fit(rows.X, rows.y, arguments);
  penalty_scores_ = ridge.scores();
  model_ = ridge.release();
}

template <typename T>
Vector<T> LinearFit<T>::predict(const MatrixView<const T>& X) const {
  const auto apply = [this](const MatrixView<const T>& features) {
    return std::visit([&features](const auto& model) { return model.predict(features); }, model_);
  };
  return scaler_ ? apply(scaler_->transform(X).view()) : apply(X);
}

template <typename T>
double LinearFit<T>::score(const LinearRows<T>& rows) const {
  const auto apply = [this, &rows](const MatrixView<const T>& features) {
    return std::visit([&](const auto& model) { return model.score(features, rows.y, rows.weights); }, model_);
  };
  return scaler_ ? apply(scaler_->transform(rows.X).view()) : apply(rows.X);
}

template <typename T>
const Matrix<double>& LinearFit<T>::coef() const {
  return std::visit([](const auto& model) -> const Matrix<double>& { return model.coef(); }, model_);
}

template <typename T>
double LinearFit<T>::intercept() const {
  return std::visit([](const auto& model) { return model.intercept().front(); }, model_);
}

template <typename T>
LeastSquaresSolver LinearFit<T>::solver() const {
  return std::visit([](const auto& model) { return model.solver_used(); }, model_);
}

template <typename T>
Pipeline LinearFit<T>::release(const TableEncoder& encoder) {
  return std::visit([&](auto& model) { return Pipeline(encoder, std::move(scaler_), std::move(model)); }, model_);
}

template class LinearFit<float>;
template class LinearFit<double>;

}  // namespace tilelearn::cli
