#pragma once

#include <string>
#include <vector>

#include "apps/plot/plot.hpp"

namespace stickslip {

/// From values of an axis to places on the page. The axis must outlive it.
class PlotScale {
 public:
  /// That shows the values from lowest to highest, unless the axis says otherwise.
  PlotScale(const Axis& axis, double lowest, double highest, double from_px, double to_px);

  bool shows(double value) const;
  double place(double value) const;
  /// Where bars begin.
  double foot() const;

  std::vector<double> ticks() const;
  /// Lines between the decades.
  std::vector<double> minor_ticks() const;
  std::string text(double tick) const;

 private:
  void set_decades(double lowest, double highest);
  void set_linear(double lowest, double highest);

  const Axis& axis_;
  double from_px_;
  double to_px_;
  double low_ = 0.0;
  double high_ = 1.0;
  double step_ = 1.0;
};

}  // namespace stickslip
