#include "svg_plot.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

// The picture, in pixels.
constexpr double picture_width = 860;
constexpr double picture_height = 600;
constexpr double left = 90;
constexpr double right = 660;
constexpr double top = 60;
constexpr double bottom = 530;
constexpr double legend_x = 690;
constexpr double legend_line = 20;
constexpr double tick_length = 5;
constexpr double cross_size = 7;
constexpr double large_point = 3.5;
constexpr double small_point = 2;
constexpr std::size_t many_points = 1000;
constexpr std::size_t legend_entries = 20;
constexpr int ticks_wanted = 6;
constexpr std::size_t most_ticks = 18;

const char* const style =
    "text{font-family:sans-serif;font-size:13px;fill:#222}.title{font-size:16px}.small{font-size:12px;fill:#555}"
    ".grid{stroke:#e4e4e4;stroke-width:1}.frame{stroke:#444;stroke-width:1;fill:none}"
    ".halo{stroke:#fff;stroke-width:5}.cross{stroke:#000;stroke-width:2.2}";

std::string pixel(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1).ptr};
}

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

std::string hex(double channel) {
  constexpr double highest = 255.0;
  constexpr const char* digits = "0123456789abcdef";
  const int value = static_cast<int>(std::lround(std::clamp(channel, 0.0, 1.0) * highest));
  return {digits[value / 16], digits[value % 16]};
}

/// Hue on a circle of six, full saturation for its lightness.
std::string colour_of_hue(double hue, double lightness) {
  const double chroma = 0.65 * (1.0 - std::abs(2.0 * lightness - 1.0));
  const auto channel = [&](double offset) {
    const double distance = std::abs(std::fmod(hue + offset, 6.0) - 3.0);
    return lightness + chroma * (std::clamp(distance - 1.0, 0.0, 1.0) - 0.5);
  };
  return "#" + hex(channel(0.0)) + hex(channel(4.0)) + hex(channel(2.0));
}

std::string colour(std::int32_t label) {
  static constexpr std::array<const char*, 10> chosen = {"#1b6ca8", "#e07b00", "#2a9d4b", "#c22f4a", "#7b4fb3",
                                                         "#8a5a2b", "#d265a6", "#6d6d6d", "#a8a100", "#0fa3b1"};
  const auto index = static_cast<std::size_t>(label);
  if (index < chosen.size()) return chosen[index];
  constexpr double golden_angle = 2.2918;  // 137.5 degrees on a circle of six
  return colour_of_hue(std::fmod(golden_angle * label, 6.0), index % 2 == 0 ? 0.42 : 0.58);
}

/// Data to pixels along one axis.
struct Axis {
  double low = 0.0;
  double high = 1.0;
  double pixel_low = 0.0;
  double pixel_high = 1.0;

  [[nodiscard]] double at(double value) const {
    return pixel_low + (value - low) / (high - low) * (pixel_high - pixel_low);
  }

  [[nodiscard]] std::vector<double> ticks(double least_step = 0.0) const {
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
};

template <typename Coordinate>
Axis make_axis(const Scatter& scatter, Coordinate coordinate, double pixel_low, double pixel_high) {
  constexpr double margin = 0.04;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const std::vector<Point>* points : {&scatter.points, &scatter.centers})
    for (const Point& point : *points) {
      low = std::min(low, coordinate(point));
      high = std::max(high, coordinate(point));
    }
  if (low > high) low = high = 0.0;
  if (!std::isfinite(high - low))
    throw UsageError("--plot: the values are too far apart to draw; choose other columns");
  double pad = (high - low) * margin;
  if (pad == 0.0) pad = std::max(std::abs(low), 1.0) * margin;
  return {low - pad, high + pad, pixel_low, pixel_high};
}

std::string line(const char* css, double x1, double y1, double x2, double y2) {
  return std::string("<line class=\"") + css + "\" x1=\"" + pixel(x1) + "\" y1=\"" + pixel(y1) + "\" x2=\"" +
         pixel(x2) + "\" y2=\"" + pixel(y2) + "\"/>\n";
}

