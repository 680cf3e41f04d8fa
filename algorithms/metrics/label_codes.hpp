// Labels of any numbering as codes 0, 1, ... in ascending order of the label, in CPU memory.
#pragma once

#include <cstdint>
#include <vector>

#include <tilelearn/matrix.hpp>

namespace tilelearn::metrics {

struct LabelCodes {
  std::vector<std::int64_t> codes;  ///< n
  std::int64_t count = 0;           ///< distinct labels
};

LabelCodes encode_labels(const VectorView<const std::int32_t>& labels);

}  // namespace tilelearn::metrics
