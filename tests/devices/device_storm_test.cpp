#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "stickslip/devices/bridge_device.hpp"
#include "stickslip/devices/haply_device.hpp"
#include "tests/devices/example_limits.hpp"
#include "tests/devices/haply_service.hpp"

namespace stickslip {
namespace {

using testing_support::HaplyService;

/// Two seconds, or as long as STICKSLIP_STORM_S says: 600 for a night's sleep.
double storm_s() {
  const char* text = std::getenv("STICKSLIP_STORM_S");
  return text != nullptr ? std::atof(text) : 2.0;
}

void sleep_ms(double ms) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

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
    push_until(device, storm_s(), [] { return false; });
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

/// A bridge by the clock in a thread of its own, which misbehaves.
class StormyBridge {
 public:
  explicit StormyBridge(std::uint16_t engine) : engine_{.port = engine} {
    thread_ = std::thread([this] { run(); });
  }
  ~StormyBridge() {
    is_ending_ = true;
    thread_.join();
  }

  void calm() { is_calm_ = true; }
  double last_force() const { return last_force_; }
  double largest_force() const { return largest_force_; }
  /// Wrenches that were not zero, heard more than a quarter of a second after it fell silent.
  int late_forces() const { return late_forces_; }

 private:
  void run() {
    std::mt19937 random(5);
    socket_ = std::make_unique<LoopbackSocket>(0);
    unsigned manner = 0;
    for (int i = 0; !is_ending_; ++i) {
      if (!is_calm_ && random() % 100 == 0) manner = static_cast<unsigned>(random() % 12);
      if (is_calm_) manner = 0;
      if (manner == 1) restart(random());
      if (manner == 1 || i % 200 == 0) say(bridge::Hello{1, example_limits(), 50});
      if (manner != 2) speak(manner, random);
      listen();
      if (manner == 1) manner = 0;
      sleep_ms(1.0);
    }
  }

  void restart(std::mt19937::result_type session) {
    say(bridge::Goodbye{});
    socket_ = std::make_unique<LoopbackSocket>(0);
    session_ = static_cast<std::uint32_t>(session);
    sequence_ = heard_ = 0;
    last_force_ = 0.0;
  }

  void speak(unsigned manner, std::mt19937& random) {
    bridge::State state;
    state.wrench_sequence = heard_;
    if (manner == 3) state.reading.position = Vec3(1e300, 0.0, 0.0);
    state.is_ready = manner != 4;
    if (manner == 5) {
      std::array<std::byte, 148> noise{};
      for (std::byte& byte : noise) byte = static_cast<std::byte>(random() & 0xff);
      for (int i = 0; i < 100; ++i) socket_->send(noise, engine_);
    }
    const bool is_good = manner != 3 && manner != 4;
    say(state);
    if (manner == 6) {
      --sequence_;
      say(state);
    }
    if (is_good) spoke_at_ = steady_seconds();
  }

  void listen() {
    bridge::Buffer buffer;
    while (const auto datagram = socket_->receive(buffer)) {
      const auto frame = bridge::decode(datagram->bytes);
      if (!frame || frame->session != session_) continue;
      const auto* wrench = std::get_if<bridge::Wrench>(&frame->message);
      if (wrench == nullptr) continue;
      heard_ = std::max(heard_, frame->sequence);
      last_force_ = wrench->wrench.norm();
      largest_force_ = std::max(largest_force_.load(), last_force_.load());
      const double sent_at = steady_seconds() - datagram->age_s;
      if (last_force_ > 0.0 && sent_at - spoke_at_ > 0.25) ++late_forces_;
    }
  }

  template <class Message>
  void say(const Message& message) {
    bridge::Buffer buffer;
    socket_->send(bridge::encode({session_, ++sequence_, message}, buffer), engine_);
  }

  LoopbackAddress engine_;
  std::unique_ptr<LoopbackSocket> socket_;
  std::uint32_t session_ = 1;
  std::uint64_t sequence_ = 0;
  std::uint64_t heard_ = 0;
  double spoke_at_ = 0.0;
  std::atomic<double> last_force_ = 0.0;
  std::atomic<double> largest_force_ = 0.0;
  std::atomic<int> late_forces_ = 0;
  std::atomic<bool> is_calm_ = false;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

TEST(DeviceStorm, BridgeByTheClock) {
  auto device = std::make_unique<BridgeDevice>(BridgeOptions{0, 0.1});
  StormyBridge bridge(device->port());
  push_until(*device, storm_s(), [] { return false; });
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
