#include "stickslip/simulation/hands.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/haptics/loop/tool_rendering.hpp"
#include "tests/support/held_tool.hpp"

namespace stickslip {
namespace {

using testing_support::at;
using testing_support::step_with_hand;
using testing_support::tool_gains;
using testing_support::tool_scene;

TEST(Hands, TakingHoldBeginsWithoutAForce) {
  const Scene scene = tool_scene(1e-3, 0.05, 0.5);
  State state = initial_state(scene);
  StepData data(scene);
  const Pose pose{{0.3, -0.1, 0.2}, Quat(Eigen::AngleAxisd(1.0, Vec3(1.0, 2.0, 3.0).normalized()))};
  for (int k = 0; k < 10; ++k) {
    EXPECT_LT(step_with_hand(scene, state, data, pose).norm(), 1e-12);
  }
  EXPECT_LT((state.bodies[1].frame.position - Vec3(0.0, 0.0, 0.06)).norm(), 1e-12);
}

TEST(Hands, TheWrenchOnTheHandIsTheOneThatMovesTheBody) {
  const Scene scene = tool_scene(3e-3, 0.05, 0.5);
  State state = initial_state(scene);
  StepData data(scene);
  step_with_hand(scene, state, data, at(0.0, 0.0, 0.06));
  for (int k = 1; k <= 20; ++k) {
    const Vec3 before = state.bodies[1].frame.velocity;
    const Vec6 wrench = step_with_hand(scene, state, data, at(1e-3 * k, 0.0, 0.06 + 5e-4 * k));
    const Vec3 acceleration = (state.bodies[1].frame.velocity - before) / scene.simulation.dt;
    EXPECT_LT((0.015 * acceleration + wrench.head<3>()).norm(), 1e-9);
  }
}

TEST(Hands, AStiffCouplingIsStableAtThreeMilliseconds) {
  Scene scene = tool_scene(3e-3, 0.05, 0.5);
  scene.hands[0].gains = {1e6, 0.0, 1e3, 0.0};
  State state = initial_state(scene);
  StepData data(scene);
  step_with_hand(scene, state, data, at(0.0, 0.0, 0.06));
  for (int k = 0; k < 200; ++k) step_with_hand(scene, state, data, at(0.01, 0.0, 0.06));
  EXPECT_LT((state.bodies[1].frame.position - Vec3(0.01, 0.0, 0.06)).norm(), 1e-9);
  EXPECT_LT(data.hand_wrenches[0].norm(), 1e-3);
}

TEST(Hands, TheClutchMovesTheHandAlone) {
  const Scene scene = tool_scene(1e-3, 0.05, 0.5);
  State state = initial_state(scene);
  StepData data(scene);
  step_with_hand(scene, state, data, at(0.0, 0.0, 0.06));
  for (int k = 0; k < 100; ++k) {
    data.hand_inputs[0] = {
        .pose = at(1e-3 * k, 0.0, 0.06), .wants_hold = true, .is_clutched = true};
    step(scene, state, data);
    EXPECT_LT(data.hand_wrenches[0].norm(), 1e-9);
  }
  // and goes on from there
  const Vec6 wrench = step_with_hand(scene, state, data, at(0.099, 0.0, 0.06));
  EXPECT_LT(wrench.norm(), 1e-9);
  EXPECT_LT(state.bodies[1].frame.position.x(), 1e-9);
}

TEST(Hands, LettingGoLeavesTheBodyToItself) {
  const Scene scene = tool_scene(1e-3, 0.05, 0.5);
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < 50; ++k) step_with_hand(scene, state, data, at(1e-4 * k, 0.0, 0.06));
  const Vec3 velocity = state.bodies[1].frame.velocity;
  EXPECT_GT(velocity.x(), 0.01);
  data.hand_inputs[0].wants_hold = false;
  step(scene, state, data);
  EXPECT_EQ(state.hands[0].body, -1);
  EXPECT_TRUE(data.hand_wrenches[0].isZero(0.0));
  EXPECT_LT((state.bodies[1].frame.velocity - velocity).norm(), 1e-12);
}

// a displaced hand, by the published problem: the step done again with the hand there
TEST(ToolRendering, EqualsTheStepMadeAgainWithTheHandThere) {
  const Scene scene = tool_scene(3e-3, 1e-4, 0.5);
  State state = initial_state(scene);
  StepData data(scene);
  PublishedStep published = make_published_step(scene);
  // pressed down, tilted, and pushed sideways until it slides
  step_with_hand(scene, state, data, at(0.0, 0.0, 0.0101));
  for (int k = 0; k < 30; ++k) step_with_hand(scene, state, data, at(2e-5 * k, 0.0, 0.0091));
  for (const Vec3& dx : {Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, -2e-4), Vec3(1e-4, -5e-5, -1e-4),
                         Vec3(1e-3, 1e-3, -5e-4), Vec3(0.0, 0.0, 3e-3)}) {
    const Pose here = at(6e-4, 0.0, 0.0091);
    const Pose there{here.position + dx,
                     Quat(Eigen::AngleAxisd(dx.norm(), Vec3(1.0, -1.0, 0.5).normalized()))};
    State again = state;
    StepData data_again(scene);
    const Vec6 expected = step_with_hand(scene, again, data_again, there);

    State once = state;
    step_with_hand(scene, once, data, here);
    publish_step(scene, once, data, 0.0, published);
    ToolRendering rendering({.tick = 1e-9, .tolerance = 1e-10}, 1, 100);
    rendering.take(published);
    // the origin of slip is the beginning of the step, as it is for the step
    published.groups[0].u.setZero();
    rendering.take(published);
    const std::vector<Pose> hands = {there};
    std::vector<Pose> grips(1);
    rendering.render(published, 0.0, hands, grips);
    // the step takes its velocities from displacements
    const Pose target = once.hands[0].target_of(there);
    const Vec6 moved = displacement_between(state.hands[0].target, target) -
                       displacement_between(grip_pose(state.bodies[1].frame, {}), grips[0]);
    const Vec6 wrench =
        -wrench_of(tool_gains, displacement_between(grips[0], target), moved / scene.simulation.dt);
    EXPECT_LT((wrench - expected).norm(), 1e-5 * expected.norm() + 1e-6)
        << wrench.transpose() << " instead of " << expected.transpose();
  }
}

