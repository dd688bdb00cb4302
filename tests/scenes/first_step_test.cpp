#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/scenes/scene_run.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

/// Where a clip jumps, a pass looks at bodies that are deep in each other: lists of what is near
/// still grow in a first run.
bool still_grows(const std::string& scene) {
  return scene.starts_with("snap_in");
}

std::vector<std::string> shelf_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(testing_support::shelf)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".toml" && !still_grows(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

class FirstStep : public testing::TestWithParam<std::string> {};

TEST_P(FirstStep, AndAllThatFollowAllocateNothing) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  const Scene scene = read_scene(testing_support::shelf / (GetParam() + ".toml"));
  State state = initial_state(scene);
  StepData data(scene);
  const int steps =
      static_cast<int>(std::min(2.0, scene.simulation.duration) / scene.simulation.dt);
  for (int k = 0; k < steps; ++k) {
    for (std::size_t h = 0; h < scene.hands.size(); ++h) {
      const Hand& hand = scene.hands[h];
      data.hand_inputs[h] = {.pose = hand.map.to_world(hand.intention.pose(state.time_s)),
                             .wants_hold = true};
    }
    const std::size_t before = testing_support::allocation_count();
    step(scene, state, data);
    ASSERT_EQ(testing_support::allocation_count() - before, 0U) << "step " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, FirstStep, testing::ValuesIn(shelf_scenes()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stickslip
