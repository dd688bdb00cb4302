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

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
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
  // about a hundred small datagrams: what is older is of no use
  const int buffer_size = 1 << 15;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &buffer_size, sizeof(buffer_size));
  const int yes = 1;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes));
  await_stamps();
}

// the kernel begins to stamp arrivals a moment after the first socket asks for it; until then a
// datagram is stamped when it is read and looks fresh however long it lay
void LoopbackSocket::await_stamps() {
  constexpr timespec pause{0, 2'000'000};
  constexpr double least_age_s = 1e-3;
  std::array<std::byte, 1> probe{};
  for (int attempt = 0; attempt < 50; ++attempt) {
    send(probe, port_);
    ::nanosleep(&pause, nullptr);
    while (const auto datagram = receive(probe))
      if (datagram->from == port_ && datagram->age_s > least_age_s) return;
  }
}

LoopbackSocket::~LoopbackSocket() {
  ::close(descriptor_);
}

std::optional<LoopbackSocket::Datagram> LoopbackSocket::receive(std::span<std::byte> buffer) {
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
  const ssize_t size = ::recvmsg(descriptor_, &message, MSG_DONTWAIT);
  if (size < 0) return std::nullopt;
  return Datagram{buffer.first(static_cast<std::size_t>(size)), ntohs(sender.sin_port),
                  age_of(message)};
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
