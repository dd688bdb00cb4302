#include "stickslip/solver/newton_ladder.hpp"

#include <algorithm>
#include <limits>

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

// choices of pyramids that a round leaves to itself
constexpr int choices_of_round = 1000;
constexpr int shortest_rest = auto_policy.watch.least_window;

}  // namespace

void NewtonLadder::reserve_sparse(int contact_count) {
  sparse_lu_.reserve(contact_count);
}

void NewtonLadder::reserve(int contact_count, const LocalTask& task) {
  const int m = contact_count;
  newton_.reserve(m, std::min(3 * m, auto_policy.newton.most_unknowns));
  interior_.reserve(m);
  semismooth_.reserve(m, std::min(3 * m, auto_policy.newton.most_unknowns));
  search_.reserve(m);
  task.reserve(trial_);
  task.reserve(inside_);
  if (slope_.size() < task.problem().capacity()) slope_.setZero(task.problem().capacity());
}

void NewtonLadder::forget_contacts() {
  is_analysed_ = false;
  sparse_ = nullptr;
  newton_.forget_contacts();
}

void NewtonLadder::start(int first_try, bool is_near, bool may_be_hyperstatic) {
  regularisation_ =
      is_near ? auto_policy.newton.eager_regularisation : auto_policy.newton.first_regularisation;
  failures_ = 0;
  detour_ = 0;
  rest_until_ = 0;
  is_stuck_ = false;
  was_inside_ = first_try > 0 || !may_be_hyperstatic;
  proximal_try_ = first_try;
  tries_ = 0;
  proximal_rest_until_ = 0;
  first_try_ = first_try;
  searches_ = 0;
  choice_ = choices_of_round * first_try;
}

double NewtonLadder::step_ns(const LocalTask& task, const LocalForce& now) {
  const LocalProblem& problem = task.problem();
  const int unknowns = newton_.classify(problem, now.f);
  const double k = problem.contact_count();
  if (!is_analysed_ && !problem.is_dense() && task.has_time(auto_policy.cost.order_ns * k * k)) {
    // one that was late is begun again where there is another deadline
    const SparseBlockLu::Analysis analysis =
        sparse_lu_.analyse(problem, task.budget(), task.goal().reserve_us);
    is_analysed_ = analysis != SparseBlockLu::Analysis::late;
    if (analysis == SparseBlockLu::Analysis::done) sparse_ = &sparse_lu_;
  }
  const double share = static_cast<double>(unknowns) / (3.0 * problem.contact_count());
  if (sparse_ == nullptr && !newton_.fits()) return std::numeric_limits<double>::infinity();
  const double solve_ns = sparse_ != nullptr
                              ? auto_policy.cost.sparse_flop_ns * share * sparse_lu_.flops()
                              : newton_.step_ns(problem);
  return solve_ns + auto_policy.newton.sweeps_after * task.sweep_ns();
}

double NewtonLadder::all_states_ns(int dense_unknowns) const {
  return sparse_ != nullptr ? auto_policy.cost.sparse_flop_ns * sparse_lu_.flops()
                            : auto_policy.cost.flop_ns * ActiveNewton::flops(dense_unknowns);
}

NewtonLadder::Climb NewtonLadder::climb(LocalTask& task, int iteration, LocalForce& now) {
  Climb climb{.iteration = iteration + 1};
  const double map_before = now.squared_map;
  const double best_before = task.best().squared_map;
  const Step step = step_in_states(task, now);
  climb.is_in_time = step != Step::late;
  climb.is_better = step == Step::better;
  if (!climb.is_in_time) return climb;
  if (climb.is_better) {
    note_success(task, map_before, best_before, now, climb);
  } else {
    note_failure(climb.iteration);
  }
  const bool is_large = task.problem().contact_count() >= auto_policy.interior.least_contacts;
  if (is_stuck_ && is_large && !was_inside_ && is_far(task, task.best())) {
    was_inside_ = true;
    const Step step_inside = interior_steps(task, now, climb.iteration);
    climb.is_in_time = step_inside != Step::late;
    climb.goes_on = step_inside == Step::better;
    is_stuck_ = step_inside == Step::worse;
  }
  if (is_stuck_ && climb.is_in_time && climb.iteration >= proximal_rest_until_) {
    is_stuck_ = false;
    climb.is_in_time = proximal_steps(task, now, climb.iteration) != Step::late;
    const bool is_last_resort = tries_ + first_try_ >= auto_policy.search.tries_before &&
                                PyramidSearch::takes(task.problem());
    if (climb.is_in_time && is_last_resort && !task.is_reached(task.best())) {
      search_pyramids(task, now, climb);
    }
    proximal_rest_until_ = climb.iteration + (shortest_rest << std::min(
                                                  ++tries_, auto_policy.proximal.most_doublings));
  }
  return climb;
}

