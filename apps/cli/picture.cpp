#include "apps/cli/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "stickslip/mesh/atomic_file.hpp"

namespace stickslip::cli {

namespace {

constexpr double width_px = 720.0;
constexpr double height_px = 540.0;
constexpr double margin_px = 45.0;
constexpr double legend_px = 110.0;

/// From dark blue over green to yellow, readable in grey as well.
Vec3 colour_of(double share) {
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

/// A triangle on the page.
struct Facet {
  double depth;
  std::array<Eigen::Vector2d, 3> corner;
  Vec3 colour;
};

std::vector<Facet> project(const Picture& picture, double lowest, double highest) {
  // axes of the page, and every point on it
  const Vec3 up_axis = Vec3::Unit(picture.up_axis);
  const Vec3 front = Vec3::Unit((picture.up_axis + 1) % 3);
  const Vec3 eye = (front + 0.6 * up_axis.cross(front) + 0.45 * up_axis).normalized();
  const Vec3 right = up_axis.cross(eye).normalized();
  const Vec3 up = eye.cross(right);
  const Vec3 light = (eye + 0.6 * up - 0.4 * right).normalized();
  std::vector<Eigen::Vector2d> page;
  Eigen::AlignedBox2d box;
  for (const Vec3& p : picture.surface.points) {
    page.emplace_back(right.dot(p), -up.dot(p));
    box.extend(page.back());
  }
  const double scale = std::min((width_px - legend_px - 2.0 * margin_px) / box.sizes().x(),
                                (height_px - 2.0 * margin_px) / box.sizes().y());
  const Eigen::Vector2d middle(0.5 * (width_px - legend_px), 0.5 * height_px);

  // the triangles that face the eye, far ones first
  std::vector<Facet> facets;
  for (const auto& triangle : picture.surface.triangles) {
    Facet facet{};
    std::array<Vec3, 3> x;
    double value = 0.0;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto point = uz(triangle[c]);
      x[c] = picture.surface.points[point];
      facet.corner[c] = middle + scale * (page[point] - box.center());
      facet.depth += eye.dot(x[c]) / 3.0;
      value += picture.values[point] / 3.0;
    }
    const Vec3 normal = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
    if (normal.dot(eye) <= 0.0) continue;
    const double brightness = 0.55 + 0.45 * std::max(0.0, normal.dot(light));
    const double span = highest - lowest;
    facet.colour = brightness * colour_of(span > 0.0 ? (value - lowest) / span : 0.0);
    facets.push_back(facet);
  }
  std::sort(facets.begin(), facets.end(),
            [](const Facet& a, const Facet& b) { return a.depth < b.depth; });
  return facets;
}

std::string legend(const Picture& picture, double lowest, double highest) {
  constexpr int steps = 40;
  constexpr double bar_height = 200.0;
  const double left = width_px - 70.0;
  const double top = 0.5 * (height_px - bar_height);
  std::string text;
  for (int k = 0; k < steps; ++k) {
    text += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"{:.1f}\" "
        "fill=\"{}\"/>\n",
        left, top + bar_height * (1.0 - (k + 1.0) / steps), bar_height / steps + 0.5,
        css(colour_of((k + 0.5) / steps)));
  }
  const auto label = [&](double y, const std::string& what, const char* anchor, double x) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                       anchor, what);
  };
  text += label(top + 5.0, fmt::format("{:.3g}", highest), "start", left + 19.0);
  text += label(top + bar_height + 4.0, fmt::format("{:.3g}", lowest), "start", left + 19.0);
  text += label(top - 14.0, picture.legend, "end", width_px - 12.0);
  text += label(28.0, picture.title, "start", 16.0);
  return text;
}

}  // namespace

void write_svg(const std::filesystem::path& path, const Picture& picture) {
  const auto [least, most] = std::minmax_element(picture.values.begin(), picture.values.end());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"14\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n<g stroke-linejoin=\"round\" "
      "stroke-width=\"0.6\">\n",
      width_px, height_px);
  for (const Facet& facet : project(picture, *least, *most)) {
    const std::string colour = css(facet.colour);
    svg += fmt::format(
        "<path fill=\"{0}\" stroke=\"{0}\" d=\"M{1:.1f},{2:.1f} {3:.1f},{4:.1f} "
        "{5:.1f},{6:.1f}z\"/>\n",
        colour, facet.corner[0].x(), facet.corner[0].y(), facet.corner[1].x(), facet.corner[1].y(),
        facet.corner[2].x(), facet.corner[2].y());
  }
  svg += "</g>\n" + legend(picture, *least, *most) + "</svg>\n";
  write_file_atomically(path, svg);
}

}  // namespace stickslip::cli
