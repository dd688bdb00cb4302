#include "stickslip/solver/auto_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stickslip {

namespace {

// over all contacts, before the groups and, at first, after them
constexpr int first_sweeps = 5;
constexpr int sweeps_between = 1;
constexpr int sweeps_between_large = 2;
// a warm start with an error below the first needs fewer
constexpr double near_error = 0.1;
constexpr int sweeps_when_near = 1;
constexpr int most_sweeps_between = 32;
// what is left of the tolerance for the contacts outside the groups
constexpr double share_of_groups = 0.8;
// a round aims at this much of the error, as long as contacts still come and go; the more there
// are, the likelier some do
constexpr double aim_of_round = 0.01;
constexpr double aim_of_large_round = 0.1;
constexpr std::size_t large_round = 40;
// below it there is only rounding
constexpr double least_aim = 1e-15;
constexpr int first_effort = 200;
// of what the last refresh and error took so far: W may have left the caches by then
constexpr double reserve_share = 2.0;
// a group is gathered, and its delta computed, in so many sweeps at most
constexpr double gather_share = 3.0;
// a gap of this many moves may close
constexpr double near_moves = 1.0;
// a choice of more contacts than this share is no use
constexpr double worth_choosing = 0.7;

}  // namespace

void AutoSolver::resize(int contact_count) {
  const auto exchange = [&](Vectors& vectors) {
    std::swap(vectors.f, now_.f);
    std::swap(vectors.delta, now_.delta);
    std::swap(vectors.best_f, best_f_);
    std::swap(vectors.last_gap, last_gap_);
  };
  if (last_gap_.size() != contact_count) {
    exchange(spare_.at(uz(last_gap_.size())));
    exchange(spare_.at(uz(contact_count)));
  }
  last_gap_.resize(contact_count);
}

void AutoSolver::choose_loaded() {
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
    const double reach = near_moves * (std::abs(now_.delta[3 * i] - last_gap_[i]) + usual_move);
    if (now_.f[3 * i] > 0.0 || now_.delta[3 * i] < reach) loaded_.push_back(static_cast<int>(i));
  }
  if (static_cast<double>(loaded_.size()) < worth_choosing * static_cast<double>(m)) return;
  loaded_.resize(uz(m));
  std::iota(loaded_.begin(), loaded_.end(), 0);
}

