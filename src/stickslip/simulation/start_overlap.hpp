#pragma once

#include <vector>

#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// Two bodies that overlap where a scene starts.
struct StartOverlap {
  int body_1 = 0;
  int body_2 = 0;
  double depth = 0.0;          ///< how far a point of one is inside the other [m]
  Vec3 normal = Vec3::Zero();  ///< the way out for body 1
};

/// The deepest overlap of each pair of bodies, however deep it is. Points of one body are inside
/// a closed surface by its winding number, and behind an open one where edges go through it.
std::vector<StartOverlap> find_start_overlaps(const Scene& scene);

/// Moves bodies whose frames are free until none overlaps another by more than `tolerance` [m].
/// False where that does not come about.
bool resolve_start_overlaps(Scene& scene, double tolerance);

}  // namespace stickslip
