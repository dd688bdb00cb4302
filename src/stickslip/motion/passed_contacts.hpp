#pragma once

#include <span>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/motion/meeting_search.hpp"
#include "stickslip/proximity/surface_topology.hpp"

namespace stickslip {

/// Whether the features of a contact have passed each other at the end of a step: the solve takes
/// a face for its whole plane and an edge for its line, and may hold a point there that is beside
/// the body by then (a ghost contact). Topologies are those of body 1 and body 2; `least` is a
/// distance that counts as touching [m].
bool has_passed(const Contact& contact, std::span<const MovingBody> moving,
                std::span<const BodyState> next, const SurfaceTopology& topology_1,
                const SurfaceTopology& topology_2, double least);

/// Whether what has met goes round the bend that it meets: it ends in front of the surface that
/// goes on from there, at least by -`least`, and its straight way there is behind it by `most` at
/// the most. What slides along a round body takes such ways. [m]
bool goes_round_bend(const Meeting& hit, std::span<const MovingBody> moving,
                     std::span<const BodyState> next, const SurfaceTopology& topology_1,
                     const SurfaceTopology& topology_2, double most, double least);

}  // namespace stickslip
