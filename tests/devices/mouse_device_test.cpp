#include "stickslip/devices/mouse_device.hpp"

#include <gtest/gtest.h>

#include "stickslip/devices/device_spec.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"

namespace stickslip {
namespace {

constexpr double tick_s = 1e-3;

TEST(MouseDevice, ComesWhereItIsLedWithoutAJump) {
  MouseDevice mouse(Pose{}, tick_s);
  mouse.take();
  DeviceReading before;
  ASSERT_TRUE(mouse.read(before));
  EXPECT_EQ(before.position, Vec3::Zero());
  const Pose wanted{{0.1, -0.05, 0.2}, rotation_exp(Vec3(0.5, 0.0, 0.3))};
  mouse.lead(wanted);
  DeviceReading reading;
  for (int tick = 0; tick < 600; ++tick) {
    ASSERT_TRUE(mouse.read(reading));
    EXPECT_LE((reading.position - before.position).norm(), 1.0001 * tick_s);
    EXPECT_LE(turn_between(before.orientation, reading.orientation).norm(), 8.0001 * tick_s);
    EXPECT_NEAR((reading.velocity * tick_s - (reading.position - before.position)).norm(), 0.0,
                1e-12);
    EXPECT_GT(reading.sequence, before.sequence);
    before = reading;
  }
  EXPECT_NEAR((reading.position - wanted.position).norm(), 0.0, 1e-6);
  EXPECT_NEAR(turn_between(reading.orientation, wanted.orientation).norm(), 0.0, 1e-6);
}

TEST(MouseDevice, IsGoneForATickWhenItIsPutElsewhere) {
  MouseDevice mouse(Pose{}, tick_s);
  mouse.take();
  const Pose there{{0.3, 0.0, 0.1}, rotation_exp(Vec3(0.0, 0.0, 1.0))};
  DeviceReading reading;
  ASSERT_TRUE(mouse.read(reading));
  mouse.place(there);
  EXPECT_FALSE(mouse.read(reading));
  mouse.lead(Pose{});
  for (int tick = 0; tick < 150; ++tick) {
    ASSERT_TRUE(mouse.read(reading));
    EXPECT_EQ(reading.position, there.position);
    EXPECT_NEAR(turn_between(reading.orientation, there.orientation).norm(), 0.0, 1e-12);
    EXPECT_TRUE(reading.velocity.isZero(1e-12));
  }
  for (int tick = 0; tick < 1000; ++tick) ASSERT_TRUE(mouse.read(reading));
  EXPECT_LT(reading.position.norm(), 1e-6);
}

TEST(MouseDevice, IsTheOperatorsUntilItIsTaken) {
  Intention intention(Pose{{0.01, 0.0, 0.0}, Quat::Identity()});
  intention.ramp_to(Pose{{0.02, 0.0, 0.0}, Quat::Identity()}, 0.1);
  DeviceChoice choice;
  choice.intention = intention;
  const std::shared_ptr<Device> alone = make_device("simulated:ideal:clamped", choice);
  MouseDevice mouse(make_device("simulated:ideal:clamped", choice), tick_s);
  DeviceReading expected;
  DeviceReading reading;
  for (int tick = 0; tick < 50; ++tick) {
    alone->read(expected);
    mouse.read(reading);
    EXPECT_EQ(reading.position, expected.position);
    alone->write(Vec6::Zero());
    mouse.write(Vec6::Zero());
  }
  EXPECT_GT(reading.position.x(), 0.012);
  EXPECT_EQ(mouse.limits(), alone->limits());

  // who takes it finds it where it was, and it stays there; what was led before does not count
  mouse.lead(Pose{{1.0, 1.0, 1.0}, Quat::Identity()});
  mouse.take();
  const Vec3 taken_at = reading.position;
  for (int tick = 0; tick < 100; ++tick) {
    mouse.read(reading);
    mouse.write(Vec6::Zero());
  }
  EXPECT_EQ(reading.position, taken_at);
}

TEST(MouseDevice, PressesItsButtonOnceForEachPress) {
  MouseDevice mouse(Pose{}, tick_s);
  mouse.take();
  mouse.press();
  mouse.press();
  int presses = 0;
  std::uint32_t before = 0;
  DeviceReading reading;
  for (int tick = 0; tick < 200; ++tick) {
    mouse.read(reading);
    if (reading.buttons == 1 && before == 0) ++presses;
    before = reading.buttons;
  }
  EXPECT_EQ(presses, 2);
  EXPECT_EQ(before, 0U);
}

TEST(MouseDevice, IsNamedInScenes) {
  EXPECT_EQ(parse_device_spec("mouse").kind, DeviceSpec::Kind::mouse);
  EXPECT_ANY_THROW(parse_device_spec("mouse:1"));
  EXPECT_EQ(make_device("mouse")->limits().name, "mouse");
}

}  // namespace
}  // namespace stickslip
