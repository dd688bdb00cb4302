#pragma once

#include "stickslip/solver/anderson.hpp"
#include "stickslip/solver/local_task.hpp"

namespace stickslip {

/// Anderson extrapolation after the sweeps of a local problem, guarded by the error: one after
/// which it has grown too far is taken back. How far is too far changes where there is no headway.
class GuardedAnderson {
 public:
  void reserve(const LocalTask& task);
  void start(const LocalTask& task, const LocalForce& now);

  /// The sweeps that follow lead away from here.
  void note_before_sweeps(const LocalTask& task, const LocalForce& now);

  /// After the sweeps: whether the extrapolation before them did harm. `now` is then again where
  /// it started, and its history is forgotten.
  bool takes_back(const LocalTask& task, int iteration, LocalForce& now);

  /// Moves `now` on, as far as the last sweeps tell and where there is time.
  void extrapolate(const LocalTask& task, int iteration, LocalForce& now);

  /// Something other than sweeps has moved the force: none of the history counts.
  void forget(const LocalTask& task);

 private:
  Anderson anderson_;
  LocalForce before_;  ///< the last sweeps
  LocalForce anchor_;  ///< where a failed extrapolation is taken back to
  bool was_extrapolated_ = false;
  std::size_t daring_ = 0;  ///< of the growths that are tolerated
  int milestone_ = 0;       ///< iteration of the last headway
  double milestone_map_ = 0.0;
};

}  // namespace stickslip
