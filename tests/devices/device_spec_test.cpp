#include "stickslip/devices/device_spec.hpp"

#include <gtest/gtest.h>

#include "stickslip/devices/device_rate.hpp"
#include "stickslip/devices/scripted_device.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/recorder.hpp"
#include "stickslip/io/recording.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/simulation/step.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

TEST(DeviceSpec, NamesAreTakenApart) {
  using Kind = DeviceSpec::Kind;
  EXPECT_EQ(parse_device_spec("simulated").model, "phantom");
  EXPECT_EQ(parse_device_spec("simulated:large:firm").hand, "firm");
  EXPECT_EQ(parse_device_spec("scripted:a:b.csv").file, "a:b.csv");
  EXPECT_EQ(parse_device_spec("simulated:large:firm:a:b.h5#2").file, "a:b.h5#2");
  EXPECT_EQ(parse_device_spec("bridge").bridge.port, bridge::default_port);
  EXPECT_EQ(parse_device_spec("bridge:7000").bridge.port, 7000);
  const DeviceSpec haply = parse_device_spec("haply:10.0.0.2:99?device=049D&force=values");
  EXPECT_EQ(haply.kind, Kind::haply);
  EXPECT_EQ(haply.haply.host, "10.0.0.2");
  EXPECT_EQ(haply.haply.port, 99);
  EXPECT_EQ(haply.haply.device_id, "049D");
  EXPECT_EQ(haply.haply.force_key, "values");
  EXPECT_EQ(parse_device_spec("haply?force=values").haply.port, 10001);
}

TEST(DeviceSpec, WhatIsNoDeviceIsRefusedInOneLineWithARemedy) {
  for (const char* text : {"", "phantom", "simulated:fantom", "simulated:phantom:strong",
                           "simulated:a:b:c", "simulated:phantom:medium:", "scripted", "scripted:",
                           "bridge:0", "bridge:70000", "bridge:x", "bridge:1:2", "haply:h:1:2",
                           "haply:h:port", "haply?force=newton", "haply?colour=red"}) {
    const std::string message = refusal<InputError>([&] { parse_device_spec(text); });
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(message.find("device '" + std::string(text) + "'"), 0u) << message;
    EXPECT_TRUE(message.find("give ") != std::string::npos ||
                message.find("take one of") != std::string::npos ||
                message.find("options are") != std::string::npos)
        << message;
  }
  const TestFolder folder;
  EXPECT_THROW(make_device("scripted:" + (folder / "none.csv").string()), InputError);
  DeviceChoice hurried;
  hurried.wait_s = 0.05;
  EXPECT_THROW(make_device("haply:127.0.0.1:1", hurried), std::runtime_error);
}

TEST(ScriptedDevice, PlaysATableWhateverTheForce) {
  const TestFolder folder;
  folder.write("poses.csv", "time_s,x_m,rz_rad,buttons\n0,0,0,0\n0.1,0.01,1.0,3\n0.2,0.01,1.0,0\n");
  const auto device = make_device("scripted:" + (folder / "poses.csv").string());
  DeviceReading reading;
  for (int i = 0; i <= 250; ++i) {
    ASSERT_TRUE(device->read(reading));
    EXPECT_NEAR(reading.position.x(), std::min(1e-4 * i, 0.01), 1e-15);
    EXPECT_NEAR(rotation_log(reading.orientation).z(), std::min(1e-2 * i, 1.0), 1e-12);
    EXPECT_EQ(reading.buttons, i >= 100 && i < 200 ? 3u : 0u) << i;
    device->write(100.0 * Vec6::Ones());
  }
}

/// A recording of a run in which a hand leads a block along x and turns it, lets go at 0.3 s and is
/// clutched from 0.4 s on, under a map that lays its device elsewhere.
class HandRecording : public testing::Test {
 protected:
  HandRecording() {
    folder.write("lead.toml", R"(
[simulation]
dt = 0.01
gravity = [0, 0, 0]
[[body]]
name = "block"
kind = "rigid"
shape = "box"
size = [0.02, 0.02, 0.02]
mass = 0.01
[[hand]]
name = "right"
body = "block"
stiffness = 1000
damping = 1
rotational_stiffness = 1
rotational_damping = 0.001
)");
    const RecordedScene source = collect_scene(folder / "lead.toml", {}, false);
    const Scene scene = build_recorded_scene(source);
    State state = initial_state(scene);
    StepData data(scene);
    Recorder recorder(path(), source, scene, state, {});
    for (int k = 0; k < steps; ++k) {
      data.hand_inputs[0] = {.pose = pose_at(k), .wants_hold = k < 30, .is_clutched = k >= 40};
      step(scene, state, data);
      recorder.add(scene, state, data);
    }
    recorder.finish();
    map.centre = {0.1, -0.2, 0.3};
    map.turn = rotation_exp(Vec3(0.3, 0.2, -0.5));
    map.motion_scale = 2.0;
  }

