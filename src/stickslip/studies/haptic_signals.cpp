#include "stickslip/studies/haptic_signals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

HighPass::HighPass(double corner_hz, double tick_s) {
  const double w = std::tan(std::numbers::pi * corner_hz * tick_s);
  const double scale = 1.0 / (1.0 + std::numbers::sqrt2 * w + w * w);
  gain_ = scale;
  a_1_ = 2.0 * (w * w - 1.0) * scale;
  a_2_ = (1.0 - std::numbers::sqrt2 * w + w * w) * scale;
}

double HighPass::add(double sample) {
  if (!has_started_) in_1_ = in_2_ = sample;
  has_started_ = true;
  const double out = gain_ * (sample - 2.0 * in_1_ + in_2_) - a_1_ * out_1_ - a_2_ * out_2_;
  in_2_ = in_1_;
  in_1_ = sample;
  out_2_ = out_1_;
  out_1_ = out;
  return out;
}

void ForceSteps::add(const TrialTick& tick, const CouplingGains& gains) {
  const Vec3 force = tick.record.wrench.head<3>();
  const double change = (force - force_).norm();
  if (count_ >= 3) {
    const double step = change_ - std::max(change_before_, change);
    if (was_update_) {
      at_updates = std::max(at_updates, std::min(step, of_jump_));
    } else {
      elsewhere = std::max(elsewhere, step);
    }
  }
  change_before_ = change_;
  change_ = change;
  force_ = force;
  was_update_ = tick.is_update;
  of_jump_ =
      (gains.stiffness + gains.damping / bench_tick) * tick.record.update_step.head<3>().norm();
  ++count_;
}

}  // namespace stickslip
