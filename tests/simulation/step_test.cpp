#include "stickslip/simulation/step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/math/rotation.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/counted_run.hpp"

namespace stickslip {
namespace {

/// One triangle in the plane z = 0, large enough for everything.
Surface large_floor() {
  Surface floor;
  floor.points = {{-10.0, -10.0, 0.0}, {30.0, -10.0, 0.0}, {-10.0, 30.0, 0.0}};
  floor.triangles = {{0, 1, 2}};
  return floor;
}

/// Vertices of all other bodies against the floor, body 0, wherever it stands.
class FloorProximity : public ProximityMethod {
 public:
  explicit FloorProximity(bool is_reversed = false) : is_reversed_(is_reversed) {}

  void find(std::span<const PlacedSurface> bodies, double alarm_distance,
            std::vector<Proximity>& found) override {
    found.clear();
    const PlacedSurface& floor = bodies[0];
    const double size = floor.points[1].x() - floor.points[0].x();
    for (std::size_t b = 1; b < bodies.size(); ++b) {
      for (std::size_t v = 0; v < bodies[b].points.size(); ++v) {
        const Vec3 world = bodies[b].position + bodies[b].R * bodies[b].points[v];
        const Vec3 P = floor.R.transpose() * (world - floor.position);
        if (P.z() > alarm_distance) continue;
        Proximity proximity;
        proximity.body_1 = static_cast<int>(b);
        proximity.body_2 = 0;
        const int vertex = static_cast<int>(v);
        proximity.P = {{vertex, vertex, vertex}, {1.0, 0.0, 0.0}};
        const double s = (P.x() - floor.points[0].x()) / size;
        const double t = (P.y() - floor.points[0].y()) / size;
        proximity.Q = {{0, 1, 2}, {1.0 - s - t, s, t}};
        proximity.normal = floor.R.col(2);
        proximity.gap = P.z();
        proximity.kind = FeatureKind::vertex_face;
        proximity.feature_1 = vertex;
        found.push_back(proximity);
      }
    }
    if (is_reversed_) std::reverse(found.begin(), found.end());
  }

 private:
  bool is_reversed_;
};

enum class Kind { rigid, quasi_rigid, deformable };

const Material rubber{1e6, 0.45, 1000.0};
const Vec3 block_size{0.1, 0.06, 0.04};

Body make_block(Kind kind, double dt, double scale = 1.0) {
  const TetMesh mesh = make_box(scale * block_size, {3, 2, 2}, ElementType::tet4);
  Material material = rubber;
  material.young *= scale;
  if (kind == Kind::rigid) {
    return make_rigid_body(extract_surface(mesh), mass_properties(mesh, material.density));
  }
  if (kind == Kind::quasi_rigid) {
    material.young = quasi_rigid_young(mesh, 1000.0 * volume(mesh), dt);
  }
  return make_corotational_body(make_elastic_model(mesh, material), {}, {});
}

Scene floor_scene(Body body, double mu, double dt) {
  Scene scene;
  scene.simulation.dt = dt;
  scene.bodies.push_back({.name = "floor", .body = make_fixed_body(large_floor())});
  scene.bodies.push_back({.name = "block", .body = std::move(body)});
  scene.friction = MatX::Constant(2, 2, mu);
  scene.make_proximity = [](const Scene&) { return std::make_unique<FloorProximity>(); };
  return scene;
}

/// Gravity as a floor tilted towards the azimuth feels it.
Vec3 tilted_gravity(double slope, double azimuth) {
  const double angle = std::atan(slope);
  return 9.81 * Vec3(std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth),
                     -std::cos(angle));
}

class EveryBlock : public testing::TestWithParam<Kind> {};

/// A block that has come to rest on a level floor, which is then tilted slowly up to a slope.
struct TiltedBlock {
  TiltedBlock(Kind kind, double mu, double slope, double azimuth = 0.7)
      : scene(floor_scene(make_block(kind, dt), mu, dt)), state(initial_state(scene)), data(scene) {
    constexpr int ramp = 500;
    for (int k = 0; k < 200; ++k) step(scene, state, data);
    for (int k = 1; k <= ramp; ++k) {
      scene.simulation.gravity = tilted_gravity(slope * k / ramp, azimuth);
      step(scene, state, data);
    }
  }
  void run(double seconds) {
    const int count = static_cast<int>(std::lround(seconds / dt));
    for (int k = 0; k < count; ++k) step(scene, state, data);
  }
  const FrameState& frame() const { return state.bodies[1].frame; }

