#include "stickslip/studies/haptic_truth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stickslip {
namespace {

constexpr double rigid = std::numeric_limits<double>::infinity();

struct Softness {
  double floor;
  double tool;
};

std::string name_of(const TouchSetup& setup) {
  return "floor " + young_name(setup.floor_young) + ", tool " + young_name(setup.tool_young) +
         ", " + std::to_string(setup.ticks_per_step) + " ticks a step";
}

TEST(FeltForce, OfAStillHandIsTheContactForceWhateverTheStiffnessAndTheRate) {
  for (const Softness& soft :
       {Softness{1e4, rigid}, Softness{1e6, rigid}, Softness{1e9, rigid}, Softness{rigid, 1e4},
        Softness{rigid, 1e8}, Softness{1e5, 1e5}, Softness{rigid, rigid}}) {
    for (const int ticks_per_step : {1, 3, 10, 20}) {
      TouchSetup setup;
      setup.floor_young = soft.floor;
      setup.tool_young = soft.tool;
      setup.ticks_per_step = ticks_per_step;
      SCOPED_TRACE(name_of(setup));
      const StillTouch still = measure_still_touch(setup);
      EXPECT_GT(still.contact_force, 0.05);
      EXPECT_NEAR(still.felt_over_contact, 1.0, 1e-4);
      EXPECT_LT(still.force_error, 1e-3);
      EXPECT_LT(still.torque_error, 1e-3);
      EXPECT_LT(still.ripple, 1e-4);
      EXPECT_LT(still.torque_ripple, 1e-5);
    }
  }
}

TEST(FeltForce, AlongAMotionIsThatOfTheSceneSteppedAtEveryTick) {
  // the press and the first strokes
  RecordedMotion motion = record_touch();
  motion.resize(2200);
  for (const Softness& soft :
       {Softness{1e5, rigid}, Softness{rigid, 1e5}, Softness{1e6, 1e6}, Softness{rigid, rigid}}) {
    for (const int ticks_per_step : {1, 3, 20}) {
      TouchSetup setup;
      setup.floor_young = soft.floor;
      setup.tool_young = soft.tool;
      setup.ticks_per_step = ticks_per_step;
      SCOPED_TRACE(name_of(setup));
      const FollowedTouch followed =
          measure_followed_touch(setup, motion, stepped_wrenches(setup, motion));
      EXPECT_GT(followed.peak, 0.5);
      EXPECT_LT(followed.rms, 0.03);
      EXPECT_LT(followed.largest, 0.1);
      EXPECT_LT(followed.torque_rms, 0.03);
      EXPECT_LT(followed.torque_largest, 0.1);
    }
  }
}

TEST(FeltForce, AlongAMotionBySlowStepsWantsASecondPass) {
  // an edge goes over the vertices of a dent: one pass leaves them inside, and pushes them askew
  const RecordedMotion motion = record_touch();
  TouchSetup setup;
  setup.floor_young = 1e8;
  setup.ticks_per_step = 20;
  const std::vector<Vec6> stepped = stepped_wrenches(setup, motion);
  EXPECT_GT(measure_followed_touch(setup, motion, stepped).largest, 0.1);
  setup.passes = 2;
  const FollowedTouch followed = measure_followed_touch(setup, motion, stepped);
  EXPECT_LT(followed.rms, 0.003);
  EXPECT_LT(followed.largest, 0.03);
  EXPECT_LT(followed.torque_largest, 0.03);
}

TEST(FeltForce, OfAFastFirstContactComesWithinAStepAndDoesNotOvershoot) {
  for (const double young : {1e4, 1e6}) {
    TouchSetup setup;
    setup.floor_young = young;
    setup.ticks_per_step = 20;
    SCOPED_TRACE(name_of(setup));
    const FirstTouch first = measure_first_touch(setup, 0.5);
    EXPECT_LE(first.delay_s, 0.0215);
    EXPECT_LT(first.peak_ratio, 1.1);
  }
}

}  // namespace
}  // namespace stickslip
