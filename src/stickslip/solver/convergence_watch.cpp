#include "stickslip/solver/convergence_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void ConvergenceWatch::start(int window, double squared_map, bool is_due) {
  window_ = window;
  rate_ = 0.0;
  restart(0, squared_map, is_due);
}

int ConvergenceWatch::window_for(const LocalTask& task, double newton_ns) {
  return static_cast<int>(std::clamp(auto_policy.watch.window_share * newton_ns / task.sweeps_ns(),
                                     1.0 * auto_policy.watch.least_window,
                                     1.0 * auto_policy.watch.longest_window));
}

void ConvergenceWatch::note(int iteration, double squared_map, bool is_resting) {
  if (iteration - window_start_ < window_) return;
  rate_ = std::log(window_map_ / squared_map) / (iteration - window_start_);
  restart(iteration, squared_map, !is_resting);
}

bool ConvergenceWatch::is_newton_shorter(const LocalTask& task, double newton_ns,
                                         double squared_map) {
  is_due_ = false;
  window_ = window_for(task, newton_ns);
  const double missing = std::log(squared_map / task.goal().squared_map);
  const double sweeps = rate_ > 0.0 ? missing / rate_ : std::numeric_limits<double>::infinity();
  const double margin =
      task.is_large() ? auto_policy.watch.margin_of_large_group : auto_policy.watch.margin;
  return sweeps * task.sweeps_ns() > margin * newton_ns;
}

void ConvergenceWatch::restart(int iteration, double squared_map, bool goes_on) {
  window_start_ = iteration;
  window_map_ = squared_map;
  is_due_ = goes_on;
}

}  // namespace stickslip
