// How well a linear regression predicts: rows that its fit did not see, or those that it did.
#pragma once

#include <optional>
#include <vector>

#include "linear_fit.hpp"

namespace tilelearn::cli {

/// How well rows are predicted.
struct Quality {
  double r2 = 0.0;
  double rmse = 0.0;  ///< root of the (weighted) mean of the squared residuals
};

/// Rows with their targets and what the fit says of them.
struct Predictions {
  std::vector<double> actual{};
  std::vector<double> predicted{};
  Quality quality{};
};

/// The rows that count: those of positive weight.
template <typename T>
std::vector<std::int64_t> counted_rows(const FitData<T>& data);

/// Rows that are held out, predicted by a fit of the others, which learns nothing from them: neither means of --missing
/// mean nor scales. None where no rows are held out. @throws UsageError where the others alone cannot be fitted
template <typename T>
std::optional<Predictions> predict_held_out(const Input& input, const TableEncoder& encoder,
                                            const LinearRegressionRequest& request, const FitData<T>& data);

/// The rows that count, predicted by a fit of them.
template <typename T>
Predictions predict_fitted(const FitData<T>& data, const LinearFit<T>& fit);

}  // namespace tilelearn::cli
