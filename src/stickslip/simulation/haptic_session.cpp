#include "stickslip/simulation/haptic_session.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/simulation/hands.hpp"

namespace stickslip {

HapticSession::HapticSession(const Scene& scene, std::vector<HandSetup> devices,
                             const LoopOptions& options, int latency_ticks)
    : scene_(scene),
      options_(options),
      state_(initial_state(scene)),
      data_(scene),
      loop_(options, std::move(devices), make_published_step(scene),
            scene.simulation.contact_budget),
      ticks_per_step_(
          std::max(1, static_cast<int>(std::lround(scene.simulation.dt / options.tick)))),
      latency_ticks_(latency_ticks) {}

void HapticSession::step_simulation() {
  loop_.inputs().refresh();
  data_.hand_inputs = loop_.inputs().value();
  const StepReport report = step(scene_, state_, data_);
  has_stepped_ = true;
  next_step_ += ticks_per_step_;
  // a step that failed is not told: the loop will find the simulation stalled
  if (report.was_restored) return;
  publish_step(scene_, state_, data_, ++steps_, supplied_, loop_.steps().draft());
  supplied_ = loop_.steps().draft().supplied;
  publish_at_ = ticks_ + latency_ticks_;
}

void HapticSession::tick() {
  has_stepped_ = false;
  if (ticks_ == publish_at_) loop_.steps().publish();
  loop_.tick();
  if (stalled_ticks_ > 0) {
    --stalled_ticks_;
    next_step_ = std::max(next_step_, ticks_ + 1);
  } else if (ticks_ >= next_step_) {
    step_simulation();
  }
  ++ticks_;
}

}  // namespace stickslip
