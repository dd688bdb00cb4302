#include "stickslip/solver/local_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/problem/friction_cone.hpp"

namespace stickslip {

namespace {

// how much an extrapolation may raise the squared error: more daring, then careful again, whenever
// so many sweeps have not halved the best error
constexpr std::array<double, 3> tolerated_growth = {1.44, 9.0, 100.0};
constexpr int patience = 60;
constexpr int sweeps_per_refresh = 4;
constexpr double large_weights = 20.0;
constexpr int large_group = 200;
constexpr int sweeps_of_large_group = 3;
constexpr int large_dense_group = 40;
constexpr int sweeps_of_large_dense_group = 2;
constexpr double margin_of_large_group = 4.0;

// sweeps from which the rate is judged
constexpr int rate_window = 4;
constexpr int longest_window = 24;
constexpr double watch_share = 0.5;
// by which the sweeps must look dearer than one Newton step
constexpr double newton_margin = 2.0;
constexpr int largest_newton = 720;
constexpr int sweeps_after_newton = 4;
constexpr double next_share = 0.3;
constexpr double least_share = 0.02;
constexpr double first_regularisation = 1e-4;
constexpr int longest_detour = 6;

// of a start near the solution; the first in sweeps, the second in the squared error asked for:
// where less is missing sweeps may do, and are watched for a shorter time
constexpr double eager_share = 100.0;
constexpr double eager_distance = 30.0;
constexpr int eager_window = 2;
constexpr double eager_regularisation = 1e-3;

// how the proximal steps start, one try after the other
struct ProximalTry {
  double alpha;      // of the mean compliance
  double rho_share;  // of the inverse compliance of each contact
  bool is_from_zero;
};
constexpr std::array<ProximalTry, 6> proximal_tries = {{{1e-5, 10.0, false},
                                                        {1e-5, 10.0, true},
                                                        {1e-3, 1.0, false},
                                                        {1e-7, 100.0, true},
                                                        {1e-2, 10.0, false},
                                                        {1e-6, 1.0, true}}};
constexpr int most_semismooth = 60;
constexpr int most_inner = 12;
constexpr int quick_inner = 3;
constexpr int most_idle = 4;
constexpr double inner_share = 1e-3;
constexpr double least_regularisation = 1e-12;
constexpr double most_regularisation = 1e3;

// costs in nanoseconds of a usual machine: they decide, so they are not measured
constexpr double contact_cost = 110.0;
constexpr double dense_block_cost = 0.45;
constexpr double sparse_block_cost = 2.0;
constexpr double flop_cost = 0.065;
constexpr double sparse_flop_cost = 0.15;
constexpr double usual_us_per_ns = 1e-3;
constexpr double number_cost = 0.6;
constexpr double order_cost = 2.0;
// where there is a deadline, work may take this much longer than its cost says
constexpr double slowest_share = 2.0;

}  // namespace

void LocalSolver::reserve(const ContactProblem& problem) {
  const int m = problem.contact_count();
  local_.reserve(problem);
  newton_.reserve(m, std::min(3 * m, largest_newton));
  semismooth_.reserve(m, std::min(3 * m, largest_newton));
  slip_.reserve(uz(m));
  if (now_.f.size() >= local_.capacity()) return;
  for (Point* point : {&now_, &before_, &anchor_, &trial_, &best_}) {
    point->f.setZero(local_.capacity());
    point->delta.setZero(local_.capacity());
  }
  slope_.setZero(local_.capacity());
  anderson_.reset(local_.capacity(), 0.0);
}

bool LocalSolver::sweep(Point& point, Budget& budget, double reserve_us) {
  const int stride = local_.stride();
  for (int i = 0; i < local_.contact_count(); ++i) {
    if (i % contacts_per_look == 0 && !budget.look(reserve_us)) return false;
    auto f_i = point.f.segment<3>(stride * i);
    const Vec3 delta_i = point.delta.segment<3>(stride * i);
    const Vec3 f_before = f_i;
    if (delta_i[0] >= 0.0 && f_before == Vec3::Zero()) continue;
    const ContactBlock& block = local_.block(i);
    f_i = block.solve(delta_i - block.matrix() * f_before, slip_[uz(i)]);
    const Vec3 change = f_i - f_before;
    if (change != Vec3::Zero()) local_.add_column(i, change, point.delta);
  }
  return true;
}

void LocalSolver::judge(Point& point) const {
  const int stride = local_.stride();
  point.squared_map = 0.0;
  for (int i = 0; i < local_.contact_count(); ++i) {
    point.squared_map += squared_natural_map(force_scale_ * point.f.segment<3>(stride * i),
                                             point.delta.segment<3>(stride * i), local_.mu(i));
  }
}

void LocalSolver::copy(const Point& from, Point& to) const {
  to.f.head(local_.size()) = from.f.head(local_.size());
  to.delta.head(local_.size()) = from.delta.head(local_.size());
  to.squared_map = from.squared_map;
}

void LocalSolver::note_best(const Point& point) {
  if (!(point.squared_map < best_.squared_map) || !point.f.head(local_.size()).allFinite()) return;
  copy(point, best_);
}

void LocalSolver::keep_in_cones(Point& point) const {
  for (int i = 0; i < local_.contact_count(); ++i) {
    auto f_i = point.f.segment<3>(local_.stride() * i);
    const double limit = local_.mu(i) * f_i[0];
    if (f_i[0] >= 0.0 && f_i[1] * f_i[1] + f_i[2] * f_i[2] <= limit * limit) continue;
    const Vec3 inside = FrictionCone{local_.mu(i)}.project(f_i);
    const Vec3 change = inside - f_i;
    if (change == Vec3::Zero()) continue;
    f_i = inside;
    local_.add_column(i, change, point.delta);
  }
}

void LocalSolver::energy_slope(const Point& point) {
  const int stride = local_.stride();
  slope_.head(local_.size()) = 0.5 * local_.delta_free().head(local_.size());
  for (int i = 0; i < local_.contact_count(); ++i) {
    slope_[stride * i] += local_.mu(i) * point.delta.segment<2>(stride * i + 1).norm();
  }
}

double LocalSolver::energy(const Point& point) const {
  const Eigen::Index n = local_.size();
  return point.f.head(n).dot(0.5 * point.delta.head(n) + slope_.head(n));
}

double LocalSolver::sweep_cost() const {
  return contact_cost * local_.contact_count() +
         (local_.is_dense() ? dense_block_cost : sparse_block_cost) * local_.block_count();
}

double LocalSolver::newton_cost(const Goal& goal, const Budget& budget) {
  const int unknowns = newton_.classify(local_, now_.f);
  const double k = local_.contact_count();
  if (!is_analysed_ && !local_.is_dense() && has_time(order_cost * k * k, goal, budget)) {
    is_analysed_ = true;
    if (sparse_lu_.analyse(local_)) sparse_ = &sparse_lu_;
  }
  const double share = static_cast<double>(unknowns) / (3.0 * local_.contact_count());
  if (unknowns == 0 || (sparse_ == nullptr && !newton_.fits())) {
    return std::numeric_limits<double>::infinity();
  }
  const double solve = sparse_ != nullptr ? sparse_flop_cost * share * sparse_lu_.flops()
                                          : flop_cost * ActiveNewton::flops(unknowns);
  return solve + sweeps_after_newton * sweep_cost();
}

double LocalSolver::semismooth_cost() const {
  return sparse_ != nullptr ? sparse_flop_cost * sparse_lu_.flops()
                            : flop_cost * ActiveNewton::flops(semismooth_.unknowns());
}

bool LocalSolver::has_time(double cost_ns, const Goal& goal, const Budget& budget) const {
  return budget.has(goal.reserve_us + slowest_share * us_per_ns_ * cost_ns);
}

double LocalSolver::start_us(const ContactProblem& problem, std::span<const int> contacts) const {
  double numbers = 0.0;
  const auto k = static_cast<double>(contacts.size());
  if (problem.W.is_dense()) {
    numbers = 9.0 * k * k;
  } else {
    for (const int i : contacts) {
      numbers += 30.0 * static_cast<double>(problem.W.column(i).rows.size());
    }
    numbers += k <= 16.0 ? 9.0 * k * k : 0.0;
  }
  return slowest_share * us_per_ns_ * (number_cost * numbers + 2.0 * contact_cost * k);
}

LocalSolver::Step LocalSolver::newton_step(const Goal& goal, Budget& budget) {
  const double late_us = goal.reserve_us;
  if (!newton_.compute_step(local_, sparse_, now_.f, now_.delta,
                            regularisation_ * local_.mean_compliance(), budget, late_us)) {
    return budget.look(late_us) ? Step::none : Step::late;
  }
  energy_slope(now_);
  const double energy_now = energy(now_);
  for (double share = 1.0; share > least_share; share *= next_share) {
    newton_.move(local_, now_.f, share, trial_.f);
    local_.refresh(trial_.f, trial_.delta);
    for (int k = 0; k < sweeps_after_newton; ++k) {
      if (!sweep(trial_, budget, goal.reserve_us)) return Step::late;
      judge(trial_);
      if (trial_.squared_map <= goal.squared_map) break;
    }
    note_best(trial_);
    if (trial_.squared_map < now_.squared_map || energy(trial_) < energy_now) {
      copy(trial_, now_);
      return Step::better;
    }
  }
  return Step::worse;
}

LocalSolver::Step LocalSolver::semismooth(const Goal& goal, Budget& budget, int& steps) {
  const double compliance = local_.mean_compliance();
  const ProximalTry& attempt = proximal_tries[uz(proximal_try_) % proximal_tries.size()];
  ++proximal_try_;
  double alpha = attempt.alpha;
  const double map_at_start = best_.squared_map;
  double last_map = now_.squared_map;
  int idle = 0;
  if (attempt.is_from_zero) now_.f.head(local_.size()).setZero();
  semismooth_.start(local_, sparse_, now_.f, attempt.rho_share, alpha * compliance);
  while (steps < most_semismooth && idle < most_idle) {
    const double residual_at_start = semismooth_.residual();
    int inner = 0;
    bool is_solved = false;
    while (inner < most_inner && !is_solved) {
      if (!has_time(semismooth_cost() + 2.0 * sweep_cost(), goal, budget)) {
        copy(best_, now_);
        return Step::none;
      }
      const SemismoothNewton::Step step = semismooth_.step(local_, budget, goal.reserve_us);
      if (step == SemismoothNewton::Step::late) return Step::late;
      if (step == SemismoothNewton::Step::none) {
        copy(best_, now_);
        return Step::none;
      }
      ++inner;
      ++steps;
      semismooth_.project(local_, trial_.f);
      local_.refresh(trial_.f, trial_.delta);
      judge(trial_);
      note_best(trial_);
      if (best_.squared_map <= goal.squared_map) break;
      is_solved = step == SemismoothNewton::Step::done ||
                  semismooth_.residual() <= inner_share * residual_at_start;
    }
    if (best_.squared_map <= goal.squared_map) break;
    idle = trial_.squared_map < 0.25 * last_map ? 0 : idle + 1;
    last_map = std::min(last_map, trial_.squared_map);
    // fast: come nearer to W itself; slow: stay further off
    alpha *= !is_solved ? 10.0 : inner <= quick_inner ? 0.1 : 0.3;
    alpha = std::clamp(alpha, 1e-12, 1.0);
    semismooth_.recentre(local_, alpha * compliance);
  }
  copy(best_, now_);
  return best_.squared_map < map_at_start ? Step::better : Step::worse;
}

LocalSolver::Outcome LocalSolver::solve(const ContactProblem& problem,
                                        std::span<const ContactBlock> blocks,
                                        std::span<const int> contacts, const Goal& goal,
                                        Budget& budget, VecX& f) {
  force_scale_ = goal.force_scale;
  us_per_ns_ = usual_us_per_ns;
  regularisation_ = first_regularisation;
  if (!std::ranges::equal(contacts, local_.contacts())) {
    local_.gather(problem, blocks, contacts);
    is_analysed_ = false;
    sparse_ = nullptr;
  }
  const Eigen::Index size = local_.size();
  slip_.assign(uz(local_.contact_count()), 0.0);
  anderson_.reset(size, local_.mean_compliance());
  local_.take(f, now_.f);
  local_.refresh(now_.f, now_.delta);
  judge(now_);
  best_.squared_map = std::numeric_limits<double>::infinity();
  note_best(now_);
  copy(now_, anchor_);

  // where sweeps are long, or shorter than an extrapolation, one follows on several
  const bool is_large = !local_.is_dense() && local_.contact_count() >= large_group;
  const bool is_large_dense = local_.is_dense() && local_.contact_count() >= large_dense_group;
  const int sweeps_at_once = is_large         ? sweeps_of_large_group
                             : is_large_dense ? sweeps_of_large_dense_group
                                              : 1;
  const double sweep_ns = sweeps_at_once * sweep_cost();
  Outcome outcome;
  const int first_window =
      is_large ? static_cast<int>(std::clamp(watch_share * newton_cost(goal, budget) / sweep_ns,
                                             1.0 * rate_window, 1.0 * longest_window))
               : rate_window;
  bool was_extrapolated = false;
  std::size_t daring = 0;
  int milestone = 0;
  double milestone_map = best_.squared_map;
  int window_start = 0;
  double window_map = now_.squared_map;
  int newton_pause = 0;
  // near the solution Newton's method may start at once, unless it is dear or little is missing
  bool is_due = goal.is_near && now_.squared_map > eager_distance * goal.squared_map &&
                newton_cost(goal, budget) < eager_share * sweep_ns;
  if (is_due) regularisation_ = eager_regularisation;
  int window = goal.is_near ? eager_window : first_window;
  int detour = 0;
  bool is_stuck = false;
  int semismooth_pause = 0;
  int tries = 0;
  proximal_try_ = goal.first_try;
  double extrapolation_us = 0.0;
  double rate = 0.0;  // of the logarithm of the squared error, per sweep
  int failures = 0;
  int it = 0;
  while (it < goal.max_iterations && !(best_.squared_map <= goal.squared_map)) {
    ++it;
    before_.f.head(size) = now_.f.head(size);
    before_.delta.head(size) = now_.delta.head(size);
    const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
    for (int k = 0; k < sweeps_at_once && outcome.is_in_time; ++k) {
      outcome.is_in_time = sweep(now_, budget, goal.reserve_us);
    }
    if (budget.is_limited()) {
      const double sweeps_us = budget.elapsed_us() - start_us;
      us_per_ns_ = std::max(us_per_ns_, sweeps_us / sweep_ns);
      // moving forces into their cones and a refresh may take a sweep each
      extrapolation_us = 2.5 * sweeps_us / sweeps_at_once;
    }
    judge(now_);
    if (now_.squared_map <= goal.squared_map) {
      // the updates of delta carry rounding
      local_.refresh(now_.f, now_.delta);
      judge(now_);
    }
    note_best(now_);
    if (!outcome.is_in_time || now_.squared_map <= goal.squared_map) break;

    // no headway: change the daring
    if (best_.squared_map <= milestone_map / 4.0) {
      milestone_map = best_.squared_map;
      milestone = it;
    } else if (it - milestone >= patience) {
      milestone = it;
      daring = (daring + 1) % tolerated_growth.size();
    }
    if (was_extrapolated && !(now_.squared_map <= tolerated_growth[daring] * anchor_.squared_map)) {
      // the extrapolation did harm: back to where it started, and none of its history
      copy(anchor_, now_);
      anderson_.reset(size, local_.mean_compliance());
      was_extrapolated = false;
      continue;
    }
    if (!(now_.f.head(size).lpNorm<Eigen::Infinity>() < runaway_force)) break;

    // is Newton's method the shorter way?
    if (it - window_start >= window) {
      rate = std::log(window_map / now_.squared_map) / (it - window_start);
      window_start = it;
      window_map = now_.squared_map;
      is_due = it >= newton_pause;
    }
    if (is_due) {
      is_due = false;
      const double newton_ns = newton_cost(goal, budget);
      // the dearer the step, the longer the sweeps are watched
      window = static_cast<int>(
          std::clamp(watch_share * newton_ns / sweep_ns, 1.0 * rate_window, 1.0 * longest_window));
      const double missing = std::log(now_.squared_map / goal.squared_map);
      const double sweeps = rate > 0.0 ? missing / rate : std::numeric_limits<double>::infinity();
      if (sweeps * sweep_ns > (is_large ? margin_of_large_group : newton_margin) * newton_ns &&
          has_time(newton_ns, goal, budget)) {
        ++it;
        const double map_before = now_.squared_map;
        const double best_before = best_.squared_map;
        const Step step = newton_step(goal, budget);
        if (step == Step::late) {
          outcome.is_in_time = false;
          break;
        }
        if (step == Step::better) {
          const double gain = now_.squared_map / map_before;
          regularisation_ =
              std::max(regularisation_ * (gain < 0.01 ? 0.01 : 0.1), least_regularisation);
          failures = 0;
          is_due = true;
          detour = best_.squared_map < best_before ? 0 : detour + 1;
          if (detour > longest_detour) {
            // lower in energy, never in error: start again from the best
            detour = 0;
            copy(best_, now_);
            regularisation_ = first_regularisation;
            is_due = false;
            newton_pause = it + 2 * rate_window;
            is_stuck = true;
          }
        } else {
          regularisation_ = std::min(std::max(regularisation_, 1e-6) * 10.0, most_regularisation);
          ++failures;
          newton_pause = it + (rate_window << std::min(failures, 5));
          is_stuck = true;
        }
        if (is_stuck && it >= semismooth_pause) {
          is_stuck = false;
          int steps = 0;
          const Step outcome_of_all = semismooth(goal, budget, steps);
          it += steps;
          if (outcome_of_all == Step::late) {
            outcome.is_in_time = false;
            break;
          }
          semismooth_pause = it + (rate_window << std::min(++tries, 8));
        }
        anderson_.reset(size, local_.mean_compliance());
        was_extrapolated = false;
        copy(now_, anchor_);
        window_start = it;
        window_map = now_.squared_map;
        if (step == Step::better) continue;
      }
    }

    copy(now_, anchor_);
    if (!budget.has(goal.reserve_us + extrapolation_us)) {
      was_extrapolated = false;
      continue;
    }
    const double weights = anderson_.extrapolate(before_.f, before_.delta, now_.f, now_.delta);
    was_extrapolated = weights > 0.0;
    if (was_extrapolated) keep_in_cones(now_);
    if (weights > large_weights || it % sweeps_per_refresh == 0) {
      // extrapolation magnifies the rounding of delta
      local_.refresh(now_.f, now_.delta);
    }
  }
  local_.give(best_.f, f);
  outcome.squared_map = best_.squared_map;
  outcome.iterations = it;
  return outcome;
}

}  // namespace stickslip
