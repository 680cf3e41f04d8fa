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

/// Columns of an order are each of 0 .. d - 1 once.
bool is_permutation(std::vector<std::int64_t> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t j = 0; j < order.size(); ++j)
    if (order[j] != static_cast<std::int64_t>(j)) return false;
  return true;
}

void check_factor(const detail::ModelReader& reader, const linear::LinearModel& model) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const linear::Factor& factor = model.factor;
  if (!std::all_of(factor.high.begin(), factor.high.end(), finite) ||
      !std::all_of(factor.low.begin(), factor.low.end(), finite))
    reader.fail("the factor is not finite");
  if (factor.rows > 0 && !is_permutation(factor.order))
    reader.fail("the columns of the factor are not those of the model");
  if (!factor.low.empty() && factor.low.size() != factor.high.size())
    reader.fail("the parts of the factor differ in size");
  if (factor.rows < model.rank) reader.fail("the factor has fewer rows than the rank");
}

void check(const detail::ModelReader& reader, const linear::LinearModel& model) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto is_square = [](double value) { return std::isfinite(value) && value >= 0.0; };
  if (!std::all_of(model.intercept.begin(), model.intercept.end(), finite)) reader.fail("an intercept is not finite");
  if (!std::all_of(model.residual_squares.begin(), model.residual_squares.end(), is_square) ||
      !std::all_of(model.total_squares.begin(), model.total_squares.end(), is_square))
    reader.fail("a sum of squares is negative or not finite");
  if (!(std::isfinite(model.weight) && model.weight > 0.0)) reader.fail("the sum of the weights is not positive");
  check_factor(reader, model);
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
  writer.set("factor_rows", model.factor.rows).array("factor", model.factor.high).array("factor_low", model.factor.low);
  writer.array("factor_order", model.factor.order).array("means", model.means);
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
  model->factor.rows = reader.get_int("factor_rows", 0, d);
  model->factor.high = reader.values<double>("factor", model->factor.rows * d);
  model->factor.low = reader.values<double>("factor_low");
  model->factor.order = reader.values<std::int64_t>("factor_order", model->factor.rows > 0 ? d : detail::any_size);
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
