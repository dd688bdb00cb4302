#pragma once

#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// For each point the index of the first point within `tolerance` of it, itself if none
/// stands before it. Points that are not finite coincide with nothing. [m]
std::vector<int> first_coincident(const std::vector<Vec3>& points, double tolerance);

/// The longest side of the box around the finite points; 0 if there are none. [m]
double largest_extent(const std::vector<Vec3>& points);

}  // namespace stickslip
