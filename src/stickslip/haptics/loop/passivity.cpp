#include "stickslip/haptics/loop/passivity.hpp"

#include <algorithm>

namespace stickslip {

namespace {

/// Smaller debts are rounding and not worth a force. [J]
constexpr double largest_debt = 1e-6;

}  // namespace

Passivity::Passivity(const PassivityOptions& options, double tick_s)
    : options_(options), tick_s_(tick_s) {}

void Passivity::hold(const Vec6& sent, double supplied, double elapsed_s) {
  impulse_ += elapsed_s * sent;
  damper_impulse_ += elapsed_s * damper_;
  held_s_ += elapsed_s;
  supplied_ += supplied;
}

void Passivity::observe(const Pose& pose) {
  // the way between is not known: it is taken to be straight and even
  if (has_pose_ && held_s_ > 0.0) {
    const Vec6 velocity = displacement_between(pose_, pose) / held_s_;
    energy_ -= impulse_.dot(velocity);
    removed_ -= damper_impulse_.dot(velocity);
  }
  energy_ = std::min(energy_ + supplied_, options_.largest_credit);
  restart();
  pose_ = pose;
  has_pose_ = true;
}

Vec6 Passivity::control(const Vec6& wanted, const Vec6& velocity, double elapsed_s) {
  damper_.setZero();
  is_acting_ = false;
  const bool is_at_rest = wanted.head<3>().norm() < options_.least_force &&
                          wanted.tail<3>().norm() < options_.least_torque;
  at_rest_s_ = is_at_rest ? at_rest_s_ + elapsed_s : 0.0;
  if (at_rest_s_ >= options_.rest_s) forgive();
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

void Passivity::restart() {
  has_pose_ = false;
  impulse_.setZero();
  damper_impulse_.setZero();
  held_s_ = 0.0;
  supplied_ = 0.0;
}

void Passivity::forgive(double held) {
  forgiven_ += std::max(0.0, held - energy_);
  energy_ = std::max(held, energy_);
}

}  // namespace stickslip
