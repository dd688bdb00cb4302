#include "stickslip/devices/loopback_socket.hpp"

#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "stickslip/error.hpp"

namespace stickslip {

namespace {

sockaddr_in system_address(const LoopbackAddress& address) {
  sockaddr_in system{};
  system.sin_family = AF_INET;
  system.sin_port = htons(address.port);
  system.sin_addr.s_addr = htonl(address.address);
  return system;
}

bool bind_to(int descriptor, const LoopbackAddress& address) {
  const sockaddr_in system = system_address(address);
  return ::bind(descriptor, reinterpret_cast<const sockaddr*>(&system), sizeof(system)) == 0;
}

int make_socket() {
  const int descriptor = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return descriptor;
  // about a hundred small datagrams: what is older is of no use
  const int buffer_size = 1 << 15;
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer_size, sizeof(buffer_size));
  const int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes));
  return descriptor;
}

void allow_company(int descriptor, bool is_allowed) {
  const int value = is_allowed ? 1 : 0;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value));
}

/// By the kernel's time of arrival.
double age_of(msghdr& message) {
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_TIMESTAMPNS) return 0.0;
  timespec arrival{};
  std::memcpy(&arrival, CMSG_DATA(header), sizeof(arrival));
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const double age = static_cast<double>(now.tv_sec - arrival.tv_sec) +
                     1e-9 * static_cast<double>(now.tv_nsec - arrival.tv_nsec);
  return std::max(0.0, age);
}

std::optional<LoopbackSocket::Datagram> receive_from(int descriptor, std::span<std::byte> buffer) {
  sockaddr_in sender{};
  iovec place{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(timespec))> control{};
  msghdr message{};
  message.msg_name = &sender;
  message.msg_namelen = sizeof(sender);
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(descriptor, &message, MSG_DONTWAIT);
  if (size < 0) return std::nullopt;
  return LoopbackSocket::Datagram{buffer.first(static_cast<std::size_t>(size)),
                                  {ntohl(sender.sin_addr.s_addr), ntohs(sender.sin_port)},
                                  age_of(message)};
}

}  // namespace

LoopbackSocket::LoopbackSocket(std::uint16_t port) : descriptor_(make_socket()) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (descriptor_ < 0 || !bind_to(descriptor_, {.port = port}) ||
      ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw InputError(fmt::format(
        "cannot listen on UDP port {} of this machine ({}); choose another port, or end the "
        "program that has it",
        port, std::strerror(error)));
  }
  port_ = ntohs(address.sin_port);
  await_stamps();
}

// the kernel begins to stamp arrivals a moment after the first socket asks for it; until then a
// datagram is stamped when it is read and looks fresh however long it lay
void LoopbackSocket::await_stamps() {
  constexpr timespec pause{0, 2'000'000};
  constexpr double least_age_s = 1e-3;
  std::array<std::byte, 1> probe{};
  for (int attempt = 0; attempt < 50; ++attempt) {
    send(probe, {.port = port_});
    ::nanosleep(&pause, nullptr);
    while (const auto datagram = receive(probe))
      if (datagram->from.port == port_ && datagram->age_s > least_age_s) return;
  }
}

LoopbackSocket::~LoopbackSocket() {
  forget_own();
  ::close(descriptor_);
}

std::optional<LoopbackSocket::Datagram> LoopbackSocket::receive(std::span<std::byte> buffer) {
  return receive_from(descriptor_, buffer);
}

std::optional<LoopbackSocket::Datagram> LoopbackSocket::receive_own(std::span<std::byte> buffer) {
  return own_ < 0 ? std::nullopt : receive_from(own_, buffer);
}

void LoopbackSocket::send(std::span<const std::byte> bytes, const LoopbackAddress& to) {
  const sockaddr_in address = system_address(to);
  ::sendto(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT,
           reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

void LoopbackSocket::listen_to(const LoopbackAddress& sender) {
  forget_own();
  own_ = make_socket();
  if (own_ < 0) return;
  // two sockets of ours share the port, nobody else may: the system gives a datagram to the one
  // that is connected to its sender
  allow_company(own_, true);
  allow_company(descriptor_, true);
  const bool is_bound = bind_to(own_, {.port = port_});
  allow_company(descriptor_, false);
  const sockaddr_in address = system_address(sender);
  const bool is_connected = is_bound && ::connect(own_, reinterpret_cast<const sockaddr*>(&address),
                                                  sizeof(address)) == 0;
  if (!is_connected) forget_own();
}

void LoopbackSocket::forget_own() {
  if (own_ >= 0) ::close(own_);
  own_ = -1;
}

void LoopbackSocket::wait(double seconds) {
  std::array<pollfd, 2> entries = {pollfd{descriptor_, POLLIN, 0}, pollfd{own_, POLLIN, 0}};
  ::poll(entries.data(), entries.size(), static_cast<int>(std::clamp(seconds * 1e3, 0.0, 1e6)));
}

}  // namespace stickslip
