// What a sweep and a solve cost on dense deformable-like W, for 10 to 1000 contacts, next to what
// the processor could do at best, measured in the same run: a sweep over m contacts that all
// touch needs 18 m^2 floating-point operations and reads 72 m^2 bytes.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "bench/punch.hpp"
#include "bench/stopwatch.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"

namespace {

using namespace stickslip;
using bench::make_punch;
using bench::Stopwatch;

/// Best of the repeats made within this time, for each figure.
constexpr double effort_s = 0.15;
constexpr double limit_us = 20e6;

/// Four numbers in a register.
using Lane [[gnu::vector_size(32)]] = double;

/// Multiplications and additions per second, from independent chains that stay in registers.
double measure_flops() {
  constexpr int chains = 8;
  constexpr int rounds = 100'000;
  double best_s = 1.0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    Lane a{1.0}, b{2.0}, c{3.0}, d{4.0}, e{5.0}, f{6.0}, g{7.0}, h{8.0};
    const Lane factor = Lane{} + 0.999;
    const Lane addend = Lane{} + 1e-3;
    const Stopwatch watch;
    for (int i = 0; i < rounds; ++i) {
      a = a * factor + addend;
      b = b * factor + addend;
      c = c * factor + addend;
      d = d * factor + addend;
      e = e * factor + addend;
      f = f * factor + addend;
      g = g * factor + addend;
      h = h * factor + addend;
      // the compiler must not see through the loop
      asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d));
      asm volatile("" : "+x"(e), "+x"(f), "+x"(g), "+x"(h));
    }
    best_s = std::min(best_s, watch.seconds());
  }
  return 2.0 * 4 * chains * rounds / best_s;
}

/// Bytes per second when a buffer is read over and over.
double measure_bandwidth(double bytes) {
  constexpr std::size_t unrolled = 8;
  const std::size_t count = std::max<std::size_t>(
      static_cast<std::size_t>(bytes) / sizeof(Lane) / unrolled * unrolled, unrolled);
  const MatX buffer = MatX::Ones(static_cast<Eigen::Index>(4 * count), 1);
  const auto* lanes = reinterpret_cast<const Lane*>(buffer.data());
  const int passes = static_cast<int>(std::max(1.0, 4e6 / bytes));
  double best_s = 1e9;
  const Stopwatch begin;
  while (begin.wall_seconds() < effort_s) {
    Lane sums[unrolled] = {};
    const Stopwatch watch;
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < count; i += unrolled) {
        for (std::size_t u = 0; u < unrolled; ++u) sums[u] += lanes[i + u];
      }
      for (Lane& sum : sums) asm volatile("" : "+x"(sum));
    }
    best_s = std::min(best_s, watch.seconds() / passes);
  }
  return static_cast<double>(count * sizeof(Lane)) / best_s;
}

struct Cost {
  double us = std::numeric_limits<double>::quiet_NaN();
  int sweeps = 0;
};

/// The best of repeated solves. Without a tolerance, one of so many sweeps.
Cost time_solve(Solver& solver, const ContactProblem& problem, double tolerance, int sweeps) {
  stickslip::SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = sweeps;
  VecX f;
  options.deadline_us = limit_us;
  SolveResult result = solver.solve(problem, options, f);
  if (result.status == SolveStatus::deadline) return {};
  if (tolerance > 0.0 && natural_map_error(problem, f).plain > 1.01 * tolerance) return {};
  options.deadline_us = stickslip::SolverOptions{}.deadline_us;
  Cost cost{1e6 * result.seconds, result.iterations};
  const Stopwatch begin;
  do {
    const Stopwatch watch;
    result = solver.solve(problem, options, f);
    cost.us = std::min(cost.us, 1e6 * watch.seconds());
  } while (begin.wall_seconds() < effort_s);
  return cost;
}

/// What one more sweep costs.
double time_sweep(Solver& solver, const ContactProblem& problem) {
  const Cost few = time_solve(solver, problem, 0.0, 2);
  const Cost many = time_solve(solver, problem, 0.0, 12);
  return (many.us - few.us) / (many.sweeps - few.sweeps);
}

std::string cell(const Cost& cost) {
  return std::isnan(cost.us) ? "not solved" : fmt::format("{:.4g} ({})", cost.us, cost.sweeps);
}

}  // namespace

int main() {
  const double flops = measure_flops();
  fmt::print("{:.1f} Gflop/s; reading", 1e-9 * flops);
  const std::pair<const char*, double> levels[] = {
      {"first-level cache", 16e3}, {"second", 300e3}, {"third", 6e6}, {"memory", 500e6}};
  for (const auto& [name, bytes] : levels) {
    fmt::print("{} {} {:.0f} GB/s", bytes > 16e3 ? "," : "", name, 1e-9 * measure_bandwidth(bytes));
  }
  fmt::print("\n\n{:>5} {:>9} {:>9} {:>7}  {:<19} {:>9} {:>6} {:>17} {:>17}\n", "m", "flop us",
             "read us", "active", "solver", "sweep us", "/limit", "us to 1e-4 (it.)",
             "us to 1e-8 (it.)");

  for (const int m : {10, 20, 50, 100, 200, 300, 500, 1000}) {
    const ContactProblem problem = make_punch(m);
    const double flop_us = 18.0 * m * m / flops * 1e6;
    const double read_us = 72.0 * m * m / measure_bandwidth(72.0 * m * m) * 1e6;
    for (const char* name : {"auto", "block-gauss-seidel", "gauss-seidel"}) {
      const std::unique_ptr<Solver> solver = make_solver(name);
      VecX f;
      stickslip::SolverOptions options;
      options.tolerance = 1e-6;
      options.deadline_us = limit_us;
      solver->solve(problem, options, f);
      int active = 0;
      for (int i = 0; i < m; ++i) active += f[3 * i] > 0.0 ? 1 : 0;

      const double sweep_us = time_sweep(*solver, problem);
      const Cost rough = time_solve(*solver, problem, 1e-4, 100'000);
      const Cost fine = time_solve(*solver, problem, 1e-8, 100'000);
      fmt::print("{:>5} {:>9.3g} {:>9.3g} {:>7}  {:<19} {:>9.4g} {:>6.2f} {:>17} {:>17}\n", m,
                 flop_us, read_us, active, name, sweep_us, sweep_us / std::max(flop_us, read_us),
                 cell(rough), cell(fine));
      std::fflush(stdout);
    }
  }
  return 0;
}
