#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "stickslip/haptics/models/device.hpp"

namespace stickslip::bridge {

// The datagrams between the engine and a bridge, a process that drives a device by its maker's SDK.
// docs/device_bridge.md specifies them byte by byte.

constexpr std::uint16_t protocol_version = 1;
constexpr std::uint16_t default_port = 26160;
constexpr std::size_t largest_packet = 148;

/// Bridge to engine: who I am and what I can do.
struct Hello {
  std::uint16_t version = protocol_version;
  DeviceLimits limits;
  std::uint32_t watchdog_ms = 0;  ///< after which silence it drops the force
};

enum class Answer : std::uint32_t {
  accepted = 0,
  other_version = 1,   ///< the packet's version is the engine's
  busy = 2,            ///< another bridge is connected
  senseless = 3,       ///< limits that no device has, or not those of the first hello
  say_hello_first = 4  ///< a state of a session that the engine does not know
};

/// Engine to bridge.
struct Welcome {
  Answer answer = Answer::accepted;
  std::uint32_t timeout_ms = 0;  ///< after which silence the engine takes the device for lost
};

/// Bridge to engine, once a tick.
struct State {
  DeviceReading reading;              ///< its sequence is the packet's
  bool is_ready = true;               ///< calibrated, and the pose can be trusted
  std::uint64_t wrench_sequence = 0;  ///< the newest wrench that it heard
};

/// Engine to bridge, once a tick.
struct Wrench {
  Vec6 wrench = Vec6::Zero();
  std::uint64_t state_sequence = 0;  ///< the newest state that it answers
};

/// Either way: I end here; drop the force.
struct Goodbye {};

struct Packet {
  std::uint32_t session = 0;   ///< chosen by the bridge at its start
  std::uint64_t sequence = 0;  ///< from 1, each way by itself
  std::variant<Hello, Welcome, State, Wrench, Goodbye> message;
};

using Buffer = std::array<std::byte, largest_packet>;

/// Writes a packet; returns its bytes within the buffer.
std::span<const std::byte> encode(const Packet& packet, Buffer& buffer);

/// Nothing where length, magic, version, kind or checksum are not those of the protocol, or a
/// number of a state or wrench is not finite. A hello of another version is given with nothing but
/// that version. A hello allocates where the device's name is long, nothing else does.
std::optional<Packet> decode(std::span<const std::byte> bytes);

}  // namespace stickslip::bridge
