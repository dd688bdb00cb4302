#pragma once

#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// For each point the index of the first point within `tolerance` > 0 of it that stands for
/// itself, its own if there is none before it. Points that are not finite, or 1e16 tolerances from
/// the origin, coincide with nothing. [m]
std::vector<int> first_coincident(const std::vector<Vec3>& points, double tolerance);

/// The longest side of the box around the finite points; 0 if there are none. [m]
double largest_extent(const std::vector<Vec3>& points);

}  // namespace stickslip
