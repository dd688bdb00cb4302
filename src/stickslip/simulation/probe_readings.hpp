#pragma once

#include <vector>

#include "stickslip/scene/scene.hpp"
#include "stickslip/scene/state.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

struct ProbeReading {
  Vec3 position = Vec3::Zero();  ///< [m]
  /// Of a centre of mass; of a point of the surface, its mean over the step. [m/s]
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();  ///< of the body's frame [rad/s]
  Vec3 force = Vec3::Zero();             ///< of all contacts on its body [N]
  Vec3 torque = Vec3::Zero();            ///< of the same, about the probe [N m]
};

/// The probes of a scene before its first step: nothing touches yet.
std::vector<ProbeReading> initial_readings(const Scene& scene, const State& state);

/// The probes after a step; `readings` are those before it.
void update_readings(const Scene& scene, const State& state, const StepData& data,
                     std::vector<ProbeReading>& readings);

}  // namespace stickslip
