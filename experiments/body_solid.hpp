#pragma once

#include "apps/plot/solids.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::experiments {

/// A body of a scene as it is now.
Solid body_solid(const Scene& scene, const State& state, int body);

/// A square floor in the plane z = 0 around a point, to be drawn. [m]
Solid floor_solid(const Vec3& middle, double half_x, double half_y);

/// The number of a body; throws InputError where there is none of that name.
int body_of(const Scene& scene, std::string_view name);

}  // namespace stickslip::experiments
