// TableEncoder to and from model files.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include <tilelearn/pipeline.hpp>

#include "core/model_file.hpp"

namespace tilelearn {

namespace {

const char* const kind = "table_encoder";
const std::array<const char*, 3> policy_names = {"error", "drop", "mean"};

const char* const number_kind = "number";
/// What a file calls a column of categories.
const char* category_kind(bool drop_first) { return drop_first ? "category_but_first" : "category"; }

std::string categories_name(std::size_t column) { return "categories/" + std::to_string(column); }

MissingPolicy read_policy(const detail::ModelReader& reader) {
  const std::string name = reader.get_text("missing");
  const auto found = std::find(policy_names.begin(), policy_names.end(), name);
  if (found == policy_names.end()) reader.fail("value 'missing' is '" + name + "', must be error, drop or mean");
  return static_cast<MissingPolicy>(found - policy_names.begin());
}

std::vector<std::string> read_categories(const detail::ModelReader& reader, std::size_t column) {
  std::vector<std::string> categories = reader.get_texts(categories_name(column));
  const auto out_of_order = std::adjacent_find(categories.begin(), categories.end(), std::greater_equal<>());
  if (categories.empty() || out_of_order != categories.end())
    reader.fail("the categories of column " + std::to_string(column) + " are not a sorted list");
  return categories;
}

}  // namespace

void TableEncoder::write(detail::ModelWriter& writer) const {
  std::vector<std::string> names;
  std::vector<std::string> kinds;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    names.push_back(columns_[j].name);
    kinds.emplace_back(columns_[j].kind == ColumnKind::number ? number_kind : category_kind(drop_first_));
    if (columns_[j].kind == ColumnKind::category) writer.set(categories_name(j), columns_[j].categories);
  }
  writer.set("missing", policy_names.at(static_cast<std::size_t>(missing_)));
  writer.set("columns", names).set("kinds", kinds).array("means", means_);
}

TableEncoder TableEncoder::read(const detail::ModelReader& reader) {
  reader.require_kind(kind);
  TableEncoder encoder;
  encoder.missing_ = read_policy(reader);
  const std::vector<std::string> names = reader.get_texts("columns");
  const std::vector<std::string> kinds = reader.get_texts("kinds");
  if (names.empty() || names.size() != kinds.size() || std::set(names.begin(), names.end()).size() != names.size())
    reader.fail("the columns and their kinds do not fit together");
  encoder.drop_first_ = std::count(kinds.begin(), kinds.end(), category_kind(true)) > 0;
  for (std::size_t j = 0; j < names.size(); ++j) {
    EncodedColumn column{names[j], ColumnKind::number, {}};
    if (kinds[j] == category_kind(encoder.drop_first_)) {
      column.kind = ColumnKind::category;
      column.categories = read_categories(reader, j);
    } else if (kinds[j] != number_kind) {
      reader.fail("column '" + names[j] + "' is of kind '" + kinds[j] + "', must be number or " +
                  category_kind(encoder.drop_first_));
    }
    encoder.columns_.push_back(std::move(column));
  }
  const bool has_means = encoder.missing_ == MissingPolicy::mean;
  const auto features = static_cast<std::int64_t>(encoder.feature_names().size());
  encoder.means_ = reader.values<double>("means", has_means ? features : 0);
  if (!std::all_of(encoder.means_.begin(), encoder.means_.end(), [](double mean) { return std::isfinite(mean); }))
    reader.fail("a mean of the columns is not finite");
  return encoder;
}

}  // namespace tilelearn
