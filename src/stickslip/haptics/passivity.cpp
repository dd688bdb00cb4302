#include "stickslip/haptics/passivity.hpp"

#include <algorithm>

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
  is_acting_ = false;
  Vec6 damping;
  damping << Vec3::Constant(options_.damping), Vec3::Constant(options_.rotational_damping);
  const double dissipated = velocity.dot(damping.cwiseProduct(velocity));
  if (!options_.is_on || dissipated == 0.0) return wanted;

  // no more power to the hand than it has put in, and a damper while it is in debt
  const double too_much = wanted.dot(velocity) - std::max(energy_, 0.0) / tick_s_;
  const double debt = std::max(0.0, -energy_ - largest_debt) / tick_s_;
  if (too_much * tick_s_ <= largest_debt && debt == 0.0) return wanted;
  const double strength = std::max(0.0, too_much) / dissipated + std::min(1.0, debt / dissipated);
  damper_ = -strength * damping.cwiseProduct(velocity);
  is_acting_ = true;
  return wanted + damper_;
}

}  // namespace stickslip
