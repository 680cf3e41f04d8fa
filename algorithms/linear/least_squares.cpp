#include "linear/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/finite.hpp"
#include "core/text.hpp"
#include "linear/callers_units.hpp"
#include "linear/non_negative.hpp"
#include "linear/normal_equations.hpp"
#include "linear/row_units.hpp"

namespace tilelearn::linear {

namespace {

/// Where the Gram matrix costs no more than this many products, double-double does not matter.
constexpr double few_products = 1 << 22;
/// A shift that costs digits is replaced by the mean, so often at most: where one row's weight is nearly all, the mean
/// is near enough to it after two steps.
constexpr int most_shifts = 3;
/// Largest condition of the solvers in float64. Cholesky alone errs by condition^2 2^-53, which is to stay below
/// 16 eps condition for float64; float32 data are wrong by 2^-24 themselves. A correction turns an error e into
/// condition^2 2^-53 e.
template <typename T>
constexpr double most_condition_once = sizeof(T) == sizeof(float) ? 1024.0 : 8.0;
constexpr double most_condition_refined = 1e6;
/// A factor's singular values err by condition^2 2^-53, which no correction of the coefficients mends.
constexpr double most_condition_sharp = 32.0;
/// Of a forced solver.
constexpr double most_condition_forced = 1e7;
/// The condition is an estimate from below: no further than this share of what the rank's tolerance allows.
constexpr double surely_full_rank = 0.25;
constexpr int most_corrections = 4;
/// Digits of the squares of the residuals that may be lost in their difference from those of the targets.
constexpr double most_rest_lost = 1e6;

/// The passes and solvers of one fit.
template <typename T>
class Fit {
 public:
  Fit(const Backend<T>& backend, const Rows<T>& rows, const LeastSquaresOptions& options)
      : backend_(backend), rows_(rows), options_(options), d_(rows.X.columns()), t_(rows.Y.columns()) {}

  LeastSquares run() {
    const RowFacts<T> facts = inspect_rows(backend_, rows_);
    result_.observations = facts.observations;
    units_ = facts.units(options_.fit_intercept);
    const bool few =
        static_cast<double>(rows_.X.rows()) * std::pow(static_cast<double>(rows_.width()), 2) <= few_products;
    if (options_.solver == LeastSquaresSolver::double_double || options_.positive ||
        (options_.solver == LeastSquaresSolver::automatic && few)) {
      form(Precision::double_double);
    } else {
      form(Precision::float64);
      if (!solve_in_float64()) form(Precision::double_double);
    }
    if (result_.solver == LeastSquaresSolver::automatic) {
      solution_ = solve_double_double(equations_, rank_tolerance<T>(options_), coef_units(equations_, units_, 0));
      result_.solver = LeastSquaresSolver::double_double;
    }
    if (options_.positive) make_non_negative(equations_, solution_);
    store_solution(equations_, units_, std::move(solution_), result_);
    return std::move(result_);
  }

 private:
  void check_stop() const {
    if (options_.stop && options_.stop()) throw Cancelled("a linear model: stopped between passes over the rows");
  }

  /// Of a coefficient in the units of the Gram matrix. One alpha serves all targets: it is in the units of X alone.
  [[nodiscard]] std::vector<double> penalty() const {
    std::vector<double> result;
    for (std::int64_t j = 0; j < d_ && options_.alpha > 0.0; ++j)
      result.push_back(options_.alpha * units_.scale[at(j)] * units_.scale[at(j)] * units_.weight_scale);
    return result;
  }

  /// Forms the equations, in better units where these turn out bad.
  void form(Precision precision) {
    check_stop();
    Gram gram = backend_.gram(rows_, units_, precision);
    if (improve_scales(rows_, gram, units_)) {
      check_stop();
      gram = backend_.gram(rows_, units_, precision);
    }
    equations_ = normal_equations(gram, d_, options_.fit_intercept, penalty());
    const double most_lost = precision == Precision::float64 ? most_lost_float64 : most_lost_double_double;
    for (int step = 0; step < most_shifts && equations_.lost > most_lost; ++step) {
      check_stop();
      shift_to(equations_.mean, units_);
      equations_ = normal_equations(backend_.gram(rows_, units_, precision), d_, options_.fit_intercept, penalty());
    }
  }

  /// The largest condition that a solver in float64 takes, which leaves no direction out.
  [[nodiscard]] double most_condition() const {
    const double full_rank = 1.0 / rank_tolerance<T>(options_);
    if (options_.sharp_factor) return std::min(most_condition_sharp, surely_full_rank * full_rank);
    if (options_.solver == LeastSquaresSolver::automatic)
      return std::min(most_condition_refined, surely_full_rank * full_rank);
    return std::min(most_condition_forced, full_rank);
  }

  /// False where double-double is to decide.
  bool solve_in_float64() {
    const bool automatic = options_.solver == LeastSquaresSolver::automatic;
    if (!solve_float64(equations_, most_condition(), solution_)) {
      if (!automatic) throw_too_dependent();
      return false;
    }
    const bool once = options_.solver == LeastSquaresSolver::cholesky ||
                      (automatic && solution_.condition <= most_condition_once<T> && rest_is_sharp());
    if (!once && !refine() && automatic) return false;
    result_.solver = once ? LeastSquaresSolver::cholesky : LeastSquaresSolver::refined_cholesky;
    return true;
  }

