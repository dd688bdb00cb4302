#include "stickslip/simulation/needed_contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "places.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/studies/snap_fit.hpp"

namespace stickslip {
namespace {

const std::filesystem::path needed_shelf = STICKSLIP_SOURCE_DIR "/scenes";

/// How far apart two states of a body have its surface. [m]
double apart(const Body& body, const BodyState& a, const BodyState& b) {
  double most = 0.0;
  for (const auto& triangle : body.surface().triangles) {
    const SurfacePoint middle{triangle, {0.2, 0.3, 0.5}};
    most = std::max(most, (body.position(a, middle) - body.position(b, middle)).norm());
  }
  return most;
}

class NeededContacts : public testing::TestWithParam<std::string> {};

TEST_P(NeededContacts, MoveTheBodiesAsAllContactsDo) {
  const Scene scene = read_scene(needed_shelf / (GetParam() + ".toml"));
  Scene whole = scene;
  whole.simulation.all_contacts = true;
  State state = initial_state(scene);
  StepData data(scene);
  StepData whole_data(whole);
  std::size_t found = 0;
  std::size_t taken = 0;
  for (int k = 0; k < 400; ++k) {
    State same = state;
    const StepReport report = step(scene, state, data);
    const StepReport whole_report = step(whole, same, whole_data);
    ASSERT_EQ(report.contacts, whole_report.contacts);
    if (!report.is_converged || !whole_report.is_converged) continue;
    found += data.contacts.size();
    taken += data.groups.contact_count();
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      ASSERT_LT(apart(scene.bodies[b].body, state.bodies[b], same.bodies[b]),
                1e-4 * scene.simulation.alarm_distance)
          << scene.bodies[b].name << ", step " << k;
    }
  }
  EXPECT_LT(taken, found);
}

INSTANTIATE_TEST_SUITE_P(Scenes, NeededContacts,
                         testing::Values("press_and_slide", "soft_press", "snap_arm", "grasp",
                                         "brick_stack", "table", "hyperstatic_table"));

TEST(NeededContactsOfASnapIn, GiveWhatAllContactsGive) {
  SnapFit fits[2];
  for (const bool all : {false, true}) {
    Scene scene = read_scene(needed_shelf / "snap_in.toml");
    scene.simulation.all_contacts = all;
    steady_hands(scene);
    fits[all ? 1 : 0] = run_snap_fit(scene, find_snap_mover(scene).value(), {});
  }
  EXPECT_NEAR(fits[0].peak_N, fits[1].peak_N, 1e-3 * fits[1].peak_N);
  EXPECT_NEAR(fits[0].retention_N, fits[1].retention_N, 1e-3 * fits[1].retention_N);
  EXPECT_NEAR(fits[0].lost_J, fits[1].lost_J, 1e-2 * fits[1].lost_J);
  EXPECT_LT(fits[0].penetration_m, 1e-6);
}

}  // namespace
}  // namespace stickslip
