#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/plot/drawing.hpp"

namespace stickslip {

enum class Look {
  marked_line,
  line,
  dashed_line,
  markers,
  bars,  ///< from zero, or the lower end of the axis, up to each point; x ascends evenly
};

/// One curve. Points that an axis cannot show are left out.
struct Series {
  std::string name;  ///< in the legend; empty: not there
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> y_low = {};  ///< bars of error from here to y_high; empty: none
  std::vector<double> y_high = {};
  std::vector<std::string> labels = {};  ///< beside the points; empty: none
  Look look = Look::marked_line;
  int colour = -1;  ///< which of the colours, and of the markers; -1: the place among the series
};

struct Axis {
  std::string label;  ///< with its unit
  bool is_log = false;
  std::vector<double> ticks = {};   ///< empty: chosen
  std::optional<double> from = {};  ///< ends; not given: those of the points
  std::optional<double> to = {};
  std::vector<std::string> tick_names = {};  ///< in place of the numbers of ticks
};

/// A dashed line right across.
struct Level {
  Level(double at, std::string name = {}) : value(at), label(std::move(name)) {}

  double value;
  std::string label;
};

/// A stretch of the x axis with a name, above the curves.
struct Band {
  double from = 0.0;
  double to = 0.0;
  std::string label;
};

/// A diagram of some curves.
struct Plot {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<Level> levels = {};
  std::vector<Band> bands = {};
};

/// The colour of a series.
const char* series_colour(int number);

/// Draws it with title and legend into a part of a page.
void draw_plot(Drawing& drawing, const Area& area, const Plot& plot);

/// A page with this diagram alone.
Drawing draw_plot(const Plot& plot);
std::string to_svg(const Plot& plot);

/// Writes it as SVG, whole or not at all. Throws InputError.
void write_plot(const std::filesystem::path& path, const Plot& plot);

}  // namespace stickslip
