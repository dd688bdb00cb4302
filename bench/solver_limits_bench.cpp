// What `auto` promises beside its speed:
//   solver_limits_bench warm FILE.hdf5...   of the cold work, what a warm start takes after
//                                           delta_free changed by 0.1 %, at 1e-4
//   solver_limits_bench deadline [RUNS]     runs that end after their deadline, next to as many
//                                           of mere arithmetic; then towers of up to 7672 contacts

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "apps/bench/punch.hpp"
#include "apps/bench/stopwatch.hpp"
#include "bench/stacks.hpp"
#include "stickslip/io/fclib_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"

namespace {

using namespace stickslip;
using bench::Stopwatch;
using bench::ThreadWatch;

struct Best {
  double us = 1e300;
  int iterations = 0;
};

/// Best of the repeats made within a fifth of a second, each from `start`.
Best best_of(Solver& solver, const ContactProblem& problem, const SolverOptions& options,
             const VecX& start) {
  Best best;
  VecX f;
  for (const Stopwatch all; all.wall_seconds() < 0.2;) {
    f = start;
    const Stopwatch watch;
    best.iterations = solver.solve(problem, options, f).iterations;
    best.us = std::min(best.us, 1e6 * watch.seconds());
  }
  return best;
}

void measure_warm_start(const std::filesystem::path& path) {
  constexpr int changes = 5;
  const ContactProblem problem = read_fclib(path).problem;
  const auto solver = make_solver("auto");
  SolverOptions options;
  options.tolerance = 1e-4;
  VecX start;
  solver->solve(problem, options, start);
  double worst_iterations = 0.0;
  double worst_time = 0.0;
  double mean_time = 0.0;
  for (int k = 1; k <= changes; ++k) {
    std::mt19937 random(static_cast<std::uint32_t>(k));
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    ContactProblem changed = problem;
    for (double& value : changed.delta_free) value *= 1.0 + 1e-3 * uniform(random);
    options.warm_start = false;
    const Best cold = best_of(*solver, changed, options, start);
    options.warm_start = true;
    const Best warm = best_of(*solver, changed, options, start);
    const double share = static_cast<double>(warm.iterations) / std::max(1, cold.iterations);
    worst_iterations = std::max(worst_iterations, share);
    worst_time = std::max(worst_time, warm.us / cold.us);
    mean_time += warm.us / cold.us / changes;
  }
  fmt::print("{:<28} {:>9.0f} % {:>14.0f} % {:>9.0f} %\n", path.stem().string(),
             100.0 * worst_iterations, 100.0 * mean_time, 100.0 * worst_time);
}

double sweep_us(const ContactProblem& problem) {
  const auto solver = make_solver("block-gauss-seidel");
  const auto sweeps = [&](int count) {
    SolverOptions options;
    options.tolerance = 0.0;
    options.max_iterations = count;
    return best_of(*solver, problem, options, VecX::Zero(3 * problem.contact_count())).us;
  };
  return (sweeps(12) - sweeps(2)) / 10.0;
}

/// Work that does not look at the clock: multiplications that wait for each other.
void burn(std::int64_t count) {
  static double value = 1.0;
  for (std::int64_t k = 0; k < count; ++k) value = value * 1.0000001 - 1e-7;
  // or the compiler would leave it out
  asm volatile("" : : "g"(&value) : "memory");
}

double burns_per_us() {
  constexpr std::int64_t count = 10'000'000;
  const Stopwatch watch;
  burn(count);
  return static_cast<double>(count) / (1e6 * watch.wall_seconds());
}

/// Such work for 95 % of a deadline, with a look at the clock every twentieth of it: as late as the
/// machine makes anybody.
void burn_until(double deadline_us) {
  static const double per_us = burns_per_us();
  const auto piece = static_cast<std::int64_t>(0.05 * deadline_us * per_us);
  for (const Stopwatch wall; 1e6 * wall.wall_seconds() < 0.9 * deadline_us;) burn(piece);
}

/// How often, and for how long, the machine stands still.
void print_stalls() {
  constexpr double shortest_us = 2.0;
  constexpr double seconds = 2.0;
  std::vector<double> stalls_us;
  const Stopwatch wall;
  for (double before = wall.wall_seconds(); before < seconds;) {
    const double now = wall.wall_seconds();
    if (1e6 * (now - before) > shortest_us) stalls_us.push_back(1e6 * (now - before));
    before = now;
  }
  std::sort(stalls_us.begin(), stalls_us.end());
  if (stalls_us.empty()) return;
  fmt::print(
      "the machine stands still for more than {} us {:.2f} times a ms, {:.0f} us (p50), {:.0f} us "
      "(p99)\n",
      shortest_us, static_cast<double>(stalls_us.size()) / (1e3 * seconds),
      stalls_us[stalls_us.size() / 2], stalls_us[stalls_us.size() * 99 / 100]);
}

void measure_deadline(const ContactProblem& problem, double deadline_us, int runs) {
  const auto solver = make_solver("auto");
  SolverOptions options;
  options.tolerance = 0.0;
  options.max_iterations = 1'000'000'000;
  options.deadline_us = deadline_us;
  VecX f;
  for (int i = 0; i < 20; ++i) solver->solve(problem, options, f);
  std::vector<double> taken_us;
  int late = 0;
  int late_burns = 0;
  int untrue = 0;
  for (int i = 0; i < runs; ++i) {
    const ThreadWatch watch;
    const SolveResult result = solver->solve(problem, options, f);
    taken_us.push_back(watch.us());
    late += taken_us.back() > deadline_us ? 1 : 0;
    if (i % 50 == 0) {
      const double error = natural_map_error(problem, f).plain;
      untrue += std::abs(error - result.error) > 1e-6 * error + 1e-12 ? 1 : 0;
    }
    const ThreadWatch burning;
    burn_until(deadline_us);
    late_burns += burning.us() > deadline_us ? 1 : 0;
  }
  std::sort(taken_us.begin(), taken_us.end());
  const auto quantile = [&](double share) {
    return taken_us[static_cast<std::size_t>(share * static_cast<double>(runs - 1))];
  };
  fmt::print("{:>8} {:>12.1f} {:>8.1f} {:>8.1f} {:>8.2f} % {:>8.2f} % {:>8}\n",
             problem.contact_count(), deadline_us, quantile(0.5), quantile(0.999),
             100.0 * late / runs, 100.0 * late_burns / runs, untrue);
}

/// What the first solve of a new solver takes.
double first_us(const ContactProblem& problem, double deadline_us) {
  const auto solver = make_solver("auto");
  SolverOptions options;
  options.tolerance = 0.0;
  options.deadline_us = deadline_us;
  VecX f = VecX::Zero(3 * problem.contact_count());
  const ThreadWatch watch;
  solver->solve(problem, options, f);
  return watch.us();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "warm" && count > 2) {
    fmt::print("{:<28} {:>11} {:>16} {:>11}\n", "of the cold", "iterations", "time, mean", "worst");
    for (int k = 2; k < count; ++k) measure_warm_start(arguments[k]);
    return 0;
  }
  if (what == "deadline") {
    print_stalls();
    const int runs = count > 2 ? std::max(1, std::atoi(arguments[2])) : 2000;
    fmt::print("{:>8} {:>12} {:>8} {:>8} {:>10} {:>10} {:>8}\n", "contacts", "deadline us", "p50",
               "p99.9", "late", "burns late", "untrue");
    for (const int m : {20, 100, 300}) {
      const ContactProblem problem = bench::make_punch(m);
      for (double deadline_us = 2.0 * sweep_us(problem); deadline_us < 1000.0; deadline_us *= 3.0) {
        measure_deadline(problem, deadline_us, runs);
      }
      measure_deadline(problem, 1000.0, runs);
    }
    for (const int layers : {30, 70, 120, 240, 480}) {
      const ContactProblem problem = bench::make_tower(layers, 2, 1).problem(0.5, 0.0);
      fmt::print("{:>8} contacts, a new solver: {:.0f} us where 100 were allowed\n",
                 problem.contact_count(), first_us(problem, 100.0));
      for (const double deadline_us : {100.0, 1000.0, 3000.0}) {
        measure_deadline(problem, deadline_us, std::min(runs, 100));
      }
    }
    return 0;
  }
  fmt::print(stderr, "solver_limits_bench warm FILE.hdf5... | deadline [RUNS]\n");
  return 2;
}
