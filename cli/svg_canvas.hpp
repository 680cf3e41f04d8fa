// What every SVG picture of the command is made of: a frame, axes with ticks, words and lines.
#pragma once

#include <string>
#include <vector>

namespace tilelearn::cli::svg {

/// The frame that data are drawn in, in pixels; the legend stands to its right.
inline constexpr double left = 90;
inline constexpr double right = 660;
inline constexpr double top = 60;
inline constexpr double bottom = 530;
inline constexpr double legend_x = 690;
inline constexpr double legend_line = 20;

/// Data to pixels along one axis.
struct Axis {
  std::string name{};
  double low = 0.0;
  double high = 1.0;
  double pixel_low = 0.0;
  double pixel_high = 1.0;
  double least_step = 0.0;  ///< between ticks

  [[nodiscard]] double at(double value) const {
    return pixel_low + (value - low) / (high - low) * (pixel_high - pixel_low);
  }
  [[nodiscard]] std::vector<double> ticks() const;
};

/// Axes from `low` to `high` with a margin; low above high stands for no data.
/// @throws UsageError for values too far apart to draw
Axis x_axis(const std::string& name, double low, double high);
Axis y_axis(const std::string& name, double low, double high);

/// A whole picture around `content`: title, a smaller line below it, frame, grid, ticks and names of the axes.
std::string picture(const std::string& title, const std::string& subtitle, const Axis& x, const Axis& y,
                    const std::string& content);

/// A coordinate or length, to a tenth.
std::string pixel(double value);

/// `css` is a class of the picture's style: grid, frame, halo, cross, curve or mark.
std::string line(const char* css, double x1, double y1, double x2, double y2);

/// `anchor` is start, middle or end; `more` are further attributes.
std::string words(double x, double y, const std::string& anchor, const std::string& text, const std::string& more = "");

std::string dot(double x, double y, double radius, const std::string& fill = "");

}  // namespace tilelearn::cli::svg
