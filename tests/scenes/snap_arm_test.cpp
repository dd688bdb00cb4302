#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

struct MatingForce {
  double normal = 0.0;  ///< across the arm [N]
  double mating = 0.0;  ///< along it
};

/// The force that bends a slender arm of this section by the undercut, the edge on its ramp beside
/// the crest, at the distance e from the neutral axis. The arm turns by t and steepens the ramp.
MatingForce beam_law(double e) {
  constexpr double L = 19e-3;
  constexpr double undercut = 0.5e-3;
  constexpr double EI = 1815e6 * 9.5e-3 * 2e-3 * 2e-3 * 2e-3 / 12.0;
  constexpr double mu = 0.3;
  MatingForce force;
  double t = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double slope = std::tan(std::numbers::pi / 6.0 + t);
    const double ratio = (mu + slope) / (1.0 - mu * slope);
    force.normal = undercut * EI / (L * L * L / 3.0 - ratio * e * L * L / 2.0);
    force.mating = ratio * force.normal;
    t = (force.normal * L * L / 2.0 - force.mating * e * L) / EI;
  }
  return force;
}

MatingForce force_on_edge(const SceneRun& run) {
  const Vec3 force = run.force_on("edge");
  return {force.y(), force.x()};
}

/// The largest mating force on the way to the crest, before the edge has moved by `travel`.
MatingForce peak_force(SceneRun& run, double travel) {
  MatingForce peak;
  const double start = run.frame("edge").position.x();
  while (start - run.frame("edge").position.x() < travel) {
    run.advance();
    const MatingForce force = force_on_edge(run);
    if (force.mating > peak.mating) peak = force;
  }
  return peak;
}

void expect_near(const MatingForce& force, const MatingForce& expected, double share) {
  EXPECT_NEAR(force.normal, expected.normal, share * expected.normal);
  EXPECT_NEAR(force.mating, expected.mating, share * expected.mating);
}

TEST(SnapArm, TheBeamLawHasTheTextbookNumbers) {
  expect_near(beam_law(0.0), {2.51, 2.89}, 2e-3);
  expect_near(beam_law(1.5e-3), {2.91, 3.33}, 2e-3);
}

TEST(SnapArm, PeaksAsTheBeamLawSaysUpToItsWideClampedRoot) {
  // the root, held in all directions, makes a plate of the arm: 4 % stiffer than a beam
  SceneRun run("snap_arm", {"body.arm.cache=false"});
  expect_near(peak_force(run, 1.4e-3), beam_law(1.5e-3), 0.05);
}

TEST(SnapArm, PeaksAsTheBeamLawSaysWhereNothingContractsAcross) {
  // without Poisson's effect the root does not stiffen, and the coarse mesh is fine enough
  SceneRun hooked("snap_arm", {"body.arm.mesh=\"models/snap_arm_500.msh\"",
                               "material.plastic.poisson=0", "body.arm.cache=false"});
  expect_near(peak_force(hooked, 1.4e-3), beam_law(1.5e-3), 0.015);

  // on the neutral axis; the crest of that arm is its highest point, where the edge stops
  SceneRun centred("snap_arm", {"body.arm.mesh=\"models/snap_arm_centred_500.msh\"",
                                "body.edge.position=[0.0207, 0.001, -0.00475]",
                                "material.plastic.poisson=0", "body.arm.cache=false"});
  expect_near(peak_force(centred, 1.2e-3), beam_law(0.0), 0.015);
}

TEST(SnapArm, SnapsBehindTheCrestAndLetsGo) {
  SceneRun run("snap_arm", {"body.arm.cache=false"});
  double lowest = 0.0;
  while (run.state.time_s < run.scene.simulation.duration - 1e-9) {
    run.advance();
    lowest = std::min(lowest, force_on_edge(run).mating);
  }
  // on its way down the arm pushes the edge home, and is straight again
  EXPECT_LT(lowest, -0.5);
  EXPECT_EQ(run.force_on("edge"), Vec3(Vec3::Zero()));
  EXPECT_LT(run.state.bodies[uz(run.body("arm"))].deformation.u.all().cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace stickslip
