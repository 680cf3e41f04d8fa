// Pictures of a linear regression: predicted against actual values, and what is left over.
#pragma once

#include <cstdint>
#include <string>

#include "linear_quality.hpp"

namespace tilelearn::cli {

/// What a picture shows and says.
struct LinearPicture {
  std::string title{};   ///< of the file
  std::string target{};  ///< name of the column
  std::string rows{};    ///< which rows they are: "13485 rows held out"
  const Predictions& predictions;
  std::uint64_t seed = 0;  ///< of the rows that are drawn
};

/// One point a row, and the line on which both are equal. @throws UsageError for values too far apart to draw
std::string predicted_against_actual(const LinearPicture& picture);

/// Residuals, actual less predicted, against predicted values, and the line of none. @throws as the other
std::string residuals_against_predicted(const LinearPicture& picture);

}  // namespace tilelearn::cli