void NewtonLadder::note_success(const LocalTask& task, double map_before, double best_before,
                                LocalForce& now, Climb& climb) {
  const double left = now.squared_map / map_before;
  regularisation_ =
      std::max(regularisation_ *
                   (left < auto_policy.newton.great_gain ? auto_policy.newton.great_gain : 0.1),
               auto_policy.newton.least_regularisation);
  failures_ = 0;
  climb.goes_on = true;
  detour_ = task.best().squared_map < best_before ? 0 : detour_ + 1;
  if (detour_ <= auto_policy.newton.longest_detour) return;
  // lower in energy, never in error: start again from the best
  detour_ = 0;
  task.copy(task.best(), now);
  regularisation_ = auto_policy.newton.first_regularisation;
  climb.goes_on = false;
  rest_until_ = climb.iteration + 2 * shortest_rest;
  is_stuck_ = true;
}

void NewtonLadder::note_failure(int iteration) {
  regularisation_ = std::min(std::max(regularisation_, auto_policy.newton.raised_from) * 10.0,
                             auto_policy.newton.most_regularisation);
  ++failures_;
  rest_until_ =
      iteration + (shortest_rest << std::min(failures_, auto_policy.newton.most_doublings));
  is_stuck_ = true;
}

NewtonLadder::Step NewtonLadder::step_in_states(LocalTask& task, LocalForce& now) {
  const LocalProblem& problem = task.problem();
  const double reserve_us = task.goal().reserve_us;
  const ActiveNewton::Way way{sparse_, regularisation_ * problem.mean_compliance(), failures_ == 0};
  if (!newton_.compute_step(problem, way, now.f, now.delta, task.budget(), reserve_us)) {
    return task.budget().look(reserve_us) ? Step::none : Step::late;
  }
  find_energy_slope(task, now);
  const double energy_now = energy(task, now);
  for (double share = 1.0; share > auto_policy.newton.least_share;
       share *= auto_policy.newton.next_share) {
    newton_.move(problem, now.f, share, trial_.f);
    task.refresh(trial_);
    for (int k = 0; k < auto_policy.newton.sweeps_after; ++k) {
      if (!task.sweep(trial_)) return Step::late;
      task.judge(trial_);
      if (task.is_reached(trial_)) break;
    }
    task.note_best(trial_);
    if (trial_.squared_map < now.squared_map || energy(task, trial_) < energy_now) {
      task.copy(trial_, now);
      return Step::better;
    }
  }
  return Step::worse;
}

void NewtonLadder::find_energy_slope(const LocalTask& task, const LocalForce& force) {
  const LocalProblem& problem = task.problem();
  const int stride = problem.stride();
  slope_.head(problem.size()) = 0.5 * problem.delta_free().head(problem.size());
  for (int i = 0; i < problem.contact_count(); ++i) {
    slope_[stride * i] += problem.mu(i) * force.delta.segment<2>(stride * i + 1).norm();
  }
}

double NewtonLadder::energy(const LocalTask& task, const LocalForce& force) const {
  const Eigen::Index n = task.problem().size();
  return force.f.head(n).dot(0.5 * force.delta.head(n) + slope_.head(n));
}

bool NewtonLadder::is_far(const LocalTask& task, const LocalForce& force) const {
  const Eigen::Index n = task.problem().size();
  const double near_map =
      auto_policy.interior.near_error * task.problem().delta_free().head(n).norm();
  return force.squared_map > near_map * near_map;
}

