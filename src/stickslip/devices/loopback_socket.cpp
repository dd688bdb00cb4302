#include "stickslip/devices/loopback_socket.hpp"

#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "stickslip/error.hpp"

namespace stickslip {

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

LoopbackSocket::LoopbackSocket(std::uint16_t port) {
  descriptor_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof(address);
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (descriptor_ < 0 || ::bind(descriptor_, raw, size) != 0 ||
      ::getsockname(descriptor_, raw, &size) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw InputError(fmt::format(
        "cannot listen on UDP port {} of this machine ({}); choose another port, or end the "
        "program that has it",
        port, std::strerror(error)));
  }
  port_ = ntohs(address.sin_port);
}

LoopbackSocket::~LoopbackSocket() {
  ::close(descriptor_);
}

std::ptrdiff_t LoopbackSocket::receive(std::span<std::byte> buffer, std::uint16_t& from) {
  sockaddr_in sender{};
  socklen_t size = sizeof(sender);
  const ssize_t received = ::recvfrom(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT,
                                      reinterpret_cast<sockaddr*>(&sender), &size);
  from = ntohs(sender.sin_port);
  return received;
}

void LoopbackSocket::send(std::span<const std::byte> bytes, std::uint16_t to) {
  const sockaddr_in address = loopback(to);
  ::sendto(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT,
           reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

void LoopbackSocket::wait(double seconds) {
  pollfd entry{descriptor_, POLLIN, 0};
  ::poll(&entry, 1, static_cast<int>(std::clamp(seconds * 1e3, 0.0, 1e6)));
}

}  // namespace stickslip
