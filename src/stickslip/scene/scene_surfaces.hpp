#pragma once

#include <vector>

#include "stickslip/proximity/mesh_proximity.hpp"
#include "stickslip/proximity/touching_pairs.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// Surfaces to look at, of all bodies of a scene.
std::vector<ProximityBody> proximity_bodies(const Scene& scene);

/// Which bodies of a scene may touch.
TouchingPairs touching_pairs(const Scene& scene);

}  // namespace stickslip
