// Joins the pieces of a file: which column is of what kind, one list of categories, all rows in order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/csv_chunk.hpp"
#include "core/csv_dialect.hpp"
#include "core/table_data.hpp"

namespace tilelearn::csv {

/// @throws ParseError for the first fault of a record, else for the first cell that a column cannot hold
std::shared_ptr<const detail::TableData> join_chunks(std::vector<Chunk> chunks, Layout layout, const std::string& file,
                                                     const std::vector<bool>& text_columns, int threads);

}  // namespace tilelearn::csv
