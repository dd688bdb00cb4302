#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "places.hpp"
#include "stickslip/devices/hand_setup.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/haptic_session.hpp"
#include "stickslip/studies/snap_fit.hpp"

namespace stickslip {
namespace {

/// The snap-in in the hand of its operator, who lets go by the button at a moment.
class ReleasedClip {
 public:
  ReleasedClip(double mu, double release_s)
      : scene_(read_scene(STICKSLIP_SOURCE_DIR "/scenes/snap_in.toml",
                          {fmt::format("contact.friction={}", mu),
                           fmt::format("hand.right.release_at={}", release_s)})),
        mover_(find_snap_mover(scene_).value()),
        hands_(prepare_hands(scene_, LoopOptions{}.tick, LoopOptions{}.rendering.mode)),
        state_(initial_state(scene_)),
        data_(scene_),
        gauge_(mover_, state_),
        session_(scene_, state_, data_, {hands_.front().setup}, {}),
        turns_(session_) {}

  /// Until a moment; what the last step told.
  SnapSample run(double until_s) {
    SnapSample last;
    while (turns_.time_s() < until_s) {
      turns_.tick();
      if (turns_.step_report() != nullptr) last = gauge_.measure(state_, data_);
    }
    return last;
  }

  bool is_held() const { return state_.hands.front().body >= 0; }
  double velocity_in() const {
    return mover_.axis.dot(state_.bodies[uz(mover_.body)].frame.velocity);
  }

 private:
  Scene scene_;
  SnapMover mover_;
  std::vector<ReadyHand> hands_;
  State state_;
  StepData data_;
  SnapGauge gauge_;
  HapticSession session_;
  TurnTaking turns_;
};

class ReleaseInThePush : public testing::TestWithParam<double> {};

TEST_P(ReleaseInThePush, TheClipSpringsBack) {
  constexpr double release_s = 1.7;
  ReleasedClip clip(GetParam(), release_s);
  const SnapSample pushed = clip.run(release_s);
  ASSERT_TRUE(clip.is_held());
  ASSERT_GT(pushed.force_N, 2.0);
  const SnapSample after = clip.run(release_s + 0.2);
  EXPECT_FALSE(clip.is_held());
  EXPECT_EQ(after.loaded_contacts, 0);
  EXPECT_LT(clip.velocity_in(), -0.2);
  EXPECT_LT(after.moved_m, pushed.moved_m - 0.03);
  // what it has now is motion, paid by what its branches had stored
  EXPECT_NEAR(after.stored_J, 0.5 * 0.015 * std::pow(clip.velocity_in(), 2), 0.05 * after.stored_J);
  EXPECT_LT(after.stored_J, pushed.stored_J);
}

INSTANTIATE_TEST_SUITE_P(Friction, ReleaseInThePush, testing::Values(0.0, 0.2),
                         [](const auto& info) { return fmt::format("{:.0f}", 10 * info.param); });

TEST(ReleaseNearTheWidestOpening, FrictionHoldsTheClipThere) {
  // the throat slopes by less than the angle of friction
  constexpr double release_s = 1.8;
  ReleasedClip clip(0.2, release_s);
  clip.run(release_s);
  const SnapSample soon = clip.run(release_s + 0.1);
  const SnapSample later = clip.run(release_s + 0.4);
  EXPECT_FALSE(clip.is_held());
  EXPECT_GT(later.loaded_contacts, 0);
  EXPECT_NEAR(later.moved_m, soon.moved_m, 1e-8);
  EXPECT_NEAR(later.stored_J, soon.stored_J, 1e-4 * soon.stored_J);
}

}  // namespace
}  // namespace stickslip
