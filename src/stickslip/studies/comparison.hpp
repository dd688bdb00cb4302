#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// A moment of a run, held fast: the state, what it holds of energy, and where the hands are.
struct Moment {
  State state;
  double energy_J = 0.0;
  std::vector<HandInput> hand_inputs;
};

/// The moment after the step that `data` was last used for.
Moment freeze(const State& state, const StepData& data);

/// How one contact method went on from a moment; of its last step unless it says otherwise.
struct ComparedMethod {
  std::string name;
  bool is_converged = true;
  bool is_in_time = true;  ///< else a step has met the limit, and was the last
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

struct ComparisonOptions {
  int steps = 1;
  int repeats = 5;        ///< for the shortest time; fewer where they would exceed the limit
  double limit_s = 10.0;  ///< for what one method solves in a step, and for its repeats together
  const std::atomic<bool>* ends = nullptr;  ///< once true, the method at work is given up
  /// Before each method: those that are done, and the name of the one that comes.
  std::function<void(const std::vector<ComparedMethod>&, std::string_view)> progress = {};
};

/// The same steps from the same moment by each method: exact (`auto`, which comes first and is what
/// the others differ from; Gauss-Seidel), pyramids of 4, 8 and 16 sides, explicit and implicit
/// penalty, imposed motion and explicit friction, with the numbers that the scene gives them. They
/// share all but the law. Springs of a penalty are no stored energy in the book: what they give
/// back is a gain. Ended early, those that are done.
std::vector<ComparedMethod> compare_methods(const Scene& scene, const Moment& moment,
                                            const ComparisonOptions& options = {});

inline constexpr std::size_t compared_methods = 9;

}  // namespace stickslip
