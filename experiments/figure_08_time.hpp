#pragma once

#include <functional>
#include <vector>

#include "experiments/table_on_floor.hpp"

namespace stickslip::experiments {

// Fig. 8 of the paper: the time Algorithm 1 and pyramids by Lemke's method take against the number
// of contacts, on the table, over random motions and random friction.

struct TimeSettings {
  std::vector<int> contacts = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 36};
  int sides = 8;
  int tests = 50;
  double least_mu = 0.1;
  double largest_mu = 0.5;      ///< beyond, the legs wedge and solutions are not unique
  double longest_motion = 2.0;  ///< times what the legs bend at most
  int max_iterations = 20'000;  ///< a test that takes more counts as not solved
  double epsilon_2 = 1e-4;
  int repeats = 3;  ///< the best of so many solves of a test counts
};

struct TimeRow {
  int contacts = 0;
  struct Times {
    double mean_s = 0.0;
    double least_s = 0.0;
    double longest_s = 0.0;
    double mean_iterations = 0.0;  ///< sweeps, or pivots
    int solved = 0;                ///< tests; the times are over these
  };
  Times gauss_seidel;
  Times pyramid;
};

std::vector<TimeRow> measure_time(const TableOnFloor& table, const TimeSettings& settings = {},
                                  const std::function<void(double)>& show = {});

}  // namespace stickslip::experiments
