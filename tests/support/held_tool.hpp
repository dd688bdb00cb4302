#pragma once

#include <string>

#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::testing_support {

inline constexpr double tool_size = 0.02;
inline const CouplingGains tool_gains{2000.0, 2.0, 2.0, 0.002};

/// A rigid cube of 15 g over a large floor, its underside at a height and cut into squares.
inline Scene tool_scene(double dt, double height, double mu, int hands = 1, int squares = 1) {
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  scene.simulation.alarm_distance = 5e-3;
  const TetMesh floor = make_box({0.4, 0.4, 0.02}, {1, 1, 1}, ElementType::tet4);
  const TetMesh tool =
      make_box(Vec3::Constant(tool_size), {squares, squares, 1}, ElementType::tet4);
  const double density = 0.015 / std::pow(tool_size, 3);
  scene.bodies.push_back({.name = "floor",
                          .body = make_fixed_body(extract_surface(floor)),
                          .position = {-0.2, -0.2, -0.02}});
  scene.bodies.push_back(
      {.name = "tool",
       .body = make_rigid_body(extract_surface(tool), mass_properties(tool, density)),
       .position = {-0.5 * tool_size, -0.5 * tool_size, height}});
  scene.friction = MatX::Constant(2, 2, mu);
  for (int h = 0; h < hands; ++h) {
    Hand hand;
    hand.name = "hand " + std::to_string(h);
    hand.handles = {{1, {}}};
    hand.gains = tool_gains;
    scene.hands.push_back(hand);
  }
  return scene;
}

inline Pose at(double x, double y, double z) {
  return {{x, y, z}, Quat::Identity()};
}

/// A step of a scene whose hand is at a pose.
inline Vec6 step_with_hand(const Scene& scene, State& state, StepData& data, const Pose& pose) {
  data.hand_inputs[0] = {.pose = pose, .wants_hold = true};
  step(scene, state, data);
  return data.hand_wrenches[0];
}

}  // namespace stickslip::testing_support
