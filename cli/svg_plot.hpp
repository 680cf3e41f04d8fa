// A scatter plot as an SVG picture.
#pragma once

#include <string>

#include "scatter.hpp"

namespace tilelearn::cli {

/// Axes with names and ticks, a colour for each cluster, noise in grey, centres as crosses, a legend.
/// @throws UsageError for values too far apart to draw
std::string svg_plot(const Scatter& scatter, const std::string& title);

}  // namespace tilelearn::cli
