#include "apps/plot/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "stickslip/math/types.hpp"
#include "stickslip/mesh/atomic_file.hpp"

namespace stickslip {

namespace {

constexpr double width_px = 760.0;
constexpr double height_px = 500.0;
constexpr double left_px = 84.0;
constexpr double right_px = 34.0;
constexpr double top_px = 46.0;
constexpr double bottom_px = 62.0;
constexpr double legend_row_px = 20.0;

// told apart by all eyes, and in grey by their markers
constexpr std::array<const char*, 6> colours = {"#0072b2", "#d55e00", "#009e73",
                                                "#aa4499", "#e69f00", "#444444"};

std::string escaped(const std::string& text) {
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

/// From values to places on the page.
class Scale {
 public:
  Scale(const Axis& axis, double lowest, double highest, double from_px, double to_px)
      : axis_(axis), from_px_(from_px), to_px_(to_px) {
    for (const double tick : axis.ticks) {
      lowest = std::min(lowest, tick);
      highest = std::max(highest, tick);
    }
    if (axis.is_log) {
      low_ = std::log10(lowest);
      high_ = std::log10(highest);
      if (axis.ticks.empty()) {
        low_ = std::floor(low_ + 1e-9);
        high_ = std::ceil(high_ - 1e-9);
      } else {
        // room beside the outermost ticks
        const double room = 0.04 * (high_ - low_);
        low_ -= room;
        high_ += room;
      }
      if (!(high_ > low_)) high_ = low_ + 1.0;
      return;
    }
    low_ = std::min(lowest, 0.0);
    high_ = highest > low_ ? highest : low_ + 1.0;
    step_ = step(high_ - low_);
    if (axis.ticks.empty()) high_ += 0.03 * (high_ - low_);
  }

  bool shows(double value) const { return std::isfinite(value) && (!axis_.is_log || value > 0.0); }

  double place(double value) const {
    const double at = axis_.is_log ? std::log10(value) : value;
    return from_px_ + (to_px_ - from_px_) * (at - low_) / (high_ - low_);
  }

  std::vector<double> ticks() const {
    if (!axis_.ticks.empty()) return axis_.ticks;
    std::vector<double> result;
    if (axis_.is_log) {
      for (double e = low_; e <= high_ + 1e-9; e += 1.0) result.push_back(std::pow(10.0, e));
    } else {
      for (double v = low_; v <= high_ + 1e-9 * step_; v += step_) result.push_back(v);
    }
    return result;
  }

  /// Lines between the decades.
  std::vector<double> minor_ticks() const {
    std::vector<double> result;
    if (!axis_.is_log || !axis_.ticks.empty() || high_ - low_ > 6.5) return result;
    for (double e = low_; e < high_ - 1e-9; e += 1.0) {
      for (int i = 2; i < 10; ++i) result.push_back(i * std::pow(10.0, e));
    }
    return result;
  }

  std::string text(double tick) const {
    if (!axis_.is_log || !axis_.ticks.empty()) return fmt::format("{:g}", tick);
    const int exponent = static_cast<int>(std::lround(std::log10(tick)));
    if (exponent >= -3 && exponent <= 4) return fmt::format("{:g}", tick);
    return fmt::format("10<tspan dy=\"-6\" font-size=\"10\">{}</tspan>",
                       exponent < 0 ? fmt::format("−{}", -exponent) : std::to_string(exponent));
  }

 private:
  /// 1, 2 or 5 times a power of ten, five to ten of them in the range.
  static double step(double range) {
    const double rough = range / 6.0;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= rough) return factor * power;
    }
    return 10.0 * power;
  }

  const Axis& axis_;
  double from_px_;
  double to_px_;
  double low_ = 0.0;
  double high_ = 1.0;
  double step_ = 1.0;
};

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
    for (const double level : plot.levels) include(level);
  }
  return lowest <= highest ? std::pair(lowest, highest) : std::pair(is_log ? 1.0 : 0.0, 1.0);
}

