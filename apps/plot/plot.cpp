#include "apps/plot/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "apps/plot/plot_scale.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/mesh/atomic_file.hpp"

namespace stickslip {

namespace {

constexpr double page_width_px = 760.0;
constexpr double page_height_px = 500.0;
constexpr double left_px = 84.0;
constexpr double right_px = 34.0;
constexpr double top_px = 46.0;
constexpr double bottom_px = 62.0;
constexpr double legend_row_px = 20.0;

// told apart by all eyes, and in grey by their markers
constexpr std::array<const char*, 6> colours = {"#0072b2", "#d55e00", "#009e73",
                                                "#aa4499", "#e69f00", "#444444"};

std::pair<double, double> range_of(const Plot& plot, bool is_x) {
  const bool is_log = is_x ? plot.x.is_log : plot.y.is_log;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  const auto include = [&](double value) {
    if (!std::isfinite(value) || (is_log && value <= 0.0)) return;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  };
  for (const Series& series : plot.series) {
    for (const double value : is_x ? series.x : series.y) include(value);
    if (is_x) continue;
    for (const double value : series.y_low) include(value);
    for (const double value : series.y_high) include(value);
  }
  if (!is_x) {
    for (const Level& level : plot.levels) include(level.value);
  }
  return lowest <= highest ? std::pair(lowest, highest) : std::pair(is_log ? 1.0 : 0.0, 1.0);
}

void draw_marker(Drawing& drawing, int kind, const Vec2& at, const char* colour) {
  const Paint paint{"white", colour, 2.0};
  const auto outline = [&](std::initializer_list<Vec2> offsets) {
    std::vector<Vec2> points;
    for (const Vec2& offset : offsets) points.emplace_back(at + offset);
    drawing.path(points, true, paint);
  };
  switch (kind % 6) {
    case 0:
      drawing.circle(at, 4.0, paint);
      break;
    case 1:
      outline({{-3.8, -3.8}, {3.8, -3.8}, {3.8, 3.8}, {-3.8, 3.8}});
      break;
    case 2:
      outline({{0.0, -5.0}, {4.6, 3.0}, {-4.6, 3.0}});
      break;
    case 3:
      outline({{0.0, -5.0}, {5.0, 0.0}, {0.0, 5.0}, {-5.0, 0.0}});
      break;
    case 4:
      outline({{0.0, 5.0}, {4.6, -3.0}, {-4.6, -3.0}});
      break;
    default:
      outline({{0.0, -5.2}, {5.0, -1.6}, {3.0, 4.2}, {-3.0, 4.2}, {-5.0, -1.6}});
      break;
  }
}

bool has_markers(Look look) {
  return look == Look::marked_line || look == Look::markers;
}

/// Draws one diagram: the frame first, then curve by curve.
class PlotPainter {
 public:
  PlotPainter(Drawing& drawing, const Area& inside, const Plot& plot)
      : drawing_(drawing),
        inside_(inside),
        plot_(plot),
        x_(make_scale(true)),
        y_(make_scale(false)) {}

  void draw_frame() {
    for (const Band& band : plot_.bands) draw_band(band, true);
    for (const double tick : x_.minor_ticks()) draw_vertical(x_.place(tick), stroked("#f0f0f0"));
    for (const double tick : y_.minor_ticks()) draw_horizontal(y_.place(tick), stroked("#f0f0f0"));
    for (const double tick : x_.ticks()) {
      if (!x_.shows(tick)) continue;
      draw_vertical(x_.place(tick), stroked("#dcdcdc"));
      drawing_.text({x_.place(tick), inside_.bottom() + 20.0}, x_.text(tick),
                    {.anchor = Anchor::middle});
    }
    for (const double tick : y_.ticks()) {
      if (!y_.shows(tick)) continue;
      draw_horizontal(y_.place(tick), stroked("#dcdcdc"));
      drawing_.text({inside_.left - 9.0, y_.place(tick) + 4.5}, y_.text(tick),
                    {.anchor = Anchor::end});
    }
    for (const Band& band : plot_.bands) draw_band(band, false);
    drawing_.rectangle(inside_, stroked("#444"));
    drawing_.text({inside_.centre().x(), inside_.bottom() + 44.0}, plot_.x.label,
                  {.anchor = Anchor::middle});
    drawing_.text({inside_.left - left_px + 22.0, inside_.centre().y()}, plot_.y.label,
                  {.anchor = Anchor::middle, .is_upright = true});
    for (const Level& level : plot_.levels) draw_level(level);
  }

