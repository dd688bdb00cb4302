#include "apps/viewer/stage.hpp"

#include <gtest/gtest.h>

#include "places.hpp"
#include "stickslip/error.hpp"
#include "tests/support/pressing_bridge.hpp"

namespace stickslip::viewer {
namespace {

const RunEvents nobody_listens = {[](const StepReport&) {},
                                  [](std::span<const TickRecord>, const TickTimes&) {}};

void make_steps(Stage& stage, int count) {
  for (int k = 0; k < count; ++k) stage.step(nobody_listens);
}

// the operator of the scene holds the clip from the first step on
class TakenStage : public testing::Test {
 protected:
  Stage stage{STICKSLIP_SOURCE_DIR "/scenes/snap_in.toml", {}, {}};
};

TEST_F(TakenStage, AGrabBeforeTheFirstStepHoldsOn) {
  stage.grab(0);
  make_steps(stage, 30);
  EXPECT_TRUE(stage.is_taken(0));
  EXPECT_EQ(stage.state().hands[0].body, 1);
}

TEST_F(TakenStage, AReleaseBeforeTheFirstStepLetsGo) {
  stage.grab(0);
  stage.release(0);
  make_steps(stage, 30);
  EXPECT_EQ(stage.state().hands[0].body, -1);
  stage.grab(0);
  make_steps(stage, 30);
  EXPECT_EQ(stage.state().hands[0].body, 1);
}

TEST(FeltStage, RunsByTheClockOrNotAtAll) {
  const std::uint16_t port = testing_support::free_port();
  testing_support::PressingBridge bridge(port);
  Stage stage(STICKSLIP_SOURCE_DIR "/scenes/snap_in.toml",
              {"hand.right.device=\"bridge:" + std::to_string(port) + "\""}, {});
  const std::atomic<bool> never = false;
  EXPECT_THROW(stage.step(nobody_listens), InputError);
  EXPECT_THROW(stage.run(0.5, never, nobody_listens), InputError);
  for (const auto& heard : bridge.heard()) EXPECT_TRUE(heard.wrench.isZero(0.0));

  // at full speed it does
  std::atomic<bool> stop = false;
  stage.run(1.0, stop,
            {[&](const StepReport&) { stop = stage.steps() >= 20; }, nobody_listens.after_tick});
  EXPECT_EQ(stage.steps(), 20);
}

TEST(FeltStage, GainsThatWereChosenForALinkStayWhenSomethingElseIsSet) {
  const std::uint16_t port = testing_support::free_port();
  testing_support::PressingBridge bridge(port);
  Stage stage(STICKSLIP_SOURCE_DIR "/scenes/snap_in.toml",
              {"hand.right.device=\"bridge:" + std::to_string(port) + "\""}, {});
  const CouplingGains chosen = stage.scene().hands[0].gains;
  // the delay of the link is damped as well
  EXPECT_GT(chosen.damping, 1.01e-3 * chosen.stiffness);
  SceneDescription other = stage.description();
  stage.adopt(other, stage.overrides());
  EXPECT_EQ(stage.scene().hands[0].gains.damping, chosen.damping);
  EXPECT_EQ(stage.scene().hands[0].gains.rotational_damping, chosen.rotational_damping);

  other.hands[0].hand.gains.stiffness = 0.5 * chosen.stiffness;
  stage.adopt(other, stage.overrides());
  EXPECT_EQ(stage.scene().hands[0].gains.stiffness, 0.5 * chosen.stiffness);
  EXPECT_NEAR(stage.scene().hands[0].gains.damping, 0.5 * chosen.damping, 1e-12);
}

}  // namespace
}  // namespace stickslip::viewer
