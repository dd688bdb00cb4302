#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stickslip {

/// A datagram socket on 127.0.0.1 that never waits; nothing from outside the machine reaches it.
class LoopbackSocket {
 public:
  /// Port 0 takes any free one. Throws InputError where the port is taken.
  explicit LoopbackSocket(std::uint16_t port);
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;
  ~LoopbackSocket();

  std::uint16_t port() const { return port_; }

  /// The next datagram, cut to the buffer, and the port it came from; -1 where none is waiting.
  std::ptrdiff_t receive(std::span<std::byte> buffer, std::uint16_t& from);
  /// What cannot be sent at once is lost.
  void send(std::span<const std::byte> bytes, std::uint16_t to);

  /// Waits for a datagram; for use outside of loops.
  void wait(double seconds);

 private:
  int descriptor_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace stickslip