NewtonLadder::Step NewtonLadder::interior_steps(LocalTask& task, LocalForce& now, int& iteration) {
  const LocalProblem& problem = task.problem();
  if (!interior_.start(problem, {sparse_, &semismooth_.lu()}, task.best().f)) return Step::worse;
  inside_.squared_map = std::numeric_limits<double>::infinity();
  double last_map = inside_.squared_map;
  double last_barrier = interior_.barrier();
  int idle = 0;
  auto step = InteriorPoint::Step::taken;
  for (int k = 0; k < auto_policy.interior.most_steps; ++k) {
    if (idle >= auto_policy.interior.most_idle || task.is_reached(inside_)) break;
    const bool fits = task.has_time(all_states_ns(interior_.unknowns()) + 4.0 * task.sweep_ns());
    step = fits ? interior_.step(problem, task.budget(), task.goal().reserve_us)
                : InteriorPoint::Step::late;
    if (step != InteriorPoint::Step::taken) break;
    ++iteration;
    interior_.force(problem, trial_.f);
    task.refresh(trial_);
    task.judge(trial_);
    if (trial_.squared_map < inside_.squared_map) task.copy(trial_, inside_);
    // far from the solution the barrier may fall before the error does
    ++idle;
    if (trial_.squared_map < auto_policy.interior.headway * last_map ||
        (is_far(task, inside_) &&
         interior_.barrier() < auto_policy.interior.headway * last_barrier)) {
      idle = 0;
      last_map = std::min(last_map, trial_.squared_map);
      last_barrier = interior_.barrier();
    }
  }
  const bool is_late = step == InteriorPoint::Step::late;
  // what leads nowhere near the solution is no better start than others
  if (!is_late && is_far(task, inside_) && !task.is_reached(inside_)) return Step::worse;
  task.note_best(inside_);
  if (is_late) return task.budget().look(task.goal().reserve_us) ? Step::none : Step::late;
  task.copy(task.best(), now);
  regularisation_ = auto_policy.newton.first_regularisation;
  failures_ = 0;
  rest_until_ = iteration;
  return Step::better;
}

NewtonLadder::Step NewtonLadder::proximal_steps(LocalTask& task, LocalForce& now, int& iteration) {
  const LocalProblem& problem = task.problem();
  const double compliance = problem.mean_compliance();
  const AutoPolicy::Proximal::Try& attempt =
      auto_policy.proximal.tries[uz(proximal_try_) % auto_policy.proximal.tries.size()];
  ++proximal_try_;
  double alpha = attempt.alpha;
  const double map_at_start = task.best().squared_map;
  double last_map = now.squared_map;
  int idle = 0;
  if (attempt.is_from_zero) now.f.head(problem.size()).setZero();
  semismooth_.start(problem, sparse_, now.f, attempt.rho_share, alpha * compliance);
  const int last = iteration + auto_policy.proximal.most_steps;
  while (iteration < last && idle < auto_policy.proximal.most_idle) {
    int inner = 0;
    bool is_solved = false;
    const Step step = solve_proximal(task, inner, is_solved);
    iteration += inner;
    if (step == Step::late) return step;
    if (step == Step::none) {
      task.copy(task.best(), now);
      return step;
    }
    if (task.is_reached(task.best())) break;
    idle = trial_.squared_map < auto_policy.proximal.headway * last_map ? 0 : idle + 1;
    last_map = std::min(last_map, trial_.squared_map);
    // fast: come nearer to W itself; slow: stay further off
    alpha *= !is_solved                                  ? auto_policy.proximal.grow
             : inner <= auto_policy.proximal.quick_inner ? auto_policy.proximal.shrink_when_quick
                                                         : auto_policy.proximal.shrink;
    alpha = std::clamp(alpha, auto_policy.proximal.least_alpha, auto_policy.proximal.most_alpha);
    semismooth_.recentre(problem, alpha * compliance);
  }
  task.copy(task.best(), now);
  return task.best().squared_map < map_at_start ? Step::better : Step::worse;
}

NewtonLadder::Step NewtonLadder::solve_proximal(LocalTask& task, int& inner, bool& is_solved) {
  const LocalProblem& problem = task.problem();
  const double residual_at_start = semismooth_.residual();
  while (inner < auto_policy.proximal.most_inner && !is_solved) {
    if (!task.has_time(all_states_ns(semismooth_.unknowns()) + 2.0 * task.sweep_ns()))
      return Step::none;
    const SemismoothNewton::Step step =
        semismooth_.step(problem, task.budget(), task.goal().reserve_us);
    if (step == SemismoothNewton::Step::late) return Step::late;
    if (step == SemismoothNewton::Step::none) return Step::none;
    ++inner;
    semismooth_.project(problem, trial_.f);
    task.refresh(trial_);
    task.judge(trial_);
    task.note_best(trial_);
    if (task.is_reached(task.best())) break;
    is_solved = step == SemismoothNewton::Step::done ||
                semismooth_.residual() <= auto_policy.proximal.inner_share * residual_at_start;
  }
  return Step::better;
}

void NewtonLadder::search_pyramids(LocalTask& task, LocalForce& now, Climb& climb) {
  const int choices = 1 << std::min(searches_++, auto_policy.search.most_doublings);
  for (int k = 0; k < choices && climb.is_in_time && !task.is_reached(task.best()); ++k) {
    climb.is_in_time = search_.search(task, newton_, choice_++, trial_, climb.iteration);
  }
  task.copy(task.best(), now);
}

}  // namespace stickslip
