#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// A surface with one value per point, drawn in colour.
struct Picture {
  Surface surface;
  std::vector<double> values;  ///< one per point
  std::string title;
  std::string legend;  ///< what the values are, with their unit
  int up_axis = 2;     ///< 0, 1, 2: the axis that points up on the page
};

/// Writes it as an SVG file: a parallel projection, shaded, far triangles first. Throws
/// InputError when the file cannot be written.
void write_svg(const std::filesystem::path& path, const Picture& picture);

}  // namespace stickslip
