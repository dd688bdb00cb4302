#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "stickslip/devices/bridge_protocol.hpp"
#include "stickslip/devices/loopback_socket.hpp"

namespace stickslip::testing_support {

/// A port of this machine that nobody uses.
inline std::uint16_t free_port() {
  return LoopbackSocket(0).port();
}

/// A bridge in a thread of its own, whose handle goes down by 3 mm and stays there. It keeps the
/// wrenches that it is sent, and when they came.
class PressingBridge {
 public:
  using Clock = std::chrono::steady_clock;

  explicit PressingBridge(std::uint16_t engine)
      : socket_(0), engine_(engine), thread_([this] { run(); }) {}
  ~PressingBridge() {
    is_ending_ = true;
    thread_.join();
  }
  PressingBridge(const PressingBridge&) = delete;
  PressingBridge& operator=(const PressingBridge&) = delete;

  struct Heard {
    Clock::time_point at;
    Vec6 wrench;
  };
  std::vector<Heard> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  double force() const {
    const std::lock_guard lock(mutex_);
    return heard_.empty() ? 0.0 : heard_.back().wrench.head<3>().norm();
  }
  bool has_heard_goodbye() const { return has_goodbye_; }

  /// Until the engine pushes back by that much; false: it does not within some seconds.
  bool wait_for_force(double newtons) const {
    const auto end = Clock::now() + std::chrono::seconds(20);
    while (force() < newtons) {
      if (Clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }

 private:
  static constexpr std::uint32_t session = 7;
  static constexpr double depth_m = 0.03;
  static constexpr double descent_s = 3.0;

  static DeviceLimits limits() {
    DeviceLimits limits;
    limits.name = "presser";
    limits.peak_force = 8.0;
    limits.stiffness = 1000.0;
    limits.mass = 0.1;
    limits.damping = 0.2;
    limits.resolution = 1e-5;
    return limits;
  }

  void send(const decltype(bridge::Packet::message)& message) {
    bridge::Buffer buffer;
    socket_.send(bridge::encode({session, ++sequence_, message}, buffer), {.port = engine_});
  }

  void take_frames() {
    bridge::Buffer buffer;
    while (const auto datagram = socket_.receive(buffer)) {
      const auto packet = bridge::decode(datagram->bytes);
      if (!packet) continue;
      if (const auto* welcome = std::get_if<bridge::Welcome>(&packet->message)) {
        is_welcome_ = welcome->answer == bridge::Answer::accepted;
      }
      if (const auto* wrench = std::get_if<bridge::Wrench>(&packet->message)) {
        if (!first_wrench_) first_wrench_ = Clock::now();
        newest_wrench_ = packet->sequence;
        const std::lock_guard lock(mutex_);
        heard_.push_back({Clock::now(), wrench->wrench});
      }
      if (std::holds_alternative<bridge::Goodbye>(packet->message)) has_goodbye_ = true;
    }
  }

  void say_state() {
    // on and on, so that it presses whenever the tool is taken hold of
    const double since = first_wrench_ ? seconds_since(*first_wrench_) : 0.0;
    bridge::State state;
    state.reading.position.z() = -depth_m * std::clamp(since / descent_s, 0.0, 1.0);
    state.wrench_sequence = newest_wrench_;
    send(state);
  }

  static double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  void run() {
    Clock::time_point due = Clock::now();
    for (int tick = 0; !is_ending_; ++tick) {
      take_frames();
      if (!is_welcome_ && tick % 20 == 0)
        send(bridge::Hello{bridge::protocol_version, limits(), 50});
      if (is_welcome_ && !has_goodbye_) say_state();
      due = std::max(due + std::chrono::milliseconds(1), Clock::now());
      std::this_thread::sleep_until(due);
    }
  }

  LoopbackSocket socket_;
  std::uint16_t engine_;
  std::uint64_t sequence_ = 0;
  std::uint64_t newest_wrench_ = 0;
  bool is_welcome_ = false;
  std::optional<Clock::time_point> first_wrench_;
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;
  std::atomic<bool> has_goodbye_ = false;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

}  // namespace stickslip::testing_support
