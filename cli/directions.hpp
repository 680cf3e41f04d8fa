// Rows as directions, which is all that the metric cosine sees of them: a row of zeros has none.
#pragma once

#include <string>

#include <tilelearn/pipeline.hpp>

namespace tilelearn::cli {

/// Rows on their way to a fit or a prediction; `file` names them in texts.
template <typename T>
struct EncodedRows {
  const std::string& file;
  const Table& table;
  const TableEncoder& encoder;
  const Features<T>& features;  ///< of the table by the encoder
};

/// Whose rows they are: a model is not changed by the flags of the command that applies it.
enum class RowsOf { fit, prediction };

/// `scaler` is the step after the encoder, null if there is none.
/// @throws UsageError that names the first row without a direction, and why it has none
template <typename T>
void check_directions(const EncodedRows<T>& rows, const StandardScaler<T>* scaler, RowsOf use);

}  // namespace tilelearn::cli
