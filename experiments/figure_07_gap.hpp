#pragma once

#include <functional>
#include <vector>

#include "experiments/table_on_floor.hpp"

namespace stickslip::experiments {

// Fig. 7 of the paper: how far the forces of k-sided pyramids are from those of the exact cone,
// on the table with mu = 0.1, over random motions in the plane of the floor.

struct GapSettings {
  std::vector<int> sides = {4, 6, 8, 12, 16, 24, 32};
  double mu = 0.1;
  int tests = 30;
  int contacts = 36;
  /// Lengths of the motion, times what the legs bend at most: 1 is the threshold of sliding.
  std::vector<double> motions = {0.2, 1.0, 10.0};
};

/// Means over the tests.
struct GapRow {
  int sides = 0;
  double motion = 0.0;

  double gap_percent = 0.0;           ///< (5.2) of the whole forces
  double friction_gap_percent = 0.0;  ///< of their tangential parts alone
  double largest_friction_gap_percent = 0.0;
  double sliding_share = 0.0;  ///< of the touching contacts, exact cone
  int solved = 0;              ///< tests in which Lemke's method found a solution
};

std::vector<GapRow> measure_gap(const TableOnFloor& table, const GapSettings& settings = {},
                                const std::function<void(double)>& show = {});

}  // namespace stickslip::experiments