  void draw_series(const Series& series, int number) {
    const char* colour = series_colour(number);
    std::vector<Vec2> places;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!x_.shows(series.x[i]) || !y_.shows(series.y[i])) continue;
      places.emplace_back(x_.place(series.x[i]), y_.place(series.y[i]));
      shown.push_back(i);
    }
    draw_spreads(series, places, shown, colour);
    if (series.look == Look::bars) {
      draw_bars(places, colour);
    } else if (series.look != Look::markers) {
      draw_line(series, places, shown, colour);
    }
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (has_markers(series.look)) draw_marker(drawing_, number, places[k], colour);
      if (shown[k] < series.labels.size()) {
        drawing_.text(places[k] + Vec2(8.0, -6.0), series.labels[shown[k]],
                      {.size_px = 11.0, .colour = colour});
      }
    }
  }

 private:
  PlotScale make_scale(bool is_x) const {
    const auto [low, high] = range_of(plot_, is_x);
    return is_x ? PlotScale(plot_.x, low, high, inside_.left, inside_.right())
                : PlotScale(plot_.y, low, high, inside_.bottom(), inside_.top);
  }

  void draw_vertical(double x, const Paint& paint) {
    drawing_.line({x, inside_.bottom()}, {x, inside_.top}, paint);
  }
  void draw_horizontal(double y, const Paint& paint) {
    drawing_.line({inside_.left, y}, {inside_.right(), y}, paint);
  }

  /// Its ground, under the grid, or its name, over it.
  void draw_band(const Band& band, bool is_ground) {
    const double from = std::clamp(x_.place(band.from), inside_.left, inside_.right());
    const double to = std::clamp(x_.place(band.to), inside_.left, inside_.right());
    if (is_ground) {
      const bool is_odd = (&band - plot_.bands.data()) % 2 == 1;
      drawing_.rectangle({from, inside_.top, to - from, inside_.height},
                         filled(is_odd ? "#e6eef6" : "#f7f2e2"));
    } else {
      drawing_.text({0.5 * (from + to), inside_.top - 6.0}, band.label,
                    {.size_px = 11.0, .anchor = Anchor::middle, .colour = "#666"});
    }
  }

  void draw_level(const Level& level) {
    if (!y_.shows(level.value)) return;
    const double y = y_.place(level.value);
    draw_horizontal(y, stroked("#888", 1.5, "6 4"));
    drawing_.text({inside_.right() - 6.0, y - 5.0}, level.label,
                  {.size_px = 11.0, .anchor = Anchor::end, .colour = "#666"});
  }

  /// Interrupted where points are left out.
  void draw_line(const Series& series, std::span<const Vec2> places,
                 std::span<const std::size_t> shown, const char* colour) {
    const Paint paint = stroked(colour, series.look == Look::line ? 1.5 : 2.0,
                                series.look == Look::dashed_line ? "7 4" : "");
    std::size_t from = 0;
    for (std::size_t k = 1; k <= places.size(); ++k) {
      if (k < places.size() && shown[k] == shown[k - 1] + 1) continue;
      drawing_.path(places.subspan(from, k - from), false, paint);
      from = k;
    }
  }

  void draw_spreads(const Series& series, const std::vector<Vec2>& places,
                    const std::vector<std::size_t>& shown, const char* colour) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::size_t i = shown[k];
      if (i >= series.y_low.size() || !y_.shows(series.y_low[i]) || !y_.shows(series.y_high[i])) {
        continue;
      }
      Paint paint = stroked(colour, 1.2);
      paint.opacity = 0.6;
      drawing_.line({places[k].x(), y_.place(series.y_low[i])},
                    {places[k].x(), y_.place(series.y_high[i])}, paint);
    }
  }

  void draw_bars(const std::vector<Vec2>& places, const char* colour) {
    double stride = inside_.width;
    for (std::size_t k = 1; k < places.size(); ++k) {
      stride = std::min(stride, places[k].x() - places[k - 1].x());
    }
    for (const Vec2& place : places) {
      const double top = std::min(place.y(), y_.foot());
      drawing_.rectangle(
          {place.x() - 0.45 * stride, top, 0.9 * stride, std::abs(place.y() - y_.foot())},
          filled(colour, 0.65));
    }
  }

  Drawing& drawing_;
  Area inside_;
  const Plot& plot_;
  PlotScale x_;
  PlotScale y_;
};