SolveResult AutoSolver::solve(const ContactProblem& problem, const SolverOptions& options,
                              VecX& f) {
  Budget budget(options);
  const int m = problem.contact_count();
  const double scale = force_scale(problem, options.criterion);
  const double tolerance = options.tolerance.value_or(default_tolerance);
  start_force(problem, options, f);
  sweep_.prepare(problem, options);
  local_.reserve(problem);
  loaded_.reserve(uz(m));
  resize(m);

  double error_us = 0.0;
  double refresh_us = 0.0;
  const auto timed = [&](double& longest_us, auto&& work) {
    const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
    work();
    if (budget.is_limited()) longest_us = std::max(longest_us, budget.elapsed_us() - start_us);
  };
  double size = 0.0;
  const auto judge = [&] {
    timed(error_us, [&] { now_.error = natural_map_of(problem, now_.f, now_.delta, scale); });
  };
  double best_error = std::numeric_limits<double>::infinity();
  const auto note_best = [&] {
    if (!(now_.error < best_error) || !now_.f.allFinite()) return;
    best_error = now_.error;
    best_f_ = now_.f;
  };
  const auto refresh = [&] { timed(refresh_us, [&] { sweep_.refresh(now_.f, now_.delta); }); };
  int iterations = 0;
  const auto finish = [&](SolveStatus status, std::string_view message = {}) {
    f = best_f_;
    return SolveResult{status, best_error, iterations, budget.elapsed_us() * 1e-6, message};
  };

  now_.f = f;
  best_f_ = f;
  refresh();
  judge();
  note_best();
  if (now_.error <= tolerance) return finish(SolveStatus::converged);

  const bool is_near = options.warm_start && problem.W.is_dense() && best_error <= near_error;
  int sweeps = is_near ? sweeps_when_near : first_sweeps;
  int effort = first_effort;
  double round_error = best_error;
  bool is_settled = is_near;
  for (int round = 0;; ++round) {
    // over all contacts
    for (int k = 0; k < sweeps && iterations < options.max_iterations; ++k) {
      for (int i = 0; i < m; ++i) last_gap_[i] = now_.delta[3 * i];
      bool is_whole = false;
      // it takes no less than a refresh, of which the first, of no force, told nothing
      timed(refresh_us, [&] { is_whole = sweep_.run(now_.f, now_.delta, budget, 2.0 * error_us); });
      judge();
      if (is_whole && now_.error <= tolerance) {
        // the updates of delta carry rounding: the last word is a fresh one
        refresh();
        judge();
      }
      note_best();
      if (is_whole) ++iterations;
      if (now_.error <= tolerance) return finish(SolveStatus::converged);
      if (!is_whole) return finish(SolveStatus::deadline);
      if (!(now_.f.lpNorm<Eigen::Infinity>() < runaway_force)) {
        return finish(SolveStatus::failed, runaway_message);
      }
    }
    if (iterations >= options.max_iterations) break;

    // no headway: more sweeps, more effort
    choose_loaded();
    if (best_error <= round_error / 2.0) {
      sweeps = problem.W.is_dense() && loaded_.size() >= large_round ? sweeps_between_large
                                                                     : sweeps_between;
    } else {
      sweeps = std::min(2 * sweeps, most_sweeps_between);
      effort = std::min(2 * effort, options.max_iterations);
    }
    round_error = best_error;

    // each group by itself, the larger ones with what the smaller have left of the tolerance
    groups_.find(problem.W, loaded_);
    size = std::sqrt(std::max({problem.delta_free.squaredNorm(),
                               scale * scale * now_.f.squaredNorm(), now_.delta.squaredNorm()}));
    is_settled = is_settled || loaded_.size() == uz(m);
    const double round_share = loaded_.size() < large_round ? aim_of_round : aim_of_large_round;
    const double aim =
        std::max({tolerance, least_aim, is_settled ? 0.0 : round_share * now_.error});
    double left = share_of_groups * aim * aim * size * size;
    int contacts_left = static_cast<int>(loaded_.size());
    int most_iterations = 0;
    bool is_in_time = true;
    bool is_moved = false;
    for (int g = 0; g < groups_.count() && is_in_time; ++g) {
      const std::span<const int> contacts = groups_.group(g);
      const int k = static_cast<int>(contacts.size());
      LocalSolver::Goal goal;
      goal.force_scale = scale;
      goal.squared_map = left * k / contacts_left;
      goal.size = size > 0.0 ? size : 1.0;
      goal.first_try = round;
      goal.is_near = is_near && round == 0;
      goal.max_iterations = std::min(effort, options.max_iterations - iterations);
      goal.reserve_us = reserve_share * (refresh_us + error_us);
      const double start_us =
          std::max(local_.start_us(problem, contacts), gather_share * refresh_us);
      if (!budget.has(goal.reserve_us + start_us)) {
        // not enough time for a group by itself: sweeps to the end
        sweeps = options.max_iterations;
        break;
      }
      const LocalSolver::Outcome outcome =
          local_.solve(problem, sweep_.blocks(), contacts, goal, budget, now_.f);
      is_moved = true;
      left -= std::min(goal.squared_map, outcome.squared_map);
      contacts_left -= k;
      most_iterations = std::max(most_iterations, outcome.iterations);
      is_in_time = outcome.is_in_time;
    }
    if (!is_moved) continue;
    iterations += most_iterations;
    refresh();
    judge();
    note_best();
    if (now_.error <= tolerance) return finish(SolveStatus::converged);
    if (!is_in_time) return finish(SolveStatus::deadline);

    // do the others stay out of it?
    is_settled = true;
    auto next = loaded_.begin();
    for (int i = 0; i < m && is_settled; ++i) {
      if (next != loaded_.end() && *next == i) {
        ++next;
      } else {
        is_settled = now_.delta[3 * i] >= 0.0;
      }
    }
  }

  // the last word is a fresh one here too
  now_.f = best_f_;
  refresh();
  judge();
  best_error = now_.error;
  return finish(SolveStatus::max_iterations);
}

}  // namespace stickslip
