#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/solver/clock_answers.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

// What the solvers share: the clock, the start, the order of visits and the error that stops them.

/// The time a solve may take, counted from the construction. Nothing that is measured decides but
/// through look and has, whose answers can be kept and given again.
class Budget {
 public:
  explicit Budget(double deadline_us) : deadline_us_(deadline_us), start_(Clock::now()) {}
  explicit Budget(const SolverOptions& options) : Budget(options.deadline_us) {
    answers_ = options.clock_answers;
  }

  double elapsed_us() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - start_).count();
  }
  bool is_limited() const { return deadline_us_ < std::numeric_limits<double>::infinity(); }

  /// Whether the work up to the next look, and `reserve_us` of work after it, still fit. Expects
  /// the next look to come no later than they did so far. Costs nothing where there is no
  /// deadline.
  bool look(double reserve_us) {
    if (!is_limited()) return true;
    if (answers_ != nullptr && answers_->is_repeating()) return answers_->next();
    const double now_us = elapsed_us();
    longest_gap_us_ = std::max(longest_gap_us_, now_us - last_look_us_);
    last_look_us_ = now_us;
    return noted(now_us + longest_gap_us_ + reserve_us);
  }

  /// Whether work of that length still fits, by itself.
  bool has(double work_us) const {
    if (!is_limited()) return true;
    if (answers_ != nullptr && answers_->is_repeating()) return answers_->next();
    return noted(elapsed_us() + work_us);
  }

 private:
  using Clock = std::chrono::steady_clock;
  // for the way out, and for what a look cannot foresee
  static constexpr double margin_us = 0.5;
  static constexpr double margin_share = 0.02;

  bool noted(double end_us) const {
    const bool fits = end_us + margin_us <= (1.0 - margin_share) * deadline_us_;
    return answers_ != nullptr ? answers_->note(fits) : fits;
  }

  double deadline_us_;
  ClockAnswers* answers_ = nullptr;
  Clock::time_point start_;
  double last_look_us_ = 0.0;
  double longest_gap_us_ = 0.0;
};

/// A sweep looks at the clock once in so many contacts.
inline constexpr int contacts_per_look = 16;

/// Forces beyond this [N], or not finite, come from a sweep that runs away, as it can where W is
/// not positive.
inline constexpr double runaway_force = 1e100;
inline constexpr std::string_view runaway_message =
    "the forces grew without bound; is W positive semi-definite?";
inline constexpr std::string_view friction_message =
    "a solver of frictionless problems; this one has a contact with mu > 0";

/// f becomes zero, or with a warm start each given force moved into its cone.
void start_force(const ContactProblem& problem, const SolverOptions& options, VecView f);

/// The contacts in the order asked for.
void fill_order(const SolverOptions& options, int contact_count, std::vector<int>& order);

/// What a force is multiplied by before it is compared with a length: 1, or trace(W)/3m.
double force_scale(const ContactProblem& problem, Criterion criterion);

/// One contact's part of the natural map, squared: | f - P(f - (delta + mu |delta_t| n)) |^2 with
/// f in the scale of the criterion.
double squared_natural_map(const Vec3& f, const Vec3& delta, double mu);

/// The natural-map error of f with delta = W f + delta_free.
double natural_map_of(const ContactProblem& problem, const ConstVecView& f,
                      const ConstVecView& delta, double scale);

}  // namespace stickslip
