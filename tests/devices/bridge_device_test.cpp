#include "stickslip/devices/bridge_device.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <thread>

#include "places.hpp"
#include "stickslip/devices/device_doctor.hpp"
#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"
#include "tests/devices/fake_bridge.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using bridge::Answer;
using testing_support::any_port;
using testing_support::FakeBridge;
using testing_support::sleep_ms;

TEST(BridgeDevice, StatesComeInAndWrenchesGoOutWithinTheLimits) {
  BridgeDevice device(any_port());
  FakeBridge bridge(device.port(), 42);
  DeviceReading reading;
  EXPECT_FALSE(device.read(reading));
  bridge.say_hello();
  EXPECT_FALSE(device.read(reading));
  EXPECT_EQ(bridge.receive_answer(), Answer::accepted);
  EXPECT_TRUE(device.limits() == example_limits());

  bridge.say_state(0.01);
  bridge.say_state(0.02);
  ASSERT_TRUE(device.read(reading));
  EXPECT_EQ(reading.position, Vec3(0.02, 0.04, 0.0));
  EXPECT_EQ(reading.velocity, Vec3(0.0, 0.0, 0.5));
  EXPECT_EQ(reading.angular_velocity, Vec3(0.1, 0.2, 0.3));
  EXPECT_LT((rotation_log(reading.orientation) - Vec3(0.0, 0.3, 0.0)).norm(), 1e-14);
  EXPECT_EQ(reading.buttons, 5u);
  EXPECT_EQ(reading.sequence, 2u);

  // it senses six and actuates three: a force within its peak, and no torque
  device.write((Vec6() << 0.0, 30.0, -40.0, 1.0, 1.0, 1.0).finished());
  const auto packet = bridge.receive();
  ASSERT_TRUE(packet.has_value());
  const auto& sent = std::get<bridge::Wrench>(packet->message);
  EXPECT_LT((sent.wrench - (Vec6() << 0.0, 1.8, -2.4, 0.0, 0.0, 0.0).finished()).norm(), 1e-14);
  EXPECT_EQ(sent.state_sequence, 3u);
  sleep_ms(3);
  bridge.say_state(0.03);
  device.read(reading);
  EXPECT_GE(device.link().delay_s, 3e-3);
  device.stop();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::get<bridge::Wrench>(bridge.receive()->message).wrench.isZero(0.0));
  }
}

TEST(BridgeDevice, SilenceLosesTheDeviceAndTheNextStateBringsItBack) {
  BridgeDevice device(any_port());
  FakeBridge bridge(device.port(), 42);
  bridge.say_hello();
  bridge.say_state(0.01);
  DeviceReading reading;
  EXPECT_TRUE(device.read(reading));
  sleep_ms(130);
  EXPECT_FALSE(device.read(reading));
  EXPECT_EQ(reading.position.x(), 0.01);
  bridge.say_state(0.02);
  EXPECT_TRUE(device.read(reading));
  // not ready is as good as lost
  bridge.say_state(0.03, false);
  EXPECT_FALSE(device.read(reading));
  bridge.say_state(0.04);
  EXPECT_TRUE(device.read(reading));
  // goodbye at once, hello again later
  bridge.send(bridge::Goodbye{}, 100);
  EXPECT_FALSE(device.read(reading));
  FakeBridge next(device.port(), 43);
  next.say_hello();
  next.say_state(0.05);
  EXPECT_TRUE(device.read(reading));
  EXPECT_EQ(reading.position.x(), 0.05);
}

TEST(BridgeDevice, PauseOfTheEngineLeavesNoBacklog) {
  BridgeDevice device(any_port());
  FakeBridge bridge(device.port(), 42);
  bridge.say_hello();
  DeviceReading reading;
  device.read(reading);
  for (int i = 0; i < 3000; ++i) bridge.say_state(1e-5 * i);
  sleep_ms(130);
  // what waited is too old to count as a sign of life
  EXPECT_FALSE(device.read(reading));
  EXPECT_LT(reading.sequence, 256u);
  bridge.say_state(0.5);
  EXPECT_TRUE(device.read(reading));
  EXPECT_EQ(reading.position.x(), 0.5);
}

