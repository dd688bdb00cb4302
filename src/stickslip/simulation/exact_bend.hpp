#pragma once

#include <span>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// What the roundness of an exact shape adds to the gap of a contact over a step at the velocities
/// of its beginning: what slides or rolls over it leaves its tangent plane, to second order. (Not
/// over the free motion, which forgets what holds bodies: a soft one springs far back in it.) 0 for
/// other contacts, and where the other side is flat. [m]
double exact_bend(const Scene& scene, std::span<const BodyState> states, const Proximity& where);

}  // namespace stickslip
