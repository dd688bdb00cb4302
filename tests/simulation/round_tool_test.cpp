#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/mesh/round_mesh.hpp"
#include "stickslip/simulation/haptic_session.hpp"

namespace stickslip {
namespace {

constexpr double depth = 1e-3;  ///< by which a hand presses [m]
const CouplingGains gains{2000.0, 2.0, 20.0, 0.02};

/// A shape over a floor, in a hand.
Scene shape_scene(double dt, const ExactShape& shape, const Quat& orientation) {
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  scene.simulation.alarm_distance = 5e-3;
  const TetMesh floor = make_box({0.4, 0.4, 0.02}, {1, 1, 1}, ElementType::tet4);
  scene.bodies.push_back({.name = "floor",
                          .body = make_fixed_body(extract_surface(floor)),
                          .position = {-0.2, -0.2, -0.02}});
  const Surface facets = extract_surface(make_round_mesh(shape, 12, ElementType::tet4, 1.0));
  MassProperties mass = mass_properties(shape, 1.0);
  const double density = 0.05 / mass.mass;
  mass = mass_properties(shape, density);
  scene.bodies.push_back({.name = "tool",
                          .body = make_rigid_body(facets, mass),
                          .position = {0.0, 0.0, shape.radius},
                          .orientation = orientation,
                          .exact = shape});
  scene.friction = MatX::Zero(2, 2);
  Hand hand;
  hand.name = "right";
  hand.handles = {{1, {Vec3::Zero(), orientation.conjugate()}}};
  hand.gains = gains;
  scene.hands.push_back(hand);
  return scene;
}

/// How far the force of the floor is from that of standing, at worst, while the tool is turned at
/// 5 rad/s about an axis, to and fro by `most`.
double unevenness(const Scene& scene, double radius, const Vec3& axis, double most) {
  std::vector<Intention::Row> rows;
  for (int k = 0; k <= 3000; ++k) {
    const double t = 1e-3 * k;
    const double pressed = depth * minimum_jerk((t - 0.3) / 0.2);
    const double way = 5.0 * std::max(0.0, t - 0.8);
    const double angle = most - std::abs(most - std::fmod(way, 2.0 * most));
    rows.push_back({t, Pose{{0.0, 0.0, radius - pressed}, Quat(Eigen::AngleAxisd(angle, axis))}});
  }
  HandSetup setup;
  setup.device = std::make_shared<SimulatedDevice>(
      find_device_model("ideal"),
      Operator{*find_hand_model("clamped"), Intention::from_rows(rows)});
  setup.starts_holding = true;
  State state = initial_state(scene);
  StepData data(scene);
  HapticSession session(scene, state, data, {setup}, {});
  TurnTaking turns(session);
  double worst = 0.0;
  for (int k = 0; k < 2500; ++k) {
    turns.tick();
    if (k < 700) continue;
    const double force = session.loop().records()[0].wrench[2];
    worst = std::max(worst, std::abs(force / (gains.stiffness * depth) - 1.0));
  }
  return worst;
}

TEST(RoundTool, TurnedInPlaceIsFeltEvenlyAtEveryRate) {
  const Quat lying(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));
  constexpr ExactShape ball{0.02, 0.0, true};
  constexpr ExactShape pill{0.02, 0.03, true};
  constexpr ExactShape can{0.02, 0.03, false};
  for (const double dt : {1e-3, 1e-2, 2e-2}) {
    const Vec3 askew = Vec3(1.0, 0.5, 0.3).normalized();
    EXPECT_LT(unevenness(shape_scene(dt, ball, lying), ball.radius, askew, 1.5), 0.01) << dt;
    // about their own axes
    EXPECT_LT(unevenness(shape_scene(dt, pill, lying), pill.radius, Vec3::UnitY(), 1.5), 0.01)
        << dt;
    EXPECT_LT(unevenness(shape_scene(dt, can, lying), can.radius, Vec3::UnitY(), 1.5), 0.01) << dt;
  }
}

}  // namespace
}  // namespace stickslip
