#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "stickslip/devices/device_doctor.hpp"
#include "stickslip/error.hpp"
#include "tests/devices/fake_bridge.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::any_port;
using testing_support::FakeBridge;
using testing_support::sleep_ms;

TEST(BridgeDevice, FloodOfForeignFramesNeitherCrowdsOutTheBridgeNorMakesReadingLong) {
  BridgeDevice device(any_port());
  FakeBridge bridge(device.port(), 42);
  bridge.say_hello();
  bridge.say_state(0.0);
  DeviceReading reading;
  ASSERT_TRUE(device.read(reading));
  // as many as go through, until the end of this test
  std::atomic<bool> is_ending = false;
  std::atomic<int> sent = 0;
  std::thread flood([&] {
    FakeBridge stranger(device.port(), 42);
    while (!is_ending) {
      for (int i = 0; i < 100; ++i) stranger.say_state(9.0);
      sent += 100;
      std::this_thread::yield();
    }
  });
  while (sent < 1000) std::this_thread::yield();
  std::vector<double> times;
  int taken = 0;
  for (int i = 1; i <= 300; ++i) {
    bridge.say_state(1e-4 * i);
    sleep_ms(1);
    timespec before{};
    timespec after{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    device.read(reading);
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    times.push_back(1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec) +
                    static_cast<double>(after.tv_sec - before.tv_sec));
    taken += std::abs(reading.position.x() - 1e-4 * i) < 1e-9 ? 1 : 0;
  }
  is_ending = true;
  flood.join();
  std::sort(times.begin(), times.end());
  EXPECT_EQ(taken, 300);
  EXPECT_GT(device.counts().foreign, 1000u);
  EXPECT_LT(times[times.size() / 2], 1.5e-4);
}

TEST(BridgeDevice, EndsWithZeroAndGoodbyeThreeTimesEach) {
  auto device = std::make_unique<BridgeDevice>(any_port());
  FakeBridge bridge(device->port(), 42);
  bridge.say_hello();
  bridge.say_state(0.0);
  DeviceReading reading;
  device->read(reading);
  device->write(Vec6::Ones());
  device.reset();
  int zeros = 0;
  int goodbyes = 0;
  while (const auto packet = bridge.receive()) {
    const auto* wrench = std::get_if<bridge::Wrench>(&packet->message);
    if (wrench != nullptr) zeros = wrench->wrench.isZero(0.0) ? zeros + 1 : 0;
    if (std::holds_alternative<bridge::Goodbye>(packet->message)) ++goodbyes;
  }
  EXPECT_GE(zeros, 3);
  EXPECT_EQ(goodbyes, 3);
}

TEST(BridgeDevice, HelloOfNoDeviceIsTheUsersError) {
  DeviceSpec spec;
  spec.kind = DeviceSpec::Kind::bridge;
  {
    BridgeDevice scout(any_port());
    spec.bridge.port = scout.port();
  }
  std::atomic<bool> is_ending = false;
  std::thread greeter([&] {
    FakeBridge bridge(spec.bridge.port, 1);
    DeviceLimits limits = example_limits();
    limits.mass = 1e-9;
    while (!is_ending) {
      bridge.say_hello(limits);
      sleep_ms(20);
    }
  });
  const std::string message = refusal<InputError>([&] { make_device(spec); });
  EXPECT_NE(message.find("mass 1e-09 kg: give 0.001 to 100"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  const DoctorStep step = examine_device(spec, {1.0, 0.1}).back();
  EXPECT_EQ(step.name, "hello");
  EXPECT_NE(step.message.find("mass 1e-09 kg"), std::string::npos) << step.message;
  is_ending = true;
  greeter.join();
}

}  // namespace
}  // namespace stickslip
