#include "linear_regression_pictures.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "linear_regression_report.hpp"
#include "sampling.hpp"
#include "svg_canvas.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t most_points = 5000;

/// The rows that are drawn.
std::vector<std::size_t> drawn_rows(const LinearPicture& picture) {
  std::vector<std::int64_t> rows(picture.predictions.actual.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  rows = sample_rows(rows, most_points, picture.seed, SampleUse::plot);
  return {rows.begin(), rows.end()};
}

struct Points {
  std::vector<double> x{};
  std::vector<double> y{};
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(const std::vector<double>& values) {
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

std::string dots(const Points& points, const svg::Axis& x, const svg::Axis& y) {
  constexpr double radius = 2;
  std::string text = "<g fill=\"#1b6ca8\" fill-opacity=\"0.5\">\n";
  for (std::size_t i = 0; i < points.x.size(); ++i) text += svg::dot(x.at(points.x[i]), y.at(points.y[i]), radius);
  return text + "</g>\n";
}

std::string subtitle(const LinearPicture& picture) {
  const auto all = static_cast<std::int64_t>(picture.predictions.actual.size());
  return picture.rows + (all > most_points ? ", " + std::to_string(most_points) + " of them drawn" : "") + "; " +
         quality_text(picture.predictions.quality);
}

/// A mark's meaning, beside its end at the right of the frame.
std::string legend(double height, const std::string& text) {
  constexpr double half_letter = 4;
  return svg::words(svg::legend_x, height + half_letter, "start", text);
}

}  // namespace

std::string predicted_against_actual(const LinearPicture& picture) {
  Points points;
  for (const std::size_t row : drawn_rows(picture)) {
    points.x.push_back(picture.predictions.actual[row]);
    points.y.push_back(picture.predictions.predicted[row]);
  }
  Range both;
  both.take(points.x);
  both.take(points.y);
  const svg::Axis x = svg::x_axis("actual " + picture.target, both.low, both.high);
  const svg::Axis y = svg::y_axis("predicted " + picture.target, both.low, both.high);
  const std::string equal = svg::line("mark", svg::left, svg::bottom, svg::right, svg::top);
  return svg::picture(picture.title + ": " + picture.target + ", predicted against actual", subtitle(picture), x, y,
                      dots(points, x, y) + equal + legend(svg::top, "predicted = actual"));
}

std::string residuals_against_predicted(const LinearPicture& picture) {
  Points points;
  for (const std::size_t row : drawn_rows(picture)) {
    points.x.push_back(picture.predictions.predicted[row]);
    points.y.push_back(picture.predictions.actual[row] - picture.predictions.predicted[row]);
  }
  Range across;
  across.take(points.x);
  Range along;
  along.take(points.y);
  along.take({0.0});
  const svg::Axis x = svg::x_axis("predicted " + picture.target, across.low, across.high);
  const svg::Axis y = svg::y_axis("residual: actual less predicted", along.low, along.high);
  const std::string none = svg::line("mark", svg::left, y.at(0.0), svg::right, y.at(0.0));
  return svg::picture(picture.title + ": residuals of " + picture.target, subtitle(picture), x, y,
                      dots(points, x, y) + none + legend(y.at(0.0), "no residual"));
}

}  // namespace tilelearn::cli
