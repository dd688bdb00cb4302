#include "stickslip/simulation/run_summary.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

RunSummary::RunSummary(const Scene& scene, const State& state, const StepData& data) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    energy_.initial +=
        scene.bodies[b].body.energy(state.bodies[b], data.body_steps[b], scene.simulation.gravity);
  }
  energy_.final = energy_.initial;
}

RunSummary::RunSummary(double energy) {
  energy_.initial = energy;
  energy_.final = energy;
}

void RunSummary::add(const StepReport& report) {
  ++steps_;
  contacts_sum_ += report.contacts;
  contacts_max_ = std::max(contacts_max_, report.contacts);
  iterations_sum_ += report.iterations;
  iterations_max_ = std::max(iterations_max_, report.iterations);
  error_max_ = std::max(error_max_, report.error);
  penetration_max_ = std::max(penetration_max_, report.penetration_m);
  adhesion_max_ = std::max(adhesion_max_, report.adhesion_N);
  cone_excess_max_ = std::max(cone_excess_max_, report.cone_excess_N);
  stick_drift_ += report.stick_drift_m;
  imbalance_max_ = std::max(imbalance_max_, report.imbalance_N);
  not_converged_ += report.is_converged ? 0 : 1;
  missed_deadline_ += report.met_deadline ? 0 : 1;
  for (std::size_t p = 0; p < phases_.size(); ++p) phases_[p].add(report.phase_us[p]);

  // a restored step does not know its energy
  if (report.was_restored) {
    ++restored_;
    is_energy_known_ = false;
    return;
  }
  const EnergyReport& energy = report.energy;
  if (is_energy_known_) {
    energy_.largest_unexplained_gain =
        std::max(energy_.largest_unexplained_gain,
                 energy.total - energy_.final - energy.work_in + energy.friction);
  }
  is_energy_known_ = true;
  energy_.final = energy.total;
  energy_.work_in += energy.work_in;
  energy_.friction += energy.friction;
}

RunSummary::Extent RunSummary::extent(std::int64_t sum, int max) const {
  return {steps_ == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(steps_), max};
}

}  // namespace stickslip
