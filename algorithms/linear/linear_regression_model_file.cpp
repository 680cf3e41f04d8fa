// LinearRegression to and from model files.
#include <tilelearn/linear_regression.hpp>

#include "core/model_file.hpp"
#include "linear/linear_model.hpp"

namespace tilelearn {

namespace {

const char* const kind = "linear_regression";
constexpr int last_solver = static_cast<int>(LeastSquaresSolver::double_double);

}  // namespace

template <typename T>
void LinearRegression<T>::write(detail::ModelWriter& writer) const {
  const linear::LinearModel& model = linear::fitted(model_, "LinearRegression");
  writer.set("fit_intercept", options_.fit_intercept).set("tol", options_.tol);
  writer.set("solver", static_cast<int>(options_.solver)).set("positive", options_.positive);
  linear::write_model(writer, model);
}

template <typename T>
LinearRegression<T> LinearRegression<T>::read(const detail::ModelReader& reader) {
  reader.require_kind(kind);
  LinearRegression result({.fit_intercept = reader.get_bool("fit_intercept"),
                           .positive = reader.get_bool("positive"),
                           .solver = static_cast<LeastSquaresSolver>(reader.get_int("solver", 0, last_solver)),
                           .tol = reader.get_real("tol")});
  if (!(result.options_.tol >= 0.0 && result.options_.tol < 1.0)) reader.fail("tol is outside its range");
  result.model_ = linear::read_model(reader);
  return result;
}

template <typename T>
void LinearRegression<T>::save(const std::string& path) const {
  detail::ModelWriter writer(kind);
  write(writer);
  writer.write(path);
}

template <typename T>
LinearRegression<T> LinearRegression<T>::load(const std::string& path) {
  return read(detail::ModelReader(path));
}

template void LinearRegression<float>::write(detail::ModelWriter&) const;
template void LinearRegression<double>::write(detail::ModelWriter&) const;
template LinearRegression<float> LinearRegression<float>::read(const detail::ModelReader&);
template LinearRegression<double> LinearRegression<double>::read(const detail::ModelReader&);
template void LinearRegression<float>::save(const std::string&) const;
template void LinearRegression<double>::save(const std::string&) const;
template LinearRegression<float> LinearRegression<float>::load(const std::string&);
template LinearRegression<double> LinearRegression<double>::load(const std::string&);

}  // namespace tilelearn
