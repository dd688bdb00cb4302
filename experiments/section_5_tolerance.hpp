#pragma once

#include <functional>
#include <vector>

#include "experiments/table_on_floor.hpp"

namespace stickslip::experiments {

// What the paper says in words (5.4, 6.1): relaxing epsilon_2 of Algorithm 1 trades precision for
// time. On the table, over random motions and random friction.

struct ToleranceSettings {
  std::vector<int> contacts = {4, 12, 36};
  std::vector<double> epsilon_2 = {10.0, 3.0,  1.0,  0.3,  0.1,  3e-2, 1e-2,
                                   1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  int tests = 50;
  double least_mu = 0.1;
  double largest_mu = 0.5;      ///< beyond, the legs wedge and solutions are not unique
  double longest_motion = 2.0;  ///< times what the legs bend at most
  int repeats = 3;
};

/// Geometric means over the tests that the algorithm solves at all.
struct ToleranceRow {
  int contacts = 0;
  double epsilon_2 = 0.0;
  double seconds = 0.0;
  double error = 0.0;        ///< rescaled natural map
  double gap_percent = 0.0;  ///< of the forces to the converged ones
  double sweeps = 0.0;
  int tests = 0;
};

std::vector<ToleranceRow> measure_tolerance(const TableOnFloor& table,
                                            const ToleranceSettings& settings = {},
                                            const std::function<void(double)>& show = {});

}  // namespace stickslip::experiments
