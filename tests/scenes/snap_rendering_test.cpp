#include <gtest/gtest.h>

#include "places.hpp"
#include "stickslip/haptics/loop/tool_rendering.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/hands.hpp"

namespace stickslip {
namespace {

// on curved surfaces, between which gaps are not those of the meshes
TEST(SnapRendering, LeavesTheClipWhereItsStepDid) {
  Scene scene = read_scene(STICKSLIP_SOURCE_DIR "/scenes/snap_in.toml", {"contact.friction=0"});
  Hand& hand = scene.hands.front();
  hand.gains = {2000.0, 2.0, 2.0, 0.002};
  State state = initial_state(scene);
  StepData data(scene);
  PublishedStep published = make_published_step(scene);
  std::vector<Pose> grips(1);
  double largest_bend = 0.0;
  int compared = 0;
  while (state.time_s < 3.0) {
    const Pose here = hand.map.to_world(hand.intention.pose(state.time_s));
    data.hand_inputs.front() = {.pose = here, .wants_hold = true};
    step(scene, state, data);
    for (std::size_t c = 0; c < data.contacts.size(); ++c) {
      if (data.f[static_cast<int>(3 * c)] == 0.0) continue;
      largest_bend = std::max(largest_bend, std::abs(data.contacts[c].where.bend));
    }
    if (++compared % 20 != 0) continue;
    publish_step(scene, state, data, 0.0, published);
    ToolRendering rendering({.tick = 1e-9, .tolerance = 1e-9}, 1, scene.simulation.contact_budget);
    rendering.take(published);
    rendering.render(published, 0.0, std::vector<Pose>{here}, grips);
    const HandState& holding = state.hands.front();
    const Pose left = grip_pose(state.bodies[uz(holding.body)].frame, holding.grip);
    EXPECT_LT((grips[0].position - left.position).norm(), 1e-6) << "at " << state.time_s << " s";
  }
  EXPECT_GT(largest_bend, 1e-5) << "the scene has no bent contacts: nothing was shown";
}

}  // namespace
}  // namespace stickslip
