#include "distance_curve.hpp"

#include <algorithm>
#include <cmath>

#include "svg_canvas.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

constexpr int digits_of_eps = 3;

std::size_t find_knee(const std::vector<double>& ascending) {
  const double least = ascending.front();
  const double range = ascending.back() - least;
  if (!(range > 0.0)) return ascending.size() - 1;
  std::size_t knee = 0;
  double deepest = 0.0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(ascending.size() - 1);
    const double depth = x - (ascending[i] - least) / range;
    if (depth <= deepest) continue;
    deepest = depth;
    knee = i;
  }
  return knee;
}

/// The least number of so few digits that is not below the value.
double rounded_up(double value, const std::function<bool(double)>& is_held) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - (digits_of_eps - 1));
  const double rounded = parse_real(brief(std::ceil(value / unit) * unit, digits_of_eps)).value_or(value);
  return rounded >= value && is_held(rounded) ? rounded : value;
}

/// `count` positions from the first to the last of `size`, evenly spread.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < count; ++i) positions.push_back(count > 1 ? (size - 1) * i / (count - 1) : size - 1);
  return positions;
}

/// A field of characters, rows from top to bottom.
class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height) : lines_(height, std::string(width, ' ')) {}
  void put(std::size_t x, std::size_t height, char c) { lines_[lines_.size() - 1 - height][x] = c; }
  /// With labels for the top, the bottom and one more height.
  [[nodiscard]] std::string text(const std::string& top, std::size_t marked, const std::string& mark) const {
    std::vector<std::string> labels(lines_.size());
    labels[lines_.size() - 1 - marked] = mark;
    labels.front() = top;
    labels.back() = "0";
    std::size_t width = 0;
    for (const std::string& label : labels) width = std::max(width, label.size());
    std::string result;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      result += std::string(2 + width - labels[i].size(), ' ') + labels[i] + " |" +
                lines_[i].substr(0, lines_[i].find_last_not_of(' ') + 1) + "\n";
    return result + std::string(3 + width, ' ') + "+" + std::string(lines_[0].size(), '-') + "\n";
  }

 private:
  std::vector<std::string> lines_;
};

}  // namespace

DistanceCurve distance_curve(std::vector<double> ascending, const std::function<bool(double)>& is_held) {
  const std::size_t all = ascending.size();
  std::erase_if(ascending, [](double distance) { return !std::isfinite(distance); });
  DistanceCurve curve{std::move(ascending), 0, 0, std::nullopt};
  curve.beyond = all - curve.distances.size();
  curve.knee = find_knee(curve.distances);
  // Rows that are all the same have distances of 0, which is no eps.
  const auto held =
      std::find_if(curve.distances.begin() + static_cast<std::ptrdiff_t>(curve.knee), curve.distances.end(), is_held);
  if (held != curve.distances.end()) curve.eps = rounded_up(*held, is_held);
  return curve;
}

double share_within(const DistanceCurve& curve, double eps) {
  const auto within = std::upper_bound(curve.distances.begin(), curve.distances.end(), eps) - curve.distances.begin();
  return static_cast<double>(within) / static_cast<double>(curve.size());
}

std::string text_picture(const DistanceCurve& curve) {
  constexpr std::size_t width = 64;
  constexpr std::size_t height = 16;
  const double top = curve.distances.back();
  const auto height_of = [top](double distance) {
    return top > 0.0 ? static_cast<std::size_t>(std::lround(distance / top * (height - 1))) : std::size_t{0};
  };
  Canvas canvas(width, height);
  const std::size_t knee_height = height_of(curve.distances[curve.knee]);
  const std::size_t knee_x = curve.knee * (width - 1) / std::max<std::size_t>(curve.distances.size() - 1, 1);
  for (std::size_t x = 0; x < knee_x; x += 2) canvas.put(x, knee_height, '-');
  std::size_t last = 0;
  const std::vector<std::size_t> positions = spread(curve.distances.size(), width);
  for (std::size_t x = 0; x < width; ++x) {
    const std::size_t here = height_of(curve.distances[positions[x]]);
    for (std::size_t y = x == 0 || here == last ? here : last + 1; y <= here; ++y) canvas.put(x, y, '*');
    last = here;
  }
  canvas.put(knee_x, knee_height, 'o');
  return canvas.text(brief(top, digits_of_eps), knee_height, brief(curve.distances[curve.knee], digits_of_eps));
}

std::string svg_picture(const DistanceCurve& curve, const std::string& title, const std::string& subtitle,
                        const std::string& y_name) {
  constexpr std::size_t most_points = 1000;
  constexpr double knee_size = 4;
  const auto size = static_cast<double>(curve.distances.size());
  const svg::Axis x = svg::x_axis("rows in ascending order", 0.0, size);
  const svg::Axis y = svg::y_axis(y_name, 0.0, curve.distances.back());
  std::string content = "<polyline class=\"curve\" points=\"";
  for (const std::size_t i : spread(curve.distances.size(), std::min(curve.distances.size(), most_points)))
    content += svg::pixel(x.at(static_cast<double>(i + 1))) + "," + svg::pixel(y.at(curve.distances[i])) + " ";
  content.back() = '"';
  content += "/>\n";
  if (!curve.eps) return svg::picture(title, subtitle, x, y, content);
  const double height = y.at(*curve.eps);
  content += svg::line("mark", svg::left, height, svg::right, height);
  content +=
      svg::dot(x.at(static_cast<double>(curve.knee + 1)), y.at(curve.distances[curve.knee]), knee_size, "#c22f4a");
  content += svg::words(svg::legend_x, height + knee_size, "start", "eps " + exact(*curve.eps));
  return svg::picture(title, subtitle, x, y, content);
}

}  // namespace tilelearn::cli
