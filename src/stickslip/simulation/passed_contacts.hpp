#pragma once

#include <span>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/proximity/surface_topology.hpp"

namespace stickslip {

/// Whether the features of a contact have passed each other at the end of a step: the solve takes
/// a face for its whole plane and an edge for its line, and may hold a point there that is beside
/// the body by then (a ghost contact). Topologies are those of body 1 and body 2; `least` is a
/// distance that counts as touching [m].
bool has_passed(const Contact& contact, std::span<const MovingBody> moving,
                std::span<const BodyState> next, const SurfaceTopology& topology_1,
                const SurfaceTopology& topology_2, double least);

}  // namespace stickslip
