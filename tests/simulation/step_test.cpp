#include "stickslip/simulation/step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

/// One triangle in the plane z = 0, large enough for everything.
Surface large_floor() {
  Surface floor;
  floor.points = {{-100.0, -100.0, 0.0}, {300.0, -100.0, 0.0}, {-100.0, 300.0, 0.0}};
  floor.triangles = {{0, 1, 2}};
  return floor;
}

/// Vertices of all other bodies against the floor, body 0.
class FloorProximity : public ProximityMethod {
 public:
  void find(std::span<const PlacedSurface> bodies, double alarm_distance,
            std::vector<Proximity>& found) override {
    found.clear();
    for (std::size_t b = 1; b < bodies.size(); ++b) {
      for (std::size_t v = 0; v < bodies[b].points.size(); ++v) {
        const Vec3 P = bodies[b].position + bodies[b].R * bodies[b].points[v];
        if (P.z() > alarm_distance) continue;
        Proximity proximity;
        proximity.body_1 = static_cast<int>(b);
        proximity.body_2 = 0;
        const int vertex = static_cast<int>(v);
        proximity.P = {{vertex, vertex, vertex}, {1.0, 0.0, 0.0}};
        const double s = (P.x() + 100.0) / 400.0;
        const double t = (P.y() + 100.0) / 400.0;
        proximity.Q = {{0, 1, 2}, {1.0 - s - t, s, t}};
        proximity.normal = Vec3::UnitZ();
        proximity.gap = P.z();
        proximity.kind = FeatureKind::vertex_face;
        proximity.feature_1 = vertex;
        found.push_back(proximity);
      }
    }
  }
};

enum class Kind { rigid, quasi_rigid, deformable };

const Material rubber{1e6, 0.45, 1000.0};
const Vec3 block_size{0.1, 0.06, 0.04};

Body make_block(Kind kind, double dt) {
  const TetMesh mesh = make_box(block_size, {3, 2, 2}, ElementType::tet4);
  Material material = rubber;
  if (kind == Kind::rigid) {
    return make_rigid_body(extract_surface(mesh), mass_properties(mesh, material.density));
  }
  if (kind == Kind::quasi_rigid) {
    material.young = quasi_rigid_young(mesh, 1000.0 * block_size.prod(), dt);
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

}  // namespace
}  // namespace stickslip
