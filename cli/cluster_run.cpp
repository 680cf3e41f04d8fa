#include "cluster_run.hpp"

namespace tilelearn::cli {

std::vector<std::int32_t> for_file_rows(const Input& input, const std::vector<std::int64_t>& fitted_rows,
                                        const std::vector<std::int32_t>& values) {
  std::vector<std::int32_t> result(static_cast<std::size_t>(input.file_rows), left_out);
  for (std::size_t i = 0; i < values.size(); ++i)
    result[static_cast<std::size_t>(input.row_in_file(fitted_rows[i]))] = values[i];
  return result;
}

}  // namespace tilelearn::cli
