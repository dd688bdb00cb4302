#include "stickslip/simulation/probe_readings.hpp"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(ProbeReadings, TellHowABodyTurnsAndWhatTurnsIt) {
  // a box upon a floor, its contacts in the corners: they carry its weight below its middle
  const TetMesh box = make_box({0.1, 0.1, 0.1}, {1, 1, 1}, ElementType::tet4);
  const TetMesh floor = make_box({1.0, 1.0, 0.1}, {1, 1, 1}, ElementType::tet4);
  Scene scene;
  scene.simulation.dt = 1e-3;
  scene.bodies.push_back({.name = "floor",
                          .body = make_fixed_body(extract_surface(floor)),
                          .position = Vec3(-0.5, -0.5, -0.1)});
  scene.bodies.push_back(
      {.name = "box", .body = make_rigid_body(extract_surface(box), mass_properties(box, 1000.0))});
  scene.friction = MatX::Constant(2, 2, 0.5);
  scene.probes.push_back({.name = "middle", .body = 1});
  scene.probes.push_back({.name = "corner", .body = 1, .is_on_surface = true});
  // the corner of the box that is farthest along x and y
  const Surface& surface = scene.bodies[1].body.surface();
  for (const auto& triangle : surface.triangles) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3& p = surface.points[uz(triangle[c])];
      if ((p - Vec3(0.05, 0.05, 0.05)).norm() > 1e-9) continue;
      scene.probes[1].point = {triangle, {0.0, 0.0, 0.0}};
      scene.probes[1].point.weight[c] = 1.0;
    }
  }
  State state = initial_state(scene);
  StepData data(scene);
  std::vector<ProbeReading> readings = initial_readings(scene, state);
  for (int k = 0; k < 50; ++k) {
    step(scene, state, data);
    update_readings(scene, state, data, readings);
  }
  EXPECT_LT((readings[0].force - Vec3(0.0, 0.0, 9.81)).norm(), 1e-6);
  EXPECT_LT(readings[0].torque.norm(), 1e-6);
  EXPECT_LT((readings[1].force - readings[0].force).norm(), 1e-12);
  // its middle is 5 cm back along x and y
  EXPECT_LT((readings[1].torque - Vec3(-0.05 * 9.81, 0.05 * 9.81, 0.0)).norm(), 1e-6);

  // thrown up with a spin, nothing touches it
  scene.bodies[1].position.z() = 0.5;
  scene.bodies[1].angular_velocity = Vec3(0.0, 0.0, 3.0);
  state = initial_state(scene);
  readings = initial_readings(scene, state);
  EXPECT_LT((readings[1].angular_velocity - Vec3(0.0, 0.0, 3.0)).norm(), 1e-12);
  EXPECT_LT((readings[1].velocity - Vec3(-0.15, 0.15, 0.0)).norm(), 1e-12);
  step(scene, state, data);
  update_readings(scene, state, data, readings);
  EXPECT_LT((readings[0].angular_velocity - Vec3(0.0, 0.0, 3.0)).norm(), 1e-9);
  EXPECT_EQ(readings[1].torque.norm(), 0.0);
}

}  // namespace
}  // namespace stickslip