std::string words(double x, double y, const std::string& anchor, const std::string& text,
                  const std::string& more = "") {
  return "<text x=\"" + pixel(x) + "\" y=\"" + pixel(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         escape(text) + "</text>\n";
}

std::string axes(const Scatter& scatter, const Axis& x, const Axis& y) {
  constexpr double below_ticks = 18;
  constexpr double beside_ticks = 8;
  constexpr double half_letter = 4;
  std::string svg;
  for (const double tick : x.ticks()) {
    svg += line("grid", x.at(tick), top, x.at(tick), bottom + tick_length);
    svg += words(x.at(tick), bottom + below_ticks, "middle", brief(tick));
  }
  for (const double tick : y.ticks(scatter.y_is_cluster ? 1.0 : 0.0)) {
    svg += line("grid", left - tick_length, y.at(tick), right, y.at(tick));
    svg += words(left - beside_ticks, y.at(tick) + half_letter, "end", brief(tick));
  }
  svg += "<rect class=\"frame\" x=\"" + pixel(left) + "\" y=\"" + pixel(top) + "\" width=\"" + pixel(right - left) +
         "\" height=\"" + pixel(bottom - top) + "\"/>\n";
  svg += words((left + right) / 2, bottom + 2.5 * below_ticks, "middle", scatter.x_name);
  const double middle = (top + bottom) / 2;
  svg += words(25, middle, "middle", scatter.y_name, " transform=\"rotate(-90 25 " + pixel(middle) + ")\"");
  return svg;
}

std::string points(const Scatter& scatter, const Axis& x, const Axis& y) {
  const std::string radius = pixel(scatter.points.size() > many_points ? small_point : large_point);
  std::string svg;
  for (std::size_t label = 0; label < scatter.sizes.size(); ++label) {
    svg += "<g fill=\"" + colour(static_cast<std::int32_t>(label)) + "\" fill-opacity=\"0.7\">\n";
    for (const Point& point : scatter.points)
      if (point.label == static_cast<std::int32_t>(label))
        svg +=
            "<circle cx=\"" + pixel(x.at(point.x)) + "\" cy=\"" + pixel(y.at(point.y)) + "\" r=\"" + radius + "\"/>\n";
    svg += "</g>\n";
  }
  return svg;
}

std::string cross(double x, double y) {
  std::string svg;
  for (const char* css : {"halo", "cross"}) {
    svg += line(css, x - cross_size, y - cross_size, x + cross_size, y + cross_size);
    svg += line(css, x - cross_size, y + cross_size, x + cross_size, y - cross_size);
  }
  return svg;
}

std::string legend(const Scatter& scatter) {
  constexpr double beside_mark = 14;
  std::string svg = words(legend_x, top + 5, "start", "cluster (rows)");
  double y = top + 5 + legend_line;
  const std::size_t shown = std::min(scatter.sizes.size(), legend_entries);
  for (std::size_t label = 0; label < shown; ++label, y += legend_line) {
    svg += "<circle cx=\"" + pixel(legend_x + 4) + "\" cy=\"" + pixel(y - 4) + "\" r=\"5\" fill=\"" +
           colour(static_cast<std::int32_t>(label)) + "\"/>\n";
    svg += words(legend_x + beside_mark, y, "start",
                 std::to_string(label) + " (" + std::to_string(scatter.sizes[label]) + ")");
  }
  if (shown < scatter.sizes.size()) {
    svg += words(legend_x, y, "start", "and " + std::to_string(scatter.sizes.size() - shown) + " more");
    y += legend_line;
  }
  if (scatter.centers.empty()) return svg;
  svg += cross(legend_x + 4, y - 4);
  return svg + words(legend_x + beside_mark + 4, y, "start", "centres");
}

}  // namespace

std::string svg_plot(const Scatter& scatter, const std::string& title) {
  const Axis x = make_axis(
      scatter, [](const Point& point) { return point.x; }, left, right);
  const Axis y = make_axis(
      scatter, [](const Point& point) { return point.y; }, bottom, top);
  const auto drawn = static_cast<std::int64_t>(scatter.points.size());
  const std::string which = drawn == scatter.rows
                                ? "all " + count(drawn, "row")
                                : std::to_string(drawn) + " of " + count(scatter.rows, "row") + " drawn";
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixel(picture_width) + "\" height=\"" +
                    pixel(picture_height) + "\" viewBox=\"0 0 " + pixel(picture_width) + " " + pixel(picture_height) +
                    "\">\n<style>" + style + "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += words(left, 28, "start", title, " class=\"title\"");
  svg += words(left, 47, "start", which + scatter.note, " class=\"small\"");
  svg += axes(scatter, x, y) + points(scatter, x, y);
  for (const Point& center : scatter.centers) svg += cross(x.at(center.x), y.at(center.y));
  return svg + legend(scatter) + "</svg>\n";
}

}  // namespace tilelearn::cli
