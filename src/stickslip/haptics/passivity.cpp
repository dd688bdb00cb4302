#include "stickslip/haptics/passivity.hpp"

#include <algorithm>

#include "stickslip/haptics/coupling.hpp"

namespace stickslip {

namespace {

/// Smaller debts are rounding and not worth a force. [J]
constexpr double largest_debt = 1e-6;

}  // namespace

Passivity::Passivity(const PassivityOptions& options, double tick_s)
    : options_(options), tick_s_(tick_s) {}

void Passivity::observe(const Pose& pose, const Vec6& sent, double supplied) {
  if (has_pose_) {
    const Vec6 moved = displacement_between(pose_, pose);
    energy_ -= sent.dot(moved);
    removed_ -= damper_.dot(moved);
  }
  energy_ = std::min(energy_ + supplied, options_.largest_credit);
  pose_ = pose;
  has_pose_ = true;
}

Vec6 Passivity::control(const Vec6& wanted, const Vec6& velocity) {
  damper_.setZero();
  is_acting_ = options_.is_on && energy_ < -largest_debt;
  if (!is_acting_) return wanted;

  // a damper, no stronger than takes the debt back within a tick
  Vec6 damping;
  damping << Vec3::Constant(options_.damping), Vec3::Constant(options_.rotational_damping);
  const double power = velocity.dot(damping.cwiseProduct(velocity));
  const double share = power * tick_s_ > -energy_ ? -energy_ / (power * tick_s_) : 1.0;
  damper_ = -share * damping.cwiseProduct(velocity);
  return wanted + damper_;
}

}  // namespace stickslip
