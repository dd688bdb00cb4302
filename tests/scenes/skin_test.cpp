#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/simulation/state_numbers.hpp"
#include "stickslip/studies/snap_fit.hpp"
#include "tests/scenes/scene_run.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

using Overrides = std::vector<std::string>;

Overrides curved(const std::string& body, double chord, Overrides before = {}) {
  before.push_back("body." + body + ".skin=\"curved\"");
  before.push_back("body." + body + ".skin_chord=" + std::to_string(1e6 * chord) + "e-6");
  return before;
}

struct Insertion {
  SnapFit fit;
  double jump_N = 0.0;  ///< of the force within a step or 0.05 mm, until the clip is open widest
};

Insertion insert(const Overrides& overrides) {
  Scene scene = read_scene(testing_support::shelf / "snap_in.toml", overrides);
  steady_hands(scene);
  Insertion result{run_snap_fit(scene, find_snap_mover(scene).value(), {})};
  const std::vector<SnapSample>& all = result.fit.samples;
  for (std::size_t i = 0; i < all.size() && all[i].moved_m < result.fit.snap_at_m; ++i) {
    if (all[i].loaded_contacts == 0) continue;
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (k > i + 1 && std::abs(all[k].moved_m - all[i].moved_m) > 5e-5) break;
      result.jump_N = std::max(result.jump_N, std::abs(all[k].force_N - all[i].force_N));
    }
  }
  return result;
}

TEST(SkinScene, AFinePipeUnderTheSameClipMakesTheInsertionSmoother) {
  const Insertion coarse = insert({});
  const Insertion fine = insert(curved("pipe", 2e-6));
  EXPECT_TRUE(fine.fit.snaps && fine.fit.lets_go);
  EXPECT_LT(fine.jump_N, 0.5 * coarse.jump_N);
  EXPECT_LT(fine.fit.largest_gain_J, 1e-4 * fine.fit.stored_J);
  EXPECT_LT(fine.fit.penetration_m, 1e-6);
  RecordProperty("coarse_N", std::to_string(coarse.jump_N));
  RecordProperty("fine_N", std::to_string(fine.jump_N));
}

TEST(SkinScene, FewElementsUnderFineSkinsNeedTheForcesOfTheFinestMesh) {
  // docs/snap_fit.md: 4.73 and 6.06 N with 15,729 and 39,255 nodes
  const Insertion fine =
      insert(curved("clip", 2e-6, curved("pipe", 2e-6, {"simulation.alarm_distance=1e-4"})));
  EXPECT_TRUE(fine.fit.snaps && fine.fit.lets_go);
  EXPECT_NEAR(fine.fit.peak_N, 4.73, 0.08 * 4.73);
  EXPECT_NEAR(fine.fit.retention_N, 6.06, 0.08 * 6.06);
  // single steps still gain where a vertex takes over from another
  EXPECT_LT(fine.fit.largest_gain_J, 2e-3 * fine.fit.stored_J);
  EXPECT_LT(fine.fit.penetration_m, 1e-6);
  EXPECT_EQ(fine.fit.steps_not_converged, 0);
}

TEST(SkinScene, ThatIsTheBoundaryChangesNoForce) {
  const TestFolder folder;
  const auto path = folder / "clip.obj";
  write_surface(path, read_surface(testing_support::shelf / "models/clip_500.msh"));
  const SnapFit plain = insert({}).fit;
  const SnapFit skinned = insert({"body.clip.skin=\"" + path.string() + "\""}).fit;
  // between its nodes a skin bends as the elements do, and not as their facets
  EXPECT_NEAR(skinned.peak_N, plain.peak_N, 0.01 * plain.peak_N);
  EXPECT_NEAR(skinned.retention_N, plain.retention_N, 0.01 * plain.retention_N);
  EXPECT_NEAR(skinned.stored_J, plain.stored_J, 0.01 * plain.stored_J);
}

