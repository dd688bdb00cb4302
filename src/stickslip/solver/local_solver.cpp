#include "stickslip/solver/local_solver.hpp"

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void LocalSolver::reserve(const ProblemSize& largest) {
  task_.reserve(largest);
  reserve_methods(largest.contacts);
  if (!largest.is_dense) ladder_.reserve_sparse(largest.contacts);
}

void LocalSolver::prepare(const ContactProblem& problem) {
  task_.prepare(problem);
  reserve_methods(problem.contact_count());
}

void LocalSolver::reserve_methods(int contact_count) {
  task_.reserve(now_);
  extrapolation_.reserve(task_);
  ladder_.reserve(contact_count, task_);
}

void LocalSolver::start(const ContactProblem& problem, std::span<const ContactBlock> blocks,
                        std::span<const int> contacts, const Goal& goal, Budget& budget,
                        const ConstVecView& f) {
  if (task_.start(problem, blocks, contacts, goal, budget)) ladder_.forget_contacts();
  task_.problem().take(f, now_.f);
  task_.refresh(now_);
  task_.judge(now_);
  task_.note_best(now_);
  extrapolation_.start(task_, now_);

  // near the solution Newton's method may start at once, unless it is dear or little is missing
  int window = auto_policy.watch.least_window;
  if (task_.is_large()) {
    window = ConvergenceWatch::window_for(task_, ladder_.step_ns(task_, now_));
  }
  const bool is_eager =
      goal.is_near && now_.squared_map > auto_policy.watch.eager_distance * goal.squared_map &&
      ladder_.step_ns(task_, now_) < auto_policy.watch.eager_sweeps * task_.sweeps_ns();
  watch_.start(goal.is_near ? auto_policy.watch.eager_window : window, now_.squared_map, is_eager);
  // only what does not yield can be: all contacts of what yields feel each other
  ladder_.start(goal.first_try, is_eager, !problem.W.is_dense());
}

LocalSolver::Outcome LocalSolver::solve(const ContactProblem& problem,
                                        std::span<const ContactBlock> blocks,
                                        std::span<const int> contacts, const Goal& goal,
                                        Budget& budget, VecView f) {
  start(problem, blocks, contacts, goal, budget, f);
  Outcome outcome;
  int& iteration = outcome.iterations;
  while (iteration < goal.max_iterations && !task_.is_reached(task_.best())) {
    // sweeps; where the extrapolation before them did harm, back to where it started
    ++iteration;
    if (goal.progress != nullptr) {
      goal.progress->iterations.store(goal.iterations_before + iteration,
                                      std::memory_order_relaxed);
    }
    extrapolation_.note_before_sweeps(task_, now_);
    outcome.is_in_time = task_.sweep_and_judge(now_);
    if (!outcome.is_in_time || task_.is_reached(now_)) break;
    if (extrapolation_.takes_back(task_, iteration, now_)) continue;
    if (task_.runs_away(now_)) break;

    // Newton's method, where it is the shorter way
    watch_.note(iteration, now_.squared_map, ladder_.is_resting(iteration));
    if (watch_.is_due() && is_newton_next()) {
      const NewtonLadder::Climb climb = ladder_.climb(task_, iteration, now_);
      iteration = climb.iteration;
      outcome.is_in_time = climb.is_in_time;
      if (!outcome.is_in_time) break;
      extrapolation_.forget(task_);
      watch_.restart(iteration, now_.squared_map, climb.goes_on);
      if (climb.is_better) continue;
    }
    extrapolation_.extrapolate(task_, iteration, now_);
  }
  task_.problem().give(task_.best().f, f);
  outcome.squared_map = task_.best().squared_map;
  return outcome;
}

bool LocalSolver::is_newton_next() {
  const double newton_ns = ladder_.step_ns(task_, now_);
  return watch_.is_newton_shorter(task_, newton_ns, now_.squared_map) && task_.has_time(newton_ns);
}

}  // namespace stickslip
