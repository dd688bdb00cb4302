#include "apps/plot/picture.hpp"

#include <algorithm>
#include <array>

#include "apps/plot/solids.hpp"

namespace stickslip {

void write_svg(const std::filesystem::path& path, const Picture& picture) {
  constexpr double width_px = 720.0;
  constexpr double height_px = 540.0;
  constexpr double margin_px = 45.0;
  constexpr double legend_px = 110.0;
  const auto [least, most] = std::minmax_element(picture.values.begin(), picture.values.end());
  const double span = *most - *least;
  Solid solid{picture.surface.points, picture.surface.triangles};
  for (const double value : picture.values) {
    solid.point_colours.push_back(ramp_colour(span > 0.0 ? (value - *least) / span : 0.0));
  }
  View view = usual_view(picture.up_axis);
  view.fit(solid.points, {margin_px, margin_px, width_px - legend_px - 2.0 * margin_px,
                          height_px - 2.0 * margin_px});
  Drawing drawing(width_px, height_px);
  draw_solids(drawing, view, std::array{solid});
  draw_ramp(drawing, {width_px - 70.0, 0.5 * height_px - 100.0, 14.0, 200.0}, *least, *most,
            picture.legend);
  drawing.text({16.0, 28.0}, picture.title, {.size_px = 14.0});
  write_svg(path, drawing);
}

}  // namespace stickslip
