// Ridge to and from model files.
#include <algorithm>
#include <cmath>
#include <utility>

#include <tilelearn/ridge.hpp>

#include "core/model_file.hpp"
#include "linear/linear_model.hpp"

namespace tilelearn {

namespace {

const char* const kind = "ridge";

}  // namespace

template <typename T>
void Ridge<T>::write(detail::ModelWriter& writer) const {
  const linear::LinearModel& model = linear::fitted(model_, "Ridge");
  writer.set("fit_intercept", options_.fit_intercept).array("alpha", options_.alpha);
  linear::write_model(writer, model);
}

template <typename T>
Ridge<T> Ridge<T>::read(const detail::ModelReader& reader) {
  reader.require_kind(kind);
  RidgeOptions options{reader.values<double>("alpha"), reader.get_bool("fit_intercept")};
  const auto is_penalty = [](double alpha) { return std::isfinite(alpha) && alpha >= 0.0; };
  if (!std::all_of(options.alpha.begin(), options.alpha.end(), is_penalty))
    reader.fail("a penalty is negative or not finite");
  std::unique_ptr<linear::LinearModel> model = linear::read_model(reader);
  if (options.alpha.size() != 1 && static_cast<std::int64_t>(options.alpha.size()) != model->targets())
    reader.fail("the number of penalties is not that of the targets");
  Ridge result(std::move(options));
  result.model_ = std::move(model);
  return result;
}

template <typename T>
void Ridge<T>::save(const std::string& path) const {
  detail::ModelWriter writer(kind);
  write(writer);
  writer.write(path);
}

template <typename T>
Ridge<T> Ridge<T>::load(const std::string& path) {
  return read(detail::ModelReader(path));
}

template void Ridge<float>::write(detail::ModelWriter&) const;
template void Ridge<double>::write(detail::ModelWriter&) const;
template Ridge<float> Ridge<float>::read(const detail::ModelReader&);
template Ridge<double> Ridge<double>::read(const detail::ModelReader&);
template void Ridge<float>::save(const std::string&) const;
template void Ridge<double>::save(const std::string&) const;
template Ridge<float> Ridge<float>::load(const std::string&);
template Ridge<double> Ridge<double>::load(const std::string&);

}  // namespace tilelearn
