#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "stickslip/devices/bridge_hello.hpp"
#include "stickslip/devices/bridge_protocol.hpp"
#include "stickslip/devices/link_meter.hpp"
#include "stickslip/devices/loopback_socket.hpp"

namespace stickslip {

/// What came in so far.
struct BridgeCounts {
  std::uint64_t hellos = 0;
  std::uint64_t states = 0;         ///< taken over
  std::uint64_t late = 0;           ///< older than one taken over before, or the same again
  std::uint64_t garbled = 0;        ///< not a packet of the protocol, or a state of no device
  std::uint64_t foreign = 0;        ///< from a bridge that is not the one connected
  std::uint16_t other_version = 0;  ///< of the last hello whose version is not ours
};

/// The engine's side of what docs/device_bridge.md specifies, without socket and clock: datagrams
/// and times come in, packets go out. Nothing allocates but the first hello, by the device's name.
///
/// Whatever makes the bridge drop its force (it is another one, was not ready, was silent, or the
/// engine was, for longer than its watchdog) makes read() say lost at least once, so that the loop
/// begins anew.
class BridgeConversation {
 public:
  static constexpr double farthest = 10.0;        ///< no device reaches beyond [m]
  static constexpr double fastest = 100.0;        ///< [m/s]
  static constexpr double fastest_turn = 1000.0;  ///< [rad/s]

  explicit BridgeConversation(double timeout_s) : timeout_s_(timeout_s) {}

  struct Reply {
    bridge::Packet packet;
    LoopbackAddress to;
  };
  /// A datagram that arrived `age_s` ago, and what is to be answered.
  std::optional<Reply> take(std::span<const std::byte> bytes, const LoopbackAddress& from,
                            double age_s, double now);
  /// The newest reading; false while the device is lost.
  bool read(DeviceReading& reading, double now);

  // for the bridge that is connected; nothing where none is
  std::optional<Reply> say_wrench(const Vec6& wrench, double now);
  std::optional<Reply> say_goodbye();

  bool is_connected() const { return peer_.port != 0; }
  bool is_silent(double now) const;
  bool is_ready() const { return is_ready_; }
  const LoopbackAddress& peer() const { return peer_; }
  const DeviceLimits& limits() const { return limits_; }
  const BridgeCounts& counts() const { return counts_; }
  LinkTimes link() const { return link_.times(); }
  std::uint32_t watchdog_ms() const { return watchdog_ms_; }
  /// Sequences of the newest wrench said, and of the newest that the bridge has heard.
  std::uint64_t said() const { return wrench_sequence_; }
  std::uint64_t heard() const { return heard_sequence_; }
  /// Why the last hello was refused, in one line; empty where none was.
  std::string refusal() const;

 private:
  std::optional<Reply> take_hello(const bridge::Hello& hello, std::uint32_t session,
                                  const LoopbackAddress& from, double now);
  void take_state(const bridge::State& state, std::uint64_t sequence, double age_s, double now);
  void take_trip(std::uint64_t wrench_sequence, double now);
  void connect(const LoopbackAddress& peer, std::uint32_t session);
  void note_loss();
  Reply answer(bridge::Answer answer, std::uint32_t session, const LoopbackAddress& to) const;

  double timeout_s_;
  DeviceLimits limits_;
  BridgeCounts counts_;
  std::optional<bridge::HelloFault> fault_;
  bool has_other_limits_ = false;
  // the bridge that is connected; port 0: none
  LoopbackAddress peer_;
  std::uint32_t session_ = 0;
  std::uint32_t watchdog_ms_ = 0;
  // what it sent last
  DeviceReading reading_;
  bool is_ready_ = false;
  bool was_there_ = false;  ///< as the loop was told
  bool was_lost_ = false;   ///< since then
  std::uint64_t state_sequence_ = 0;
  std::uint64_t heard_sequence_ = 0;
  double heard_at_ = 0.0;
  // what it was sent
  std::uint64_t wrench_sequence_ = 0;
  std::array<double, 256> said_at_{};
  bool is_pulling_ = false;  ///< the last wrench was not zero
  LinkMeter link_;
};

}  // namespace stickslip
