#include "stickslip/simulation/scene_runner.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace stickslip {

SceneRunner::SceneRunner(const Scene& scene, State& state, StepData& data)
    : scene_(scene), state_(state), data_(data) {}

SceneRunner::SceneRunner(const Scene& scene, State& state, StepData& data,
                         std::vector<HandSetup> hands, const LoopOptions& options)
    : SceneRunner(scene, state, data) {
  turns_.emplace(session_.emplace(scene, state, data, std::move(hands), options));
}

const StepReport& SceneRunner::step(const RunEvents& events) {
  if (!turns_) {
    stickslip::step(scene_, state_, data_);
  } else {
    do {
      const double before = turns_->time_s();
      turns_->tick();
      const bool has_ticked = turns_->time_s() > before;
      if (has_ticked && events.after_tick) {
        events.after_tick(session_->loop().records(), not_timed_);
      }
    } while (turns_->step_report() == nullptr);
  }
  if (events.after_step) events.after_step(data_.report);
  return data_.report;
}

void SceneRunner::run(std::int64_t steps, const std::atomic<bool>& stop, const RunEvents& events) {
  for (std::int64_t k = 0; k < steps && !stop.load(std::memory_order_relaxed); ++k) step(events);
}

LiveReport SceneRunner::run_by_clock(const Pace& pace, std::int64_t steps,
                                     const std::atomic<bool>& stop, const RunEvents& events) {
  if (!session_ || pace.speed != 1.0) return run_paced(pace, steps, stop, events);
  const auto after_tick = [&](const TickTimes& times) {
    if (events.after_tick) events.after_tick(session_->loop().records(), times);
  };
  return run_live(*session_, static_cast<double>(steps) * scene_.simulation.dt, stop,
                  events.after_step, after_tick);
}

LiveReport SceneRunner::run_paced(const Pace& pace, std::int64_t steps,
                                  const std::atomic<bool>& stop, const RunEvents& events) {
  using Clock = std::chrono::steady_clock;
  const auto period = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(scene_.simulation.dt / pace.speed));
  LiveReport report;
  Clock::time_point due = Clock::now();
  for (std::int64_t k = 0; k < steps && !stop.load(std::memory_order_relaxed); ++k) {
    step(events);
    due += period;
    if (const auto now = Clock::now(); now > due) {
      ++report.late_steps;
      if (pace.makes_up) continue;
      report.lost_s += std::chrono::duration<double>(now - due).count();
      due = now;
    }
    std::this_thread::sleep_until(due);
  }
  if (session_) session_->loop().stop();
  return report;
}

}  // namespace stickslip