std::string marker(std::size_t kind, double x, double y, const char* colour) {
  const std::string style = fmt::format("fill=\"white\" stroke=\"{}\" stroke-width=\"2\"", colour);
  switch (kind % 6) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {}/>\n", x, y, style);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7.6\" height=\"7.6\" {}/>\n",
                         x - 3.8, y - 3.8, style);
    case 2:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l4.6 8h-9.2z\" {}/>\n", x, y - 5.0, style);
    case 3:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\" {}/>\n", x, y - 5.0, style);
    case 4:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l4.6 -8h-9.2z\" {}/>\n", x, y + 5.0, style);
    default:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l-5 3.6l2 5.8h6l2 -5.8z\" {}/>\n", x, y - 5.2,
                         style);
  }
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const std::size_t legend_rows = (plot.series.size() + 1) / 2;
  const double legend_px = legend_row_px * static_cast<double>(legend_rows) + 8.0;
  const double page_px = height_px + legend_px;
  const auto [x_low, x_high] = range_of(plot, true);
  const auto [y_low, y_high] = range_of(plot, false);
  const Scale x(plot.x, x_low, x_high, left_px, width_px - right_px);
  const Scale y(plot.y, y_low, y_high, height_px - bottom_px, top_px);
  const double x_from = left_px;
  const double x_to = width_px - right_px;
  const double y_from = height_px - bottom_px;
  const double y_to = top_px;

  std::string page;
  const auto out = std::back_inserter(page);
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                 "height=\"{1}\" font-family=\"DejaVu Sans, Verdana, sans-serif\" "
                 "font-size=\"13\" fill=\"#222\">\n<rect width=\"{0}\" height=\"{1}\" "
                 "fill=\"white\"/>\n",
                 width_px, page_px);
  fmt::format_to(out,
                 "<text x=\"{:.1f}\" y=\"26\" font-size=\"15\" font-weight=\"bold\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 (x_from + x_to) / 2.0, escaped(plot.title));

  // grid, ticks and labels of both axes
  const auto line = [&](double x_1, double y_1, double x_2, double y_2, const char* style) {
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x_1, y_1, x_2, y_2,
                   style);
  };
  const char* fine = "stroke=\"#f0f0f0\"";
  const char* grid = "stroke=\"#dcdcdc\"";
  for (const double tick : x.minor_ticks()) line(x.place(tick), y_from, x.place(tick), y_to, fine);
  for (const double tick : y.minor_ticks()) line(x_from, y.place(tick), x_to, y.place(tick), fine);
  for (const double tick : x.ticks()) {
    line(x.place(tick), y_from, x.place(tick), y_to, grid);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                   x.place(tick), y_from + 20.0, x.text(tick));
  }
  for (const double tick : y.ticks()) {
    line(x_from, y.place(tick), x_to, y.place(tick), grid);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                   x_from - 9.0, y.place(tick) + 4.5, y.text(tick));
  }
  fmt::format_to(out,
                 "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" "
                 "stroke=\"#444\"/>\n",
                 x_from, y_to, x_to - x_from, y_from - y_to);
  fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                 (x_from + x_to) / 2.0, y_from + 44.0, escaped(plot.x.label));
  fmt::format_to(out,
                 "<text transform=\"translate(22 {:.1f}) rotate(-90)\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 (y_from + y_to) / 2.0, escaped(plot.y.label));
  for (const double level : plot.levels) {
    line(x_from, y.place(level), x_to, y.place(level),
         "stroke=\"#888\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"");
  }

  // the curves, and a row of the legend for each
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    const Series& series = plot.series[s];
    const char* colour = colours[s % colours.size()];
    std::string path;
    std::string markers;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!x.shows(series.x[i]) || !y.shows(series.y[i])) continue;
      const double at_x = x.place(series.x[i]);
      const double at_y = y.place(series.y[i]);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x, at_y);
      if (i < series.y_low.size() && y.shows(series.y_low[i]) && y.shows(series.y_high[i])) {
        line(at_x, y.place(series.y_low[i]), at_x, y.place(series.y_high[i]),
             fmt::format("stroke=\"{}\" stroke-width=\"1.2\" opacity=\"0.6\"", colour).c_str());
      }
      markers += marker(s, at_x, at_y, colour);
      if (i < series.labels.size()) {
        markers +=
            fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" fill=\"{}\">{}</text>\n",
                        at_x + 8.0, at_y - 6.0, colour, escaped(series.labels[i]));
      }
    }
    fmt::format_to(out, "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n{}", path,
                   colour, markers);
    const std::size_t row = s / 2;
    const double row_y = height_px + legend_row_px * static_cast<double>(row) + 2.0;
    const double row_x = s % 2 == 0 ? x_from : (x_from + x_to) / 2.0 + 10.0;
    line(row_x, row_y, row_x + 30.0, row_y,
         fmt::format("stroke=\"{}\" stroke-width=\"2\"", colour).c_str());
    page += marker(s, row_x + 15.0, row_y, colour);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", row_x + 38.0, row_y + 4.5,
                   escaped(series.name));
  }
  page += "</svg>\n";
  return page;
}

void write_plot(const std::filesystem::path& path, const Plot& plot) {
  write_file_atomically(path, to_svg(plot));
}

}  // namespace stickslip
