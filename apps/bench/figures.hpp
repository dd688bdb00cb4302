#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace stickslip::bench {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A figure and what stands beside it; numbers that were not measured are `unknown`.
struct Figure {
  std::string name;
  double value = unknown;  ///< the median
  std::string unit = "us";
  double p99 = unknown;    ///< in that unit
  double limit = unknown;  ///< what no program could beat, measured in the same run
  std::vector<std::pair<std::string, double>> columns = {};
  std::string remark = {};  ///< why there is no value, or what is special about it
};

/// Figures of one kind.
struct Suite {
  std::string name;
  std::string about;
  std::vector<Figure> rows;
};

/// Where it was measured.
struct Machine {
  std::string processor;
  int cores = 0;
  std::string instructions;  ///< that the program was compiled for
  std::string compiler;
  std::string version;  ///< of the program
};

/// How much longer an empty loop of known length took than at its fastest, in between what was
/// measured: 1 on a machine that has nothing else to do.
struct NoiseReport {
  double spin_us = 0.0;  ///< at its fastest
  double median_stretch = 0.0;
  double mean_stretch = 0.0;  ///< in which all is that others had the processor
  double p99_stretch = 0.0;
  int spins = 0;

  bool is_busy() const { return mean_stretch > 1.25; }
};

/// What the processor can do at best.
struct LimitReport {
  double flops = 0.0;                                   ///< multiplications and additions [1/s]
  std::vector<std::pair<std::string, double>> reading;  ///< bytes a second, from each store
};

struct Report {
  Machine machine;
  NoiseReport noise;
  LimitReport limits;
  std::vector<Suite> suites;
  double seconds = 0.0;  ///< that it all took
};

struct Options {
  std::vector<std::string> suites = {};  ///< all, if there are none
  bool quick = false;                    ///< few repeats, and no row that takes long to prepare
  bool large = false;                    ///< also the rows that take minutes
  std::filesystem::path scenes;          ///< folder of the shelf
  std::function<void(const std::string& suite, double share)> progress = {};
};

/// Names of the suites, in the order in which they are run.
std::vector<std::string> suite_names();

/// Runs the suites asked for. Throws InputError for a suite that there is not.
Report run_bench(const Options& options);

}  // namespace stickslip::bench
