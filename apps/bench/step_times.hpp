#pragma once

#include <functional>
#include <vector>

#include "apps/bench/setting.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::bench {

/// What the steps of a run took. The run is made several times, which is the same work bit by bit:
/// of each step and phase the least counts, so that what else the machine did does not show.
class StepTimes {
 public:
  /// A run begins.
  void start_run() { next_ = 0; }
  /// `thread_us` is the time of the thread on a processor: it tells the total where the thread had
  /// to wait for one.
  void add(const StepReport& report, double thread_us);

  std::size_t count() const { return steps_.size(); }
  const StepReport& step(std::size_t k) const { return steps_[k]; }

  /// Median and 99th of 100 of the whole step, over the steps that are wanted, and the limit of a
  /// step with so many contacts as carry force; beside it the limit of one with all that are found,
  /// contacts, iterations, the phases (medians) and the 99th of 100 of all runs as they came.
  Figure figure(const std::function<bool(std::size_t step)>& is_wanted,
                const std::function<double(int contacts)>& limit_us) const;

 private:
  std::size_t next_ = 0;
  std::vector<StepReport> steps_;
  std::vector<std::vector<double>> totals_us_;  ///< of each step, in every run
};

}  // namespace stickslip::bench
