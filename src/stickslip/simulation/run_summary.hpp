#pragma once

#include <array>
#include <cstdint>

#include "stickslip/math/time_histogram.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// A whole run, told in a few numbers.
class RunSummary {
 public:
  /// Before the first step.
  RunSummary(const Scene& scene, const State& state, const StepData& data);
  /// Of a run that goes on with that energy. [J]
  explicit RunSummary(double energy);

  void add(const StepReport& report);

  struct Extent {
    double mean = 0.0;
    int max = 0;
  };
  std::int64_t steps() const { return steps_; }
  Extent contacts() const { return extent(contacts_sum_, contacts_max_); }
  Extent iterations() const { return extent(iterations_sum_, iterations_max_); }
  double error_max() const { return error_max_; }
  double penetration_max() const { return penetration_max_; }  ///< [m]
  double adhesion_max() const { return adhesion_max_; }        ///< [N]
  double cone_excess_max() const { return cone_excess_max_; }  ///< [N]
  double stick_drift() const { return stick_drift_; }  ///< sum over the steps, worst contact [m]
  double imbalance_max() const { return imbalance_max_; }  ///< [N]
  const TimeHistogram& phase(Phase phase) const { return phases_[static_cast<std::size_t>(phase)]; }

  struct Energy {
    double initial = 0.0;
    double final = 0.0;
    double work_in = 0.0;   ///< by the drives, over the run
    double friction = 0.0;  ///< lost to friction, over the run
    /// Of any step: what was gained, less the work put in, plus what friction took.
    double largest_unexplained_gain = 0.0;
  };
  const Energy& energy() const { return energy_; }  ///< [J]

  // steps that
  std::int64_t not_converged() const { return not_converged_; }
  std::int64_t missed_deadline() const { return missed_deadline_; }  ///< among those
  std::int64_t restored() const { return restored_; }

  /// Every step converged, unless its deadline stopped it, and nothing had to be restored.
  bool is_sound() const { return not_converged_ == missed_deadline_ && restored_ == 0; }

 private:
  Extent extent(std::int64_t sum, int max) const;

  std::int64_t steps_ = 0;
  std::int64_t contacts_sum_ = 0;
  std::int64_t iterations_sum_ = 0;
  int contacts_max_ = 0;
  int iterations_max_ = 0;
  double error_max_ = 0.0;
  double penetration_max_ = 0.0;
  double adhesion_max_ = 0.0;
  double cone_excess_max_ = 0.0;
  double stick_drift_ = 0.0;
  double imbalance_max_ = 0.0;
  std::int64_t not_converged_ = 0;
  std::int64_t missed_deadline_ = 0;
  std::int64_t restored_ = 0;
  Energy energy_;
  bool is_energy_known_ = true;  ///< energy_.final is that of the last step
  std::array<TimeHistogram, phase_count> phases_;
};

}  // namespace stickslip
