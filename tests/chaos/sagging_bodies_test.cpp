#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "stickslip/math/rotation.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

/// A bar that turns as it falls, bent by its own weight from hardly at all to many times its size.
Scene falling_bar(const Body& body, double dt) {
  Scene scene;
  scene.simulation.dt = dt;
  scene.bodies.push_back({.name = "bar",
                          .body = body,
                          .orientation = rotation_exp(Vec3(0.4, -1.1, 0.3)),
                          .angular_velocity = Vec3(3.0, 5.0, -8.0)});
  scene.friction = MatX::Zero(1, 1);
  return scene;
}

struct Bar {
  DeformationModel model;
  std::vector<int> end;
};

Bar make_bar(double young, const Vec3& sides = {0.05, 0.01, 0.02}) {
  Bar bar;
  bar.model =
      make_elastic_model(make_box(sides, {3, 1, 1}, ElementType::tet4), {young, 0.3, 2000.0});
  bar.end = bar.model.region_nodes("x0");
  return bar;
}

class SaggingBar : public testing::TestWithParam<double> {};

TEST_P(SaggingBar, GainsNothingInFreeFlight) {
  const double dt = GetParam();
  for (const double young : {1e3, 1e4, 1e5, 1e7}) {
    const Bar bar = make_bar(young);
    for (const bool is_clamped : {true, false}) {
      for (const std::string rule : {"still", "euler", "trapezoidal"}) {
        DeformationOptions options;
        options.is_dynamic = rule != "still";
        options.dt = dt;
        if (rule == "trapezoidal") options.integration = Integration::trapezoidal;
        const std::span<const int> held =
            is_clamped ? std::span<const int>(bar.end) : std::span<const int>();
        const Scene scene = falling_bar(make_corotational_body(bar.model, held, options), dt);
        const RigidFrame& frame = scene.bodies[0].body.frame();
        State state = initial_state(scene);
        StepData data(scene);
        const double kinetic = frame.kinetic_energy(state.bodies[0].frame);
        const Vec3 weight = frame.mass() * scene.simulation.gravity;
        const double before = kinetic - weight.dot(state.bodies[0].frame.position);
        double last = before;
        double most = 0.0;
        for (int s = 0; s < 300; ++s) {
          const double energy = step(scene, state, data).energy.total;
          const double there = before + weight.dot(state.bodies[0].frame.position);
          most = std::max(most, (energy - last) / there);
          last = energy;
        }
        EXPECT_LT(most, 1e-12) << young << " Pa, " << rule << (is_clamped ? " clamped" : " free");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, SaggingBar, testing::Values(1e-4, 1e-3, 5e-3, 2e-2));

TEST(SaggingBar, SwingsAsItsEnergyOfPositionSays) {
  // u = K^-1 S^T R^T g: V(R) = -g.(R C R^T g)/2, least where the bar lies across gravity, with C
  // how far its masses move; about that the angle swings with w^2 = g^2 (C_across - C_along) / I
  const double dt = 2e-4;
  const Bar bar = make_bar(2e5, {0.05, 0.02, 0.01});
  const Body body = make_corotational_body(bar.model, bar.end, {});
  Scene scene = falling_bar(body, dt);
  const double angle = 0.02;
  scene.bodies[0].orientation = rotation_exp(Vec3(0.0, angle, 0.0));
  scene.bodies[0].angular_velocity.setZero();
  State state = initial_state(scene);
  StepData data(scene);

  // how far masses move along each axis under a unit of gravity
  Vec3 moved;
  for (int axis = 0; axis < 3; ++axis) {
    BodyState rest = body.initial_state();
    BodyStep body_step = body.make_step(1);
    BodyLoad load;
    load.frame.gravity = Vec3::Unit(axis);
    body.compute_free_motion(rest, load, 1e-9, body_step);
    body.correct({}, {}, body_step, rest);
    moved[axis] = body_step.deformation->load_displacement[axis];
  }
  const double g = scene.simulation.gravity.norm();
  const double inertia = body.frame().inertia()(1, 1);
  const double w = g * std::sqrt((moved.z() - moved.x()) / inertia);

  // until it has swung to the other side and back
  double crossings = 0.0;
  double time = 0.0;
  double tilt = angle;
  while (crossings < 4.0 && time < 100.0) {
    step(scene, state, data);
    time += dt;
    const double now = rotation_log(state.bodies[0].frame.orientation).y();
    if (now * tilt < 0.0) crossings += 1.0;
    tilt = now;
  }
  EXPECT_NEAR(time * w / (2.0 * std::numbers::pi), 1.75, 0.01);
}

}  // namespace
}  // namespace stickslip
