#include "stickslip/devices/link_meter.hpp"

#include <algorithm>

namespace stickslip {

namespace {
constexpr std::size_t renewal = 64;
}

void LinkMeter::add(double trip_s, double now) {
  if (count_ == 0) renewed_at_ = now;
  trips_[count_++ % window] = std::max(0.0, trip_s);
  if (count_ < renewal || count_ % renewal == 0) renew(now);
}

void LinkMeter::renew(double now) {
  // the median, then the slowest hundredth above it
  std::array<double, window> sorted = trips_;
  const auto begin = sorted.begin();
  const auto size = static_cast<std::ptrdiff_t>(std::min(count_, window));
  const auto middle = begin + size / 2;
  const auto slow = begin + (size * 99) / 100;
  std::nth_element(begin, middle, begin + size);
  std::nth_element(middle, slow, begin + size);
  delay_s_.store(*middle, std::memory_order_relaxed);
  jitter_s_.store(*slow - *middle, std::memory_order_relaxed);
  // trips a second since the last full renewal
  if (now > renewed_at_) {
    const auto trips = static_cast<double>(count_ - std::max<std::size_t>(counted_before_, 1));
    rate_hz_.store(trips / (now - renewed_at_), std::memory_order_relaxed);
  }
  if (count_ % renewal != 0) return;
  counted_before_ = count_;
  renewed_at_ = now;
}

LinkTimes LinkMeter::times() const {
  return {delay_s_.load(std::memory_order_relaxed), jitter_s_.load(std::memory_order_relaxed),
          rate_hz_.load(std::memory_order_relaxed)};
}

}  // namespace stickslip
