// The parts of a model file that every linear model has. They are float64 for every T.
#include <algorithm>
#include <cmath>

#include "linear/linear_model.hpp"

namespace tilelearn::linear {

namespace {

constexpr int last_solver = static_cast<int>(LeastSquaresSolver::double_double);

/// Columns of an order are each of 0 .. d - 1 once.
bool is_permutation(std::vector<std::int64_t> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t j = 0; j < order.size(); ++j)
    if (order[j] != static_cast<std::int64_t>(j)) return false;
  return true;
}

void check_factor(const detail::ModelReader& reader, const LinearModel& model) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const Factor& factor = model.factor;
  if (!std::all_of(factor.high.begin(), factor.high.end(), finite) ||
      !std::all_of(factor.low.begin(), factor.low.end(), finite))
    reader.fail("the factor is not finite");
  if (factor.rows > 0 && !is_permutation(factor.order))
    reader.fail("the columns of the factor are not those of the model");
  if (!factor.low.empty() && factor.low.size() != factor.high.size())
    reader.fail("the parts of the factor differ in size");
  if (factor.rows < model.rank) reader.fail("the factor has fewer rows than the rank");
}

void check(const detail::ModelReader& reader, const LinearModel& model) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto is_square = [](double value) { return value >= 0.0; };  // infinite for targets above 1e154
  if (!std::all_of(model.intercept.begin(), model.intercept.end(), finite)) reader.fail("an intercept is not finite");
  if (!std::all_of(model.means.begin(), model.means.end(), finite)) reader.fail("a mean is not finite");
  if (!std::all_of(model.residual_squares.begin(), model.residual_squares.end(), is_square) ||
      !std::all_of(model.total_squares.begin(), model.total_squares.end(), is_square))
    reader.fail("a sum of squares is negative or NaN");
  if (!(model.weight > 0.0)) reader.fail("the sum of the weights is not positive");
  if (model.rank > model.observations) reader.fail("the rank is above the number of observations");
  check_factor(reader, model);
}

}  // namespace

void write_model(detail::ModelWriter& writer, const LinearModel& model) {
  writer.set("solver_used", static_cast<int>(model.solver)).set("warnings", model.warnings);
  writer.set("rank", model.rank).set("observations", model.observations).set("weight", model.weight);
  writer.array("coef", model.coef.view()).array("intercept", model.intercept).array("means", model.means);
  writer.set("factor_rows", model.factor.rows).array("factor", model.factor.high).array("factor_low", model.factor.low);
  writer.array("factor_order", model.factor.order);
  writer.array("residual_squares", model.residual_squares).array("total_squares", model.total_squares);
}

std::unique_ptr<LinearModel> read_model(const detail::ModelReader& reader) {
  auto model = std::make_unique<LinearModel>();
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
  return model;
}

}  // namespace tilelearn::linear
