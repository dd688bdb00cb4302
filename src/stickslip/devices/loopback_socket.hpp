#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stickslip {

/// Who speaks on this machine: any of 127.0.0.0/8, as a number, and a port.
struct LoopbackAddress {
  std::uint32_t address = 0x7f000001;  ///< 127.0.0.1
  std::uint16_t port = 0;

  bool operator==(const LoopbackAddress&) const = default;
};

/// A datagram socket on 127.0.0.1 that never waits; nothing from outside the machine reaches it.
/// While it listens to one sender in particular, that one has a queue of its own: whatever others
/// send cannot crowd it out.
class LoopbackSocket {
 public:
  /// Port 0 takes any free one. Throws InputError where the port is taken.
  explicit LoopbackSocket(std::uint16_t port);
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;
  ~LoopbackSocket();

  std::uint16_t port() const { return port_; }

  struct Datagram {
    std::span<const std::byte> bytes;  ///< within the buffer, and cut to it
    LoopbackAddress from;
    double age_s = 0.0;  ///< since it arrived
  };
  /// The next datagram of anyone without a queue of their own, nothing where none is waiting.
  std::optional<Datagram> receive(std::span<std::byte> buffer);
  /// What cannot be sent at once is lost.
  void send(std::span<const std::byte> bytes, const LoopbackAddress& to);

  /// From now on this sender has a queue of its own.
  void listen_to(const LoopbackAddress& sender);
  /// The next datagram of that queue.
  std::optional<Datagram> receive_own(std::span<std::byte> buffer);

  /// Waits for a datagram; for use outside of loops.
  void wait(double seconds);

 private:
  void await_stamps();
  void forget_own();

  int descriptor_ = -1;
  int own_ = -1;  ///< connected to the one in particular, on the same port
  std::uint16_t port_ = 0;
};

}  // namespace stickslip
