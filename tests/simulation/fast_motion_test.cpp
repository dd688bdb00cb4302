#include "stickslip/motion/fast_motion.hpp"

#include <gtest/gtest.h>

#include "tests/support/allocations.hpp"
#include "tests/support/thin_sheets.hpp"

namespace stickslip {
namespace {

using testing_support::CrossingWatch;
using testing_support::ProbeKind;
using testing_support::random_throw;
using testing_support::SheetKind;
using testing_support::SheetShelf;
using testing_support::Throw;

struct Thrown {
  int count = 0;
  int through = 0;
};

/// Throws probes of a kind at sheets of all kinds.
Thrown throw_probes(ProbeKind kind, double dt, int count, bool fast_motion) {
  const SheetShelf shelf(dt);
  std::mt19937 random(11);
  Thrown result;
  for (int k = 0; k < count; ++k) {
    const auto& item = shelf.items[uz(k) % shelf.items.size()];
    Throw thrown = random_throw(shelf, item, kind, dt, random);
    thrown.scene.simulation.fast_motion = fast_motion;
    State state = initial_state(thrown.scene);
    StepData data(thrown.scene);
    CrossingWatch watch(item.sheet, thrown.scene, 0, 1);
    if (watch.overlap(state)) continue;
    ++result.count;
    for (int s = 0; s < thrown.steps; ++s) {
      const State before = state;
      step(thrown.scene, state, data);
      if (watch.crosses(before, state)) {
        ++result.through;
        break;
      }
    }
  }
  return result;
}

class ThrownProbe : public testing::TestWithParam<ProbeKind> {};

TEST_P(ThrownProbe, DoesNotPassThroughAThinSheet) {
  for (const double dt : {1e-3, 3e-3}) {
    const Thrown result = throw_probes(GetParam(), dt, 80, true);
    EXPECT_GT(result.count, 60);
    EXPECT_EQ(result.through, 0) << dt;
  }
}

TEST_P(ThrownProbe, PassesWhereNobodyLooksAlongTheWay) {
  const Thrown result = throw_probes(GetParam(), 3e-3, 60, false);
  EXPECT_GT(result.through, result.count / 8);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ThrownProbe, testing::ValuesIn(testing_support::probe_kinds),
                         [](const auto& info) {
                           return testing_support::probe_names[uz(static_cast<int>(info.param))];
                         });

/// A ball that flies down beside the rim of a sheet, or onto it.
Scene ball_beside(const SheetShelf& shelf, std::size_t item, double dt, double gap, double speed,
                  double height) {
  const auto& sheet = shelf.items[item];
  const Body& ball = shelf.probes[0];
  double radius = 0.0;
  for (const Vec3& p : ball.surface().points) radius = std::max(radius, p.norm());
  double rim = 0.0;
  for (const Vec3& p : sheet.sheet.mesh.nodes) rim = std::max(rim, p.x());
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.alarm_distance = 0.8e-3;
  scene.simulation.gravity = Vec3::Zero();
  scene.friction = MatX::Constant(2, 2, 0.3);
  scene.bodies.push_back({.name = "sheet", .body = sheet.body});
  scene.bodies.push_back({.name = "ball", .body = ball});
  scene.bodies[1].position = Vec3(rim + radius + gap, 1e-3, height);
  scene.bodies[1].velocity = Vec3(0.0, 0.0, -speed);
  return scene;
}

TEST(FastMotion, ANearMissKeepsItsVelocity) {
  std::mt19937 random(5);
  for (const double dt : {1e-3, 3e-3}) {
    const SheetShelf shelf(dt);
    for (int k = 0; k < 300; ++k) {
      const double speed = testing_support::uniform(random, 0.2, 1.0);
      const double height = 5e-3 + testing_support::uniform(random, 0.0, speed * dt);
      const double gap = testing_support::uniform(random, 1e-6, 1e-3);
      const Scene scene = ball_beside(shelf, uz(k) % shelf.items.size(), dt, gap, speed, height);
      State state = initial_state(scene);
      StepData data(scene);
      const int steps = static_cast<int>(12e-3 / (speed * dt)) + 2;
      for (int s = 0; s < steps; ++s) step(scene, state, data);
      EXPECT_LT((state.bodies[1].frame.velocity - Vec3(0.0, 0.0, -speed)).norm(), 1e-9) << k;
      EXPECT_LT(state.bodies[1].frame.position.z(), -4e-3);
    }
  }
}

TEST(FastMotion, ASpinningNearMissKeepsItsMotion) {
  std::mt19937 random(8);
  for (const double dt : {1e-3, 3e-3}) {
    const SheetShelf shelf(dt);
    for (int k = 0; k < 200; ++k) {
      const double speed = testing_support::uniform(random, 0.2, 1.0);
      const double height = 5e-3 + testing_support::uniform(random, 0.0, speed * dt);
      const double gap = testing_support::uniform(random, 1e-6, 1e-3);
      Scene scene = ball_beside(shelf, uz(k) % shelf.items.size(), dt, gap, speed, height);
      scene.bodies[1].angular_velocity =
          testing_support::uniform(random, 1.0, 120.0) * testing_support::random_direction(random);
      Scene alone = scene;
      alone.excluded_pairs.emplace_back(0, 1);
      State state = initial_state(scene);
      State state_alone = initial_state(alone);
      StepData data(scene);
      StepData data_alone(alone);
      const int steps = static_cast<int>(12e-3 / (speed * dt)) + 2;
      for (int s = 0; s < steps; ++s) {
        step(scene, state, data);
        step(alone, state_alone, data_alone);
      }
      const FrameState& flown = state.bodies[1].frame;
      const FrameState& free = state_alone.bodies[1].frame;
      EXPECT_LT((flown.velocity - free.velocity).norm(), 1e-9) << k;
      EXPECT_LT((flown.angular_velocity - free.angular_velocity).norm(), 1e-9) << k;
      EXPECT_LT((flown.position - free.position).norm(), 1e-12) << k;
    }
  }
}

/// A strip of rubber without inertia, straight and held at one end, over a thin sheet. Its weight
/// bends it down by about 10 mm at once.
Scene strip_over_sheet(const SheetShelf& shelf, std::size_t item, double drop) {
  Scene scene;
  scene.simulation.dt = 1e-3;
  scene.simulation.alarm_distance = 0.5e-3;
  scene.friction = MatX::Constant(2, 2, 0.3);
  const TetMesh mesh = make_box({60e-3, 6e-3, 2e-3}, {12, 2, 1}, ElementType::tet10);
  const DeformationModel model = make_elastic_model(mesh, {2.5e6, 0.4, 1000.0});
  double low = model.nodes.front().x();
  double high = low;
  for (const Vec3& p : model.nodes) {
    low = std::min(low, p.x());
    high = std::max(high, p.x());
  }
  std::vector<int> held;
  for (int i = 0; i < model.node_count(); ++i) {
    if (model.nodes[uz(i)].x() < low + 1e-6) held.push_back(i);
  }
  scene.bodies.push_back({.name = "sheet", .body = shelf.items[item].body});
  scene.bodies.push_back({.name = "strip", .body = make_deformable_body(model, held, {})});
  scene.bodies[0].position = Vec3(high - 8e-3, 0.0, 0.0);
  scene.bodies[1].position = Vec3(0.0, 0.0, drop);
  return scene;
}

TEST(FastMotion, ABodyWithoutInertiaDoesNotSnapThroughAThinOne) {
  const SheetShelf shelf(1e-3);
  for (const std::size_t item : {0U, 1U, 2U}) {
    for (const double drop : {2.5e-3, 4e-3, 6e-3}) {
      for (const bool looks : {false, true}) {
        Scene scene = strip_over_sheet(shelf, item, drop);
        scene.simulation.fast_motion = looks;
        State state = initial_state(scene);
        StepData data(scene);
        CrossingWatch watch(shelf.items[item].sheet, scene, 0, 1);
        ASSERT_FALSE(watch.overlap(state));
        bool is_through = false;
        for (int s = 0; s < 10; ++s) {
          const State before = state;
          step(scene, state, data);
          is_through |= watch.crosses(before, state);
        }
        EXPECT_EQ(is_through, !looks) << item << " " << drop;
      }
    }
  }
}

TEST(FastMotion, AnImpactKeepsMomentumAndGainsNoEnergy) {
  std::mt19937 random(3);
  for (const double dt : {1e-3, 3e-3}) {
    const SheetShelf shelf(dt);
    for (int k = 0; k < 100; ++k) {
      const auto& item = shelf.items[1];
      ASSERT_EQ(item.kind, SheetKind::free_rigid);
      const Throw thrown = random_throw(shelf, item, ProbeKind::ball, dt, random);
      State state = initial_state(thrown.scene);
      StepData data(thrown.scene);
      Vec3 momentum = Vec3::Zero();
      double energy = 0.0;
      for (std::size_t b = 0; b < 2; ++b) {
        const RigidFrame& frame = thrown.scene.bodies[b].body.frame();
        momentum += frame.mass() * state.bodies[b].frame.velocity;
        energy += frame.kinetic_energy(state.bodies[b].frame);
      }
      double highest = 0.0;
      double before = energy;
      for (int s = 0; s < thrown.steps; ++s) {
        const double now = step(thrown.scene, state, data).energy.total;
        highest = std::max(highest, now);
        EXPECT_LT(now, before + 1e-6 * energy) << k << " " << s;
        before = now;
      }
      Vec3 after = Vec3::Zero();
      for (std::size_t b = 0; b < 2; ++b) {
        after += thrown.scene.bodies[b].body.frame().mass() * state.bodies[b].frame.velocity;
      }
      EXPECT_LT((after - momentum).norm(), 1e-9 * momentum.norm()) << k;
      EXPECT_LT(highest, energy * (1.0 + 1e-9)) << k;
    }
  }
}

TEST(FastMotion, WhatIsLeftBehindGainsNoEnergy) {
  // a bar that spins while it falls, left anywhere on its way
  const SheetShelf shelf(1e-3);
  const Body& bar = shelf.probes[uz(static_cast<int>(ProbeKind::bar))];
  const Vec3 gravity(0.0, 0.0, -9.81);
  std::mt19937 random(6);
  BodyStep bar_step = bar.make_step(1);
  for (int k = 0; k < 200; ++k) {
    BodyState from = bar.initial_state();
    BodyState end = from;
    BodyWay way;
    way.translation = 1e-3 * testing_support::random_direction(random);
    way.rotation =
        testing_support::uniform(random, 0.0, 0.5) * testing_support::random_direction(random);
    end.frame.position += way.translation;
    end.frame.orientation = rotation_exp(way.rotation) * from.frame.orientation;
    end.frame.velocity = way.translation / 1e-3;
    end.frame.angular_velocity = 200.0 * testing_support::random_direction(random);
    const auto energy = [&](const BodyState& state) {
      return bar.frame().kinetic_energy(state.frame) -
             bar.frame().mass() * gravity.dot(state.frame.position);
    };
    BodyState left = end;
    go_part_of_way({&bar, &from, &bar_step}, way, testing_support::uniform(random, 0.0, 1.0),
                   gravity, left);
    EXPECT_LE(energy(left), energy(end) + 1e-12 * std::abs(energy(end))) << k;
    EXPECT_GT(left.frame.velocity.norm(), 0.9 * end.frame.velocity.norm());
  }
}

TEST(FastMotion, AHeldPlateDrivenAtAFreeSheetPushesIt) {
  constexpr double dt = 3e-3;
  const SheetShelf shelf(dt);
  const auto& item = shelf.items[1];
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.alarm_distance = 0.5e-3;
  scene.simulation.gravity = Vec3::Zero();
  scene.friction = MatX::Constant(2, 2, 0.3);
  scene.bodies.push_back({.name = "sheet", .body = item.body});
  const TetMesh plate = testing_support::probe_mesh(ProbeKind::shell);
  scene.bodies.push_back({.name = "plate", .body = make_fixed_body(extract_surface(plate))});
  const Vec3 middle = item.sheet.mesh.nodes.front() + Vec3(10e-3, 10e-3, 0.0);
  scene.bodies[1].position = Vec3(middle.x(), middle.y(), 10e-3);
  Vec6 far = Vec6::Zero();
  far[2] = -60e-3;
  scene.drives.push_back({.body = 1,
                          .kind = DriveKind::motion,
                          .table = TimeTable({{0.0, Vec6::Zero()}, {0.06, far}})});
  State state = initial_state(scene);
  StepData data(scene);
  CrossingWatch watch(item.sheet, scene, 0, 1);
  for (int s = 0; s < 20; ++s) {
    const State before = state;
    step(scene, state, data);
    ASSERT_FALSE(watch.crosses(before, state)) << s;
  }
  EXPECT_LT(state.bodies[0].frame.velocity.z(), -0.5);
}

TEST(FastMotion, AStepThatLooksAlongTheWayAllocatesNothing) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  constexpr double dt = 3e-3;
  const SheetShelf shelf(dt);
  std::mt19937 random(2);
  for (const std::size_t kind : {1U, 3U}) {
    const Throw thrown = random_throw(shelf, shelf.items[kind], ProbeKind::shell, dt, random);
    const State start = initial_state(thrown.scene);
    StepData data(thrown.scene);
    State state = start;
    std::size_t before = 0;
    for (int round = 0; round < 3; ++round) {
      state = start;
      before = testing_support::allocation_count();
      for (int s = 0; s < thrown.steps; ++s) step(thrown.scene, state, data);
    }
    EXPECT_EQ(testing_support::allocation_count(), before) << kind;
  }
}

}  // namespace
}  // namespace stickslip
