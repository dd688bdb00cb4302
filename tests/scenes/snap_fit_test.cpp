#include "stickslip/studies/snap_fit.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <string>

#include "places.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/mesh/child_process.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

const std::filesystem::path shelf = STICKSLIP_SOURCE_DIR "/scenes";
constexpr double degree = std::numbers::pi / 180.0;

struct Start {
  const char* name;
  Vec3 offset;
  Vec3 tilt;
};
const std::array<Start, 5> starts = {{{"Aligned", {0, 0, 0}, {0, 0, 0}},
                                      {"BesideX", {2e-3, 0, 0}, {0, 0, 0}},
                                      {"BesideZ", {0, 0, 2e-3}, {0, 0, 0}},
                                      {"TiltedX", {0, 0, 0}, {5 * degree, 0, 0}},
                                      {"TiltedZ", {0, 0, 0}, {0, 0, 5 * degree}}}};

SnapFit snap(const std::string& scene_name, double mu, double dt, const Start& start,
             const SnapFitOptions& options = {}, const std::string& more = "simulation.passes=6") {
  Scene scene = read_scene(
      shelf / (scene_name + ".toml"),
      {fmt::format("contact.friction={}", mu), fmt::format("simulation.dt={}", dt), more});
  steady_hands(scene);
  const SnapMover mover = find_snap_mover(scene).value();
  misalign(scene, mover, start.offset, start.tilt);
  return run_snap_fit(scene, mover, options);
}

struct Case {
  const char* scene;
  double mu;
  double dt;
  int start;
};

class SnapIn : public testing::TestWithParam<Case> {};

TEST_P(SnapIn, GoesInAndOutWithoutOverlapAndGain) {
  const Case& test = GetParam();
  const SnapFit fit = snap(test.scene, test.mu, test.dt, starts[uz(test.start)]);
  EXPECT_TRUE(fit.snaps);
  EXPECT_TRUE(fit.lets_go);
  EXPECT_LE(fit.steps_not_converged, 1);
  EXPECT_LE(fit.penetration_m, 1e-5);
  EXPECT_LE(fit.penetration_in_snap_m, 1e-4);
  EXPECT_GT(fit.lost_J, 0.0);
  EXPECT_LT(fit.largest_gain_J, 0.02 * fit.stored_J);
  RecordProperty("gain_J", fmt::format("{:.1e}", fit.largest_gain_J));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* scene : {"snap_in", "snap_in_soft_pipe"}) {
    for (const double mu : {0.0, 0.2, 0.8}) {
      for (const double dt : {0.003, 0.005}) all.push_back({scene, mu, dt, 0});
    }
    for (int start = 1; start < 5; ++start)
      all.push_back({scene, start < 3 ? 0.8 : 0.2, 0.003, start});
  }
  // seated without friction nothing but its bent surfaces holds the clip
  all.push_back({"snap_in", 0.0, 0.003, 1});
  all.push_back({"snap_in_soft_pipe", 0.0, 0.003, 3});
  all.push_back({"snap_in_double", 0.0, 0.003, 0});
  all.push_back({"snap_in_double", 0.2, 0.003, 3});
  all.push_back({"snap_in_double", 0.8, 0.003, 0});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scenes, SnapIn, testing::ValuesIn(cases()), [](const auto& info) {
  return fmt::format("{}_{:.0f}_{:.0f}ms_{}", info.param.scene, 10 * info.param.mu,
                     1e3 * info.param.dt, starts[uz(info.param.start)].name);
});

TEST(SnapFit, ADoubleClipTakesTwiceTheForceOfOne) {
  const SnapFit one = snap("snap_in_soft_pipe", 0.2, 3e-3, starts[0]);
  const SnapFit two = snap("snap_in_double", 0.2, 3e-3, starts[0]);
  EXPECT_NEAR(two.peak_N, 2.0 * one.peak_N, 0.05 * two.peak_N);
  EXPECT_NEAR(two.retention_N, 2.0 * one.retention_N, 0.05 * two.retention_N);
  EXPECT_NEAR(two.stored_J, 2.0 * one.stored_J, 0.1 * two.stored_J);
}

TEST(SnapFit, ForcesDoNotDependOnTheTimeStep) {
  for (const double mu : {0.0, 0.2, 0.8}) {
    const SnapFit fine = snap("snap_in", mu, 1e-3, starts[0]);
    const SnapFit usual = snap("snap_in", mu, 3e-3, starts[0]);
    EXPECT_NEAR(usual.peak_N, fine.peak_N, 0.05 * fine.peak_N) << mu;
    EXPECT_NEAR(usual.retention_N, fine.retention_N, 0.05 * fine.retention_N) << mu;
  }
}

