#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

/// A die flies over the rim of a table, along x and down past it. [m]
Scene die_past_a_rim(double before_rim, const Vec3& way, double dt) {
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity = Vec3::Zero();
  scene.simulation.alarm_distance = 0.5e-3;
  scene.simulation.passes = 2;
  // it shall come upon the table within the step
  scene.simulation.fast_motion = false;
  const TetMesh table = make_box(Vec3(0.1, 0.1, 0.1), {1, 1, 1}, ElementType::tet4);
  const TetMesh die = make_box(Vec3(0.01, 0.01, 0.01), {1, 1, 1}, ElementType::tet4);
  // a corner goes first, turned to the top of the table and a little to its side
  const Vec3 first(-0.6, 0.0, -1.0);
  scene.bodies.push_back({.name = "table", .body = make_fixed_body(extract_surface(table))});
  scene.bodies.push_back({.name = "die",
                          .body = make_rigid_body(extract_surface(die), mass_properties(die, 1e3)),
                          .orientation = Quat::FromTwoVectors(-Vec3::Ones(), first),
                          .velocity = way / dt});
  scene.friction = MatX::Zero(2, 2);

  // that corner so far before the rim, a little higher than is looked
  Vec3 rim = Vec3::Zero();
  for (const Vec3& p : table.nodes) rim = rim.cwiseMax(p);
  SceneBody& part = scene.bodies[1];
  const BodyState there = part.body.initial_state(Vec3::Zero(), part.orientation);
  Vec3 corner = there.frame.to_world(part.body.surface().points.front());
  for (const Vec3& p : part.body.surface().points) {
    const Vec3 world = there.frame.to_world(p);
    if (first.dot(world - corner) > 0.0) corner = world;
  }
  part.position = Vec3(rim.x() - before_rim, 0.5 * rim.y(), rim.z() + 0.51e-3) - corner;
  return scene;
}

TEST(Passes, WhatCameRoundARimGainsNothingByIt) {
  // where it ends the side of the table is nearest, out of which it would be pushed along its way
  const double dt = 1e-3;
  for (const double before_rim : {0.3e-3, 0.5e-3, 1e-3, 2e-3}) {
    for (const double past : {0.02e-3, 0.05e-3, 0.08e-3}) {
      const Vec3 way(before_rim - past, 0.0, -0.51e-3 - 5.0 * past);
      const Scene scene = die_past_a_rim(before_rim, way, dt);
      State state = initial_state(scene);
      StepData data(scene);
      const double before = scene.bodies[1].body.frame().kinetic_energy(state.bodies[1].frame);
      int met = 0;
      for (int s = 0; s < 20; ++s) {
        const StepReport report = step(scene, state, data);
        met += report.passes > 1 ? 1 : 0;
        EXPECT_LE(report.energy.total, before * (1.0 + 1e-12)) << before_rim << " " << past;
      }
      EXPECT_GT(met, 0) << before_rim << " " << past;
      EXPECT_LT(data.report.penetration_m, 1e-5) << before_rim << " " << past;
    }
  }
}

}  // namespace
}  // namespace stickslip
