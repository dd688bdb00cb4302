#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "places.hpp"
#include "stickslip/body/linear_deformation.hpp"
#include "stickslip/contact/body_groups.hpp"
#include "stickslip/simulation/linear_range.hpp"
#include "stickslip/simulation/start_overlap.hpp"
#include "tests/support/chaos_scene.hpp"

namespace stickslip {
namespace {

using testing_support::ChaosGenerator;
using testing_support::ChaosScene;

/// Of all bodies, by their states as far as these tell it. [J]
double energy(const Scene& scene, const State& state, const StepData& data) {
  double sum = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b].body;
    sum += body.energy(state.bodies[b], data.body_steps[b], scene.simulation.gravity);
    if (const auto* dynamic = dynamic_cast<const DynamicDeformation*>(body.deformation())) {
      sum += dynamic->energy(state.bodies[b].deformation) - data.body_steps[b].deformation->energy;
    }
  }
  return sum;
}

/// In the field of gravity. [J]
double potential(const Scene& scene, const State& state) {
  const Vec3& gravity = scene.simulation.gravity;
  double sum = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const RigidFrame& frame = scene.bodies[b].body.frame();
    const FrameState& there = state.bodies[b].frame;
    if (!frame.is_held()) sum -= frame.mass() * gravity.dot(there.position);
    const VecX& gone = state.load_displacements[b];
    if (gone.size() >= 3) sum -= gravity.dot(there.orientation * Vec3(gone.head<3>()));
  }
  return sum;
}

/// How far bodies are inside each other, by code that the step does not share: winding numbers and
/// distances of all triangles. [m]
double deepest_overlap(const Scene& scene, const State& state) {
  Scene still;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b].body;
    Surface surface = body.surface();
    body.surface_positions(state.bodies[b], surface.points);
    // what neither moves nor yields may go through its like
    still.bodies.push_back(
        {.name = scene.bodies[b].name,
         .body = yields(body) ? make_rigid_body(surface, {1.0, Vec3::Zero(), Mat3::Identity()})
                              : make_fixed_body(surface)});
  }
  double deepest = 0.0;
  for (const StartOverlap& overlap : find_start_overlaps(still)) {
    deepest = std::max(deepest, overlap.depth);
  }
  return deepest;
}

/// Overlaps are shares of the size of bodies, after steps that found the forces they looked for.
struct Outcome {
  /// What the run has ever gained beyond the work put in, as a share of the energy there was: that
  /// of the start, what bodies fell, and that work.
  double gain = 0.0;
  double overlap = 0.0;  ///< the deepest that detection saw
  double overlap_at_end = 0.0;
  bool was_bent_absurdly = false;  ///< stretched or squeezed to nothing, faces turned about
};

Outcome run(const ChaosScene& chaos) {
  const Scene& scene = chaos.scene;
  State state = initial_state(scene);
  StepData data(scene);
  LinearRangeWatch watch(scene, LinearRangeWatch::Pace::now_and_then);
  const double potential_before = potential(scene, state);
  const double before = energy(scene, state, data);
  double work = 0.0;
  double fallen = 0.0;
  double overlap_found = 0.0;
  bool was_solved = true;
  Outcome outcome;
  for (int s = 0; s < chaos.steps; ++s) {
    const StepReport report = step(scene, state, data);
    EXPECT_FALSE(report.was_restored);
    work += report.energy.work_in;
    fallen = std::max(fallen, potential_before - potential(scene, state));
    const double there = before - potential_before + fallen + std::abs(work);
    outcome.gain = std::max(outcome.gain, (energy(scene, state, data) - before - work) / there);
    overlap_found = was_solved ? report.penetration_m / chaos.size : 0.0;
    outcome.overlap = std::max(outcome.overlap, overlap_found);
    was_solved = report.is_converged;
    watch.add(scene, state);
  }
  if (was_solved) {
    outcome.overlap_at_end = std::max(overlap_found, deepest_overlap(scene, state) / chaos.size);
  }
  for (const SurfaceStrain& worst : watch.worst()) {
    constexpr double own_length = 1.0;
    outcome.was_bent_absurdly |= worst.strain > own_length;
  }
  return outcome;
}

void expect_calm(unsigned seed, double most_overlap = 0.04, double most_overlap_at_end = 0.01) {
  const ChaosScene chaos = ChaosGenerator(seed, STICKSLIP_SOURCE_DIR "/scenes/models").make();
  SCOPED_TRACE(fmt::format("seed {}: {}", seed, chaos.story));
  const Outcome outcome = run(chaos);
  // second passes take a vertex held at two faces for one contact: known of one seed
  EXPECT_LT(outcome.gain, seed == 777 ? 1.1e-3 : 1e-3);
  if (outcome.was_bent_absurdly) return;
  EXPECT_LT(outcome.overlap, most_overlap);
  EXPECT_LT(outcome.overlap_at_end, most_overlap_at_end);
}

class ChaosTenth : public testing::TestWithParam<int> {};

/// Every part has each tenth seed of a thousand.
TEST_P(ChaosTenth, GainsNoEnergyAndLeavesNoOverlap) {
  for (unsigned k = 0; k < 100; ++k) expect_calm(10 * k + static_cast<unsigned>(GetParam()));
}

TEST(Chaos, ASoftBodyTurningUnderGravityPullsAtItsFrame) {
  for (const unsigned seed : {345U, 432U, 522U, 987U}) expect_calm(seed);
}

TEST(Chaos, AnAnchorIsWhereItsContactIs) {
  expect_calm(581);
}

TEST(Chaos, WhatIsHeldBackTakesNoSpeedFromADeformationThatDidNotHappen) {
  for (const unsigned seed : {195U, 368U, 486U, 909U}) expect_calm(seed);
}

TEST(Chaos, ContactsMetOnTheWayPushNothingBack) {
  for (const unsigned seed : {113U, 616U}) expect_calm(seed);
}

TEST(Chaos, BodiesBentByMoreThanTheirSizeTurnWithWhatTheirMassesFall) {
  for (const unsigned seed : {165U, 894U}) expect_calm(seed);
}

TEST(Chaos, WhatIsLeftBehindKeepsNoEnergyFromAWayThatWasNotGone) {
  // pushed by a wall that stayed where it was; jammed by forces of a thousand times its weight
  for (const unsigned seed : {1844U, 2233U}) expect_calm(seed);
}

TEST(Chaos, WhatStaysWhereItWasIsLiftedOutOfItsOverlap) {
  for (const unsigned seed : {754U, 1152U}) expect_calm(seed, 0.01, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Tenths, ChaosTenth, testing::Range(0, 10));

}  // namespace
}  // namespace stickslip
