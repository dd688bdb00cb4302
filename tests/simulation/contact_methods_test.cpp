#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/math/rotation.hpp"
#include "stickslip/simulation/step.hpp"
#include "tests/support/counted_run.hpp"

namespace stickslip {
namespace {

constexpr double dt = 1e-3;
constexpr double g = 9.81;
constexpr double mass = 0.3;
const Vec3 cube_size{0.02, 0.02, 0.02};

/// The centres of two cubes, or of one and the base of a fixed one, as if they were points that
/// meet along z: forces there turn nothing, and W is dt^2/mass of each body that is free.
class CentreProximity : public ProximityMethod {
 public:
  void find(std::span<const PlacedSurface> bodies, double alarm_distance,
            std::vector<Proximity>& found) override {
    found.clear();
    Proximity proximity;
    proximity.body_1 = 1;
    proximity.body_2 = 0;
    // halfway between opposite corners
    const auto far = [&](int body) {
      const auto points = bodies[uz(body)].points;
      return static_cast<int>(std::min_element(points.begin(), points.end(),
                                               [&](const Vec3& a, const Vec3& b) {
                                                 return a.dot(points[0]) < b.dot(points[0]);
                                               }) -
                              points.begin());
    };
    proximity.P = {{0, far(1), far(1)}, {0.5, 0.5, 0.0}};
    proximity.Q = {{0, far(0), far(0)}, {0.5, 0.5, 0.0}};
    proximity.normal = Vec3::UnitZ();
    proximity.gap = bodies[1].position.z() - bodies[0].position.z();
    if (proximity.gap < alarm_distance) found.push_back(proximity);
  }
};

Body cube(double cube_mass) {
  const TetMesh mesh = make_box(cube_size, {1, 1, 1}, ElementType::tet4);
  return make_rigid_body(extract_surface(mesh), mass_properties(mesh, cube_mass / 8e-6));
}

/// A point of mass on a floor, or on another point, under gravity that may be tilted.
struct PointContact {
  explicit PointContact(ContactMethod method, double mu = 0.0, const LawOptions& law = {},
                        double slope = 0.0, double floor_mass = 0.0) {
    // both centres stand at the origin: that of a cube is above the origin of its mesh
    const TetMesh mesh = make_box(cube_size, {1, 1, 1}, ElementType::tet4);
    const Vec3 lowered = -cube_size.z() / 2 * Vec3::UnitZ();
    if (floor_mass > 0.0) {
      scene.bodies.push_back({.name = "floor", .body = cube(floor_mass), .position = lowered});
    } else {
      scene.bodies.push_back({.name = "floor", .body = make_fixed_body(extract_surface(mesh))});
    }
    scene.bodies.push_back({.name = "point", .body = cube(mass), .position = lowered});
    scene.friction = MatX::Constant(2, 2, mu);
    scene.simulation.dt = dt;
    scene.simulation.tolerance = 1e-12;
    scene.simulation.contact_method = method;
    scene.simulation.law = law;
    const double angle = std::atan(slope);
    scene.simulation.gravity = g * Vec3(std::sin(angle), 0.0, -std::cos(angle));
    scene.make_proximity = [](const Scene&) { return std::make_unique<CentreProximity>(); };
  }
  void start() {
    state = initial_state(scene);
    data = std::make_unique<StepData>(scene);
  }
  void run(int steps) {
    if (!data) start();
    for (int k = 0; k < steps; ++k) report = step(scene, state, *data);
  }
  FrameState& point() { return state.bodies[1].frame; }
  double gap() { return point().position.z() - state.bodies[0].frame.position.z(); }

