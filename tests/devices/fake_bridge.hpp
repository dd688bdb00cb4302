#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "stickslip/devices/bridge_device.hpp"
#include "stickslip/math/rotation.hpp"
#include "tests/devices/example_limits.hpp"

namespace stickslip::testing_support {

inline void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

inline BridgeOptions any_port() {
  return {0, 0.1};
}

/// The other end, packet by packet.
class FakeBridge {
 public:
  FakeBridge(std::uint16_t engine, std::uint32_t session)
      : socket_(0), engine_(engine), session_(session) {}

  void send(const decltype(bridge::Packet::message)& message, std::uint64_t sequence) {
    bridge::Buffer buffer;
    send_raw(bridge::encode({session_, sequence, message}, buffer));
  }
  void send_raw(std::span<const std::byte> bytes) { socket_.send(bytes, {.port = engine_}); }
  void say_hello(const DeviceLimits& limits = example_limits()) {
    send(bridge::Hello{bridge::protocol_version, limits, 50}, ++sequence_);
  }
  void say_state(double x, bool is_ready = true) {
    bridge::State state;
    state.reading.position = Vec3(x, 2.0 * x, 0.0);
    state.reading.orientation = rotation_exp(Vec3(0.0, 0.3, 0.0));
    state.reading.velocity = Vec3(0.0, 0.0, 0.5);
    state.reading.angular_velocity = Vec3(0.1, 0.2, 0.3);
    state.reading.buttons = 5;
    state.is_ready = is_ready;
    state.wrench_sequence = heard_sequence_;
    send(state, ++sequence_);
  }
  std::optional<bridge::Packet> receive() {
    bridge::Buffer buffer;
    const auto datagram = socket_.receive(buffer);
    if (!datagram) return std::nullopt;
    auto packet = bridge::decode(datagram->bytes);
    EXPECT_TRUE(packet.has_value());
    EXPECT_EQ(packet->session, session_);
    if (std::holds_alternative<bridge::Wrench>(packet->message)) heard_sequence_ = packet->sequence;
    return packet;
  }
  std::optional<bridge::Answer> receive_answer() {
    const auto packet = receive();
    if (!packet) return std::nullopt;
    return std::get<bridge::Welcome>(packet->message).answer;
  }

 private:
  LoopbackSocket socket_;
  std::uint16_t engine_;
  std::uint32_t session_;
  std::uint64_t sequence_ = 0;
  std::uint64_t heard_sequence_ = 0;
};

}  // namespace stickslip::testing_support
