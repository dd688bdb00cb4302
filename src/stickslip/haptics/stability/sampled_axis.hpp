#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

/// One direction of a device in a hand, from tick to tick: (x, v) becomes transition (x, v) + older
/// f_older + younger f_younger, where forces act `delay` late, so that within a tick first the
/// older of two acts and then the younger.
struct SampledAxis {
  Eigen::Matrix2d transition;
  Eigen::Vector2d older;
  Eigen::Vector2d younger;
  Eigen::Index whole_ticks = 0;  ///< of the delay: the younger force is so many ticks old

  /// m x'' + b x' + k x = f, without error, by the exponential of these equations.
  SampledAxis(double mass, double damping, double stiffness, double tick_s, double delay_s);
};

}  // namespace stickslip