TEST(SnapFit, LookingAlongTheWayChangesNoPeak) {
  for (const double mu : {0.0, 0.2, 0.8}) {
    const SnapFit plain = snap("snap_in", mu, 3e-3, starts[0], {}, "simulation.fast_motion=false");
    const SnapFit looks = snap("snap_in", mu, 3e-3, starts[0], {}, "simulation.fast_motion=true");
    EXPECT_NEAR(looks.peak_N, plain.peak_N, 0.01 * plain.peak_N) << mu;
  }
}

TEST(SnapFit, AFinerClipOnAFinerPipeNeitherOverlapsNorGains) {
  if (std::getenv("STICKSLIP_LONG") == nullptr) GTEST_SKIP() << "./check --long runs it";
  const TestFolder folder;
  for (const char* model : {"clip", "pipe"}) {
    const ChildResult made = run_program(
        {"python3", shelf / "models" / "generate", model, "2000", "--out", folder.path()},
        [](std::string_view) {}, [] {});
    ASSERT_TRUE(made.started && made.exit_code == 0) << model;
  }
  for (const double mu : {0.0, 0.2, 0.8}) {
    Scene scene =
        read_scene(shelf / "snap_in.toml",
                   {fmt::format("contact.friction={}", mu),
                    fmt::format("body.clip.mesh=\"{}\"", (folder / "clip_2000.msh").string()),
                    fmt::format("body.pipe.mesh=\"{}\"", (folder / "pipe_2000.msh").string())});
    steady_hands(scene);
    const SnapFit fit = run_snap_fit(scene, find_snap_mover(scene).value(), {});
    EXPECT_LE(fit.penetration_m, 1e-5) << mu;
    EXPECT_LE(fit.penetration_in_snap_m, 1e-5) << mu;
    EXPECT_LT(fit.largest_gain_J, 5e-3 * fit.stored_J) << mu;
  }
}

TEST(SnapFit, ForcesAreThoseOfASlowHand) {
  // a tenth of the way in each step, forces to the last digits
  SnapFitOptions slow;
  slow.speed = 2e-3;
  const SnapFit quick = snap("snap_in", 0.2, 3e-3, starts[0]);
  const SnapFit still = snap("snap_in", 0.2, 3e-3, starts[0], slow, "simulation.tolerance=1e-12");
  EXPECT_NEAR(quick.peak_N, still.peak_N, 0.05 * still.peak_N);
  EXPECT_NEAR(quick.retention_N, still.retention_N, 0.05 * still.retention_N);
}

TEST(SnapFit, TheClipDrawsItselfInWithoutFriction) {
  const SnapFit fit = snap("snap_in", 0.0, 3e-3, starts[0]);
  EXPECT_GT(fit.peak_N, 2.0);
  EXPECT_GT(fit.pull_in_N, 2.0);
  EXPECT_GT(fit.retention_N, 2.0);
  EXPECT_LT(fit.peak_at_m, fit.snap_at_m);
  EXPECT_GT(fit.retention_at_m, fit.release_at_m);
  // what was stored on the way in is what the hand did
  EXPECT_NEAR(fit.work_J, fit.stored_J, 0.1 * fit.stored_J);
  EXPECT_EQ(fit.friction_J, 0.0);
}

TEST(SnapFit, FrictionHoldsAgainstBothWays) {
  const SnapFit little = snap("snap_in", 0.2, 3e-3, starts[0]);
  const SnapFit much = snap("snap_in", 0.8, 3e-3, starts[0]);
  EXPECT_GT(much.peak_N, 2.0 * little.peak_N);
  EXPECT_GT(much.retention_N, 2.0 * little.retention_N);
  EXPECT_GT(much.friction_J, 2.0 * little.friction_J);
  EXPECT_LT(much.snap_duration_s, little.snap_duration_s);
}

TEST(SnapFit, TheSnapArmNeedsTheForceOfItsBeam) {
  // P = 2.91 N and W = 3.33 N of a beam whose contact is 1.5 mm beside its axis
  Scene scene = read_scene(shelf / "snap_arm.toml");
  const SnapMover mover = find_snap_mover(scene).value();
  EXPECT_EQ(mover.drive, 0);
  EXPECT_NEAR(mover.travel, 3e-3, 1e-9);
  SnapFitOptions options;
  options.speed = 2.5e-3;
  const SnapFit fit = run_snap_fit(scene, mover, options);
  EXPECT_TRUE(fit.snaps);
  EXPECT_NEAR(fit.peak_N, 3.33, 0.05 * 3.33);
}

TEST(SnapFit, APartThatIsNotPushedFarEnoughDoesNotSnap) {
  Scene scene = read_scene(shelf / "snap_in.toml");
  steady_hands(scene);
  SnapMover mover = find_snap_mover(scene).value();
  mover.travel = 0.022;
  const SnapFit fit = run_snap_fit(scene, mover, {});
  EXPECT_FALSE(fit.snaps);
  EXPECT_GT(fit.peak_N, 2.0);
}

}  // namespace
}  // namespace stickslip
