#pragma once

#include <chrono>

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// Adds the time of its life to a phase.
class PhaseTimer {
 public:
  PhaseTimer(StepReport& report, Phase phase)
      : us_(report.phase_us[static_cast<std::size_t>(phase)]) {}
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;
  ~PhaseTimer() { us_ += std::chrono::duration<double, std::micro>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& us_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace stickslip
