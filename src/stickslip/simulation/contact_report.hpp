#pragma once

#include <vector>

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// One contact after a step, for programs.
struct ContactReport {
  int body_1 = 0;
  int body_2 = 0;
  Vec3 P = Vec3::Zero();       ///< on body 1, world [m]
  Vec3 Q = Vec3::Zero();       ///< on body 2
  Vec3 normal = Vec3::Zero();  ///< toward body 1
  double gap = 0.0;            ///< along the normal [m]
  Vec3 force = Vec3::Zero();   ///< on body 1, world [N]
  bool sticks = false;
};

/// The contacts of the last step, where they are now.
void report_contacts(const Scene& scene, const State& state, const StepData& data,
                     std::vector<ContactReport>& reports);

}  // namespace stickslip
