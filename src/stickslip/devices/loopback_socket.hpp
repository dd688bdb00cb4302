#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

  struct Datagram {
    std::span<const std::byte> bytes;  ///< within the buffer, and cut to it
    std::uint16_t from = 0;            ///< port
    double age_s = 0.0;                ///< since it arrived
  };
  /// The next datagram, nothing where none is waiting.
  std::optional<Datagram> receive(std::span<std::byte> buffer);
  /// What cannot be sent at once is lost.
  void send(std::span<const std::byte> bytes, std::uint16_t to);

  /// Waits for a datagram; for use outside of loops.
  void wait(double seconds);

 private:
  void await_stamps();

  int descriptor_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace stickslip
