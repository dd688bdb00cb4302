#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "apps/plot/drawing.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// A surface to be drawn. Colours are red, green, blue from 0 to 255.
struct Solid {
  std::vector<Vec3> points;  ///< world [m]
  std::vector<std::array<int, 3>> triangles;
  Vec3 colour = {150.0, 170.0, 190.0};
  std::vector<Vec3> point_colours = {};  ///< one a point, in place of colour; empty: none
  double opacity = 1.0;                  ///< below 1 both sides are seen
  bool has_edges = false;                ///< lines along the triangles
};

/// An arrow in space, drawn over everything.
struct SpaceArrow {
  Vec3 from;
  Vec3 to;
  std::string colour = "#8a4b14";
};

/// From space to the page by parallel rays.
class View {
 public:
  /// `toward_eye` and `up` need no length.
  View(const Vec3& toward_eye, const Vec3& up);

  /// Lays what lies in a box of space into a part of the page.
  void fit(std::span<const Vec3> points, const Area& area);

  Vec2 place(const Vec3& point) const;
  double depth(const Vec3& point) const { return eye_.dot(point); }  ///< larger is nearer
  /// How bright a face with this normal is, from 0 to 1; it faces the eye.
  double brightness(const Vec3& normal) const;
  const Vec3& eye() const { return eye_; }

 private:
  Vec3 eye_;
  Vec3 right_;
  Vec3 up_;
  Vec3 light_;
  double scale_ = 1.0;
  Vec2 origin_ = Vec2::Zero();
};

/// The view that pictures of bodies have: the given axis up, from the front and a little above.
View usual_view(int up_axis = 2);

/// Shaded, far triangles first.
void draw_solids(Drawing& drawing, const View& view, std::span<const Solid> solids);
void draw_arrows(Drawing& drawing, const View& view, std::span<const SpaceArrow> arrows);

/// A friction cone from its apex, `height` long along the normal.
Solid cone_solid(const Vec3& apex, const Vec3& normal, double mu, double height, int sides = 32);

/// From dark blue over green to yellow, readable in grey as well. `share` is from 0 to 1.
Vec3 ramp_colour(double share);
std::string css(const Vec3& colour);

/// A bar of the ramp's colours with the values at its ends.
void draw_ramp(Drawing& drawing, const Area& bar, double lowest, double highest,
               const std::string& label);

}  // namespace stickslip