TEST(BridgeDevice, GarbledLateAndForeignFramesChangeNothing) {
  BridgeDevice device(any_port());
  FakeBridge bridge(device.port(), 42);
  bridge.say_hello();
  for (int i = 1; i <= 5; ++i) bridge.say_state(0.01 * i);
  DeviceReading reading;
  EXPECT_TRUE(device.read(reading));
  EXPECT_DOUBLE_EQ(reading.position.x(), 0.05);

  std::mt19937 random(1);
  std::vector<std::byte> noise(300);
  for (int i = 0; i < 50; ++i) {
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random() & 0xff);
    bridge.send_raw(std::span(noise).first(random() % 300));
  }
  bridge.send(bridge::State{}, 3);  // late
  bridge.send(bridge::State{}, 6);  // again
  EXPECT_TRUE(device.read(reading));
  EXPECT_DOUBLE_EQ(reading.position.x(), 0.05);
  EXPECT_EQ(device.counts().garbled, 50u);
  EXPECT_EQ(device.counts().late, 2u);

  // another bridge is told to wait, one that forgot to say hello to say it
  FakeBridge other(device.port(), 77);
  other.say_hello();
  other.say_state(0.9);
  EXPECT_TRUE(device.read(reading));
  EXPECT_DOUBLE_EQ(reading.position.x(), 0.05);
  EXPECT_EQ(other.receive_answer(), Answer::busy);
  EXPECT_EQ(other.receive_answer(), Answer::say_hello_first);
}

TEST(BridgeDevice, RefusesSenselessLimitsAndOtherVersions) {
  BridgeDevice device(any_port());
  FakeBridge bridge(device.port(), 42);
  DeviceReading reading;
  // the hello of a later version, longer than ours
  bridge::Buffer buffer;
  const auto hello = bridge::encode({42, 1, bridge::Hello{}}, buffer);
  std::vector<std::byte> later(hello.begin(), hello.end() - 4);
  later.resize(144);
  later[4] = std::byte{2};
  later[12] = std::byte{148};
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(later.data()), later.size());
  for (int i = 0; i < 4; ++i) later.push_back(static_cast<std::byte>(sum >> (8 * i) & 0xff));
  bridge.send_raw(later);
  EXPECT_FALSE(device.read(reading));
  EXPECT_EQ(bridge.receive_answer(), Answer::other_version);
  EXPECT_EQ(device.counts().other_version, 2);

  for (int i = 0; i < 4; ++i) {
    DeviceLimits limits = example_limits();
    if (i == 0) limits.sensed_dofs = 4;
    if (i == 1) limits.peak_force = std::nan("");
    if (i == 2) limits.tick_s = 0.0;
    if (i == 3) limits.stiffness = -1.0;
    bridge.say_hello(limits);
    EXPECT_FALSE(device.read(reading));
    EXPECT_EQ(bridge.receive_answer(), Answer::senseless) << i;
  }
  bridge.say_hello();
  device.read(reading);
  EXPECT_EQ(bridge.receive_answer(), Answer::accepted);
  // limits stay what a running loop has seen
  DeviceLimits stronger = example_limits();
  stronger.peak_force = 100.0;
  bridge.say_hello(stronger);
  device.read(reading);
  EXPECT_EQ(bridge.receive_answer(), Answer::senseless);
  EXPECT_EQ(device.limits().peak_force, 3.0);
}

TEST(BridgeDevice, PortThatIsTakenIsRefusedInOneLine) {
  BridgeDevice device(any_port());
  const std::string message = refusal<InputError>([&] {
    BridgeDevice again({device.port(), 0.1});
  });
  EXPECT_NE(message.find(std::to_string(device.port())), std::string::npos);
}

TEST(BridgeDevice, TicksAllocateNothing) {
  BridgeDevice device(any_port());
  FakeBridge bridge(device.port(), 42);
  bridge.say_hello();
  DeviceReading reading;
  device.read(reading);
  bridge.receive();
  for (int i = 0; i < 30; ++i) bridge.say_state(0.01);
  const std::size_t before = testing_support::allocation_count();
  for (int i = 0; i < 100; ++i) {
    device.read(reading);
    device.write(Vec6::Ones());
  }
  EXPECT_EQ(testing_support::allocation_count(), before);
  EXPECT_EQ(reading.sequence, 30u);
}

