// The class KMeans: checks shapes and options, brings views into the layout of the backends, keeps the model.
#include <tilelearn/kmeans.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/cuda_module.hpp"
#include "core/packed.hpp"
#include "core/text.hpp"
#include "kmeans/kmeans_backend.hpp"

namespace tilelearn {

namespace {

constexpr std::int32_t random_starts = 10;
constexpr const char* packed_matrix = "KMeans: packed copy of a matrix";
constexpr const char* packed_weights = "KMeans: packed copy of the weights";

template <typename T>
const kmeans::Backend<T>& backend_for(const Device& device) {
  if (device.is_cpu()) return kmeans::cpu::backend<T>();
  if constexpr (std::is_same_v<T, float>)
    return detail::cuda_module().kmeans_float();
  else
    return detail::cuda_module().kmeans_double();
}

void check_options(const KMeansOptions& options) {
  const auto check = [](bool good, const char* name, const std::string& value, const char* range) {
    if (!good) throw InvalidArgument(std::string("KMeans: ") + name + " is " + value + ", must be " + range);
  };
  check(options.n_clusters >= 1, "n_clusters", std::to_string(options.n_clusters), "1 or more");
  check(options.n_init >= 0, "n_init", std::to_string(options.n_init), "0 (auto) or more");
  check(options.max_iter >= 1, "max_iter", std::to_string(options.max_iter), "1 or more");
  check(options.tol >= 0.0 && std::isfinite(options.tol), "tol", detail::shortest_text(options.tol),
        "finite and 0 or more");
  check(options.init >= KMeansInit::k_means_plus_plus && options.init <= KMeansInit::random, "init",
        std::to_string(static_cast<int>(options.init)), "one of KMeansInit");
}

template <typename T>
void check_rows(const MatrixView<const T>& X) {
  if (X.rows() < 1 || X.columns() < 1)
    throw InvalidArgument("KMeans: X is " + detail::shape_text(X.rows(), X.columns()) +
                          ", needs at least one row and one column");
  detail::checked_bytes(X.rows(), X.columns(), sizeof(double));
}

template <typename T>
void check_weights_shape(const VectorView<const T>& weights, const MatrixView<const T>& X) {
  if (weights.size() != X.rows())
    throw ShapeMismatch("KMeans: X has " + std::to_string(X.rows()) + " rows, but there are " +
                        std::to_string(weights.size()) + " weights");
  if (weights.device() != X.device())
    throw InvalidArgument("KMeans: the weights are on " + weights.device().name() + ", X is on " + X.device().name());
}

template <typename T>
void check_init(const MatrixView<const T>& centers, std::int32_t k, std::int64_t d) {
  if (centers.rows() != k || centers.columns() != d)
    throw ShapeMismatch("KMeans: init_centers is " + detail::shape_text(centers.rows(), centers.columns()) +
                        ", must be " + detail::shape_text(k, d));
}

template <typename T>
const kmeans::Model<T>& fitted(const std::unique_ptr<kmeans::Model<T>>& model) {
  if (model == nullptr) throw NotFitted("KMeans: call fit first");
  return *model;
}

template <typename T>
void check_columns(const MatrixView<const T>& X, const kmeans::Model<T>& model) {
  if (X.columns() != model.centers.columns())
    throw ShapeMismatch("KMeans: X has " + detail::count_text(X.columns(), "column") + ", the model was fitted on " +
                        std::to_string(model.centers.columns()));
  check_rows(X);
}

/// Calls a function of the backend with X and the model's centres where X lives.
template <typename T, typename Call>
auto apply(const MatrixView<const T>& X, const kmeans::Model<T>& model, const Call& call) {
  check_columns(X, model);
  const detail::PackedMatrix<T> rows(X, X.device(), packed_matrix);
  const detail::PackedMatrix<T> centers(model.centers.view(), X.device(), packed_matrix);
  return call(backend_for<T>(X.device()), rows.view(), centers.view());
}

}  // namespace

template <typename T>
KMeans<T>::KMeans(const KMeansOptions& options) : options_(options) {}
template <typename T>
KMeans<T>::KMeans(KMeans&&) noexcept = default;
template <typename T>
KMeans<T>& KMeans<T>::operator=(KMeans&&) noexcept = default;
template <typename T>
KMeans<T>::~KMeans() = default;

template <typename T>
KMeans<T>& KMeans<T>::fit(const MatrixView<const T>& X, const KMeansFitArguments<T>& arguments) {
  check_options(options_);
  check_rows(X);
  if (X.rows() < options_.n_clusters)
    throw InvalidArgument("KMeans: n_clusters is " + std::to_string(options_.n_clusters) + ", but X has only " +
                          detail::count_text(X.rows(), "row"));
  if (arguments.sample_weight.has_value()) check_weights_shape(*arguments.sample_weight, X);
  const detail::PackedMatrix<T> rows(X, X.device(), packed_matrix);
  const detail::PackedOptional<T> weights(arguments.sample_weight, X.device(), packed_weights);
  std::optional<detail::PackedMatrix<T>> init;
  kmeans::FitProblem<T> problem{rows.view(), weights.view(), {}, options_, arguments.progress, arguments.stop};
  if (arguments.init_centers.has_value()) {
    check_init(*arguments.init_centers, options_.n_clusters, X.columns());
    problem.init = init.emplace(*arguments.init_centers, X.device(), packed_matrix).view();
    problem.options.n_init = 1;  // every start would be the same
  } else if (options_.n_init == 0) {
    problem.options.n_init = options_.init == KMeansInit::random ? random_starts : 1;
  }
  model_ = std::make_unique<kmeans::Model<T>>(backend_for<T>(X.device()).fit(problem));
  return *this;
}

template <typename T>
Vector<std::int32_t> KMeans<T>::fit_predict(const MatrixView<const T>& X, const KMeansFitArguments<T>& arguments) {
  return fit(X, arguments).labels().clone();
}

template <typename T>
Vector<std::int32_t> KMeans<T>::predict(const MatrixView<const T>& X) const {
  return apply(X, fitted(model_), [](const auto& backend, const auto& rows, const auto& centers) {
    return backend.predict(rows, centers);
  });
}

template <typename T>
Matrix<T> KMeans<T>::transform(const MatrixView<const T>& X) const {
  return apply(X, fitted(model_), [](const auto& backend, const auto& rows, const auto& centers) {
    return backend.transform(rows, centers);
  });
}

template <typename T>
double KMeans<T>::score(const MatrixView<const T>& X, const std::optional<VectorView<const T>>& sample_weight) const {
  const kmeans::Model<T>& model = fitted(model_);
  if (sample_weight.has_value()) check_weights_shape(*sample_weight, X);
  const detail::PackedOptional<T> weights(sample_weight, X.device(), packed_weights);
  return -apply(X, model, [&weights](const auto& backend, const auto& rows, const auto& centers) {
    return backend.inertia(rows, centers, weights.view());
  });
}

template <typename T>
const Matrix<T>& KMeans<T>::cluster_centers() const {
  return fitted(model_).centers;
}
template <typename T>
const Vector<std::int32_t>& KMeans<T>::labels() const {
  return fitted(model_).labels;
}
template <typename T>
double KMeans<T>::inertia() const {
  return fitted(model_).inertia;
}
template <typename T>
std::int32_t KMeans<T>::n_iter() const {
  return fitted(model_).n_iter;
}
template <typename T>
bool KMeans<T>::converged() const {
  return fitted(model_).converged;
}
template <typename T>
std::int64_t KMeans<T>::n_features_in() const {
  return fitted(model_).centers.columns();
}
template <typename T>
const std::vector<std::string>& KMeans<T>::warnings() const {
  return fitted(model_).warnings;
}
template <typename T>
const KMeansOptions& KMeans<T>::options() const noexcept {
  return options_;
}

template class KMeans<float>;
template class KMeans<double>;

}  // namespace tilelearn
