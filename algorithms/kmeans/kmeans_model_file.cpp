// A KMeans model as a file, or as a part of one: options, centres and how the fit ended; labels are not kept.
#include <limits>
#include <utility>

#include <tilelearn/kmeans.hpp>

#include "core/model_file.hpp"
#include "kmeans/kmeans_backend.hpp"

namespace tilelearn {

namespace {

const char* const kind = "kmeans";
constexpr std::int64_t int32_max = std::numeric_limits<std::int32_t>::max();

KMeansOptions read_options(const detail::ModelReader& reader) {
  KMeansOptions options;
  options.n_clusters = static_cast<std::int32_t>(reader.get_int("n_clusters", 1, int32_max));
  options.init = static_cast<KMeansInit>(reader.get_int("init", 0, static_cast<std::int64_t>(KMeansInit::random)));
  options.n_init = static_cast<std::int32_t>(reader.get_int("n_init", 0, int32_max));
  options.max_iter = static_cast<std::int32_t>(reader.get_int("max_iter", 1, int32_max));
  options.tol = reader.get_real("tol");
  options.seed = reader.get_uint("seed");
  return options;
}

}  // namespace

template <typename T>
void KMeans<T>::write(detail::ModelWriter& writer) const {
  if (model_ == nullptr) throw NotFitted("KMeans: call fit before save");
  writer.set("n_clusters", options_.n_clusters)
      .set("init", static_cast<std::int32_t>(options_.init))
      .set("n_init", options_.n_init)
      .set("max_iter", options_.max_iter)
      .set("tol", options_.tol)
      .set("seed", options_.seed)
      .set("inertia", model_->inertia)
      .set("n_iter", model_->n_iter)
      .set("converged", model_->converged)
      .set("warnings", model_->warnings)
      .array("cluster_centers", std::as_const(model_->centers).view());
}

template <typename T>
KMeans<T> KMeans<T>::read(const detail::ModelReader& reader, const Device& device) {
  reader.require_kind(kind);
  KMeans result(read_options(reader));
  auto model = std::make_unique<kmeans::Model<T>>();
  model->inertia = reader.get_real("inertia");
  model->n_iter = static_cast<std::int32_t>(reader.get_int("n_iter", 1, int32_max));
  model->converged = reader.get_bool("converged");
  model->warnings = reader.get_texts("warnings");
  model->centers = reader.finite_matrix<T>("cluster_centers", result.options_.n_clusters, detail::any_size, device);
  if (model->centers.columns() < 1) reader.fail("a KMeans model without columns");
  model->labels = Vector<std::int32_t>(0, device);
  result.model_ = std::move(model);
  return result;
}

template <typename T>
void KMeans<T>::save(const std::string& path) const {
  detail::ModelWriter writer(kind);
  write(writer);
  writer.write(path);
}

template <typename T>
KMeans<T> KMeans<T>::load(const std::string& path, const Device& device) {
  return read(detail::ModelReader(path), device);
}

template void KMeans<float>::write(detail::ModelWriter&) const;
template void KMeans<double>::write(detail::ModelWriter&) const;
template KMeans<float> KMeans<float>::read(const detail::ModelReader&, const Device&);
template KMeans<double> KMeans<double>::read(const detail::ModelReader&, const Device&);
template void KMeans<float>::save(const std::string&) const;
template void KMeans<double>::save(const std::string&) const;
template KMeans<float> KMeans<float>::load(const std::string&, const Device&);
template KMeans<double> KMeans<double>::load(const std::string&, const Device&);

}  // namespace tilelearn
