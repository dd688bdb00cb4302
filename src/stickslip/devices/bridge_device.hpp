#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "stickslip/devices/bridge_protocol.hpp"
#include "stickslip/devices/loopback_socket.hpp"
#include "stickslip/haptics/device.hpp"

namespace stickslip {

struct BridgeOptions {
  std::uint16_t port = bridge::default_port;  ///< 0: any free one
  double timeout_s = 0.1;                     ///< without a state, after which the device is lost
};

/// What came in so far.
struct BridgeCounts {
  std::uint64_t hellos = 0;
  std::uint64_t states = 0;         ///< taken over
  std::uint64_t late = 0;           ///< older than one taken over before, or the same again
  std::uint64_t garbled = 0;        ///< not a frame of the protocol
  std::uint64_t foreign = 0;        ///< from a bridge that is not the one connected
  std::uint16_t other_version = 0;  ///< of the last hello whose version is not ours
};

/// A device in a process of its own, the bridge, that speaks the datagrams of
/// docs/device_bridge.md. read() takes in what has come and write() sends at once: both are system
/// calls that do not wait. There is no thread between, so that no force goes out unless the haptic
/// loop is alive, and none goes out later than it could.
class BridgeDevice : public Device {
 public:
  /// Listens. Throws InputError where the port is taken.
  explicit BridgeDevice(const BridgeOptions& options = {});
  /// Says goodbye, upon which the bridge drops its force.
  ~BridgeDevice() override;

  /// Until a bridge has said hello and sent a state; false after `seconds`. The limits are valid
  /// from then on, and do not change: a bridge that comes back with others is refused.
  bool wait_for_device(double seconds);

  const DeviceLimits& limits() const override { return limits_; }
  bool read(DeviceReading& reading) override;
  void write(const Vec6& wrench) override;
  void stop() override;

  std::uint16_t port() const { return socket_.port(); }
  const BridgeCounts& counts() const { return counts_; }
  bool is_ready() const { return is_ready_; }
  /// After which silence the bridge drops the force. [ms]
  std::uint32_t watchdog_ms() const { return watchdog_ms_; }
  /// From a wrench to the first state that knows of it, the newest there was. [s]
  double round_trip_s() const { return round_trip_s_; }

 private:
  using Clock = std::chrono::steady_clock;

  void receive_frames();
  void take(const bridge::Frame& frame, const LoopbackSocket::Datagram& datagram);
  void take_hello(const bridge::Hello& hello, std::uint32_t session, std::uint16_t from);
  void take_state(const bridge::State& state, std::uint64_t sequence, double age_s);
  void send_wrench(const Vec6& wrench);
  void send(const bridge::Frame& frame, std::uint16_t to);
  void answer(bridge::Answer answer, std::uint32_t session, std::uint16_t to);
  bool is_silent() const;

  BridgeOptions options_;
  LoopbackSocket socket_;
  DeviceLimits limits_;
  BridgeCounts counts_;
  // the bridge that is connected; port 0: none
  std::uint16_t peer_ = 0;
  std::uint32_t session_ = 0;
  std::uint32_t watchdog_ms_ = 0;
  // what it sent last
  DeviceReading reading_;
  bool is_ready_ = false;
  std::uint64_t state_sequence_ = 0;
  std::uint64_t heard_sequence_ = 0;
  Clock::time_point heard_at_;
  // what it was sent
  std::uint64_t wrench_sequence_ = 0;
  std::array<Clock::time_point, 256> sent_at_;
  double round_trip_s_ = 0.0;
};

}  // namespace stickslip
