#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stickslip/proximity/surface_tree.hpp"

namespace stickslip {

/// Points of a body in the axes of another one, in single precision. Each is moved when it is first
/// asked for.
class MovedPoints {
 public:
  /// Room for the points of any body.
  void reserve(int points) {
    places_.resize(uz(points));
    times_.assign(uz(points), 0);
  }

  /// Forgets those of the last pair of bodies.
  void start() {
    if (++time_ != 0) return;
    // once in four thousand million pairs
    std::fill(times_.begin(), times_.end(), 0);
    time_ = 1;
  }

  const FloatLanes& get(const SurfaceShape& shape, const FloatPlacement& to_other, int point) {
    if (times_[uz(point)] != time_) {
      times_[uz(point)] = time_;
      places_[uz(point)] = to_other(shape.point(point));
    }
    return places_[uz(point)];
  }

 private:
  std::vector<FloatLanes> places_;
  std::vector<std::uint32_t> times_;
  std::uint32_t time_ = 0;
};

}  // namespace stickslip
