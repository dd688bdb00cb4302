#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "apps/bench/figures.hpp"
#include "apps/bench/limits.hpp"
#include "apps/bench/noise.hpp"
#include "apps/bench/stopwatch.hpp"
#include "apps/bench/times.hpp"

namespace stickslip::bench {

/// What all suites share during a run.
struct Setting {
  bool quick = false;
  std::filesystem::path scenes;
  Noise noise;
  Limits limits;

  double effort_s() const { return quick ? 0.005 : 0.15; }  ///< for each figure of short work
};

/// Which runs have a row.
enum class Cost { quick, usual, large };

/// A row before it is measured.
struct PlannedRow {
  std::string name;
  Cost cost = Cost::quick;
  std::function<Figure(Setting&)> measure;  ///< all but the name
};

struct PlannedSuite {
  std::string name;
  std::string about;
  std::vector<PlannedRow> rows;
};

PlannedSuite plan_step_suite();
PlannedSuite plan_snap_in_suite();
PlannedSuite plan_solver_suite();
PlannedSuite plan_fem_suite();
PlannedSuite plan_proximity_suite();
PlannedSuite plan_haptic_suite();

/// Repeats short work for the effort of a figure, in pieces that a clock can measure. [us]
template <class Work>
Times repeat(Setting& setting, Work&& work) {
  constexpr double least_us = 20.0;
  const Stopwatch first;
  work();
  const double once_us = 1e6 * first.wall_seconds();
  const int batch = once_us < least_us ? static_cast<int>(least_us / (once_us + 0.01)) + 1 : 1;
  Times times;
  const Stopwatch all;
  do {
    const Stopwatch watch;
    for (int k = 0; k < batch; ++k) work();
    times.add(1e6 * watch.seconds() / batch);
    setting.noise.spin();
  } while (all.wall_seconds() < setting.effort_s());
  return times;
}

/// Median and 99th of 100.
inline Figure figure_of(const Times& times) {
  Figure figure;
  figure.value = times.quantile(0.5);
  figure.p99 = times.quantile(0.99);
  return figure;
}

}  // namespace stickslip::bench
