#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>

#include "apps/bench/punch.hpp"
#include "apps/bench/setting.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip::bench {

namespace {

constexpr double longest_solve_us = 20e6;

SolverOptions solving(double tolerance, int sweeps) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = sweeps;
  options.deadline_us = longest_solve_us;
  return options;
}

/// A solve to a tolerance from nothing.
Figure measure_solve(int m, double tolerance, Setting& setting) {
  const ContactProblem problem = make_punch(m);
  const std::unique_ptr<Solver> solver = make_solver("auto");
  const SolverOptions options = solving(tolerance, 100'000);
  VecX f;
  const SolveResult first = solver->solve(problem, options, f);
  const double error = natural_map_error(problem, f).plain;
  Figure figure;
  figure.remark = fmt::format("not solved: {:.1e}", error);
  if (first.status != SolveStatus::converged || error > 1.01 * tolerance) return figure;
  figure = figure_of(repeat(setting, [&] { solver->solve(problem, options, f); }));
  figure.limit = setting.limits.sweep_us(m);
  int loaded = 0;
  for (int i = 0; i < m; ++i) loaded += f[3 * i] > 0.0 ? 1 : 0;
  figure.columns = {{"contacts", m}, {"loaded", loaded}, {"sweeps", first.iterations}};
  return figure;
}

/// What one more sweep costs.
Figure measure_sweep(int m, const char* name, Setting& setting) {
  constexpr int few = 2;
  constexpr int many = 12;
  const ContactProblem problem = make_punch(m);
  const std::unique_ptr<Solver> solver = make_solver(name);
  VecX f;
  const auto sweeps_us = [&](int count) {
    const SolverOptions options = solving(0.0, count);
    return repeat(setting, [&] { solver->solve(problem, options, f); });
  };
  Figure figure;
  figure.value = (sweeps_us(many).quantile(0.5) - sweeps_us(few).quantile(0.5)) / (many - few);
  figure.limit = setting.limits.sweep_us(m);
  figure.columns = {{"contacts", m},
                    {"operations us", setting.limits.compute_us(18.0 * m * m)},
                    {"reading us", setting.limits.read_us(72.0 * m * m)}};
  return figure;
}

}  // namespace

PlannedSuite plan_solver_suite() {
  constexpr int counts[] = {10, 20, 50, 100, 200, 300, 500, 1000};
  const auto cost = [](int m) { return m <= 100 ? Cost::quick : Cost::usual; };
  std::vector<PlannedRow> rows;
  for (const char* name : {"block-gauss-seidel", "gauss-seidel"}) {
    for (const int m : counts) {
      rows.push_back({fmt::format("a sweep of {}, {} contacts", name, m), cost(m),
                      [=](Setting& setting) { return measure_sweep(m, name, setting); }});
    }
  }
  for (const char* tolerance : {"1e-4", "1e-8"}) {
    for (const int m : counts) {
      rows.push_back(
          {fmt::format("auto to {}, {} contacts", tolerance, m), cost(m),
           [=](Setting& setting) { return measure_solve(m, std::stod(tolerance), setting); }});
    }
  }
  return {
      "solver",
      "the compliance of an elastic half-space under a flat punch, dense W, contacts that all "
      "touch; the limit of a sweep is its 18 m^2 operations or reading its 72 m^2 bytes, that of "
      "a solve one sweep",
      std::move(rows)};
}

}  // namespace stickslip::bench
