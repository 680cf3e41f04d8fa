// The table of a RegressionSummary.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <tilelearn/error.hpp>
#include <tilelearn/regression_summary.hpp>

namespace tilelearn {

namespace {

constexpr std::size_t columns = 7;  // the name and six numbers

/// So many significant digits, or "-" for what is not known.
std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::array<char, 32> text{};
  char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
  return {text.data(), end};
}

std::array<std::string, columns> line(const std::string& name, const CoefficientSummary& coefficient) {
  constexpr int digits = 6;
  constexpr int few_digits = 4;
  return {name,
          number_text(coefficient.estimate, digits),
          number_text(coefficient.standard_error, digits),
          number_text(coefficient.t, few_digits),
          number_text(coefficient.p, few_digits),
          number_text(coefficient.lower, digits),
          number_text(coefficient.upper, digits)};
}

std::string fit_text(const RegressionSummary& summary) {
  constexpr int digits = 6;
  return "residual standard error " + number_text(summary.residual_standard_error, digits) + " on " +
         std::to_string(summary.residual_degrees) + " degrees of freedom; " + std::to_string(summary.observations) +
         " observations\nR2 " + number_text(summary.r2, digits) + (summary.has_intercept ? "" : " (about 0)") +
         ", adjusted " + number_text(summary.adjusted_r2, digits) + "; F " + number_text(summary.f, digits) + " on " +
         std::to_string(summary.model_degrees) + " and " + std::to_string(summary.residual_degrees) +
         " degrees of freedom, p " + number_text(summary.f_p, 4) + "\n";
}

}  // namespace

std::string to_text(const RegressionSummary& summary, const std::vector<std::string>& names) {
  const std::size_t constants = summary.has_intercept ? 1 : 0;
  const std::size_t d = summary.coefficients.size() - constants;
  if (!names.empty() && names.size() != d)
    throw ShapeMismatch("to_text: " + std::to_string(names.size()) + " names for " + std::to_string(d) + " columns");
  const std::string level = number_text(summary.confidence * 100.0, 4) + " %";
  std::vector<std::array<std::string, columns>> lines{{"", "estimate", "std. error", "t", "p", level + " from", "to"}};
  if (summary.has_intercept) lines.push_back(line("(intercept)", summary.coefficients.front()));
  for (std::size_t j = 0; j < d; ++j)
    lines.push_back(line(names.empty() ? "x" + std::to_string(j) : names[j], summary.coefficients[constants + j]));
  std::array<std::size_t, columns> widths{};
  for (const auto& cells : lines)
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], cells[c].size());
  std::string text;
  for (const auto& cells : lines) {
    text += cells[0] + std::string(widths[0] - cells[0].size(), ' ');
    for (std::size_t c = 1; c < columns; ++c) text += "  " + std::string(widths[c] - cells[c].size(), ' ') + cells[c];
    text += '\n';
  }
  return text + fit_text(summary);
}

}  // namespace tilelearn
