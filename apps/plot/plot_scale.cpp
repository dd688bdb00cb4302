#include "apps/plot/plot_scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/types.hpp"

namespace stickslip {

namespace {

std::string superscript(int number) {
  constexpr std::array<const char*, 10> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : digits[uz(c - '0')];
  return text;
}

/// 1, 2 or 5 times a power of ten, five to ten of them in the range.
double tick_step(double range) {
  const double rough = range / 7.0;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10.0 * power;
}

}  // namespace

PlotScale::PlotScale(const Axis& axis, double lowest, double highest, double from_px, double to_px)
    : axis_(axis), from_px_(from_px), to_px_(to_px) {
  for (const double tick : axis.ticks) {
    lowest = std::min(lowest, tick);
    highest = std::max(highest, tick);
  }
  if (axis.is_log) {
    set_decades(lowest, highest);
  } else {
    set_linear(lowest, highest);
  }
}

bool PlotScale::shows(double value) const {
  if (!std::isfinite(value) || (axis_.is_log && value <= 0.0)) return false;
  const double at = axis_.is_log ? std::log10(value) : value;
  const double room = 1e-9 * (high_ - low_);
  return at >= low_ - room && at <= high_ + room;
}

double PlotScale::place(double value) const {
  const double at = axis_.is_log ? std::log10(value) : value;
  return from_px_ + (to_px_ - from_px_) * (at - low_) / (high_ - low_);
}

double PlotScale::foot() const {
  return axis_.is_log || low_ > 0.0 ? from_px_ : place(std::min(0.0, high_));
}

std::vector<double> PlotScale::ticks() const {
  if (!axis_.ticks.empty()) return axis_.ticks;
  std::vector<double> result;
  if (axis_.is_log) {
    const double stride = std::max(1.0, std::ceil((high_ - low_) / 10.0));
    for (double e = std::ceil(low_ - 1e-9); e <= high_ + 1e-9; e += stride) {
      result.push_back(std::pow(10.0, e));
    }
  } else {
    for (double k = std::ceil(low_ / step_ - 1e-9); k * step_ <= high_ + 1e-9 * step_; k += 1.0) {
      result.push_back(k * step_ + 0.0);  // no minus zero
    }
  }
  return result;
}

std::vector<double> PlotScale::minor_ticks() const {
  std::vector<double> result;
  if (!axis_.is_log || !axis_.ticks.empty() || high_ - low_ > 6.5) return result;
  for (double e = std::floor(low_); e < high_ - 1e-9; e += 1.0) {
    for (int i = 2; i < 10; ++i) {
      const double tick = i * std::pow(10.0, e);
      if (shows(tick)) result.push_back(tick);
    }
  }
  return result;
}

std::string PlotScale::text(double tick) const {
  const auto place = std::find(axis_.ticks.begin(), axis_.ticks.end(), tick);
  const auto number = static_cast<std::size_t>(place - axis_.ticks.begin());
  if (number < axis_.tick_names.size()) return axis_.tick_names[number];
  if (!axis_.is_log || !axis_.ticks.empty()) return fmt::format("{:g}", tick);
  const int exponent = static_cast<int>(std::lround(std::log10(tick)));
  if (exponent >= -3 && exponent <= 3) return fmt::format("{:g}", tick);
  return "10" + superscript(exponent);
}

void PlotScale::set_decades(double lowest, double highest) {
  low_ = std::log10(axis_.from.value_or(lowest));
  high_ = std::log10(axis_.to.value_or(highest));
  if (axis_.ticks.empty()) {
    if (!axis_.from) low_ = std::floor(low_ + 1e-9);
    if (!axis_.to) high_ = std::ceil(high_ - 1e-9);
  } else {
    // room beside the outermost ticks
    const double room = 0.04 * (high_ - low_);
    if (!axis_.from) low_ -= room;
    if (!axis_.to) high_ += room;
  }
  if (!(high_ > low_)) high_ = low_ + 1.0;
}

void PlotScale::set_linear(double lowest, double highest) {
  low_ = axis_.from.value_or(std::min(lowest, 0.0));
  high_ = axis_.to.value_or(highest);
  if (!(high_ > low_)) high_ = low_ + 1.0;
  step_ = tick_step(high_ - low_);
  if (!axis_.ticks.empty()) return;
  const double room = 0.03 * (high_ - low_);
  if (!axis_.to) high_ += room;
  if (!axis_.from && low_ < 0.0) low_ -= room;
}

}  // namespace stickslip