  static constexpr double dt = 2e-3;
  Scene scene;
  State state;
  StepData data;
};

TEST_P(EveryBlock, StandsStillBelowTheFrictionAngle) {
  constexpr double mu = 0.4;
  TiltedBlock block(GetParam(), mu, mu * (1.0 - 1e-4));
  // the way into stick, and then a minute of it
  block.run(8.0);
  const Vec3 start = block.frame().position;
  block.run(60.0);
  EXPECT_LT((block.frame().position - start).norm() / 60.0, 1e-9);
}

TEST_P(EveryBlock, SlidesDownAboveTheFrictionAngle) {
  constexpr double mu = 0.4;
  TiltedBlock block(GetParam(), mu, mu * (1.0 + 1e-4));
  block.run(1.0);
  const Vec3 start = block.frame().velocity;
  block.run(1.0);
  const double acceleration = 9.81 * mu * 1e-4 / std::hypot(1.0, mu);
  EXPECT_NEAR((block.frame().velocity - start).norm(), acceleration, 1e-3 * acceleration);
}

TEST_P(EveryBlock, AcceleratesAsCoulombSaysInEveryAzimuth) {
  constexpr double mu = 0.3;
  const double angle = std::numbers::pi / 6.0;
  const double expected = 9.81 * (std::sin(angle) - mu * std::cos(angle));
  for (int k = 0; k < 12; ++k) {
    const double azimuth = k * std::numbers::pi / 6.0 + 0.1;
    TiltedBlock block(GetParam(), mu, std::tan(angle), azimuth);
    block.run(0.2);
    const Vec3 start = block.frame().velocity;
    block.run(0.5);
    const Vec3 acceleration = (block.frame().velocity - start) / 0.5;
    const Vec3 downhill(std::cos(azimuth), std::sin(azimuth), 0.0);
    EXPECT_NEAR(acceleration.dot(downhill), expected, 1e-6 * expected) << azimuth;
    EXPECT_NEAR((acceleration - acceleration.dot(downhill) * downhill).norm(), 0.0, 1e-6 * expected)
        << azimuth;
  }
}

TEST_P(EveryBlock, FallsTippedWithoutGainingEnergy) {
  constexpr double dt = 1e-3;
  Scene scene = floor_scene(make_block(GetParam(), dt), 0.3, dt);
  scene.bodies[1].position = {0.0, 0.0, 0.08};
  scene.bodies[1].orientation = rotation_exp({0.4, 0.7, 0.2});
  scene.bodies[1].velocity = {0.5, 0.2, 0.0};
  scene.bodies[1].angular_velocity = {3.0, -2.0, 5.0};
  State state = initial_state(scene);
  StepData data(scene);
  const double scale = 9.81 * scene.bodies[1].body.frame().mass() * 0.1;
  double before = step(scene, state, data).energy.total;
  double friction = 0.0;
  double most_gained = 0.0;
  for (int k = 0; k < 1500; ++k) {
    const StepReport report = step(scene, state, data);
    EXPECT_LT(report.error, 1e-5) << k;
    EXPECT_GE(report.energy.friction, -1e-7 * scale);
    EXPECT_EQ(report.energy.work_in, 0.0);
    most_gained = std::max(most_gained, report.energy.total - before + report.energy.friction);
    friction += report.energy.friction;
    before = report.energy.total;
  }
  EXPECT_LT(most_gained, 1e-6 * scale);
  EXPECT_GT(friction, 0.01 * scale);
  EXPECT_LT(state.bodies[1].frame.velocity.norm(), 1e-6);
}

TEST_P(EveryBlock, AMissedOverlapIsLiftedWithoutThrowingTheBody) {
  constexpr double dt = 1e-3;
  Scene scene = floor_scene(make_block(GetParam(), dt), 0.3, dt);
  scene.simulation.alarm_distance = 2e-3;
  scene.bodies[1].position = {0.0, 0.0, -1.5e-3};
  State state = initial_state(scene);
  StepData data(scene);
  double fastest = 0.0;
  for (int k = 0; k < 5; ++k) {
    step(scene, state, data);
    fastest = std::max(fastest, state.bodies[1].frame.velocity.norm());
  }
  // less than one step of free fall
  EXPECT_LT(fastest, 9.81 * dt);
  EXPECT_LT(step(scene, state, data).penetration_m, 1e-5);
  for (int k = 0; k < 100; ++k) step(scene, state, data);
  EXPECT_NEAR(state.bodies[1].frame.position.z(), 0.5 * block_size.z(), 1e-4);
}

TEST_P(EveryBlock, AStepAllocatesNothing) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  TiltedBlock block(GetParam(), 0.3, 0.4);
  const std::size_t before = testing_support::allocation_count();
  block.run(0.2);
  EXPECT_EQ(testing_support::allocation_count(), before);
}

