#pragma once

#include <cstdint>
#include <string>

#include "stickslip/devices/bridge_conversation.hpp"
#include "stickslip/devices/driver_clock.hpp"
#include "stickslip/devices/loopback_socket.hpp"
#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

struct BridgeOptions {
  std::uint16_t port = bridge::default_port;  ///< 0: any free one
  double timeout_s = 0.1;                     ///< without a state, after which the device is lost
  DriverClock clock = steady_seconds;
};

/// A device in a process of its own, the bridge, that speaks the datagrams of
/// docs/device_bridge.md: BridgeConversation over a socket. read() takes in what has come and
/// write() sends at once: both are system calls that do not wait. There is no thread between, so
/// that no force goes out unless the haptic loop is alive, and none goes out later than it could.
/// What others send to the port can neither crowd out the bridge nor make a read() long.
class BridgeDevice : public Device {
 public:
  /// Listens. Throws InputError where the port is taken.
  explicit BridgeDevice(const BridgeOptions& options = {});
  /// Says zero wrench, at least three times and until the bridge has heard it, for 50 ms at most;
  /// then goodbye, three times.
  ~BridgeDevice() override;

  /// Until a bridge has said hello and sent a state; false after `seconds`, or as soon as a bridge
  /// was refused. The limits are valid from then on, and do not change: a bridge that comes back
  /// with others is refused.
  bool wait_for_device(double seconds);

  const DeviceLimits& limits() const override { return conversation_.limits(); }
  LinkTimes link() const override { return conversation_.link(); }
  bool read(DeviceReading& reading) override;
  void write(const Vec6& wrench) override;
  void stop() override;

  std::uint16_t port() const { return socket_.port(); }
  const BridgeCounts& counts() const { return conversation_.counts(); }
  bool is_ready() const { return conversation_.is_ready(); }
  /// After which silence the bridge drops the force. [ms]
  std::uint32_t watchdog_ms() const { return conversation_.watchdog_ms(); }
  /// Why the last hello was refused, in one line; empty where none was.
  std::string refusal() const { return conversation_.refusal(); }

 private:
  void receive_packets();
  void take(const LoopbackSocket::Datagram& datagram, int& answers_left);
  void send(const std::optional<BridgeConversation::Reply>& reply);

  BridgeOptions options_;
  LoopbackSocket socket_;
  BridgeConversation conversation_;
};

}  // namespace stickslip
