#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace stickslip {

using Vec2 = Eigen::Vector2d;

/// How a shape is filled and outlined; colours as in CSS.
struct Paint {
  std::string fill = "none";
  std::string stroke = "none";
  double width_px = 1.0;
  std::string dash = {};  ///< lengths of dashes and gaps, "6 4"; empty: a full line
  double opacity = 1.0;
};

inline Paint filled(std::string colour, double opacity = 1.0) {
  return {std::move(colour), "none", 1.0, {}, opacity};
}
inline Paint stroked(std::string colour, double width_px = 1.0, std::string dash = {}) {
  return {"none", std::move(colour), width_px, std::move(dash), 1.0};
}

/// As text stands in SVG and HTML.
std::string escaped(std::string_view text);

enum class Anchor { start, middle, end };

struct Lettering {
  double size_px = 13.0;
  Anchor anchor = Anchor::start;
  bool is_bold = false;
  std::string colour = "#222";
  bool is_upright = false;  ///< turned to be read from below to above
};

/// A part of the page, from its upper left corner. [px]
struct Area {
  double left = 0.0;
  double top = 0.0;
  double width = 0.0;
  double height = 0.0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  Vec2 centre() const { return {left + 0.5 * width, top + 0.5 * height}; }
};

/// A page of shapes and letters, white at first; x to the right, y downwards. [px]
class Drawing {
 public:
  Drawing(double width_px, double height_px);

  /// A line over the points, or a closed outline.
  void path(std::span<const Vec2> points, bool is_closed, const Paint& paint);
  void line(const Vec2& from, const Vec2& to, const Paint& paint);
  void circle(const Vec2& centre, double radius_px, const Paint& paint);
  void rectangle(const Area& area, const Paint& paint);
  /// An arrow with a filled head at `to`.
  void arrow(const Vec2& from, const Vec2& to, const std::string& colour, double width_px = 2.0);
  void text(const Vec2& at, std::string_view text, const Lettering& lettering = {});

  double width_px() const { return width_px_; }
  double height_px() const { return height_px_; }
  std::string to_svg() const;

 private:
  double width_px_;
  double height_px_;
  std::string shapes_;
};

/// Writes it, whole or not at all. Throws InputError.
void write_svg(const std::filesystem::path& path, const Drawing& drawing);

/// Turns an SVG file into a PNG of twice its size beside it, by the program rsvg-convert. False
/// where that is not installed, or fails.
bool write_png(const std::filesystem::path& svg);

}  // namespace stickslip