// more contacts than a tick solves for: the others go on pushing as they did in the step
TEST(ToolRendering, LeavesAToolOfManyContactsWhereItsStepDid) {
  const Scene scene = tool_scene(3e-3, 1e-4, 0.5, 1, 20);
  State state = initial_state(scene);
  StepData data(scene);
  PublishedStep published = make_published_step(scene);
  step_with_hand(scene, state, data, at(0.0, 0.0, 0.0101));
  const Pose here = at(0.0, 0.0, 0.0091);
  for (int k = 0; k < 30; ++k) step_with_hand(scene, state, data, here);
  ASSERT_GT(data.contacts.size(), uz(most_contacts_of_tick));
  publish_step(scene, state, data, 0.0, published);
  EXPECT_EQ(published.groups[0].problem.contact_count(), most_contacts_of_tick);

  ToolRendering rendering({.tick = 1e-9, .tolerance = 1e-10}, 1, 200);
  std::vector<Pose> grips(1);
  const auto render = [&](const Pose& hand) {
    rendering.take(published);
    rendering.render(published, 0.0, std::vector<Pose>{hand}, grips);
    return grips[0].position;
  };
  const Vec3 left = grip_pose(state.bodies[1].frame, {}).position;
  EXPECT_LT((render(here) - left).norm(), 1e-9);
  EXPECT_LT((render(at(0.0, 0.0, 0.0081)) - left).norm(), 1e-6) << "pressed harder";
  EXPECT_GT(render(at(0.0, 0.0, 0.0121)).z() - left.z(), 1e-3) << "lifted";
}

}  // namespace
}  // namespace stickslip
