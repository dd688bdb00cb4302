#include "stickslip/haptics/models/scene_time.hpp"

#include <gtest/gtest.h>

#include "stickslip/haptics/models/simulated_device.hpp"

namespace stickslip {
namespace {

constexpr double dt = 3e-3;
constexpr double tick = 1e-3;
constexpr double leeway = 2.0 * dt + 2e-3;

/// A clamped hand that goes at 0.1 m/s for ten seconds, and presses a button after one.
SimulatedDevice walking_device() {
  Intention intention(Pose{});
  intention.ramp_to({Vec3(1.0, 0.0, 0.0), Quat::Identity()}, 10.0).press(1, 1.0, 20.0);
  return {find_device_model("ideal"), Operator{*find_hand_model("clamped"), intention}};
}

void make_ticks(SimulatedDevice& device, int count) {
  for (int k = 0; k < count; ++k) device.write(Vec6::Zero());
}

TEST(SceneTime, PaceIsExactlyOneNearTheSceneAndEndsWhereItIsFarBehind) {
  SceneTime scene(dt);
  scene.tell(1.0);
  for (const double ahead : {-0.99, -0.5, 0.0, 0.5, 0.99}) {
    EXPECT_EQ(scene.pace(1.0 + ahead * leeway), 1.0);
  }
  EXPECT_NEAR(scene.pace(1.0 + 1.5 * leeway), 0.5, 1e-12);
  EXPECT_EQ(scene.pace(1.0 + 2.1 * leeway), 0.0);
  EXPECT_NEAR(scene.pace(1.0 - 1.2 * leeway), 1.2, 1e-12);
  EXPECT_EQ(scene.pace(1.0 - 5.0 * leeway), 1.25);
}

TEST(SceneTime, AnOperatorOfASceneThatKeepsUpActsToTheBitAsByTicks) {
  SceneTime scene(dt);
  SimulatedDevice following = walking_device();
  SimulatedDevice ticking = walking_device();
  following.follow(&scene);
  for (int k = 0; k < 3000; ++k) {
    if (k % 3 == 0) scene.tell(static_cast<double>(k / 3 + 1) * dt);
    make_ticks(following, 1);
    make_ticks(ticking, 1);
    ASSERT_EQ(following.truth().pose.position, ticking.truth().pose.position) << k;
  }
}

TEST(SceneTime, AnOperatorIsAsLateAsHisSceneAndItsTicksAreNot) {
  SceneTime scene(dt);
  SimulatedDevice device = walking_device();
  device.follow(&scene);
  double largest_step = 0.0;
  for (int k = 0; k < 4000; ++k) {
    // steps take five thirds of what they last
    if (k % 5 == 0) scene.tell(static_cast<double>(k / 5 + 1) * dt);
    const double before = device.truth().pose.position.x();
    make_ticks(device, 1);
    largest_step = std::max(largest_step, device.truth().pose.position.x() - before);
    ASSERT_LT(device.operator_time_s() - scene.time_s(), 2.0 * leeway);
  }
  EXPECT_NEAR(device.truth().time_s, 4.0, 1e-9);
  EXPECT_NEAR(device.operator_time_s(), scene.time_s(), 2.0 * leeway);
  EXPECT_NEAR(device.truth().pose.position.x(), 0.1 * device.operator_time_s(), 1e-9);
  // nobody hurries
  EXPECT_LT(largest_step, 0.1 * tick * (1.0 + 1e-9));
}

TEST(SceneTime, AnOperatorWaitsForASceneThatStandsStillAndCatchesUpWithOneThatWentOn) {
  SceneTime scene(dt);
  SimulatedDevice device = walking_device();
  device.follow(&scene);
  scene.tell(0.9);
  make_ticks(device, 3000);
  EXPECT_NEAR(device.operator_time_s(), 0.9 + 2.0 * leeway, 1e-3);
  DeviceReading reading;
  device.read(reading);
  EXPECT_EQ(reading.buttons, 0U);

  // as if half a second of ticks had been missed
  for (int k = 1; k <= 4000; ++k) {
    scene.tell(1.4 + 1e-3 * k);
    make_ticks(device, 1);
  }
  EXPECT_NEAR(device.operator_time_s(), 5.4, 2.0 * leeway);
  device.read(reading);
  EXPECT_EQ(reading.buttons, 1U);

  // by ticks again
  device.follow(nullptr);
  const double left = device.operator_time_s();
  make_ticks(device, 1000);
  EXPECT_NEAR(device.operator_time_s(), left + 1.0, 1e-9);
}

}  // namespace
}  // namespace stickslip
