#include "stickslip/simulation/haptic_session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "stickslip/simulation/hands.hpp"

namespace stickslip {

HapticSession::HapticSession(const Scene& scene, State& state, StepData& data,
                             std::vector<HandSetup> devices, const LoopOptions& options)
    : scene_(scene),
      options_(options),
      state_(state),
      data_(data),
      loop_(options, std::move(devices), make_published_step(scene),
            scene.simulation.contact_budget) {}

StepReport HapticSession::step_scene() {
  loop_.inputs().refresh();
  const HandInputs& inputs = loop_.inputs().value();
  data_.hand_inputs = inputs.hands;
  const StepReport report = step(scene_, state_, data_);
  // a step that failed is not told: the loop will find the simulation stalled
  if (report.was_restored) return report;
  PublishedStep& draft = loop_.steps().draft();
  publish_step(scene_, state_, data_, supplied_, draft);
  draft.number = ++steps_;
  draft.time_s = inputs.time_s;
  supplied_ = draft.supplied;
  is_prepared_ = true;
  return report;
}

TurnTaking::TurnTaking(HapticSession& session, int latency_ticks)
    : session_(session),
      ticks_per_step_(std::max(1, static_cast<int>(std::lround(session.scene().simulation.dt /
                                                               session.options().tick)))),
      latency_ticks_(latency_ticks) {}

void TurnTaking::tick() {
  has_stepped_ = false;
  if (ticks_ == publish_at_) session_.publish();
  session_.loop().tick();
  if (stalled_ticks_ > 0) {
    --stalled_ticks_;
    next_step_ = std::max(next_step_, ticks_ + 1);
  } else if (ticks_ >= next_step_) {
    report_ = session_.step_scene();
    has_stepped_ = true;
    next_step_ += ticks_per_step_;
    publish_at_ = ticks_ + latency_ticks_;
  }
  ++ticks_;
}

LiveReport run_live(HapticSession& session, double seconds, const std::atomic<bool>& stop,
                    const std::function<void(const StepReport&)>& after_step,
                    const std::function<void(const TickTimes&)>& after_tick) {
  using Clock = std::chrono::steady_clock;
  const auto dt = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(session.scene().simulation.dt));
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  LiveReport report;
  HapticThread thread(session.loop(), session.options().tick, after_tick);
  Clock::time_point due = Clock::now();
  while (Clock::now() < end && !stop.load(std::memory_order_relaxed)) {
    const StepReport step_report = session.step_scene();
    session.publish();
    if (after_step) after_step(step_report);

    // a step that took longer than it lasts leaves the next ones their time
    due += dt;
    if (Clock::now() > due) {
      ++report.late_steps;
      due = Clock::now();
    }
    std::this_thread::sleep_until(due);
  }
  thread.stop();
  report.ticks = thread.times();
  report.granted = thread.granted();
  return report;
}

}  // namespace stickslip
