#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

constexpr double mu = 0.3;
constexpr double dt = 1e-3;
constexpr double radius = 20e-3;
constexpr int facets = 800;

/// A prism of many facets around the z axis.
Surface drum() {
  constexpr double half_length = 6e-3;
  Surface surface;
  for (int k = 0; k < facets; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / facets;
    for (const double z : {-half_length, half_length}) {
      surface.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  const int middle = surface.point_count();
  surface.points.emplace_back(0.0, 0.0, -half_length);
  surface.points.emplace_back(0.0, 0.0, half_length);
  for (int k = 0; k < facets; ++k) {
    const int a = 2 * k;
    const int b = 2 * ((k + 1) % facets);
    surface.triangles.insert(
        surface.triangles.end(),
        {{a, b, a + 1}, {b, b + 1, a + 1}, {middle, b, a}, {middle + 1, a + 1, b + 1}});
  }
  return surface;
}

/// A thin strap half around a drum: one end is held, the other pulled down, then the drum turns at
/// a speed [rad/s], by which it tightens the end that is pulled or the one that is held.
Scene strap_scene(int passes, int pull_steps, int turn_steps, double turn) {
  constexpr double thickness = 0.5e-3;
  constexpr double width = 4e-3;
  constexpr double pull = 5.0;
  TetMesh mesh = make_box({1.0, thickness, width}, {40, 1, 1}, ElementType::tet4);
  for (Vec3& p : mesh.nodes) {
    const double angle = std::numbers::pi * p.x();
    const double r = radius + 2e-5 + p.y();
    p = Vec3(-r * std::cos(angle), r * std::sin(angle), p.z() - 0.5 * width);
  }
  if (volume(mesh) < 0.0) {
    for (Vec3& p : mesh.nodes) p.x() = -p.x();
  }
  const DeformationModel model = make_elastic_model(mesh, {1e8, 0.3, 1000.0});
  double low = model.nodes.front().y();
  for (const Vec3& p : model.nodes) low = std::min(low, p.y());
  std::vector<int> held;
  std::vector<int> pulled;
  for (int i = 0; i < model.node_count(); ++i) {
    if (model.nodes[uz(i)].y() > low + 1e-9) continue;
    (model.nodes[uz(i)].x() < 0.0 ? held : pulled).push_back(i);
  }
  DeformationOptions options;
  options.load_cases = MatX::Zero(3 * model.node_count(), 3);
  for (const int i : pulled) {
    for (int k = 0; k < 3; ++k) {
      options.load_cases(3 * i + k, k) = 1.0 / static_cast<double>(pulled.size());
    }
  }

  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  scene.simulation.alarm_distance = 2e-4;
  scene.simulation.passes = passes;
  scene.friction = MatX::Constant(2, 2, mu);
  scene.bodies.push_back({.name = "drum", .body = make_fixed_body(drum())});
  scene.bodies.push_back({.name = "strap", .body = make_deformable_body(model, held, options)});
  Vec6 down = Vec6::Zero();
  down[1] = -pull;
  Vec6 turned = Vec6::Zero();
  turned[5] = turn * turn_steps * dt;
  const double pulled_s = pull_steps * dt;
  scene.drives.push_back({.body = 1,
                          .kind = DriveKind::force,
                          .table = TimeTable({{0.0, Vec6::Zero()}, {pulled_s, down}}),
                          .load_case = 0});
  scene.drives.push_back(
      {.body = 0,
       .kind = DriveKind::motion,
       .table = TimeTable({{pulled_s, Vec6::Zero()}, {pulled_s + turn_steps * dt, turned}})});
  return scene;
}

struct Held {
  double ratio = 0.0;      ///< of the tensions at the ends
  double most_tilt = 0.0;  ///< of a loaded contact, off the radius, in any step [rad]
};

Held turn_drum(int passes, double turn) {
  constexpr int pull_steps = 20;
  constexpr int turn_steps = 40;
  const Scene scene = strap_scene(passes, pull_steps, turn_steps, turn);
  State state = initial_state(scene);
  StepData data(scene);
  std::vector<ContactReport> reports;
  Held held;
  for (int k = 0; k < pull_steps + turn_steps; ++k) {
    step(scene, state, data);
    report_contacts(scene, state, data, reports);
    for (const ContactReport& contact : reports) {
      if (contact.force.isZero(0.0)) continue;
      const Vec3 radial = Vec3(contact.Q.x(), contact.Q.y(), 0.0).normalized();
      const double cosine = std::min(1.0, std::abs(contact.normal.dot(radial)));
      held.most_tilt = std::max(held.most_tilt, std::acos(cosine));
    }
  }
  double sum = 0.0;
  double moment = 0.0;
  for (const ContactReport& contact : reports) {
    sum += contact.force.y();
    moment += contact.Q.x() * contact.force.y() - contact.Q.y() * contact.force.x();
  }
  const double difference = std::abs(moment) / radius;
  held.ratio = (std::abs(sum) + difference) / (std::abs(sum) - difference);
  return held;
}

// facets of 0.45 degrees
constexpr double tilt_bar = 1.0 * std::numbers::pi / 180.0;

TEST(Strap, AroundADrumHoldsByEulersLawWhateverThePasses) {
  for (const int passes : {1, 4}) {
    const Held held = turn_drum(passes, 1.0);
    EXPECT_NEAR(held.ratio, std::exp(mu * std::numbers::pi), 0.08) << passes;
    EXPECT_LT(held.most_tilt, tilt_bar) << passes;
  }
}

TEST(Strap, ThatTightensPushesAlongTheRadiusWhateverThePasses) {
  for (const int passes : {1, 4}) EXPECT_LT(turn_drum(passes, -1.0).most_tilt, tilt_bar) << passes;
}

}  // namespace
}  // namespace stickslip
