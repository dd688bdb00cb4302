#include "stickslip/solver/auto_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

/// Runs `work`, and keeps the longest it took where there is a deadline.
template <class Work>
void time(const Budget& budget, double& longest_us, Work&& work) {
  const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
  work();
  if (budget.is_limited()) longest_us = std::max(longest_us, budget.elapsed_us() - start_us);
}

}  // namespace

AutoSolver::Run::Run(const ContactProblem& problem_of_run, const SolverOptions& options_of_run)
    : problem(problem_of_run),
      options(options_of_run),
      budget(options),
      scale(force_scale(problem, options.criterion)),
      tolerance(options.tolerance.value_or(default_tolerance)),
      best_error(std::numeric_limits<double>::infinity()) {}

SolveResult AutoSolver::find_forces(const ContactProblem& problem, const SolverOptions& options,
                                    VecView f) {
  Run run(problem, options);
  if (!start(run, f)) return finish(run, SolveStatus::deadline, f);
  if (has_dead_overlap(problem) && is_squeezed(run)) return give_up(run, none_exists_message, f);
  if (now_.error <= run.tolerance) return finish(run, SolveStatus::converged, f);

  for (;; ++run.round) {
    if (const std::optional<SolveStatus> end = sweep_over_all(run)) return finish(run, *end, f);
    if (run.iterations >= options.max_iterations) break;
    if (run.idle_rounds == 1 && is_squeezed(run)) return give_up(run, none_exists_message, f);
    choose_loaded(run);
    plan_round(run);
    const GroupsEnd end = solve_groups(run);
    if (end == GroupsEnd::none) continue;
    refresh(run);
    judge(run);
    note_best(run);
    if (now_.error <= run.tolerance) return finish(run, SolveStatus::converged, f);
    if (end == GroupsEnd::late) return finish(run, SolveStatus::deadline, f);
    run.is_settled = do_others_stay_open();
  }

  // the last word is a fresh one here too
  now_.f = best_f_;
  refresh(run);
  judge(run);
  run.best_error = now_.error;
  return finish(run, SolveStatus::max_iterations, f);
}

void AutoSolver::reserve(const ProblemSize& largest) {
  sweep_.reserve(largest.contacts);
  local_.reserve(largest);
  groups_.reserve(largest.contacts);
  squeeze_.reserve(largest.contacts);
  jam_.reserve(largest.contacts);
  loaded_.reserve(uz(largest.contacts));
  for (CapacityVec* vector : {&now_.f, &now_.delta, &best_f_})
    vector->reserve(3 * largest.contacts);
  last_gap_.reserve(largest.contacts);
  room_ = std::max(room_, largest.contacts);
}

bool AutoSolver::start(Run& run, VecView f) {
  // the force to start from with its error, which is the answer where there is no time for more
  start_force(run.problem, run.options, f);
  now_.f = f;
  now_.delta.resize(f.size());
  best_f_ = f;
  sweep_.take(run.problem);
  refresh(run);
  judge(run);
  note_best(run);
  if (!run.budget.has(prepare_us(run))) return false;

  sweep_.prepare(run.problem, run.options);
  local_.prepare(run.problem);
  squeeze_.reserve(run.problem.contact_count());
  jam_.reserve(run.problem.contact_count());
  loaded_.reserve(uz(run.problem.contact_count()));
  last_gap_.resize(run.problem.contact_count());
  room_ = std::max(room_, run.problem.contact_count());

  run.is_near = run.options.warm_start && run.problem.W.is_dense() &&
                run.best_error <= auto_policy.rounds.near_error;
  run.is_settled = run.is_near;
  run.sweeps = run.is_near ? auto_policy.rounds.sweeps_when_near : auto_policy.rounds.first_sweeps;
  run.effort = auto_policy.rounds.first_effort;
  run.round_error = run.best_error;
  return true;
}

double AutoSolver::prepare_us(const Run& run) const {
  // room that was never used takes its time
  const auto m = static_cast<double>(run.problem.contact_count());
  const bool is_room_new = room_ < run.problem.contact_count();
  return auto_policy.cost.us_per_ns * m *
         (auto_policy.cost.prepare_ns + (is_room_new ? auto_policy.cost.new_contact_ns : 0.0));
}

void AutoSolver::refresh(Run& run) {
  time(run.budget, run.refresh_us, [&] { sweep_.refresh(now_.f, now_.delta); });
}

