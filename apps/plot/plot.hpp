#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stickslip {

/// One curve with a marker on each point. Points that an axis cannot show are left out.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> y_low = {};  ///< bars from here to y_high; empty: none
  std::vector<double> y_high = {};
  std::vector<std::string> labels = {};  ///< beside the points; empty: none
};

struct Axis {
  std::string label;  ///< with its unit
  bool is_log = false;
  std::vector<double> ticks = {};  ///< empty: chosen
};

/// A diagram of some curves.
struct Plot {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<double> levels = {};  ///< dashed horizontal lines
};

/// The diagram as an SVG page.
std::string to_svg(const Plot& plot);

/// Writes it, whole or not at all. Throws InputError.
void write_plot(const std::filesystem::path& path, const Plot& plot);

}  // namespace stickslip
