#include "stickslip/simulation/haptic_session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "stickslip/error.hpp"
#include "stickslip/haptics/loop/real_time.hpp"
#include "stickslip/simulation/hands.hpp"

namespace stickslip {

namespace {

/// Moments that differ by less are the same.
constexpr double rounding_ticks = 1e-6;

std::vector<std::shared_ptr<Device>> devices_of(const std::vector<HandSetup>& hands) {
  std::vector<std::shared_ptr<Device>> devices;
  for (const HandSetup& hand : hands) devices.push_back(hand.device);
  return devices;
}

/// Operators of a session live in the time of its scene while this exists.
class OperatorsInSceneTime {
 public:
  explicit OperatorsInSceneTime(HapticSession& session) : session_(session) {
    session_.let_operators_follow(true);
  }
  ~OperatorsInSceneTime() { session_.let_operators_follow(false); }
  OperatorsInSceneTime(const OperatorsInSceneTime&) = delete;
  OperatorsInSceneTime& operator=(const OperatorsInSceneTime&) = delete;

 private:
  HapticSession& session_;
};

}  // namespace

HapticSession::HapticSession(const Scene& scene, State& state, StepData& data,
                             std::vector<HandSetup> devices, const LoopOptions& options)
    : scene_(scene),
      options_(options),
      state_(state),
      data_(data),
      devices_(devices_of(devices)),
      scene_time_(scene.simulation.dt),
      loop_(options, std::move(devices), make_published_step(scene),
            scene.simulation.contact_budget) {}

void HapticSession::let_operators_follow(bool scene) {
  for (const std::shared_ptr<Device>& device : devices_) {
    device->follow(scene ? &scene_time_ : nullptr);
  }
}

StepReport HapticSession::step_scene() {
  loop_.inputs().refresh();
  const HandInputs& inputs = loop_.inputs().value();
  data_.hand_inputs = inputs.hands;
  const StepReport report = step(scene_, state_, data_);
  scene_time_.tell(static_cast<double>(++steps_made_) * scene_.simulation.dt);
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
      ticks_per_step_(session.scene().simulation.dt / session.options().tick),
      latency_ticks_(latency_ticks) {
  const int latest = std::max(1, static_cast<int>(ticks_per_step_ + rounding_ticks));
  if (latency_ticks < 1 || latency_ticks > latest) {
    throw InputError(fmt::format(
        "the answer of a step cannot come {} ticks later; with {:.4g} ticks a step give 1 to {}",
        latency_ticks, ticks_per_step_, latest));
  }
}

bool TurnTaking::is_step_due() const {
  return next_step_ <= static_cast<double>(ticks_ - 1) + rounding_ticks;
}

void TurnTaking::tick() {
  has_stepped_ = false;
  if (!is_step_due()) {
    if (ticks_ == publish_at_) session_.publish();
    session_.loop().tick();
    ++ticks_;
    if (stalled_ticks_ > 0) {
      --stalled_ticks_;
      next_step_ = std::max(next_step_, static_cast<double>(ticks_));
    }
  }
  if (!is_step_due()) return;
  report_ = session_.step_scene();
  has_stepped_ = true;
  next_step_ += ticks_per_step_;
  publish_at_ = ticks_ - 1 + latency_ticks_;
}

LiveReport run_live(HapticSession& session, double seconds, const std::atomic<bool>& stop,
                    const std::function<void(const StepReport&)>& after_step,
                    const std::function<void(const TickTimes&)>& after_tick) {
  using Clock = std::chrono::steady_clock;
  const auto dt = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(session.scene().simulation.dt));
  const double end_s = session.scene_time_s() + seconds - 0.5 * session.scene().simulation.dt;
  LiveReport report;
  const OperatorsInSceneTime operators(session);
  std::atomic<bool> is_ticking = false;
  HapticThread thread(session.loop(), session.options().tick, [&](const TickTimes& times) {
    is_ticking.store(true, std::memory_order_relaxed);
    if (after_tick) after_tick(times);
  });
  // both begin together, however long the system took to grant what the loop asked for
  while (!is_ticking.load(std::memory_order_relaxed) && !stop.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const SimulationPriority priority;
  Clock::time_point due = Clock::now();
  while (session.scene_time_s() < end_s && !stop.load(std::memory_order_relaxed)) {
    const Clock::time_point begin = Clock::now();
    const StepReport step_report = session.step_scene();
    session.publish();
    if (after_step) after_step(step_report);

    // a step that took longer than it lasts leaves the next ones their time
    due += dt;
    if (const auto now = Clock::now(); now > due) {
      // real-time threads that never sleep are stopped by the system, the loop's among them
      const Clock::time_point next = now + (now - begin) / 10;
      ++report.late_steps;
      report.lost_s += std::chrono::duration<double>(next - due).count();
      due = next;
    }
    std::this_thread::sleep_until(due);
  }
  thread.stop();
  report.ticks = thread.times();
  report.granted = granted_to_both(thread.granted(), priority.granted());
  return report;
}

}  // namespace stickslip