TEST_P(EveryBlock, AStepAllocatesNothingAsContactsComeAndGo) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  constexpr double dt = 2e-3;
  Scene scene = floor_scene(make_block(GetParam(), dt), 0.3, dt);
  scene.bodies[1].position = {0.0, 0.0, 0.08};
  scene.bodies[1].orientation = rotation_exp({0.4, 0.7, 0.2});
  scene.bodies[1].velocity = {0.5, 0.2, 0.0};
  const auto run = testing_support::count_second_run(scene, 300);
  EXPECT_EQ(run.allocations, 0u);
  EXPECT_EQ(run.fewest_contacts, 0);
  EXPECT_EQ(run.most_contacts, 12);
}

INSTANTIATE_TEST_SUITE_P(Step, EveryBlock,
                         testing::Values(Kind::rigid, Kind::quasi_rigid, Kind::deformable),
                         [](const auto& info) {
                           switch (info.param) {
                             case Kind::rigid:
                               return "Rigid";
                             case Kind::quasi_rigid:
                               return "QuasiRigid";
                             default:
                               return "Deformable";
                           }
                         });

/// Where the block is after a while of sliding and tipping, seen from the floor.
struct Outcome {
  Vec3 position;
  Quat orientation;
};

Outcome slide(double scale, const Vec3& floor_at, const Quat& floor_turn, bool is_reversed,
              int steps) {
  const double dt = 1e-3 * std::sqrt(scale);
  Scene scene = floor_scene(make_block(Kind::deformable, dt, scale), 0.3, dt);
  Surface floor = large_floor();
  for (Vec3& point : floor.points) point *= scale;
  scene.bodies[0].body = make_fixed_body(floor);
  scene.simulation.alarm_distance *= scale;
  scene.simulation.tolerance = 1e-11;
  scene.simulation.gravity = floor_turn * scene.simulation.gravity;
  scene.make_proximity = [=](const Scene&) {
    return std::make_unique<FloorProximity>(is_reversed);
  };
  scene.bodies[0].position = floor_at;
  scene.bodies[0].orientation = floor_turn;
  scene.bodies[1].position = floor_at + floor_turn * (scale * Vec3(0.0, 0.0, 0.015));
  scene.bodies[1].orientation = floor_turn * rotation_exp({0.05, 0.1, 0.2});
  scene.bodies[1].velocity = floor_turn * (std::sqrt(scale) * Vec3(0.6, 0.3, 0.0));
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < steps; ++k) step(scene, state, data);
  const FrameState& frame = state.bodies[1].frame;
  return {floor_turn.conjugate() * (frame.position - floor_at) / scale,
          floor_turn.conjugate() * frame.orientation};
}

TEST(Step, TurningMovingOrReorderingTheSceneChangesNothing) {
  const Outcome plain = slide(1.0, Vec3::Zero(), Quat::Identity(), false, 100);
  const Outcome moved = slide(1.0, {0.3, -0.2, 0.7}, Quat::Identity(), false, 100);
  const Outcome turned = slide(1.0, Vec3::Zero(), rotation_exp({1.0, -0.5, 2.0}), false, 100);
  const Outcome reversed = slide(1.0, Vec3::Zero(), Quat::Identity(), true, 100);
  for (const Outcome& other : {moved, turned, reversed}) {
    EXPECT_LT((other.position - plain.position).norm(), 1e-9);
    EXPECT_LT(other.orientation.angularDistance(plain.orientation), 1e-8);
  }
}

TEST(Step, TheSameAnswerAtEveryScaleOfLength) {
  const Outcome plain = slide(1.0, Vec3::Zero(), Quat::Identity(), false, 100);
  for (const double scale : {0.1, 10.0}) {
    const Outcome scaled = slide(scale, Vec3::Zero(), Quat::Identity(), false, 100);
    EXPECT_LT((scaled.position - plain.position).norm(), 1e-9);
    EXPECT_LT(scaled.orientation.angularDistance(plain.orientation), 1e-8);
  }
}