  Scene scene;
  State state;
  std::unique_ptr<StepData> data;
  StepReport report;
};

class Penalty : public testing::TestWithParam<ContactMethod> {};

TEST_P(Penalty, RestsAtWeightOverStiffness) {
  PointContact contact(GetParam(), 0.0, {.penalty_stiffness = 2e4, .penalty_damping = 60.0});
  contact.run(3000);
  EXPECT_NEAR(-contact.gap(), mass * g / 2e4, 1e-12);
  EXPECT_NEAR(contact.report.penetration_m, mass * g / 2e4, 1e-12);
}

TEST_P(Penalty, RestsByTheStiffnessItChooses) {
  // a quarter of what is stable at most, or a hundred times as stiff as the inertia
  PointContact contact(GetParam());
  contact.run(3000);
  const double share = GetParam() == ContactMethod::penalty_explicit ? 0.25 : 100.0;
  EXPECT_NEAR(-contact.gap(), g * dt * dt / share, 1e-4 * g * dt * dt / share);
}

TEST_P(Penalty, SticksOnASpringAndDoesNotCreep) {
  constexpr double mu = 0.5;
  constexpr double slope = 0.3;
  PointContact contact(GetParam(), mu, {.penalty_stiffness = 2e4, .penalty_damping = 60.0});
  contact.run(3000);
  const Vec3 before = contact.point().position;
  const double angle = std::atan(slope);
  for (int k = 1; k <= 500; ++k) {
    const double now = angle * k / 500;
    contact.scene.simulation.gravity = g * Vec3(std::sin(now), 0.0, -std::cos(now));
    contact.run(1);
  }
  contact.run(2000);
  const Vec3 held = contact.point().position;
  EXPECT_NEAR(held.x() - before.x(), mass * g * std::sin(angle) / 2e4, 1e-10);
  contact.run(1000);
  EXPECT_LT((contact.point().position - held).norm(), 1e-12);
}

TEST_P(Penalty, SlidesAsCoulombSays) {
  constexpr double mu = 0.2;
  constexpr double slope = 0.5;
  PointContact contact(GetParam(), mu, {.penalty_stiffness = 2e4, .penalty_damping = 60.0}, slope);
  contact.run(1000);
  const double v = contact.point().velocity.x();
  contact.run(1000);
  const double angle = std::atan(slope);
  const double expected = g * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(contact.point().velocity.x() - v, expected, 1e-6 * expected);
}

INSTANTIATE_TEST_SUITE_P(Methods, Penalty,
                         testing::Values(ContactMethod::penalty_explicit,
                                         ContactMethod::penalty_implicit),
                         [](const auto& info) {
                           return info.param == ContactMethod::penalty_explicit ? "explicit_one"
                                                                                : "implicit_one";
                         });

/// How far a point that rests on a penalty still moves, long after it was disturbed by a
/// thousandth of its depth, over that.
double growth(ContactMethod method, double stiffness, double damping) {
  PointContact contact(method, 0.0, {.penalty_stiffness = stiffness, .penalty_damping = damping});
  contact.start();
  const double depth = mass * g / stiffness;
  contact.point().position.z() = contact.state.bodies[0].frame.position.z() - 1.001 * depth;
  double farthest = 0.0;
  for (int k = 0; k < 3000; ++k) {
    contact.run(1);
    if (k >= 2000) farthest = std::max(farthest, std::abs(-contact.gap() - depth));
  }
  return farthest / (1e-3 * depth);
}

TEST(ExplicitPenalty, IsStableBelowTheClosedFormThresholdOnly) {
  // k W + 2 b W / dt < 4 with W = dt^2 / mass
  constexpr double W = dt * dt / mass;
  for (const double damped : {0.0, 0.3, 0.9}) {
    const double b = damped * dt / W;
    const double threshold = (4.0 - 2.0 * damped) / W;
    EXPECT_LT(growth(ContactMethod::penalty_explicit, 0.99 * threshold, b), 20.0) << damped;
    EXPECT_GT(growth(ContactMethod::penalty_explicit, 1.01 * threshold, b), 100.0) << damped;
  }
}

/// The lowest vertex of body 1 over the plane z = 0.
class LowestVertexProximity : public ProximityMethod {
 public:
  void find(std::span<const PlacedSurface> bodies, double /*alarm_distance*/,
            std::vector<Proximity>& found) override {
    const auto points = bodies[1].points;
    const auto lowest = std::min_element(
        points.begin(), points.end(), [](const Vec3& a, const Vec3& b) { return a.z() < b.z(); });
    // the first found is kept
    if (vertex_ < 0) vertex_ = static_cast<int>(lowest - points.begin());
    Proximity proximity;
    proximity.body_1 = 1;
    proximity.body_2 = 0;
    proximity.P = {{vertex_, vertex_, vertex_}, {1.0, 0.0, 0.0}};
    proximity.Q = {{0, 0, 0}, {1.0, 0.0, 0.0}};
    proximity.normal = Vec3::UnitZ();
    proximity.gap = (bodies[1].position + bodies[1].R * points[uz(vertex_)]).z();
    found.assign(1, proximity);
  }

