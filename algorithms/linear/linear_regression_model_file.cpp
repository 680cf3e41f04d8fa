// LinearRegression to and from model files. A model is float64 for every T, so one file serves both.
#include <algorithm>
#include <cmath>
#include <utility>

#include <tilelearn/linear_regression.hpp>

#include "core/model_file.hpp"
#include "linear/linear_model.hpp"

namespace tilelearn {

namespace {

const char* const kind = "linear_regression";
constexpr int last_solver = static_cast<int>(LeastSquaresSolver::double_double);

void check(const detail::ModelReader& reader, const linear::LinearModel& model) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto is_square = [](double value) { return std::isfinite(value) && value >= 0.0; };
  if (!std::all_of(model.intercept.begin(), model.intercept.end(), finite)) reader.fail("an intercept is not finite");
  if (!std::all_of(model.factor.begin(), model.factor.end(), finite)) reader.fail("the factor is not finite");
  if (!std::all_of(model.residual_squares.begin(), model.residual_squares.end(), is_square) ||
      !std::all_of(model.total_squares.begin(), model.total_squares.end(), is_square))
    reader.fail("a sum of squares is negative or not finite");
  if (!(std::isfinite(model.weight) && model.weight > 0.0)) reader.fail("the sum of the weights is not positive");
  const auto d = static_cast<std::size_t>(model.features());
  if (model.factor.size() % d != 0 || model.factor.size() / d > d ||
      model.factor.size() / d < static_cast<std::size_t>(model.rank))
    reader.fail("the factor does not fit the coefficients and the rank");
}

}  // namespace

template <typename T>
void LinearRegression<T>::write(detail::ModelWriter& writer) const {
  if (!model_) throw NotFitted("LinearRegression::save: call fit first");
  const linear::LinearModel& model = *model_;
  writer.set("fit_intercept", options_.fit_intercept).set("tol", options_.tol);
  writer.set("solver", static_cast<int>(options_.solver)).set("solver_used", static_cast<int>(model.solver));
  writer.set("rank", model.rank).set("observations", model.observations).set("weight", model.weight);
  writer.set("warnings", model.warnings).array("coef", model.coef.view()).array("intercept", model.intercept);
  writer.array("factor", model.factor).array("means", model.means);
  writer.array("residual_squares", model.residual_squares).array("total_squares", model.total_squares);
}

template <typename T>
LinearRegression<T> LinearRegression<T>::read(const detail::ModelReader& reader) {
  reader.require_kind(kind);
  LinearRegressionOptions options{.fit_intercept = reader.get_bool("fit_intercept"),
                                  .solver = static_cast<LeastSquaresSolver>(reader.get_int("solver", 0, last_solver)),
                                  .tol = reader.get_real("tol")};
  if (!(options.tol >= 0.0 && options.tol < 1.0)) reader.fail("tol is outside its range");
  auto model = std::make_unique<linear::LinearModel>();
  model->coef = reader.finite_matrix<double>("coef");
  const std::int64_t d = model->features();
  const std::int64_t t = model->targets();
  if (d < 1 || t < 1) reader.fail("a model of no coefficients");
  model->intercept = reader.values<double>("intercept", t);
  model->rank = reader.get_int("rank", 0, d);
  model->observations = reader.get_int("observations", 1);
  model->weight = reader.get_real("weight");
  model->factor = reader.values<double>("factor");
  model->means = reader.values<double>("means", d + t);
  model->residual_squares = reader.values<double>("residual_squares", t);
  model->total_squares = reader.values<double>("total_squares", t);
  model->solver = static_cast<LeastSquaresSolver>(reader.get_int("solver_used", 1, last_solver));
  model->warnings = reader.get_texts("warnings");
  check(reader, *model);
  LinearRegression result(options);
  result.model_ = std::move(model);
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
