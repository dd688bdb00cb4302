#pragma once

#include "stickslip/solver/local_task.hpp"

namespace stickslip {

/// Watches the rate at which sweeps converge, window of iterations after window, and says when
/// they look like a longer way to the goal than a step of Newton's method.
class ConvergenceWatch {
 public:
  /// The first window, and whether a decision is due before it has passed.
  void start(int window, double squared_map, bool is_due);

  /// The dearer a step, the longer the sweeps are watched. [iterations]
  static int window_for(const LocalTask& task, double newton_ns);

  /// Where a window ends there is a new rate, and a decision is due unless `is_resting`.
  void note(int iteration, double squared_map, bool is_resting);
  bool is_due() const { return is_due_; }

  /// The decision that was due: whether a step that costs `newton_ns` is shorter than sweeps to
  /// the goal at the rate seen.
  bool is_newton_shorter(const LocalTask& task, double newton_ns, double squared_map);

  /// After Newton's method; where it `goes_on` the next decision is due at once.
  void restart(int iteration, double squared_map, bool goes_on);

 private:
  int window_ = 0;           ///< iterations
  int window_start_ = 0;     ///< iteration
  double window_map_ = 0.0;  ///< squared error at the start of the window
  double rate_ = 0.0;        ///< of the logarithm of the squared error, per iteration
  bool is_due_ = false;
};

}  // namespace stickslip
