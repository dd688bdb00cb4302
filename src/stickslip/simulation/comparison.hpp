#pragma once

#include <string>
#include <vector>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// A moment of a run, held fast: the state, and what the book of energies needs besides.
struct Frame {
  State state;
  double energy_J = 0.0;
};

/// The moment after the step that `data` was last used for.
Frame freeze(const State& state, const StepData& data);

/// How one contact method went on from a frame; of its last step unless it says otherwise.
struct ComparedMethod {
  std::string name;
  bool is_converged = true;
  int contacts = 0;
  int loaded_contacts = 0;
  int iterations = 0;
  double normal_force_N = 0.0;      ///< sum over the contacts
  double friction_force_N = 0.0;    ///< sum of the amounts
  double difference_percent = 0.0;  ///< (Eq. 26) of all forces to those of the exact method
  double penetration_m = 0.0;       ///< of the contacts, where the step left them
  double error = 0.0;               ///< of the exact laws, rescaled
  LawViolations laws;
  double slip_angle_deg = 0.0;  ///< largest between the friction of a contact and against its slip
  double stick_drift_m = 0.0;   ///< largest slip of a contact whose friction is below its limit
  double energy_gain_J = 0.0;   ///< over all steps: gained, less work put in, plus friction's loss
  double solve_us = 0.0;        ///< shortest of the repeats, like the next
  double total_us = 0.0;
};

/// The same steps from the same frame by each method: exact (`auto`, which comes first and is what
/// the others differ from; Gauss-Seidel), pyramids of 4, 8 and 16 sides, explicit and implicit
/// penalty, imposed motion and explicit friction, with the numbers that the scene gives them. They
/// share all but the law. Springs of a penalty are no stored energy in the book: what they give
/// back is a gain.
std::vector<ComparedMethod> compare_methods(const Scene& scene, const Frame& frame, int steps = 1,
                                            int repeats = 5);

}  // namespace stickslip
