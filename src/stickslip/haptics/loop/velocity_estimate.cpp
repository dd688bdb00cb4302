#include "stickslip/haptics/loop/velocity_estimate.hpp"

#include <algorithm>

#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

namespace {

/// In ticks, but for rounding.
constexpr double shortest_window = 0.999;

}  // namespace

const VelocityEstimate::Sample& VelocityEstimate::sample(int back) const {
  const int size = static_cast<int>(samples_.size());
  return samples_[uz((newest_ - back + size) % size)];
}

bool VelocityEstimate::fits(const Vec3& slope, int window) const {
  double ticks = 0.0;
  for (int back = 1; back < window; ++back) {
    ticks += sample(back - 1).ticks;
    const Vec3 on_line = sample(0).position - ticks * slope;
    if ((on_line - sample(back).position).squaredNorm() > squared_resolution_) return false;
  }
  return true;
}

Vec3 VelocityEstimate::add(const Vec3& position, double elapsed_s) {
  const int size = static_cast<int>(samples_.size());
  newest_ = (newest_ + 1) % size;
  samples_[uz(newest_)] = {position, elapsed_s / tick_s_};
  count_ = std::min(count_ + 1, size);

  // longer and longer windows, until the line misses a sample
  Vec3 velocity = Vec3::Zero();
  double ticks = 0.0;
  for (int window = 1; window < count_; ++window) {
    const bool is_short = ticks < shortest_window;
    ticks += sample(window - 1).ticks;
    const Vec3 slope = (position - sample(window).position) / ticks;
    if (!is_short && !fits(slope, window)) break;
    velocity = slope / tick_s_;
    if (squared_resolution_ == 0.0 && ticks >= shortest_window) break;
  }
  return velocity;
}

PoseVelocity::PoseVelocity(double tick_s, double resolution)
    : translation_(tick_s, resolution), rotation_(tick_s, resolution / handle_lever) {}

Vec6 PoseVelocity::sample(double elapsed_s) {
  Vec6 velocity;
  velocity.head<3>() = translation_.add(way_.head<3>(), elapsed_s);
  velocity.tail<3>() = rotation_.add(way_.tail<3>(), elapsed_s);
  return velocity;
}

void PoseVelocity::reset() {
  translation_.reset();
  rotation_.reset();
}

}  // namespace stickslip
