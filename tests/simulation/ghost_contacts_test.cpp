#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

constexpr double mu = 0.2;
constexpr double dt = 3e-3;
constexpr double preload = 5e-4;  ///< by which the arms are bent [m]

std::vector<int> nodes_at(const DeformationModel& model, int axis, bool is_high) {
  double end = model.nodes.front()[axis];
  for (const Vec3& p : model.nodes) {
    end = is_high ? std::max(end, p[axis]) : std::min(end, p[axis]);
  }
  std::vector<int> nodes;
  for (int i = 0; i < model.node_count(); ++i) {
    if (std::abs(model.nodes[uz(i)][axis] - end) < 1e-9) nodes.push_back(i);
  }
  return nodes;
}

/// What two arms straddle.
struct Bar {
  std::array<int, 3> cells;
  bool is_elastic = false;
};

/// Two plastic arms, tilted so that only their tips touch the sides of a bar, are closed on it and
/// then drawn along it: toward their roots, so that the sloping side leads, or with the blunt tip
/// first.
Scene straddled(const Bar& bar, double way, double speed) {
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  scene.simulation.alarm_distance = 1e-3;
  scene.friction = MatX::Constant(3, 3, mu);
  const Material plastic{700e6, 0.35, 1000.0};
  const TetMesh bar_mesh = make_box({80e-3, 10e-3, 8e-3}, bar.cells, ElementType::tet4);
  const DeformationModel bar_model = make_elastic_model(bar_mesh, plastic);
  scene.bodies.push_back(
      {.name = "bar",
       .body = bar.is_elastic ? make_deformable_body(bar_model, nodes_at(bar_model, 2, false), {})
                              : make_fixed_body(extract_surface(bar_mesh)),
       .position = Vec3(-40e-3, -5e-3, 0.0)});
  const TetMesh arm_mesh = make_box({30e-3, 2e-3, 6e-3}, {12, 2, 3}, ElementType::tet4);
  const DeformationModel arm_model = make_elastic_model(arm_mesh, plastic);
  for (const double side : {1.0, -1.0}) {
    const double angle = side * 3.0 * std::numbers::pi / 180.0;
    const Quat turn(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
    const int body = static_cast<int>(scene.bodies.size());
    scene.bodies.push_back(
        {.name = side > 0.0 ? "above" : "below",
         .body = make_deformable_body(arm_model, nodes_at(arm_model, 0, true), {}),
         .position = Vec3(0.0, side * 6.8e-3, 1e-3) + turn * Vec3(-15e-3, -1e-3, 0.0),
         .orientation = turn});
    Drive drive;
    drive.body = body;
    drive.kind = DriveKind::motion;
    Vec6 closed = Vec6::Zero();
    closed[1] = -side * preload;
    Vec6 drawn = closed;
    drawn[0] = way;
    drive.table = TimeTable({{0.0, Vec6::Zero()},
                             {30 * dt, closed},
                             {40 * dt, closed},
                             {40 * dt + std::abs(way) / speed, drawn}});
    drive.pivot = scene.bodies.back().position;
    scene.drives.push_back(drive);
  }
  return scene;
}

struct Range {
  double low = 1e9;
  double high = -1e9;
};

/// Of the force along the bar on the upper arm, and its share of that across, while both slide.
struct Drag {
  Range force;
  Range share;
  int steps = 0;
};

Drag draw(const Scene& scene, double way, double speed) {
  State state = initial_state(scene);
  StepData data(scene);
  std::vector<ContactReport> reports;
  Drag drag;
  const double end = 40 * dt + std::abs(way) / speed;
  while (state.time_s < end - dt) {
    step(scene, state, data);
    // friction turns round within the first millimetre
    if (state.time_s < 40 * dt + 2.5e-3 / speed) continue;
    report_contacts(scene, state, data, reports);
    Vec3 force = Vec3::Zero();
    for (const ContactReport& contact : reports) {
      if (contact.body_2 == 1) force -= contact.force;
      if (contact.body_1 == 1) force += contact.force;
    }
    drag.force = {std::min(drag.force.low, force.x()), std::max(drag.force.high, force.x())};
    const double share = force.x() / force.y();
    drag.share = {std::min(drag.share.low, share), std::max(drag.share.high, share)};
    ++drag.steps;
  }
  return drag;
}

struct Case {
  double way;
  double speed;
};
constexpr std::array<Case, 5> cases{
    {{20e-3, 0.05}, {20e-3, 0.2}, {-16e-3, 0.05}, {-16e-3, 0.2}, {-16e-3, 0.5}}};

TEST(GhostContacts, RefiningAFlatWallChangesNothing) {
  for (const auto& [way, speed] : cases) {
    const Drag coarse = draw(straddled({{1, 1, 1}}, way, speed), way, speed);
    const Drag fine = draw(straddled({{40, 5, 4}}, way, speed), way, speed);
    ASSERT_GT(fine.steps, 5);
    EXPECT_NEAR(coarse.force.low, coarse.force.high, 1e-4 * std::abs(coarse.force.low));
    EXPECT_NEAR(fine.force.low, coarse.force.low, 1e-4 * std::abs(coarse.force.low))
        << way << speed;
    EXPECT_NEAR(fine.force.high, coarse.force.high, 1e-4 * std::abs(coarse.force.low))
        << way << " " << speed;
  }
}

TEST(GhostContacts, AnElasticWallOnlyRubs) {
  for (const auto& [way, speed] : cases) {
    const Drag drag = draw(straddled({{40, 5, 4}, true}, way, speed), way, speed);
    const double share = way > 0.0 ? -mu : mu;
    EXPECT_NEAR(drag.share.low, share, 0.01 * mu) << way << " " << speed;
    EXPECT_NEAR(drag.share.high, share, 0.01 * mu) << way << " " << speed;
  }
}

}  // namespace
}  // namespace stickslip
