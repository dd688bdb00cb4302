#include <gtest/gtest.h>

#include <filesystem>

#include "places.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

TEST(StepData, GivesTheSameStepWhateverItServedForBefore) {
  const std::filesystem::path path = STICKSLIP_SOURCE_DIR "/scenes/grasp.toml";
  Scene scene = read_scene(path, {"simulation.passes=3"});
  State state = initial_state(scene);
  StepData used(scene);
  for (int k = 0; k < 300; ++k) step(scene, state, used);

  // it has looked at the places where this step begins, but farther
  scene.simulation.alarm_distance *= 0.1;
  StepData fresh(scene);
  State same = state;
  const StepReport report = step(scene, state, used);
  const StepReport expected = step(scene, same, fresh);
  EXPECT_EQ(report.contacts, expected.contacts);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    EXPECT_EQ(state.bodies[b].frame.position, same.bodies[b].frame.position);
    EXPECT_EQ(state.bodies[b].deformation.u.all(), same.bodies[b].deformation.u.all());
  }
}

}  // namespace
}  // namespace stickslip
