#include "svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "svg_canvas.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

constexpr double cross_size = 7;
constexpr double large_point = 3.5;
constexpr double small_point = 2;
constexpr double legend_mark = 5;
constexpr std::size_t many_points = 1000;
constexpr std::size_t legend_entries = 20;

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
                                                         "#8a5a2b", "#d265a6", "#5b5fc7", "#a8a100", "#0fa3b1"};
  if (label < 0) return "#9a9a9a";
  const auto index = static_cast<std::size_t>(label);
  if (index < chosen.size()) return chosen[index];
  constexpr double golden_angle = 2.2918;  // 137.5 degrees on a circle of six
  return colour_of_hue(std::fmod(golden_angle * label, 6.0), index % 2 == 0 ? 0.42 : 0.58);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

template <typename Coordinate>
Range range_of(const Scatter& scatter, Coordinate coordinate) {
  Range range;
  for (const std::vector<Point>* points : {&scatter.points, &scatter.centers})
    for (const Point& point : *points) {
      range.low = std::min(range.low, coordinate(point));
      range.high = std::max(range.high, coordinate(point));
    }
  return range;
}

/// One group for each label that is drawn; noise first, so that clusters lie above it.
std::string points(const Scatter& scatter, const svg::Axis& x, const svg::Axis& y) {
  const double radius = scatter.points.size() > many_points ? small_point : large_point;
  std::vector<Point> sorted = scatter.points;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Point& a, const Point& b) { return a.label < b.label; });
  std::string text;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool opens = i == 0 || sorted[i].label != sorted[i - 1].label;
    if (opens)
      text +=
          std::string(i == 0 ? "" : "</g>\n") + "<g fill=\"" + colour(sorted[i].label) + "\" fill-opacity=\"0.7\">\n";
    text += svg::dot(x.at(sorted[i].x), y.at(sorted[i].y), radius);
  }
  return text + (sorted.empty() ? "" : "</g>\n");
}

std::string cross(double x, double y) {
  std::string text;
  for (const char* css : {"halo", "cross"}) {
    text += svg::line(css, x - cross_size, y - cross_size, x + cross_size, y + cross_size);
    text += svg::line(css, x - cross_size, y + cross_size, x + cross_size, y - cross_size);
  }
  return text;
}

std::string legend(const Scatter& scatter) {
  constexpr double beside_mark = 14;
  std::string text = svg::words(svg::legend_x, svg::top + 5, "start", "cluster (rows)");
  double y = svg::top + 5 + svg::legend_line;
  const auto add = [&](std::int32_t label, const std::string& name, std::int64_t rows) {
    text += svg::dot(svg::legend_x + 4, y - 4, legend_mark, colour(label));
    text += svg::words(svg::legend_x + beside_mark, y, "start", name + " (" + std::to_string(rows) + ")");
    y += svg::legend_line;
  };
  const std::size_t shown = std::min(scatter.sizes.size(), legend_entries);
  for (std::size_t label = 0; label < shown; ++label)
    add(static_cast<std::int32_t>(label), std::to_string(label), scatter.sizes[label]);
  if (shown < scatter.sizes.size()) {
    text += svg::words(svg::legend_x, y, "start", "and " + std::to_string(scatter.sizes.size() - shown) + " more");
    y += svg::legend_line;
  }
  if (scatter.noise > 0) add(noise_label, "noise", scatter.noise);
  if (scatter.centers.empty()) return text;
  text += cross(svg::legend_x + 4, y - 4);
  return text + svg::words(svg::legend_x + beside_mark + 4, y, "start", "centres");
}

}  // namespace

std::string svg_plot(const Scatter& scatter, const std::string& title) {
  const Range across = range_of(scatter, [](const Point& point) { return point.x; });
  const Range along = range_of(scatter, [](const Point& point) { return point.y; });
  const svg::Axis x = svg::x_axis(scatter.x_name, across.low, across.high);
  svg::Axis y = svg::y_axis(scatter.y_name, along.low, along.high);
  if (scatter.y_is_cluster) y.least_step = 1.0;
  const auto drawn = static_cast<std::int64_t>(scatter.points.size());
  const std::string which = drawn == scatter.rows
                                ? "all " + count(drawn, "row")
                                : std::to_string(drawn) + " of " + count(scatter.rows, "row") + " drawn";
  std::string content = points(scatter, x, y);
  for (const Point& center : scatter.centers) content += cross(x.at(center.x), y.at(center.y));
  return svg::picture(title, which + scatter.note, x, y, content + legend(scatter));
}

}  // namespace tilelearn::cli
