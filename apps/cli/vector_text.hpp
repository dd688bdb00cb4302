#pragma once

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "stickslip/math/types.hpp"

namespace stickslip::cli {

/// A quantity in SI units as people read it: what is nothing but rounding is 0.
inline double shown(double value) {
  constexpr double nothing = 1e-12;
  return std::abs(value) < nothing ? 0.0 : value;
}

inline std::string vector_text(const Vec3& v) {
  return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", shown(v.x()), shown(v.y()), shown(v.z()));
}

}  // namespace stickslip::cli
