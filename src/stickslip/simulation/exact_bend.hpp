#pragma once

#include <span>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// What the roundness of an exact shape adds to the gap of a contact by the end of the free motion:
/// what slides or rolls over it leaves its tangent plane, to second order. 0 for other contacts,
/// and where the other side is flat. [m]
double exact_bend(const Scene& scene, std::span<const MovingBody> moving, const Proximity& where);

}  // namespace stickslip
