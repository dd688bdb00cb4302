#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/simulation/haptic_session.hpp"

namespace stickslip {
namespace {

constexpr double mu = 0.3;
constexpr double depth = 1e-3;  ///< by which a hand presses [m]
const CouplingGains gains{2000.0, 2.0, 20.0, 0.02};

/// A rigid box of 1.5 g, its centre at a place, in reach of a hand; it meets a fixed box.
Scene box_scene(double dt, const Vec3& tool_size, const Pose& tool, const Vec3& fixed_size,
                const Pose& fixed) {
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  scene.simulation.alarm_distance = 5e-3;
  const TetMesh anvil = make_box(fixed_size, {1, 1, 1}, ElementType::tet4);
  const TetMesh box = make_box(tool_size, {1, 1, 1}, ElementType::tet4);
  scene.bodies.push_back({.name = "fixed",
                          .body = make_fixed_body(extract_surface(anvil)),
                          .position = fixed.position,
                          .orientation = fixed.orientation});
  scene.bodies.push_back({.name = "tool",
                          .body = make_rigid_body(extract_surface(box),
                                                  mass_properties(box, 0.0015 / tool_size.prod())),
                          .position = tool.position - tool.orientation * (0.5 * tool_size),
                          .orientation = tool.orientation});
  scene.friction = MatX::Constant(2, 2, mu);
  Hand hand;
  hand.name = "right";
  hand.handles = {{1, {}}};
  hand.gains = gains;
  scene.hands.push_back(hand);
  return scene;
}

/// How far from Coulomb's law the worst tick is in which a tool slides on a point.
struct Error {
  double angle_deg = 0.0;  ///< between friction and the motion of the tool at the contact
  double ratio = 0.0;      ///< of friction to normal force, over mu, less one
};

/// What a hand that follows a path feels, against the law: `normal` and `contact` of a tool at a
/// pose are those of the geometry.
Error slide(const Scene& scene, const std::function<Pose(double)>& path,
            const std::function<Vec3(const Pose&)>& normal,
            const std::function<Vec3(const Pose&)>& contact) {
  std::vector<Intention::Row> rows;
  for (int k = 0; k <= 4000; ++k) rows.push_back({1e-3 * k, path(1e-3 * k)});
  auto device = std::make_shared<SimulatedDevice>(
      find_device_model("ideal"),
      Operator{*find_hand_model("clamped"), Intention::from_rows(rows)});
  HandSetup setup;
  setup.device = device;
  setup.starts_holding = true;
  State state = initial_state(scene);
  StepData data(scene);
  HapticSession session(scene, state, data, {setup}, {});
  TurnTaking turns(session);
  Error worst;
  Pose before;
  for (int k = 0; k < 3500; ++k) {
    turns.tick();
    const TickRecord& record = session.loop().records()[0];
    const Pose tool = record.grip;
    const Vec6 moved = displacement_between(before, tool) - record.update_step;
    before = tool;
    if (k < 1000) continue;
    const Vec3 n = normal(tool);
    const Vec3 arm = contact(tool) - tool.position;
    const Vec3 motion = moved.head<3>() + moved.tail<3>().cross(arm);
    const Vec3 slip = motion - n.dot(motion) * n;
    const Vec3 force = record.wrench.head<3>();
    const Vec3 friction = force - n.dot(force) * n;
    const double angle =
        std::acos(std::clamp(-friction.normalized().dot(slip.normalized()), -1.0, 1.0));
    worst.angle_deg = std::max(worst.angle_deg, angle * 180.0 / std::numbers::pi);
    worst.ratio = std::max(worst.ratio, std::abs(friction.norm() / (mu * n.dot(force)) - 1.0));
  }
  return worst;
}

/// Tilted to and fro at up to 0.7 rad/s, and spun, from 0.6 s on.
Quat turning(double t, double tilt, double spin) {
  const double since = std::max(0.0, t - 0.6);
  const double a = tilt * minimum_jerk(since / 0.3);
  return Quat(Eigen::AngleAxisd(spin * since, Vec3::UnitZ())) *
         rotation_exp(a * Vec3(std::cos(7.0 * since) - 1.0, std::sin(5.0 * since), 0.0));
}

TEST(TurningTool, AFaceThatTurnsSlidesOverATipAgainstItsMotionAtEveryTick) {
  // a plate over the tip of a cube
  const Vec3 plate(0.06, 0.06, 0.02);
  const double cube = 0.02;
  const Quat on_corner = Quat::FromTwoVectors(Vec3::Ones(), Vec3::UnitZ());
  const Pose tip{-(on_corner * Vec3::Constant(cube)), on_corner};
  const auto path = [&](double t) {
    const double pressed = depth * minimum_jerk((t - 0.3) / 0.2);
    const double since = std::max(0.0, t - 0.6);
    const double angle = 3.0 * since;
    Pose pose{{0.01 * std::sin(angle), -0.01 * std::cos(angle), 0.0}, turning(t, 0.1, 0.5)};
    const Vec3 n = pose.orientation * Vec3::UnitZ();
    pose.position.z() = (0.01 - pressed - n.head<2>().dot(pose.position.head<2>())) / n.z();
    return pose;
  };
  for (const double dt : {1e-3, 1e-2, 2e-2}) {
    const Scene scene = box_scene(dt, plate, path(0.0), Vec3::Constant(cube), tip);
    const Error error = slide(
        scene, path, [](const Pose& tool) { return Vec3(tool.orientation * Vec3::UnitZ()); },
        [](const Pose&) { return Vec3(Vec3::Zero()); });
    EXPECT_LT(error.angle_deg, 1.0) << "dt " << dt;
    EXPECT_LT(error.ratio, 0.02) << "dt " << dt;
  }
}

TEST(TurningTool, ACornerThatTurnsSlidesOverAFloorAgainstItsMotionAtEveryTick) {
  const double cube = 0.02;
  const Quat on_corner = Quat::FromTwoVectors(-Vec3::Ones(), -Vec3::UnitZ());
  const Vec3 floor_size(0.4, 0.4, 0.02);
  const auto path = [&](double t) {
    const double pressed = depth * minimum_jerk((t - 0.3) / 0.2);
    const double since = std::max(0.0, t - 0.6);
    const double angle = 2.0 * since;
    const Quat turn = turning(t, 0.1, 1.0) * on_corner;
    const Vec3 corner(0.015 * std::sin(angle), 0.015 * (1.0 - std::cos(angle)), -pressed);
    return Pose{corner - turn * Vec3::Constant(-0.5 * cube), turn};
  };
  for (const double dt : {1e-3, 1e-2, 2e-2}) {
    const Scene scene = box_scene(dt, Vec3::Constant(cube), path(0.0), floor_size,
                                  {{-0.2, -0.2, -0.02}, Quat::Identity()});
    const Error error = slide(
        scene, path, [](const Pose&) { return Vec3(Vec3::UnitZ()); },
        [&](const Pose& tool) {
          return Vec3(tool.position + tool.orientation * Vec3::Constant(-0.5 * cube));
        });
    EXPECT_LT(error.angle_deg, 1.0) << "dt " << dt;
    EXPECT_LT(error.ratio, 0.02) << "dt " << dt;
  }
}

}  // namespace
}  // namespace stickslip