TEST(Step, AStiffBodyMovesAsARigidOne) {
  // paper, section 6.2: at 3 ms, whatever the stiffness
  constexpr double dt = 3e-3;
  const TetMesh mesh = make_box(block_size, {3, 2, 2}, ElementType::tet4);
  const auto fall = [&](Body body) {
    Scene scene = floor_scene(std::move(body), 0.3, dt);
    scene.bodies[1].position = {0.0, 0.0, 0.02};
    scene.bodies[1].orientation = rotation_exp({0.2, 0.3, 0.1});
    scene.bodies[1].velocity = {0.5, 0.2, 0.0};
    State state = initial_state(scene);
    StepData data(scene);
    std::vector<Vec3> path;
    for (int k = 0; k < 150; ++k) {
      step(scene, state, data);
      path.push_back(state.bodies[1].frame.position);
    }
    return path;
  };
  const auto rigid =
      fall(make_rigid_body(extract_surface(mesh), mass_properties(mesh, rubber.density)));
  const auto stiff = fall(make_corotational_body(
      make_elastic_model(mesh, {1e12, rubber.poisson, rubber.density}), {}, {}));
  const double travelled = (rigid.back() - rigid.front()).norm();
  for (std::size_t k = 0; k < rigid.size(); ++k) {
    EXPECT_LT((rigid[k] - stiff[k]).norm(), 1e-3 * travelled) << k;
  }
}

TEST(Step, ABodyInASlotTooNarrowForItIsNotThrownAbout) {
  // walls overlap the block from both sides, askew: no motion of the block can end that
  constexpr double overlap = 2e-5;
  Scene scene;
  scene.simulation.dt = 3e-3;
  scene.simulation.gravity.setZero();
  const TetMesh wall = make_box({0.02, 0.2, 0.2}, {1, 4, 4}, ElementType::tet4);
  const TetMesh block = make_box(block_size, {3, 2, 2}, ElementType::tet4);
  const double right = block_size.x() - overlap;
  scene.bodies.push_back({.name = "left",
                          .body = make_fixed_body(extract_surface(wall)),
                          .position = {-0.02 + overlap, -0.05, -0.05}});
  scene.bodies.push_back({.name = "right",
                          .body = make_fixed_body(extract_surface(wall)),
                          .position = {right, -0.05, -0.05}});
  scene.bodies.push_back(
      {.name = "block",
       .body = make_rigid_body(extract_surface(block), mass_properties(block, rubber.density)),
       .orientation = rotation_exp({0.0, 0.0, 1e-4})});
  scene.friction = MatX::Constant(3, 3, 0.2);
  State state = initial_state(scene);
  StepData data(scene);
  const FrameState start = state.bodies[2].frame;
  for (int k = 0; k < 100; ++k) {
    const StepReport report = step(scene, state, data);
    ASSERT_GT(report.contacts, 0);
    const FrameState& now = state.bodies[2].frame;
    ASSERT_LT((now.position - start.position).norm(), 3.0 * overlap) << k;
    ASSERT_LT(now.orientation.angularDistance(start.orientation), 1e-3) << k;
    ASSERT_LT(now.velocity.norm(), 1e-6) << k;
  }
}

TEST(Step, AllocatesNothingBetweenSurfaces) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  // a soft block falls askew on another and slides off the middle, by the meshes' own proximity
  Scene scene;
  scene.simulation.dt = 2e-3;
  const TetMesh mesh = make_box(block_size, {3, 2, 2}, ElementType::tet4);
  const DeformationModel model = make_elastic_model(mesh, rubber);
  scene.bodies.push_back({.name = "floor", .body = make_fixed_body(large_floor())});
  for (int k = 0; k < 2; ++k) {
    scene.bodies.push_back({.name = "block",
                            .body = make_corotational_body(model, {}, {}),
                            .position = {0.01 * k, 0.0, 0.045 * k},
                            .orientation = rotation_exp({0.0, 0.05 * k, 0.2 * k})});
  }
  scene.friction = MatX::Constant(3, 3, 0.4);
  const State start = initial_state(scene);
  State state = start;
  StepData data(scene);
  for (int k = 0; k < 200; ++k) step(scene, state, data);
  state = start;
  state.contacts.reserve(scene.simulation.contact_budget);
  int most = 0;
  const std::size_t before = testing_support::allocation_count();
  for (int k = 0; k < 200; ++k) most = std::max(most, step(scene, state, data).contacts);
  EXPECT_EQ(testing_support::allocation_count(), before);
  EXPECT_GT(most, 20);
}

}  // namespace
}  // namespace stickslip