/// Every triangle as four.
Surface quartered(const Surface& surface) {
  Surface fine;
  fine.points = surface.points;
  std::map<std::pair<int, int>, int> middles;
  const auto middle = [&](int a, int b) {
    const auto [known, is_new] = middles.try_emplace(std::minmax(a, b), fine.point_count());
    if (is_new) fine.points.push_back(0.5 * (surface.points[uz(a)] + surface.points[uz(b)]));
    return known->second;
  };
  for (const auto& [a, b, c] : surface.triangles) {
    const int ab = middle(a, b);
    const int bc = middle(b, c);
    const int ca = middle(c, a);
    for (const auto& t : {std::array{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}) {
      fine.triangles.push_back(t);
    }
  }
  return fine;
}

TEST(SkinScene, PressesAsHertzSays) {
  const TestFolder folder;
  const auto path = folder / "skin.obj";
  write_surface(path,
                quartered(read_surface(testing_support::shelf / "models/hertz_block_7000.msh")));
  SceneRun run("hertz", {"body.block.cache=false", "body.block.skin=\"" + path.string() + "\""});
  constexpr double young = 1e6;
  constexpr double poisson = 0.3;
  const auto hertz = [](double d) {
    return 4.0 / 3.0 * young / (1.0 - poisson * poisson) * std::sqrt(20e-3) * std::pow(d, 1.5);
  };
  const double share =
      (1.0 + poisson) * (3.0 - 2.0 * poisson) / (2.0 * 3.14159265358979 * young * 60e-3);
  for (int k = 1; k <= 10; ++k) {
    ASSERT_TRUE(run.advance().is_converged) << k;
    if (k < 5) continue;
    const double d = 5e-6 * k;
    double approach = d;
    for (int i = 0; i < 50; ++i) approach = d + hertz(approach) * share;
    EXPECT_NEAR(run.force_on("cap").z(), hertz(approach), 0.02 * hertz(approach)) << d;
  }
}

TEST(SkinScene, AllocatesNothingFromTheFirstStepOnAndGoesOnFromItsNumbers) {
  // finer than the elements, and a little off them
  const TestFolder folder;
  Surface skin = extract_surface(make_box({0.05, 0.05, 0.03}, {9, 9, 5}, ElementType::tet4));
  for (Vec3& p : skin.points) p = 1.01 * (p - Vec3(0.025, 0.025, 0.015)) + Vec3(0, 0, 0.015);
  write_surface(folder / "skin.obj", skin);
  SceneRun run("soft_press", {"body.pad.element=\"tet10\"", "body.pad.cache=false",
                              "body.pad.skin=\"" + (folder / "skin.obj").string() + "\""});
  const std::size_t before = testing_support::allocation_count();
  for (int k = 0; k < 100; ++k) step(run.scene, run.state, run.data);
  if (testing_support::counts_allocations()) {
    EXPECT_EQ(testing_support::allocation_count(), before);
  }
  EXPECT_GT(run.force_on("pad").z(), 0.1);
  std::vector<double> numbers;
  write_numbers(run.state, numbers);
  State again = initial_state(run.scene);
  ASSERT_TRUE(read_numbers(numbers, run.scene, again));
  StepData data(run.scene);
  for (int k = 0; k < 40; ++k) {
    step(run.scene, run.state, run.data);
    step(run.scene, again, data);
  }
  std::vector<double> one;
  std::vector<double> two;
  write_numbers(run.state, one);
  write_numbers(again, two);
  EXPECT_EQ(hash_of(one), hash_of(two));
}

/// A vibrating bar thrown against a wall; how fast it leaves, and what it gained in a step.
struct Bounce {
  double speed, gain, penetration;
};
Bounce bounce(const Overrides& overrides) {
  const TestFolder folder;
  Surface skin = extract_surface(make_box({0.02, 0.02, 0.1}, {3, 3, 8}, ElementType::tet4));
  for (Vec3& p : skin.points) p = 1.003 * (p - Vec3(0.01, 0.01, 0.05)) + Vec3(0, 0, 0.05);
  write_surface(folder / "skin.obj", skin);
  const Scene scene = read_scene(folder.write("bounce.toml", R"(
[simulation]
dt = 5e-5
gravity = [0, 0, 0]
alarm_distance = 2e-4
[material.rubber]
young = 1e6
poisson = 0.3
density = 1000
[contact]
friction = 0.3
[[body]]
name = "wall"
kind = "fixed"
shape = "box"
size = [0.2, 0.2, 0.02]
position = [0, 0, -0.02]
[[body]]
name = "bar"
kind = "corotational"
shape = "box"
size = [0.02, 0.02, 0.1]
cells = [2, 2, 10]
element = "tet10"
material = "rubber"
dynamic = true
integration = "trapezoidal"
position = [0, 0, 0.0005]
rotation = { axis = [1, 0.3, 0], angle_deg = 0.2 }
velocity = [0.1, 0, -1.0]
cache = false
)"),
                                 overrides);
  State state = initial_state(scene);
  StepData data(scene);
  RunSummary summary(scene, state, data);
  for (int k = 0; k < 400; ++k) summary.add(step(scene, state, data));
  return {state.bodies[1].frame.velocity.z(), summary.energy().largest_unexplained_gain,
          summary.penetration_max()};
}

TEST(SkinScene, ABarLeavesAWallAsFastOnASkinOffItsElements) {
  for (const char* rule :
       {"body.bar.integration=\"trapezoidal\"", "body.bar.integration=\"euler\""}) {
    const Bounce plain = bounce({rule});
    const Bounce skinned = bounce({rule, "body.bar.skin=\"skin.obj\""});
    EXPECT_GT(plain.speed, 0.8);
    // it is touched at other places of its end
    EXPECT_NEAR(skinned.speed, plain.speed, 1e-2 * plain.speed) << rule;
    EXPECT_LT(skinned.gain, 1e-15) << rule;
    EXPECT_LT(skinned.penetration, 1e-8) << rule;
  }
}

}  // namespace
}  // namespace stickslip
