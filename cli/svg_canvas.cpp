#include "svg_canvas.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli::svg {

namespace {

constexpr double picture_width = 860;
constexpr double picture_height = 600;
constexpr double tick_length = 5;
constexpr int ticks_wanted = 6;
constexpr std::size_t most_ticks = 18;

const char* const style =
    "text{font-family:sans-serif;font-size:13px;fill:#222}.title{font-size:16px}.small{font-size:12px;fill:#555}"
    ".grid{stroke:#e4e4e4;stroke-width:1}.frame{stroke:#444;stroke-width:1;fill:none}"
    ".halo{stroke:#fff;stroke-width:5}.cross{stroke:#000;stroke-width:2.2}"
    ".curve{stroke:#1b6ca8;stroke-width:2;fill:none}.mark{stroke:#c22f4a;stroke-width:1.5;stroke-dasharray:6 4}";

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : utf8(text)) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (static_cast<unsigned char>(c) >= ' ')
      result += c;
  }
  return result;
}

Axis make_axis(const std::string& name, double low, double high, double pixel_low, double pixel_high) {
  constexpr double margin = 0.04;
  if (low > high) low = high = 0.0;
  if (!std::isfinite(high - low))
    throw UsageError("--plot: the values are too far apart to draw; choose other columns");
  double pad = (high - low) * margin;
  if (pad == 0.0) pad = std::max(std::abs(low), 1.0) * margin;
  constexpr double largest = std::numeric_limits<double>::max();
  const double least_shown = std::max(low - pad, -largest);
  const double most_shown = std::min(high + pad, largest);
  if (!std::isfinite(most_shown - least_shown)) return {name, low, high, pixel_low, pixel_high};
  return {name, least_shown, most_shown, pixel_low, pixel_high};
}

std::string axes(const Axis& x, const Axis& y) {
  constexpr double below_ticks = 18;
  constexpr double beside_ticks = 8;
  constexpr double half_letter = 4;
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += line("grid", x.at(tick), top, x.at(tick), bottom + tick_length);
    svg += words(x.at(tick), bottom + below_ticks, "middle", brief(tick));
  }
  for (const double tick : y.ticks()) {
    svg += line("grid", left - tick_length, y.at(tick), right, y.at(tick));
    svg += words(left - beside_ticks, y.at(tick) + half_letter, "end", brief(tick));
  }
  svg += "<rect class=\"frame\" x=\"" + pixel(left) + "\" y=\"" + pixel(top) + "\" width=\"" + pixel(right - left) +
         "\" height=\"" + pixel(bottom - top) + "\"/>\n";
  svg += words((left + right) / 2, bottom + 2.5 * below_ticks, "middle", x.name);
  const double middle = (top + bottom) / 2;
  return svg + words(25, middle, "middle", y.name, " transform=\"rotate(-90 25 " + pixel(middle) + ")\"");
}

}  // namespace

std::vector<double> Axis::ticks() const {
  const double rough = (high - low) / ticks_wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double round_step = power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
  const double step = std::max(round_step, least_step);
  std::vector<double> result;
  for (double i = std::ceil(low / step); i * step <= high && result.size() < most_ticks; ++i)
    result.push_back(i * step + 0.0);  // -0 becomes 0
  return result;
}

Axis x_axis(const std::string& name, double low, double high) { return make_axis(name, low, high, left, right); }
Axis y_axis(const std::string& name, double low, double high) { return make_axis(name, low, high, bottom, top); }

std::string picture(const std::string& title, const std::string& subtitle, const Axis& x, const Axis& y,
                    const std::string& content) {
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixel(picture_width) + "\" height=\"" +
                    pixel(picture_height) + "\" viewBox=\"0 0 " + pixel(picture_width) + " " + pixel(picture_height) +
                    "\">\n<style>" + style + "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += words(left, 28, "start", title, " class=\"title\"");
  svg += words(left, 47, "start", subtitle, " class=\"small\"");
  return svg + axes(x, y) + content + "</svg>\n";
}

std::string pixel(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1).ptr};
}

std::string line(const char* css, double x1, double y1, double x2, double y2) {
  return std::string("<line class=\"") + css + "\" x1=\"" + pixel(x1) + "\" y1=\"" + pixel(y1) + "\" x2=\"" +
         pixel(x2) + "\" y2=\"" + pixel(y2) + "\"/>\n";
}

std::string words(double x, double y, const std::string& anchor, const std::string& text, const std::string& more) {
  return "<text x=\"" + pixel(x) + "\" y=\"" + pixel(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         escape(text) + "</text>\n";
}

std::string dot(double x, double y, double radius, const std::string& fill) {
  return "<circle cx=\"" + pixel(x) + "\" cy=\"" + pixel(y) + "\" r=\"" + pixel(radius) + "\"" +
         (fill.empty() ? "" : " fill=\"" + fill + "\"") + "/>\n";
}

}  // namespace tilelearn::cli::svg
