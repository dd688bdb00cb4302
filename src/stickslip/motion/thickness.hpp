#pragma once

#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// How far it is through a body, where it is thinnest: straight in from the middles of some of its
/// triangles. Infinite for what has no other side. [m]
double thickness(const Surface& surface);

}  // namespace stickslip
