#include "stickslip/haptics/velocity_estimate.hpp"

#include <algorithm>

#include "stickslip/haptics/device.hpp"

namespace stickslip {

const Vec3& VelocityEstimate::sample(int back) const {
  const int size = static_cast<int>(samples_.size());
  return samples_[uz((newest_ - back + size) % size)];
}

Vec3 VelocityEstimate::add(const Vec3& position) {
  const int size = static_cast<int>(samples_.size());
  newest_ = (newest_ + 1) % size;
  samples_[uz(newest_)] = position;
  count_ = std::min(count_ + 1, size);

  // longer and longer windows, until the line misses a sample
  Vec3 velocity = Vec3::Zero();
  for (int window = 1; window < count_; ++window) {
    const Vec3 slope = (position - sample(window)) / window;
    bool fits = true;
    for (int back = 1; back < window && fits; ++back) {
      fits = (position - back * slope - sample(back)).squaredNorm() <= squared_resolution_;
    }
    if (!fits) break;
    velocity = slope / tick_s_;
    if (squared_resolution_ == 0.0) break;
  }
  return velocity;
}

PoseVelocity::PoseVelocity(double tick_s, double resolution)
    : translation_(tick_s, resolution), rotation_(tick_s, resolution / handle_lever) {}

Vec6 PoseVelocity::add(const Pose& from, const Pose& to) {
  way_ += displacement_between(from, to);
  Vec6 velocity;
  velocity.head<3>() = translation_.add(way_.head<3>());
  velocity.tail<3>() = rotation_.add(way_.tail<3>());
  return velocity;
}

void PoseVelocity::reset() {
  translation_.reset();
  rotation_.reset();
}

}  // namespace stickslip