  static Pose pose_at(double k) {
    return {{1e-3 * k, 0.0, 2e-3 * k}, rotation_exp(Vec3(0.0, 0.01 * k, 0.0))};
  }
  std::filesystem::path path() const { return folder / "lead.h5"; }

  static constexpr int steps = 50;
  TestFolder folder;
  WorkspaceMap map;
};

TEST_F(HandRecording, IsPlayedByAScriptedDeviceInTheSameSpaceWithItsButtons) {
  DeviceChoice choice;
  choice.map = map;
  const auto device = make_device("scripted:" + path().string() + "#1", choice);
  DeviceReading reading;
  for (int i = 0; i < 490; ++i) {
    ASSERT_TRUE(device->read(reading));
    const Pose played = map.to_world(Pose{reading.position, reading.orientation});
    EXPECT_LT(displacement_between(pose_at(0.1 * i), played).norm(), 1e-9) << i;
    // where a row begins, rounding decides
    const std::uint32_t buttons = (i > 300 && i < 310 ? 1U : 0U) | (i > 400 ? 2U : 0U);
    if (i % 10 != 0) {
      EXPECT_EQ(reading.buttons, buttons) << i;
    }
    device->write(Vec6::Constant(3.0));
  }
}

TEST_F(HandRecording, IsWhatAnOperatorWants) {
  DeviceChoice choice;
  choice.map = map;
  const auto wanted = make_device("simulated:ideal:clamped:" + path().string(), choice);
  const auto led = make_device("simulated:phantom:firm:" + path().string(), choice);
  DeviceReading reading;
  DeviceReading of_led;
  double apart = 0.0;
  for (int i = 0; i < 490; ++i) {
    wanted->read(reading);
    led->read(of_led);
    const Pose world = map.to_world(Pose{reading.position, reading.orientation});
    EXPECT_LT(displacement_between(pose_at(0.1 * i), world).norm(), 1e-9) << i;
    apart = std::max(apart, (reading.position - of_led.position).norm());
    for (const auto& device : {wanted.get(), led.get()}) device->write(Vec6::Zero());
  }
  // the hand lags behind, but not far
  EXPECT_GT(apart, 1e-5);
  EXPECT_LT(apart, 5e-3);
}

TEST_F(HandRecording, ThatHasNoSuchHandIsRefused) {
  for (const std::string mark : {"#2", "#0", "#x"}) {
    const std::string message =
        refusal<InputError>([&] { make_device("scripted:" + path().string() + mark); });
    EXPECT_EQ(message.find(path().string()), 0U) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(ScriptedDevice, TablesThatAreWrongAreRefusedWithTheirLine) {
  const TestFolder folder;
  const auto refused = [&](const std::string& table) {
    const auto path = folder.write("poses.csv", table);
    return refusal<InputError>([&] { read_pose_csv(path); });
  };
  EXPECT_NE(refused("time_s,w_m\n0,1\n").find("column 'w_m' is not known"), std::string::npos);
  EXPECT_NE(refused("time_s,x_m\n0,1\n0,2\n").find(":3: "), std::string::npos);
  EXPECT_NE(refused("time_s,x_m\n-1,1\n").find("let times begin at 0"), std::string::npos);
  EXPECT_NE(refused("time_s,buttons\n0,1.5\n").find("whole number"), std::string::npos);
}

TEST(DeviceRate, CountsTheReadingsOfASteadyDevice) {
  const auto device = make_device("simulated:ideal:none");
  const DeviceRate rate = measure_rate(*device, 0.3);
  EXPECT_GT(rate.samples, 50u);
  EXPECT_LE(rate.rate_hz, 1010.0);
  EXPECT_EQ(rate.lost_share, 0.0);
  EXPECT_EQ(rate.samples, rate.ticks);
  EXPECT_GE(rate.interval_p99_ms, rate.interval_p50_ms);
  EXPECT_GE(rate.interval_max_ms, 0.99 * rate.interval_p99_ms);
}

}  // namespace
}  // namespace stickslip
