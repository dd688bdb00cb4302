#include <gtest/gtest.h>

#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

/// A rod that is thrown onto a floor.
struct Fall {
  Vec3 size = {0.3e-3, 0.3e-3, 8e-3};
  double dt = 3e-3;
  double friction = 0.3;
  Vec3 spin = {60.0, 0.0, 0.0};
};

Scene thrown_rod(const Fall& fall) {
  const TetMesh floor = make_box({0.2, 0.2, 0.01}, {1, 1, 1}, ElementType::tet4);
  const TetMesh rod = make_box(fall.size, {1, 1, 1}, ElementType::tet4);
  MassProperties mass = mass_properties(rod, 1.0);
  mass.inertia *= 0.01 / mass.mass;
  mass.mass = 0.01;
  Scene scene;
  scene.simulation.dt = fall.dt;
  scene.simulation.alarm_distance = 1e-3;
  scene.simulation.gravity = Vec3::Zero();
  scene.friction = MatX::Constant(2, 2, fall.friction);
  scene.bodies.push_back({.name = "floor", .body = make_fixed_body(extract_surface(floor))});
  scene.bodies.push_back({.name = "rod", .body = make_rigid_body(extract_surface(rod), mass)});
  scene.bodies[0].position = Vec3(-0.1, -0.1, -0.01);
  scene.bodies[1].position = Vec3(0.0, 0.0, 6e-3);
  scene.bodies[1].velocity = Vec3(0.0, 0.0, -0.5);
  scene.bodies[1].angular_velocity = fall.spin;
  return scene;
}

/// The largest energy on its way, relative to that at the start; everything is finite.
double largest_energy(const Fall& fall) {
  const Scene scene = thrown_rod(fall);
  State state = initial_state(scene);
  StepData data(scene);
  const RigidFrame& frame = scene.bodies[1].body.frame();
  const double before = frame.kinetic_energy(state.bodies[1].frame);
  double most = 0.0;
  for (int s = 0; s < 60; ++s) {
    EXPECT_FALSE(step(scene, state, data).was_restored);
    most = std::max(most, frame.kinetic_energy(state.bodies[1].frame));
  }
  return most / before;
}

TEST(ThinBodies, APinThrownOntoAFloorGainsNoEnergy) {
  EXPECT_LT(largest_energy({}), 1.0 + 1e-6);
}

TEST(ThinBodies, NoRodGainsEnergyOnAFloorWhateverItsSpin) {
  for (const Vec3& size : {Vec3(0.3e-3, 0.3e-3, 8e-3), Vec3(0.1e-3, 0.1e-3, 8e-3),
                           Vec3(0.2e-3, 4e-3, 8e-3), Vec3(2e-3, 2e-3, 2e-3)}) {
    for (const double dt : {0.3e-3, 1e-3, 3e-3, 10e-3}) {
      for (const double friction : {0.0, 0.3, 2.0}) {
        for (const Vec3& spin : {Vec3(60, 0, 0), Vec3(20, 100, 30), Vec3(5, 5, 400)}) {
          EXPECT_LT(largest_energy({size, dt, friction, spin}), 1.0 + 1e-6)
              << size.transpose() << ", dt " << dt << ", friction " << friction << ", spin "
              << spin.transpose();
        }
      }
    }
  }
}

}  // namespace
}  // namespace stickslip
