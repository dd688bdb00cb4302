#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <thread>

#include "stickslip/devices/bridge_protocol.hpp"
#include "stickslip/devices/driver_clock.hpp"
#include "stickslip/devices/loopback_socket.hpp"
#include "tests/devices/example_limits.hpp"
#include "tests/devices/sway.hpp"

namespace stickslip::testing_support {

inline void sleep_ms(double ms) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
}

/// A bridge by the clock in a thread of its own, which misbehaves: stalls, restarts, lies, sends
/// noise, sends twice, too late and in the wrong order, and puts its handle elsewhere.
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
  /// When it last sent where its handle is, as a bridge should.
  double spoke_at_s() const { return spoke_at_; }
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
    state.reading.position.x() = swayed_m(steady_seconds());
    if (manner == 7 && random() % 30 == 0) elsewhere_ = 0.05 - elsewhere_;
    state.reading.position.y() = elsewhere_;
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
    if (manner == 8 && random() % 2 == 0) {
      state.reading.position.x() += 0.01;
      sequence_ -= 2;
      say(state);
      ++sequence_;
    }
    if (is_good) spoke_at_ = steady_seconds();
  }

  void listen() {
    bridge::Buffer buffer;
    while (const auto datagram = socket_->receive(buffer)) {
      const auto packet = bridge::decode(datagram->bytes);
      if (!packet || packet->session != session_) continue;
      const auto* wrench = std::get_if<bridge::Wrench>(&packet->message);
      if (wrench == nullptr) continue;
      heard_ = std::max(heard_, packet->sequence);
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
  std::atomic<double> spoke_at_ = 0.0;
  double elsewhere_ = 0.0;  ///< [m]
  std::atomic<double> last_force_ = 0.0;
  std::atomic<double> largest_force_ = 0.0;
  std::atomic<int> late_forces_ = 0;
  std::atomic<bool> is_calm_ = false;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

}  // namespace stickslip::testing_support
