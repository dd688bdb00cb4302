#include "stickslip/devices/doorbell.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <system_error>

namespace stickslip {

Doorbell::Doorbell() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Doorbell::~Doorbell() {
  ::close(descriptor_);
}

void Doorbell::ring() {
  ::eventfd_write(descriptor_, 1);
}

bool Doorbell::wait(double seconds) {
  pollfd entry{descriptor_, POLLIN, 0};
  ::poll(&entry, 1, static_cast<int>(std::ceil(seconds * 1e3)));
  eventfd_t rings = 0;
  return ::eventfd_read(descriptor_, &rings) == 0;
}

}  // namespace stickslip