void AutoSolver::judge(Run& run) {
  time(run.budget, run.error_us,
       [&] { now_.error = natural_map_of(run.problem, now_.f, now_.delta, run.scale); });
}

void AutoSolver::note_best(Run& run) {
  if (!(now_.error < run.best_error) || !now_.f.allFinite()) return;
  run.best_error = now_.error;
  best_f_ = now_.f;
  if (run.options.progress != nullptr) run.options.progress->note(run.iterations, run.best_error);
}

std::optional<SolveStatus> AutoSolver::sweep_over_all(Run& run) {
  for (int k = 0; k < run.sweeps && run.iterations < run.options.max_iterations; ++k) {
    for (Eigen::Index i = 0; i < last_gap_.size(); ++i) last_gap_[i] = now_.delta[3 * i];
    bool is_whole = false;
    // it takes no less than a refresh, of which the first, of no force, told nothing
    time(run.budget, run.refresh_us,
         [&] { is_whole = sweep_.run(now_.f, now_.delta, run.budget, 2.0 * run.error_us); });
    judge(run);
    if (is_whole && now_.error <= run.tolerance) {
      // the updates of delta carry rounding: the last word is a fresh one
      refresh(run);
      judge(run);
    }
    note_best(run);
    if (is_whole) ++run.iterations;
    if (now_.error <= run.tolerance) return SolveStatus::converged;
    if (!is_whole) return SolveStatus::deadline;
    if (!(now_.f.lpNorm<Eigen::Infinity>() < runaway_force)) return SolveStatus::failed;
  }
  return std::nullopt;
}

void AutoSolver::choose_loaded(const Run& run) {
  // those that the last sweep moved little, compared with their gap, stay open
  const Eigen::Index m = now_.f.size() / 3;
  double squared_move = 0.0;
  for (Eigen::Index i = 0; i < m; ++i) {
    const double move = now_.delta[3 * i] - last_gap_[i];
    squared_move += move * move;
  }
  const double usual_move = std::sqrt(squared_move / static_cast<double>(m));
  loaded_.clear();
  for (Eigen::Index i = 0; i < m; ++i) {
    const double move = std::abs(now_.delta[3 * i] - last_gap_[i]);
    const double reach = auto_policy.rounds.near_moves * (move + usual_move);
    if (now_.f[3 * i] > 0.0 || now_.delta[3 * i] < reach) loaded_.push_back(static_cast<int>(i));
  }
  // the choice itself may be what goes round in circles
  const bool is_worth = static_cast<double>(loaded_.size()) <
                        auto_policy.rounds.worth_choosing * static_cast<double>(m);
  if (is_worth && run.idle_rounds < auto_policy.rounds.most_idle_rounds) return;
  loaded_.resize(uz(m));
  std::iota(loaded_.begin(), loaded_.end(), 0);
}

void AutoSolver::plan_round(Run& run) const {
  if (run.best_error <= run.round_error / 2.0) {
    const bool is_large =
        run.problem.W.is_dense() && loaded_.size() >= auto_policy.rounds.large_round;
    run.sweeps =
        is_large ? auto_policy.rounds.sweeps_between_large : auto_policy.rounds.sweeps_between;
    run.idle_rounds = 0;
  } else {
    // no headway: more sweeps, more effort
    run.sweeps = std::min(2 * run.sweeps, auto_policy.rounds.most_sweeps_between);
    run.effort = std::min(2 * run.effort, run.options.max_iterations);
    ++run.idle_rounds;
  }
  run.round_error = run.best_error;
  run.is_settled = run.is_settled || loaded_.size() == uz(run.problem.contact_count());
}

double AutoSolver::size_of(const Run& run) const {
  // what the error is relative to; at the solution the forces may be smaller than those of now
  if (run.idle_rounds >= auto_policy.rounds.most_idle_rounds) return run.problem.delta_free.norm();
  return std::sqrt(
      std::max({run.problem.delta_free.squaredNorm(), run.scale * run.scale * now_.f.squaredNorm(),
                now_.delta.squaredNorm()}));
}

double AutoSolver::aim_of(const Run& run) const {
  const double share = loaded_.size() < auto_policy.rounds.large_round
                           ? auto_policy.rounds.aim
                           : auto_policy.rounds.aim_of_large;
  return std::max(
      {run.tolerance, auto_policy.rounds.least_aim, run.is_settled ? 0.0 : share * now_.error});
}