std::vector<std::size_t> named_series(const Plot& plot) {
  std::vector<std::size_t> named;
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    if (!plot.series[s].name.empty()) named.push_back(s);
  }
  return named;
}

int number_of(const Plot& plot, std::size_t s) {
  return plot.series[s].colour >= 0 ? plot.series[s].colour : static_cast<int>(s);
}

/// Two entries a row where they have room.
std::size_t legend_columns(const Plot& plot, double width_px) {
  std::size_t longest = 0;
  for (const Series& series : plot.series) longest = std::max(longest, series.name.size());
  return 2.0 * (50.0 + 7.6 * static_cast<double>(longest)) <= width_px ? 2 : 1;
}

double legend_height(const Plot& plot, double width_px) {
  const std::size_t columns = legend_columns(plot, width_px);
  const std::size_t rows = (named_series(plot).size() + columns - 1) / columns;
  return legend_row_px * static_cast<double>(rows) + 8.0;
}

void draw_legend(Drawing& drawing, const Area& area, const Plot& plot) {
  const std::size_t columns = legend_columns(plot, area.width);
  const std::vector<std::size_t> named = named_series(plot);
  for (std::size_t k = 0; k < named.size(); ++k) {
    const Series& series = plot.series[named[k]];
    const int number = number_of(plot, named[k]);
    const char* colour = series_colour(number);
    const std::size_t row = k / columns;
    const double y = area.top + legend_row_px * static_cast<double>(row) + 2.0;
    const double x = area.left + (k % columns == 0 ? 0.0 : 0.5 * area.width + 10.0);
    if (series.look == Look::bars) {
      drawing.rectangle({x + 8.0, y - 5.0, 14.0, 10.0}, filled(colour, 0.65));
    } else if (series.look != Look::markers) {
      drawing.line({x, y}, {x + 30.0, y},
                   stroked(colour, 2.0, series.look == Look::dashed_line ? "7 4" : ""));
    }
    if (has_markers(series.look)) draw_marker(drawing, number, {x + 15.0, y}, colour);
    drawing.text({x + 38.0, y + 4.5}, series.name);
  }
}

}  // namespace

const char* series_colour(int number) {
  return colours[uz(number) % colours.size()];
}

void draw_plot(Drawing& drawing, const Area& area, const Plot& plot) {
  const double width = area.width - left_px - right_px;
  const double legend = legend_height(plot, width);
  const Area inside{area.left + left_px, area.top + top_px, width,
                    area.height - top_px - bottom_px - legend};
  drawing.text({inside.centre().x(), area.top + 23.0}, plot.title,
               {.size_px = 15.0, .anchor = Anchor::middle, .is_bold = true});
  PlotPainter painter(drawing, inside, plot);
  painter.draw_frame();
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    painter.draw_series(plot.series[s], number_of(plot, s));
  }
  draw_legend(drawing, {inside.left, area.bottom() - legend, width, legend}, plot);
}

Drawing draw_plot(const Plot& plot) {
  const double height = page_height_px + legend_height(plot, page_width_px - left_px - right_px);
  Drawing drawing(page_width_px, height);
  draw_plot(drawing, {0.0, 0.0, page_width_px, height}, plot);
  return drawing;
}

std::string to_svg(const Plot& plot) {
  return draw_plot(plot).to_svg();
}

void write_plot(const std::filesystem::path& path, const Plot& plot) {
  write_svg(path, draw_plot(plot));
}

}  // namespace stickslip
