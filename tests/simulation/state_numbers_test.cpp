#include "stickslip/simulation/state_numbers.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

/// Finds contacts of a body with the floor at random, as its memory has it.
class ForgetfulProximity : public ProximityMethod {
 public:
  void find(std::span<const PlacedSurface> bodies, double /*alarm_distance*/,
            std::vector<Proximity>& found) override {
    found.clear();
    for (std::size_t v = 0; v < bodies[1].points.size(); ++v) {
      seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
      const Vec3 P = bodies[1].position + bodies[1].R * bodies[1].points[v];
      if (P.z() > 1e-3 || seed_ >> 62 == 0) continue;
      Proximity proximity;
      proximity.body_1 = 1;
      const int vertex = static_cast<int>(v);
      proximity.P = {{vertex, vertex, vertex}, {1.0, 0.0, 0.0}};
      proximity.Q = {{0, 1, 2}, {0.4, 0.3, 0.3}};
      proximity.normal = Vec3::UnitZ();
      proximity.gap = P.z();
      proximity.feature_1 = vertex;
      proximity.feature_2 = -1;
      found.push_back(proximity);
    }
  }
  void save(std::vector<std::uint64_t>& memory) const override { memory.push_back(seed_); }
  void restore(std::span<const std::uint64_t> memory) override {
    seed_ = memory.empty() ? 1 : memory[0];
  }

 private:
  std::uint64_t seed_ = 1;
};

/// A block that a spring and a force pull over a floor.
Scene dragged_block() {
  Scene scene;
  scene.simulation.dt = 2e-3;
  Surface floor;
  floor.points = {{-1.0, -1.0, 0.0}, {2.0, -1.0, 0.0}, {-1.0, 2.0, 0.0}};
  floor.triangles = {{0, 1, 2}};
  const TetMesh mesh = make_box({0.1, 0.06, 0.04}, {3, 2, 1}, ElementType::tet4);
  scene.bodies.push_back({.name = "floor", .body = make_fixed_body(floor)});
  scene.bodies.push_back(
      {.name = "block",
       .body = make_corotational_body(make_elastic_model(mesh, {1e5, 0.4, 1000.0}), {}, {})});
  scene.friction = MatX::Constant(2, 2, 0.4);
  Vec6 far = Vec6::Zero();
  far[0] = 0.1;
  Drive spring;
  spring.body = 1;
  spring.kind = DriveKind::spring;
  spring.table = TimeTable({{0.0, Vec6::Zero()}, {0.5, far}});
  spring.stiffness = 50.0;
  spring.damping = 2.0;
  Drive force;
  force.body = 1;
  force.table = TimeTable({{0.0, Vec6::Zero()}, {0.5, Vec6::Unit(1)}});
  scene.drives = {spring, force};
  scene.make_proximity = [](const Scene&) { return std::make_unique<ForgetfulProximity>(); };
  return scene;
}

std::vector<double> numbers_of(const State& state) {
  std::vector<double> numbers;
  write_numbers(state, numbers);
  return numbers;
}

TEST(StateNumbers, AreAllThatAStepDependsOn) {
  const Scene scene = dragged_block();
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < 100; ++k) step(scene, state, data);
  const std::vector<double> middle = numbers_of(state);
  std::vector<StepReport> reports;
  for (int k = 0; k < 100; ++k) reports.push_back(step(scene, state, data));
  ASSERT_GT(reports.back().contacts, 0);

  State resumed = initial_state(scene);
  ASSERT_TRUE(read_numbers(middle, scene, resumed));
  EXPECT_EQ(numbers_of(resumed), middle);
  StepData fresh(scene);
  for (const StepReport& expected : reports) {
    const StepReport report = step(scene, resumed, fresh);
    EXPECT_EQ(report.energy.total, expected.energy.total);
    EXPECT_EQ(report.energy.work_in, expected.energy.work_in);
    EXPECT_EQ(report.iterations, expected.iterations);
  }
  EXPECT_EQ(numbers_of(resumed), numbers_of(state));
}

TEST(StateNumbers, RowsThatDoNotFitTheSceneAreRefused) {
  const Scene scene = dragged_block();
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < 50; ++k) step(scene, state, data);
  const std::vector<double> good = numbers_of(state);
  ASSERT_TRUE(read_numbers(good, scene, state));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(read_numbers(std::span(good).first(size), scene, state));
  }
  std::vector<double> longer = good;
  longer.push_back(0.0);
  EXPECT_FALSE(read_numbers(longer, scene, state));

  // whatever stands there, a state that is taken can be stepped
  std::mt19937 random(5);
  int taken = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> bad = good;
    bad[random() % bad.size()] = trial % 2 == 0 ? -7.0 : 1e9;
    if (!read_numbers(bad, scene, state)) continue;
    ++taken;
    step(scene, state, data);
  }
  EXPECT_GT(taken, 0);
  EXPECT_LT(taken, 300);
}

TEST(StateNumbers, HashChangesWithAnyBit) {
  std::vector<double> numbers = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const std::uint64_t hash = hash_of(numbers);
  for (double& number : numbers) {
    const double before = number;
    number = -number;
    EXPECT_NE(hash_of(numbers), hash);
    number = std::nextafter(before, 10.0);
    EXPECT_NE(hash_of(numbers), hash);
    number = before;
  }
  std::swap(numbers[0], numbers[4]);
  EXPECT_NE(hash_of(numbers), hash);
}

TEST(Drives, InputsFromOutsideActLikeThoseOfTables) {
  Scene scene = dragged_block();
  State by_tables = initial_state(scene);
  StepData data(scene);
  std::vector<std::vector<Vec6>> told;
  for (int k = 0; k < 100; ++k) {
    step(scene, by_tables, data);
    told.push_back(by_tables.inputs);
  }
  // a spring from outside, the force still by its table
  scene.drives[0].table = TimeTable(Vec6::Zero());
  State by_hand = initial_state(scene);
  StepData other(scene);
  for (int k = 0; k < 100; ++k) {
    other.inputs[0].is_given = true;
    other.inputs[0].value = told[uz(k)][0];
    step(scene, by_hand, other);
  }
  EXPECT_EQ(numbers_of(by_hand), numbers_of(by_tables));
}

}  // namespace
}  // namespace stickslip
