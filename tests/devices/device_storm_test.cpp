#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "stickslip/devices/bridge_device.hpp"
#include "stickslip/devices/haply_device.hpp"
#include "tests/devices/haply_service.hpp"
#include "tests/devices/stormy_bridge.hpp"

namespace stickslip {
namespace {

using testing_support::HaplyService;
using testing_support::sleep_ms;
using testing_support::StormyBridge;

constexpr double storm_s = 2.0;

/// A loop that pushes with up to 20 N, from a tenth of a second after the device is there, by the
/// clock, until something is the case. False after the time is over.
template <class Holds>
bool push_until(Device& device, double seconds, const Holds& holds) {
  std::mt19937 random(7);
  DeviceReading reading;
  int there_for = 0;
  const double until = steady_seconds() + seconds;
  while (steady_seconds() < until) {
    there_for = device.read(reading) ? there_for + 1 : 0;
    Vec6 wrench = Vec6::Zero();
    if (there_for > 100)
      wrench << 1e-8 * static_cast<double>(random() % 2000000000), -7, 3, 1, 1, 1;
    device.write(wrench);
    if (holds()) return true;
    sleep_ms(1.0);
  }
  return false;
}

TEST(DeviceStorm, HaplyByTheClock) {
  HaplyService service;
  HaplyOptions options;
  options.host = "127.0.0.1";
  options.port = service.port();
  options.device_id = "049D";
  {
    HaplyDevice device(options);
    std::mt19937 random(3);
    std::atomic<bool> is_ending = false;
    std::thread weather([&] {
      while (!is_ending) {
        service.behave(static_cast<HaplyService::Manner>(random() % HaplyService::manners));
        sleep_ms(20.0 + static_cast<double>(random() % 200));
        if (random() % 8 == 0) service.hang_up();
        service.behave(HaplyService::Manner::sound);
        sleep_ms(static_cast<double>(random() % 400));
      }
    });
    push_until(device, storm_s, [] { return false; });
    is_ending = true;
    weather.join();
    // it comes back, with a force
    EXPECT_TRUE(push_until(device, 10.0, [&] { return service.last_force() > 0.0; }));
    // silence: zero force for good
    service.behave(HaplyService::Manner::mute);
    push_until(device, 0.5, [] { return false; });
    EXPECT_EQ(service.last_force(), 0.0);
    service.behave(HaplyService::Manner::sound);
    EXPECT_TRUE(push_until(device, 10.0, [&] { return service.last_force() > 0.0; }));
  }
  EXPECT_EQ(service.last_force(), 0.0);
  EXPECT_LE(service.largest_force(), 5.0 + 1e-9);
}

TEST(DeviceStorm, BridgeByTheClock) {
  auto device = std::make_unique<BridgeDevice>(BridgeOptions{0, 0.1});
  StormyBridge bridge(device->port());
  push_until(*device, storm_s, [] { return false; });
  bridge.calm();
  EXPECT_TRUE(push_until(*device, 10.0, [&] { return bridge.last_force() > 0.0; }));
  device.reset();
  sleep_ms(50.0);
  EXPECT_EQ(bridge.last_force(), 0.0);
  EXPECT_LE(bridge.largest_force(), 3.0 + 1e-9);
  EXPECT_EQ(bridge.late_forces(), 0);
}

}  // namespace
}  // namespace stickslip
