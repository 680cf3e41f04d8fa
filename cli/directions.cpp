#include "directions.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

template <typename T>
bool is_zero(const T* row, std::int64_t columns) {
  return std::all_of(row, row + columns, [](T value) { return value == T{0}; });
}

template <typename T>
std::optional<std::int64_t> first_row_of_zeros(const Matrix<T>& X) {
  for (std::int64_t row = 0; row < X.rows(); ++row)
    if (is_zero(X.data() + row * X.columns(), X.columns())) return row;
  return std::nullopt;
}

/// Why a row of the table has become zeros, and what to do.
template <typename T>
std::string complaint(const EncodedRows<T>& rows, std::int64_t row, bool is_scaled, RowsOf use) {
  const std::string no_direction = ", which has no direction for the metric cosine; ";
  const bool is_fit = use == RowsOf::fit;
  if (is_scaled)
    return "the row is the mean of all columns, so that --standardize makes it all zeros" + no_direction +
           "take it out" + (is_fit ? ", or do without --standardize" : "");
  const Matrix<double> exact_row = rows.encoder.template encode<double>(rows.table.select({row})).X;
  if (is_zero(exact_row.data(), exact_row.columns()))
    return "the row is all zeros" + no_direction + "take it out" + (is_fit ? ", or choose other columns" : "");
  return "every value of the row is 0 or below what float32 holds (its least is " +
         detail::shortest_text(std::numeric_limits<float>::denorm_min()) + "), so that the row is all zeros" +
         no_direction + (is_fit ? "use --precision float64" : "fit the model with --precision float64");
}

}  // namespace

template <typename T>
void check_directions(const EncodedRows<T>& rows, const StandardScaler<T>* scaler, RowsOf use) {
  const Features<T>& features = rows.features;
  if (features.X.rows() == 0) return;
  const std::optional<std::int64_t> zeros =
      scaler != nullptr ? first_row_of_zeros(scaler->transform(features.X.view())) : first_row_of_zeros(features.X);
  if (!zeros) return;
  const std::int64_t row = features.rows[static_cast<std::size_t>(*zeros)];
  throw UsageError(rows.file + ": line " + std::to_string(rows.table.row_line(row)) + ": " +
                   complaint(rows, row, scaler != nullptr, use));
}

template void check_directions(const EncodedRows<float>&, const StandardScaler<float>*, RowsOf);
template void check_directions(const EncodedRows<double>&, const StandardScaler<double>*, RowsOf);

}  // namespace tilelearn::cli
