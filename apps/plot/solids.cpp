#include "apps/plot/solids.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

/// A triangle on the page.
struct Facet {
  double depth;
  std::array<Vec2, 3> corner;
  Paint paint;
};

void project(const View& view, const Solid& solid, std::vector<Facet>& facets) {
  for (const auto& triangle : solid.triangles) {
    Facet facet{};
    std::array<Vec3, 3> x;
    Vec3 colour = solid.point_colours.empty() ? solid.colour : Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) {
      const auto point = uz(triangle[c]);
      x[c] = solid.points[point];
      facet.corner[c] = view.place(x[c]);
      facet.depth += view.depth(x[c]) / 3.0;
      if (!solid.point_colours.empty()) colour += solid.point_colours[point] / 3.0;
    }
    Vec3 normal = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
    if (normal.dot(view.eye()) <= 0.0) {
      if (solid.opacity >= 1.0) continue;
      normal = -normal;
    }
    const std::string shade = css(view.brightness(normal) * colour);
    facet.paint = {shade, shade, 0.6, {}, solid.opacity};
    if (solid.opacity < 1.0) facet.paint.stroke = "none";
    if (solid.has_edges) facet.paint.stroke = css(0.55 * view.brightness(normal) * colour);
    facets.push_back(std::move(facet));
  }
}

}  // namespace

View::View(const Vec3& toward_eye, const Vec3& up)
    : eye_(toward_eye.normalized()),
      right_(up.cross(eye_).normalized()),
      up_(eye_.cross(right_)),
      light_((eye_ + 0.6 * up_ - 0.4 * right_).normalized()) {}

void View::fit(std::span<const Vec3> points, const Area& area) {
  scale_ = 1.0;
  origin_.setZero();
  Eigen::AlignedBox2d box;
  for (const Vec3& p : points) box.extend(place(p));
  if (box.isEmpty()) return;
  scale_ = std::min(area.width / box.sizes().x(), area.height / box.sizes().y());
  origin_ = area.centre() - scale_ * box.center();
}

Vec2 View::place(const Vec3& point) const {
  return origin_ + scale_ * Vec2(right_.dot(point), -up_.dot(point));
}

double View::brightness(const Vec3& normal) const {
  return 0.55 + 0.45 * std::max(0.0, normal.dot(light_));
}

View usual_view(int up_axis) {
  const Vec3 up = Vec3::Unit(up_axis);
  const Vec3 front = Vec3::Unit((up_axis + 1) % 3);
  return {front + 0.6 * up.cross(front) + 0.45 * up, up};
}

void draw_solids(Drawing& drawing, const View& view, std::span<const Solid> solids) {
  std::vector<Facet> facets;
  for (const Solid& solid : solids) project(view, solid, facets);
  std::stable_sort(facets.begin(), facets.end(),
                   [](const Facet& a, const Facet& b) { return a.depth < b.depth; });
  for (const Facet& facet : facets) drawing.path(facet.corner, true, facet.paint);
}

void draw_arrows(Drawing& drawing, const View& view, std::span<const SpaceArrow> arrows) {
  for (const SpaceArrow& arrow : arrows) {
    drawing.arrow(view.place(arrow.from), view.place(arrow.to), arrow.colour, 2.2);
  }
}

Solid cone_solid(const Vec3& apex, const Vec3& normal, double mu, double height, int sides) {
  const Vec3 n = normal.normalized();
  const Vec3 t1 = n.unitOrthogonal();
  const Vec3 t2 = n.cross(t1);
  Solid cone;
  cone.points.push_back(apex);
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / sides;
    cone.points.emplace_back(apex +
                             height * (n + mu * (std::cos(angle) * t1 + std::sin(angle) * t2)));
    cone.triangles.push_back({0, 1 + k, 1 + (k + 1) % sides});
  }
  cone.colour = {150.0, 80.0, 170.0};
  cone.opacity = 0.25;
  return cone;
}

Vec3 ramp_colour(double share) {
  static const std::array<Vec3, 5> stops = {Vec3(60, 70, 140), Vec3(45, 120, 150),
                                            Vec3(50, 165, 125), Vec3(150, 205, 75),
                                            Vec3(250, 225, 60)};
  const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(below);
  return (1.0 - part) * stops[below] + part * stops[below + 1];
}

std::string css(const Vec3& colour) {
  const auto channel = [&](int k) {
    return static_cast<int>(std::lround(std::clamp(colour[k], 0.0, 255.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

void draw_ramp(Drawing& drawing, const Area& bar, double lowest, double highest,
               const std::string& label) {
  constexpr int steps = 40;
  for (int k = 0; k < steps; ++k) {
    drawing.rectangle({bar.left, bar.top + bar.height * (1.0 - (k + 1.0) / steps), bar.width,
                       bar.height / steps + 0.5},
                      filled(css(ramp_colour((k + 0.5) / steps))));
  }
  drawing.text({bar.right() + 5.0, bar.top + 5.0}, fmt::format("{:.3g}", highest));
  drawing.text({bar.right() + 5.0, bar.bottom() + 4.0}, fmt::format("{:.3g}", lowest));
  drawing.text({bar.right() + 44.0, bar.top - 14.0}, label, {.anchor = Anchor::end});
}

}  // namespace stickslip