AutoSolver::GroupsEnd AutoSolver::solve_groups(Run& run) {
  groups_.find(run.problem.W, loaded_);
  const double size = size_of(run);
  const double aim = aim_of(run);
  // the larger ones with what the smaller have left of the tolerance
  double left = auto_policy.rounds.share_of_groups * aim * aim * size * size;
  int contacts_left = static_cast<int>(loaded_.size());
  int most_iterations = 0;
  GroupsEnd end = GroupsEnd::none;
  for (int g = 0; g < groups_.count() && end != GroupsEnd::late; ++g) {
    const std::span<const int> contacts = groups_.group(g);
    const int k = static_cast<int>(contacts.size());
    LocalSolver::Goal goal;
    goal.force_scale = run.scale;
    goal.squared_map = left * k / contacts_left;
    goal.first_try = run.round;
    goal.progress = run.options.progress;
    goal.iterations_before = run.iterations;
    goal.is_near = run.is_near && run.round == 0;
    goal.max_iterations = std::min(run.effort, run.options.max_iterations - run.iterations);
    goal.reserve_us = auto_policy.rounds.reserve_share * (run.refresh_us + run.error_us);
    const double start_us = std::max(local_.start_us(run.problem, contacts),
                                     auto_policy.rounds.gather_share * run.refresh_us);
    if (!run.budget.has(goal.reserve_us + start_us)) {
      // not enough time for a group by itself: sweeps to the end
      run.sweeps = run.options.max_iterations;
      break;
    }
    const LocalSolver::Outcome outcome =
        local_.solve(run.problem, sweep_.blocks(), contacts, goal, run.budget, now_.f);
    left -= std::min(goal.squared_map, outcome.squared_map);
    contacts_left -= k;
    most_iterations = std::max(most_iterations, outcome.iterations);
    end = outcome.is_in_time ? GroupsEnd::solved : GroupsEnd::late;
  }
  run.iterations += most_iterations;
  return end;
}

bool AutoSolver::do_others_stay_open() const {
  auto next = loaded_.begin();
  for (int i = 0; i < static_cast<int>(last_gap_.size()); ++i) {
    if (next != loaded_.end() && *next == i) {
      ++next;
    } else if (!(now_.delta[3 * i] >= 0.0)) {
      return false;
    }
  }
  return true;
}

bool AutoSolver::is_squeezed(Run& run) {
  const double reserve_us = auto_policy.rounds.reserve_share * (run.refresh_us + run.error_us);
  const double slack = allowed_overlap(run.problem, now_.f, now_.delta, run.scale, run.tolerance);
  return squeeze_.proves_no_solution_of(run.problem, now_.delta, slack, run.budget, reserve_us);
}

bool AutoSolver::is_jammed(Run& run, bool is_converged) {
  if (is_converged &&
      !may_have_run_away(run.problem, now_.f, now_.delta, run.scale, run.tolerance)) {
    return false;
  }
  const double reserve_us = auto_policy.rounds.reserve_share * (run.refresh_us + run.error_us);
  return jam_.proves_no_solution_of(run.problem, run.options.max_iterations, run.budget,
                                    reserve_us);
}

SolveResult AutoSolver::finish(Run& run, SolveStatus status, VecView f) {
  const bool is_converged = status == SolveStatus::converged;
  const bool is_late = status == SolveStatus::deadline;
  // beside forces without bound any error looks small
  if (!is_late && is_squeezed(run)) return give_up(run, none_exists_message, f);
  if (!is_late && is_jammed(run, is_converged)) return give_up(run, jammed_message, f);
  f = best_f_;
  return {status, run.best_error, run.iterations, run.budget.elapsed_us() * 1e-6,
          is_converged || is_late         ? std::string_view{}
          : status == SolveStatus::failed ? runaway_message
                                          : none_found_message};
}

SolveResult AutoSolver::give_up(Run& run, std::string_view why, VecView f) {
  // a few sweeps from the start: without a solution the forces of all else grow without bound
  now_.f = f;
  refresh(run);
  for (int k = 0; k < auto_policy.rounds.first_sweeps; ++k) {
    if (!sweep_.run(now_.f, now_.delta, run.budget, 2.0 * run.error_us)) break;
  }
  judge(run);
  f = now_.f;
  return {SolveStatus::failed, now_.error, run.iterations, run.budget.elapsed_us() * 1e-6, why};
}

}  // namespace stickslip