/// An example bridge as a process: its last line.
class ExampleBridge : public testing::TestWithParam<const char*> {
 protected:
  FILE* start(std::uint16_t port, double seconds) {
    const std::string program =
        std::string(GetParam()) == "C++"
            ? std::string(STICKSLIP_PROGRAM_DIR "/bridge_client")
            : std::string("/usr/bin/python3 " STICKSLIP_SOURCE_DIR "/examples/bridge_client.py");
    const std::string command =
        program + " --port " + std::to_string(port) + " --seconds " + std::to_string(seconds);
    return ::popen(command.c_str(), "r");
  }
  static std::string last_line(FILE* pipe) {
    std::array<char, 200> line{};
    if (std::fgets(line.data(), line.size(), pipe) == nullptr) line[0] = '\0';
    EXPECT_EQ(::pclose(pipe), 0);
    return line.data();
  }
};

TEST_P(ExampleBridge, DrawsACircleGivesWayToForceAndDropsItInSilence) {
  BridgeDevice device({0, 0.5});
  FILE* pipe = start(device.port(), 2.0);
  ASSERT_TRUE(device.wait_for_device(10.0));
  EXPECT_EQ(device.limits().name, "example");
  EXPECT_EQ(device.limits().actuated_dofs, 3);
  // 3 N against a hand of 300 N/m: 10 mm along z, in which the circle does not go
  DeviceReading reading;
  std::vector<double> heights;
  std::vector<double> radii;
  for (int i = 0; i < 600; ++i) {
    EXPECT_TRUE(device.read(reading));
    device.write((Vec6() << 0.0, 0.0, 3.0, 0.0, 0.0, 0.0).finished());
    heights.push_back(reading.position.z());
    radii.push_back(reading.position.head<2>().norm());
    sleep_ms(1);
  }
  // the median, since a busy machine may let the force drop for a while
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + 300, values.end());
    return values[300];
  };
  EXPECT_NEAR(median(heights), 0.01, 5e-4);
  EXPECT_NEAR(median(radii), 0.02, 1e-3);
  // the engine falls silent: the bridge lets go
  for (int i = 0; i < 400; ++i) {
    device.read(reading);
    sleep_ms(1);
  }
  EXPECT_NEAR(reading.position.z(), 0.0, 1e-3);
  const std::string line = last_line(pipe);
  EXPECT_NE(line.find("dropped the force "), std::string::npos) << line;
  EXPECT_EQ(line.find("dropped the force 0"), std::string::npos) << line;
  sleep_ms(550);
  EXPECT_FALSE(device.read(reading));
}

TEST_P(ExampleBridge, FindsAnEngineThatIsStartedAgain) {
  std::uint16_t port = 0;
  {
    BridgeDevice scout(any_port());
    port = scout.port();
  }
  FILE* pipe = start(port, 1.2);
  for (int i = 0; i < 2; ++i) {
    BridgeDevice device({port, 0.1});
    EXPECT_TRUE(device.wait_for_device(10.0)) << i;
  }
  last_line(pipe);
}

INSTANTIATE_TEST_SUITE_P(Languages, ExampleBridge, testing::Values("C++", "Python"),
                         [](const auto& info) {
                           return std::string(info.param) == "C++" ? "Cpp" : "Python";
                         });

TEST(BridgeDoctor, NamesTheStepThatFails) {
  DeviceSpec spec;
  spec.kind = DeviceSpec::Kind::bridge;
  {
    BridgeDevice scout(any_port());
    spec.bridge.port = scout.port();
  }
  const auto steps = examine_device(spec, {0.05, 0.1});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].name, "hello");
  EXPECT_EQ(steps[1].health, Health::bad);
  EXPECT_NE(steps[1].remedy.find(std::to_string(spec.bridge.port)), std::string::npos);

  // noise in place of packets, and a bridge that only greets
  std::thread noise([&] {
    FakeBridge bridge(spec.bridge.port, 1);
    sleep_ms(50);
    bridge.send_raw(std::array<std::byte, 10>{});
  });
  EXPECT_NE(examine_device(spec, {0.2, 0.1}).back().message.find("no packets"), std::string::npos);
  noise.join();
  std::thread greeter([&] {
    FakeBridge bridge(spec.bridge.port, 1);
    sleep_ms(50);
    bridge.say_hello();
  });
  EXPECT_EQ(examine_device(spec, {0.2, 0.1}).back().name, "states");
  greeter.join();
}

}  // namespace
}  // namespace stickslip