 private:
  int vertex_ = -1;
};

/// How much the gap of a soft body that overlaps a floor still changes after many steps, over the
/// overlap it began with. k W and b W / dt are given.
double unrest_without_inertia(double stiffness_share, double damping_share) {
  constexpr double overlap = 1e-4;
  const TetMesh mesh = make_box({0.1, 0.1, 0.1}, {2, 2, 2}, ElementType::tet4);
  const DeformationModel model = make_elastic_model(mesh, {1e6, 0.3, 1000.0});
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  scene.simulation.contact_method = ContactMethod::penalty_explicit;
  scene.simulation.law = {.penalty_stiffness = 1.0, .penalty_damping = 0.0};
  scene.bodies.push_back({.name = "floor", .body = make_fixed_body(extract_surface(mesh))});
  scene.bodies.push_back({.name = "pad",
                          .body = make_deformable_body(model, model.region_nodes("z1"), {}),
                          .position = {0.0, 0.0, -overlap}});
  scene.friction = MatX::Zero(2, 2);
  scene.make_proximity = [](const Scene&) { return std::make_unique<LowestVertexProximity>(); };

  // a first step tells W
  State state = initial_state(scene);
  double W = 0.0;
  {
    StepData data(scene);
    step(scene, state, data);
    W = data.problems[0].problem.W.block(0, 0)(0, 0);
  }
  // rest on somewhat softer springs: the threshold is one of small disturbances, since a damper
  // that may not pull can keep large ones alive
  scene.simulation.law.penalty_stiffness = 0.9 * stiffness_share / W;
  {
    StepData data(scene);
    for (int k = 0; k < 500; ++k) step(scene, state, data);
  }
  scene.simulation.law.penalty_stiffness = stiffness_share / W;
  scene.simulation.law.penalty_damping = damping_share * dt / W;
  StepData data(scene);
  double largest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    step(scene, state, data);
    const double moved = state.contacts.contacts()[0].velocity.z() * dt;
    if (k >= 1900) largest = std::max(largest, std::abs(moved));
  }
  return largest / overlap;
}

TEST(ExplicitPenalty, WithoutInertiaIsStableBelowAQuarterOfThatOnly) {
  // k W + 2 b W / dt < 1
  for (const double damped : {0.0, 0.2, 0.4}) {
    const double threshold = 1.0 - 2.0 * damped;
    EXPECT_LT(unrest_without_inertia(0.95 * threshold, damped), 1e-6) << damped;
    EXPECT_GT(unrest_without_inertia(1.05 * threshold, damped), 1e-2) << damped;
  }
}

TEST(ImplicitPenalty, IsStableWhateverTheStiffness) {
  constexpr double W = dt * dt / mass;
  for (const double times : {1.0, 10.0, 1e3, 1e6}) {
    EXPECT_LT(growth(ContactMethod::penalty_implicit, times / W, 0.0), 1.0) << times;
  }
}

TEST(ImposedMotion, PullsForOneStepWhenLiftedThenLetsGo) {
  PointContact contact(ContactMethod::imposed_motion);
  contact.run(200);
  EXPECT_NEAR(contact.data->f[0], mass * g, 1e-9);
  EXPECT_EQ(contact.report.adhesion_N, 0.0);

  // gravity now lifts by 2 N
  contact.scene.simulation.gravity = {0.0, 0.0, 2.0 / mass};
  contact.run(1);
  EXPECT_NEAR(contact.report.adhesion_N, 2.0, 1e-9);
  EXPECT_NEAR(contact.gap(), 0.0, 1e-12);
  contact.run(1);
  EXPECT_EQ(contact.report.adhesion_N, 0.0);
  EXPECT_NEAR(contact.gap(), 2.0 / mass * dt * dt, 1e-8 * dt * dt);
}

TEST(ExactMethod, LetsGoWithoutPulling) {
  PointContact contact(ContactMethod::exact);
  contact.run(200);
  contact.scene.simulation.gravity = {0.0, 0.0, 2.0 / mass};
  contact.run(1);
  EXPECT_EQ(contact.report.adhesion_N, 0.0);
  EXPECT_NEAR(contact.gap(), 2.0 / mass * dt * dt, 1e-9 * dt * dt);
}

/// Momentum given to a point that meets another, four times as heavy, at this speed.
double blow(ContactMethod method, double speed) {
  PointContact contact(method, 0.0, {}, 0.0, 4.0 * mass);
  contact.scene.simulation.gravity.setZero();
  contact.scene.bodies[1].velocity = {0.0, 0.0, -speed};
  contact.run(1);
  return contact.data->f[0] * dt;
}

TEST(ImposedMotion, OnlyTheSofterBodyGivesWay) {
  EXPECT_NEAR(blow(ContactMethod::imposed_motion, 0.1), mass * 0.1, 1e-9);
  EXPECT_NEAR(blow(ContactMethod::exact, 0.1), 0.8 * mass * 0.1, 1e-9);
}

TEST(ExplicitFriction, CreepsInStickAsFastAsItTakes) {
  constexpr double mu = 0.5;
  constexpr double slope = 0.3;
  PointContact contact(ContactMethod::explicit_friction, mu, {.friction_velocity = 0.02}, slope);
  contact.run(1000);
  EXPECT_NEAR(contact.point().velocity.x(), 0.02 * slope / mu, 1e-9);
  EXPECT_NEAR(contact.report.stick_drift_m, 0.02 * slope / mu * dt, 1e-12);

  // by itself it takes what is stable: dampers of a quarter of mass / dt
  PointContact automatic(ContactMethod::explicit_friction, mu, {}, slope);
  automatic.run(1000);
  const double expected = 4.0 * g * std::sin(std::atan(slope)) * dt;
  EXPECT_NEAR(automatic.point().velocity.x(), expected, 1e-9);

  PointContact exact(ContactMethod::exact, mu, {}, slope);
  exact.run(1000);
  EXPECT_LT(std::abs(exact.point().velocity.x()), 1e-9);
}

TEST(ExplicitFriction, SlidesAsCoulombSays) {
  constexpr double mu = 0.2;
  constexpr double slope = 0.5;
  PointContact contact(ContactMethod::explicit_friction, mu, {.friction_velocity = 0.02}, slope);
  contact.run(1000);
  const double v = contact.point().velocity.x();
  contact.run(1000);
  const double angle = std::atan(slope);
  const double expected = g * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(contact.point().velocity.x() - v, expected, 1e-6 * expected);
}

TEST(PyramidOfAScene, PushesAsideByUpToPiOverItsSides) {
  // slid fast enough midway between two edges, it answers along one of them
  for (const int sides : {4, 8, 16}) {
    PointContact contact(ContactMethod::exact, 0.3);
    contact.scene.simulation.solver = SolverKind::pyramid;
    contact.scene.simulation.pyramid_sides = sides;
    const double azimuth = std::numbers::pi / sides * (1.0 - 1e-2);
    contact.scene.bodies[1].velocity = 10.0 * Vec3(std::cos(azimuth), std::sin(azimuth), 0.0);
    contact.run(1);
    const Vec3 f = contact.data->f.head<3>();
    EXPECT_TRUE(contact.report.is_converged);
    EXPECT_NEAR(f[0], mass * g, 1e-6);
    EXPECT_NEAR(std::atan2(-f[2], -f[1]), 0.0, 1e-9) << sides;
  }
}

class EveryMethod : public testing::TestWithParam<ContactMethod> {};

Scene falling_block(ContactMethod method) {
  Scene scene;
  scene.simulation.dt = 2e-3;
  scene.simulation.contact_method = method;
  scene.simulation.alarm_distance = 0.01;
  const TetMesh mesh = make_box({0.1, 0.06, 0.04}, {3, 2, 2}, ElementType::tet4);
  const DeformationModel model = make_elastic_model(mesh, {1e6, 0.45, 1000.0});
  const TetMesh floor = make_box({1.0, 1.0, 0.1}, {1, 1, 1}, ElementType::tet4);
  scene.bodies.push_back({.name = "floor",
                          .body = make_fixed_body(extract_surface(floor)),
                          .position = {0.0, 0.0, -0.1}});
  scene.bodies.push_back({.name = "block",
                          .body = make_corotational_body(model, {}, {}),
                          .position = {0.0, 0.0, 0.03},
                          .orientation = rotation_exp({0.2, 0.1, 0.2}),
                          .velocity = {0.3, 0.1, 0.0}});
  scene.friction = MatX::Constant(2, 2, 0.4);
  return scene;
}

TEST_P(EveryMethod, AllocatesNothingAsContactsComeAndGo) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const auto run = testing_support::count_second_run(falling_block(GetParam()), 300);
  EXPECT_EQ(run.allocations, 0u);
  EXPECT_EQ(run.fewest_contacts, 0);
  EXPECT_GT(run.most_contacts, 8);
}

TEST_P(EveryMethod, GoesOnFromTheStateAlone) {
  const Scene scene = falling_block(GetParam());
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < 60; ++k) step(scene, state, data);
  State other = state;
  StepData fresh(scene);
  for (int k = 0; k < 20; ++k) {
    step(scene, state, data);
    step(scene, other, fresh);
  }
  EXPECT_LT((state.bodies[1].frame.position - other.bodies[1].frame.position).norm(), 1e-9);
  EXPECT_LT((state.bodies[1].deformation.u.all() - other.bodies[1].deformation.u.all()).norm(),
            1e-7);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         testing::Values(ContactMethod::exact, ContactMethod::penalty_explicit,
                                         ContactMethod::penalty_implicit,
                                         ContactMethod::imposed_motion,
                                         ContactMethod::explicit_friction),
                         [](const auto& info) {
                           std::string name(to_string(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace stickslip