  [[noreturn]] void throw_too_dependent() const {
    throw InvalidArgument("a linear model: the columns of X nearly depend on each other (condition number above " +
                          detail::shortest_text(most_condition()) +
                          "), which a Cholesky factor in float64 cannot solve; choose automatic or double_double");
  }

  [[nodiscard]] bool rest_is_sharp() const {
    for (std::int64_t k = 0; k < t_; ++k)
      if (equations_.squares[at(k)].high > most_rest_lost * solution_.rest[at(k)].high) return false;
    return true;
  }

  /// Corrects the solution by the residuals until a correction is small enough for the next one to be none. False where
  /// corrections do not shrink.
  bool refine() {
    double before = std::numeric_limits<double>::infinity();
    for (int step = 0; step < most_corrections; ++step) {
      check_stop();
      const ResidualSums sums = backend_.residual_sums(rows_, units_, plane());
      std::vector<double> change = centred_products(sums);
      std::vector<double> gain = change;
      solve_with_factor(solution_.factor, t_, change);
      for (std::int64_t k = 0; k < t_; ++k) {
        double gained = centring(sums, k);
        for (std::int64_t j = 0; j < d_; ++j) gained += gain[at(j * t_ + k)] * change[at(j * t_ + k)];
        solution_.rest[at(k)] =
            DoubleDouble(sums.squares[at(k)] - gained) + penalty_paid(equations_, solution_.coef, k);
      }
      for (std::size_t i = 0; i < change.size(); ++i) solution_.coef[i] += DoubleDouble(change[i]);
      const double size = relative_size(change);
      if (size * solution_.condition <= 1.0) return true;
      if (size > before / 4.0) return false;
      before = size;
    }
    return false;
  }

  /// What the residuals' mean takes from their squares.
  [[nodiscard]] double centring(const ResidualSums& sums, std::int64_t k) const {
    const double sum = sums.products[at(d_ * t_ + k)];
    return options_.fit_intercept ? sum * sum / equations_.weight.high : 0.0;
  }

  /// Products of the centred, equilibrated columns with the residuals, less the penalty's: half the descent.
  [[nodiscard]] std::vector<double> centred_products(const ResidualSums& sums) const {
    std::vector<double> result(at(d_ * t_));
    for (std::int64_t j = 0; j < d_; ++j)
      for (std::int64_t k = 0; k < t_; ++k)
        result[at(j * t_ + k)] =
            (sums.products[at(j * t_ + k)] - equations_.mean[at(j)].high * sums.products[at(d_ * t_ + k)]) *
                equations_.equilibration[at(j)] -
            (equations_.penalty.empty() ? 0.0 : equations_.penalty[at(j)]) * solution_.coef[at(j * t_ + k)].high;
    return result;
  }

  /// The largest change in units of the solution's size, over the targets.
  [[nodiscard]] double relative_size(const std::vector<double>& change) const {
    double largest = 0.0;
    for (std::int64_t k = 0; k < t_; ++k) {
      double of_change = 0.0;
      double of_coef = 0.0;
      for (std::int64_t j = 0; j < d_; ++j) {
        of_change = std::hypot(of_change, change[at(j * t_ + k)]);
        of_coef = std::hypot(of_coef, solution_.coef[at(j * t_ + k)].high);
      }
      if (of_change > 0.0) largest = std::max(largest, of_change / of_coef);
    }
    return largest;
  }

  /// The solution in the units of the augmented rows.
  [[nodiscard]] Plane plane() const {
    Plane result;
    result.coef.resize(at(d_ * t_));
    for (std::int64_t k = 0; k < t_; ++k) {
      DoubleDouble intercept = equations_.mean[at(d_ + k)];
      for (std::int64_t j = 0; j < d_; ++j) {
        const double coef = solution_.coef[at(j * t_ + k)].high * equations_.equilibration[at(j)];
        result.coef[at(j * t_ + k)] = coef;
        intercept -= equations_.mean[at(j)] * DoubleDouble(coef);
      }
      result.intercept.push_back(options_.fit_intercept ? intercept.high : 0.0);
    }
    return result;
  }

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  const Backend<T>& backend_;
  const Rows<T>& rows_;
  const LeastSquaresOptions& options_;
  std::int64_t d_;
  std::int64_t t_;
  Units units_;
  NormalEquations equations_;
  Solution solution_;
  LeastSquares result_;
};

}  // namespace

void warn_of_rank(LeastSquares& found) {
  if (found.rank < found.d)
    found.warnings.push_back("X has rank " + std::to_string(found.rank) + " with " +
                             detail::count_text(found.d, "column") +
                             ": of the coefficients that fit equally well, those of least norm");
}

template <typename T>
LeastSquares least_squares(const Backend<T>& backend, const Rows<T>& rows, const LeastSquaresOptions& options) {
  return Fit<T>(backend, rows, options).run();
}

template LeastSquares least_squares(const Backend<float>&, const Rows<float>&, const LeastSquaresOptions&);
template LeastSquares least_squares(const Backend<double>&, const Rows<double>&, const LeastSquaresOptions&);

}  // namespace tilelearn::linear
