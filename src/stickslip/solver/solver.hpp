#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

class ClockAnswers;

/// Which natural-map error a tolerance is meant on: of the problem as it is, or of the problem
/// rescaled by trace(W)/3m, which compares lengths with lengths.
enum class Criterion { plain, rescaled };

/// The order in which the contacts of a sweep are visited.
enum class ContactOrder { fixed, reversed, shuffled };

enum class SolveStatus {
  converged,       ///< the tolerance is reached, or the solver's own rule where none is given
  max_iterations,  ///< stopped by the limit on iterations
  deadline,        ///< stopped by the limit on time
  failed,          ///< cannot do better; the message says why
};

/// How far a solve has come, for another thread to look at.
struct SolveProgress {
  std::atomic<int> iterations = 0;
  std::atomic<double> error = std::numeric_limits<double>::infinity();  ///< of the best force

  void note(int iterations_now, double error_now) {
    iterations.store(iterations_now, std::memory_order_relaxed);
    error.store(error_now, std::memory_order_relaxed);
  }
};

/// Of the solvers that have no rule of their own.
inline constexpr double default_tolerance = 1e-8;

struct SolverOptions {
  std::optional<double> tolerance;  ///< on the error; without one the solver stops by its own rule
  Criterion criterion = Criterion::plain;
  int max_iterations = 100'000;
  double deadline_us = std::numeric_limits<double>::infinity();  ///< for the whole solve [us]
  ContactOrder order = ContactOrder::fixed;
  std::uint32_t seed = 0;                 ///< of the shuffled order
  bool warm_start = false;                ///< start from the given force
  ClockAnswers* clock_answers = nullptr;  ///< notes, or gives, what the clock decides
  SolveProgress* progress = nullptr;      ///< kept up to date by the solvers that sweep
};

struct SolveResult {
  SolveStatus status = SolveStatus::failed;
  double error = 0.0;  ///< natural-map error of the force, by the criterion asked for
  int iterations = 0;  ///< sweeps or pivots
  double seconds = 0.0;
  std::string_view message;  ///< empty, or why it failed; lives forever
};

/// Finds the contact forces of a problem. A solver owns its scratch: it allocates only beyond
/// the largest problem there has been, and one object serves one thread at a time.
class Solver {
 public:
  virtual ~Solver() = default;

  virtual std::string_view name() const = 0;

  /// Room for problems up to this size: solves within it allocate nothing. Those by
  /// Lemke's method, whose tableaux no loop could afford, take theirs when they meet a problem.
  virtual void reserve(const ProblemSize& /*largest*/) {}

  /// The problem's numbers are finite, its mu not negative, its sizes consistent. f has
  /// 3m entries: the force to start from with a warm start, otherwise they do not matter.
  /// Afterwards every force is finite and inside its cone, whatever the status. Same input, same
  /// answer.
  SolveResult solve(const ContactProblem& problem, const SolverOptions& options, VecView f) {
    return find_forces(problem, options, f);
  }

  /// The same where f has perhaps another size, and then tells nothing to start from.
  SolveResult solve(const ContactProblem& problem, const SolverOptions& options, VecX& f) {
    if (f.size() != 3 * problem.contact_count()) f.setZero(3 * problem.contact_count());
    return find_forces(problem, options, f);
  }

 private:
  virtual SolveResult find_forces(const ContactProblem& problem, const SolverOptions& options,
                                  VecView f) = 0;
};

}  // namespace stickslip
