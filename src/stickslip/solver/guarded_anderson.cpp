#include "stickslip/solver/guarded_anderson.hpp"

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void GuardedAnderson::reserve(const LocalTask& task) {
  task.reserve(before_);
  task.reserve(anchor_);
  anderson_.reset(task.problem().capacity(), 0.0);
}

void GuardedAnderson::start(const LocalTask& task, const LocalForce& now) {
  forget(task);
  task.copy(now, anchor_);
  daring_ = 0;
  milestone_ = 0;
  milestone_map_ = task.best().squared_map;
}

void GuardedAnderson::note_before_sweeps(const LocalTask& task, const LocalForce& now) {
  task.copy(now, before_);
}

bool GuardedAnderson::takes_back(const LocalTask& task, int iteration, LocalForce& now) {
  // no headway: change the daring
  if (task.best().squared_map <= milestone_map_ / 4.0) {
    milestone_map_ = task.best().squared_map;
    milestone_ = iteration;
  } else if (iteration - milestone_ >= auto_policy.extrapolation.patience) {
    milestone_ = iteration;
    daring_ = (daring_ + 1) % auto_policy.extrapolation.tolerated_growth.size();
  }
  const double most = auto_policy.extrapolation.tolerated_growth[daring_] * anchor_.squared_map;
  if (!was_extrapolated_ || now.squared_map <= most) return false;
  task.copy(anchor_, now);
  forget(task);
  return true;
}

void GuardedAnderson::extrapolate(const LocalTask& task, int iteration, LocalForce& now) {
  task.copy(now, anchor_);
  was_extrapolated_ = false;
  if (!task.budget().has(task.goal().reserve_us +
                         auto_policy.extrapolation.longest_sweeps * task.sweep_us()))
    return;
  const double weights = anderson_.extrapolate(before_.f, before_.delta, now.f, now.delta);
  was_extrapolated_ = weights > 0.0;
  if (was_extrapolated_) task.keep_in_cones(now);
  if (weights > auto_policy.extrapolation.large_weights ||
      iteration % auto_policy.extrapolation.sweeps_per_refresh == 0) {
    // extrapolation magnifies the rounding of delta
    task.refresh(now);
  }
}

void GuardedAnderson::forget(const LocalTask& task) {
  anderson_.reset(task.problem().size(), task.problem().mean_compliance());
  was_extrapolated_ = false;
}

}  // namespace stickslip
