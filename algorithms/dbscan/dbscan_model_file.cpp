// A DBSCAN model as a file, or as a part of one: options, core rows and their clusters; labels of the fit are not kept.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <tilelearn/dbscan.hpp>

#include "core/model_file.hpp"
#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_values.hpp"

namespace tilelearn {

namespace {

const char* const kind = "dbscan";
constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();

template <typename T>
DBSCANOptions read_options(const detail::ModelReader& reader) {
  DBSCANOptions options;
  options.eps = reader.get_real("eps");
  if (!(static_cast<T>(options.eps) > T{0}) || !std::isfinite(static_cast<T>(options.eps)))
    reader.fail("value 'eps' of a DBSCAN model must be above 0 and finite");
  options.min_samples = reader.get_int("min_samples", 1);
  options.metric =
      static_cast<DBSCANMetric>(reader.get_int("metric", 0, static_cast<std::int64_t>(DBSCANMetric::haversine)));
  return options;
}

/// Rows of the fit: ascending.
std::vector<std::int64_t> read_indices(const detail::ModelReader& reader) {
  std::vector<std::int64_t> indices = reader.values<std::int64_t>("core_sample_indices");
  const bool ascending = std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) == indices.end();
  if (!ascending || (!indices.empty() && (indices.front() < 0 || indices.back() >= most_rows)))
    reader.fail("the core rows of a DBSCAN model are not ascending rows");
  return indices;
}

/// Values that the metric takes; anything else would have been refused by the fit.
template <typename T>
Matrix<T> read_components(const detail::ModelReader& reader, std::int64_t n_core, DBSCANMetric metric) {
  const std::int64_t columns = metric == DBSCANMetric::haversine ? dbscan::haversine_columns : detail::any_size;
  Matrix<T> components = reader.finite_matrix<T>("components", n_core, columns);
  if (components.columns() < 1) reader.fail("a DBSCAN model without columns");
  try {
    dbscan::throw_if_bad_values(std::as_const(components).view(), metric);
  } catch (const InvalidArgument& error) {
    reader.fail(std::string("a core row is wrong: ") + error.what());
  }
  return components;
}

/// Clusters of the core rows: numbered from 0, a new number always the next one.
std::vector<std::int32_t> read_labels(const detail::ModelReader& reader, std::int64_t n_core, std::int32_t n_clusters) {
  std::vector<std::int32_t> labels = reader.values<std::int32_t>("component_labels", n_core);
  std::int32_t seen = 0;
  for (const std::int32_t label : labels) {
    if (label < 0 || label > seen)
      reader.fail("the clusters of a DBSCAN model are not numbered by their first core row");
    seen = std::max(seen, label + 1);
  }
  if (seen != n_clusters)
    reader.fail("a DBSCAN model of " + std::to_string(n_clusters) + " clusters has core rows of " +
                std::to_string(seen));
  return labels;
}

}  // namespace

template <typename T>
void DBSCAN<T>::write(detail::ModelWriter& writer) const {
  if (model_ == nullptr) throw NotFitted("DBSCAN: call fit before save");
  writer.set("eps", options_.eps)
      .set("min_samples", options_.min_samples)
      .set("metric", static_cast<std::int32_t>(options_.metric))
      .set("n_clusters", model_->n_clusters)
      .set("warnings", model_->warnings)
      .array("core_sample_indices", std::as_const(model_->core_sample_indices).view())
      .array("components", std::as_const(model_->components).view())
      .array("component_labels", std::as_const(model_->component_labels).view());
}

template <typename T>
DBSCAN<T> DBSCAN<T>::read(const detail::ModelReader& reader, const Device& device) {
  reader.require_kind(kind);
  DBSCAN result(read_options<T>(reader));
  auto model = std::make_unique<dbscan::Model<T>>();
  model->n_clusters = static_cast<std::int32_t>(reader.get_int("n_clusters", 0, most_rows));
  model->warnings = reader.get_texts("warnings");
  const std::vector<std::int64_t> indices = read_indices(reader);
  const auto n_core = static_cast<std::int64_t>(indices.size());
  const std::vector<std::int32_t> labels = read_labels(reader, n_core, model->n_clusters);
  const Matrix<T> components = read_components<T>(reader, n_core, result.options_.metric);
  model->n_features_in = components.columns();
  model->core_sample_indices = Vector<std::int64_t>(indices).to(device);
  model->components = components.to(device);
  model->component_labels = Vector<std::int32_t>(labels).to(device);
  model->labels = Vector<std::int32_t>(0, device);
  result.model_ = std::move(model);
  return result;
}

template <typename T>
void DBSCAN<T>::save(const std::string& path) const {
  detail::ModelWriter writer(kind);
  write(writer);
  writer.write(path);
}

template <typename T>
DBSCAN<T> DBSCAN<T>::load(const std::string& path, const Device& device) {
  return read(detail::ModelReader(path), device);
}

template void DBSCAN<float>::write(detail::ModelWriter&) const;
template void DBSCAN<double>::write(detail::ModelWriter&) const;
template DBSCAN<float> DBSCAN<float>::read(const detail::ModelReader&, const Device&);
template DBSCAN<double> DBSCAN<double>::read(const detail::ModelReader&, const Device&);
template void DBSCAN<float>::save(const std::string&) const;
template void DBSCAN<double>::save(const std::string&) const;
template DBSCAN<float> DBSCAN<float>::load(const std::string&, const Device&);
template DBSCAN<double> DBSCAN<double>::load(const std::string&, const Device&);

}  // namespace tilelearn
