#include "apps/plot/drawing.hpp"

#include <fmt/core.h>

#include <array>
#include <iterator>

#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/mesh/child_process.hpp"

namespace stickslip {

namespace {

std::string attributes(const Paint& paint) {
  std::string result = fmt::format(" fill=\"{}\"", paint.fill);
  if (paint.stroke != "none") {
    result += fmt::format(" stroke=\"{}\" stroke-width=\"{:g}\"", paint.stroke, paint.width_px);
    if (!paint.dash.empty()) result += fmt::format(" stroke-dasharray=\"{}\"", paint.dash);
  }
  if (paint.opacity < 1.0) result += fmt::format(" opacity=\"{:g}\"", paint.opacity);
  return result;
}

const char* anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
    case Anchor::start:
      break;
  }
  return "start";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

Drawing::Drawing(double width_px, double height_px) : width_px_(width_px), height_px_(height_px) {}

void Drawing::path(std::span<const Vec2> points, bool is_closed, const Paint& paint) {
  if (points.empty()) return;
  const auto out = std::back_inserter(shapes_);
  shapes_ += "<path d=\"";
  char command = 'M';
  for (const Vec2& p : points) {
    fmt::format_to(out, "{}{:.1f} {:.1f}", command, p.x(), p.y());
    command = 'L';
  }
  fmt::format_to(out, "{}\"{}/>\n", is_closed ? "z" : "", attributes(paint));
}

void Drawing::line(const Vec2& from, const Vec2& to, const Paint& paint) {
  path(std::array{from, to}, false, paint);
}

void Drawing::circle(const Vec2& centre, double radius_px, const Paint& paint) {
  fmt::format_to(std::back_inserter(shapes_),
                 "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"{}/>\n", centre.x(), centre.y(),
                 radius_px, attributes(paint));
}

void Drawing::rectangle(const Area& area, const Paint& paint) {
  fmt::format_to(std::back_inserter(shapes_),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"{}/>\n",
                 area.left, area.top, area.width, area.height, attributes(paint));
}

void Drawing::arrow(const Vec2& from, const Vec2& to, const std::string& colour, double width_px) {
  const double length = (to - from).norm();
  if (!(length > 1e-3)) return;
  const Vec2 along = (to - from) / length;
  const Vec2 across(-along.y(), along.x());
  const double head = std::min(length, 3.0 + 3.0 * width_px);
  const Vec2 neck = to - head * along;
  line(from, neck, stroked(colour, width_px));
  const double half = 0.4 * head;
  path(std::array<Vec2, 3>{to, neck + half * across, neck - half * across}, true, filled(colour));
}

void Drawing::text(const Vec2& at, std::string_view text, const Lettering& lettering) {
  const std::string place =
      lettering.is_upright
          ? fmt::format("transform=\"translate({:.1f} {:.1f}) rotate(-90)\"", at.x(), at.y())
          : fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", at.x(), at.y());
  fmt::format_to(std::back_inserter(shapes_),
                 "<text {} font-size=\"{:g}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", place,
                 lettering.size_px, anchor_name(lettering.anchor), lettering.colour,
                 lettering.is_bold ? " font-weight=\"bold\"" : "", escaped(text));
}

std::string Drawing::to_svg() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" "
      "stroke-linejoin=\"round\">\n<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"white\"/>\n{2}"
      "</svg>\n",
      width_px_, height_px_, shapes_);
}

void write_svg(const std::filesystem::path& path, const Drawing& drawing) {
  write_file_atomically(path, drawing.to_svg());
}

bool write_png(const std::filesystem::path& svg) {
  std::filesystem::path png = svg;
  png.replace_extension(".png");
  const ChildResult result = run_program(
      {"rsvg-convert", "-z", "2", svg.string(), "-o", png.string()}, [](std::string_view) {},
      [] {});
  return result.started && result.exit_code == 0 && result.signal == 0;
}

}  // namespace stickslip
