#pragma once

#include <map>

#include "apps/bench/figures.hpp"

namespace stickslip::bench {

/// What the processor can do at best, measured in the same run as what is held against it.
class Limits {
 public:
  /// Measures for so long at most, for each figure. [s]
  void measure(double effort_s);

  /// Multiplications and additions, from independent chains that stay in registers. [us]
  double compute_us(double flops) const { return 1e6 * flops / report_.flops; }

  /// Reading that many bytes, which stay in the nearest cache that has room for them. [us]
  double read_us(double bytes);

  /// Reading that many bytes from memory. [us]
  double memory_us(double bytes) const { return 1e6 * bytes / report_.reading.back().second; }

  /// One sweep over m contacts that all touch: 18 m^2 operations and 72 m^2 bytes. [us]
  double sweep_us(double m);

  /// Reading the compliance of one body between m contacts, each on a node at least: a block of
  /// 3 x 3 numbers for each pair of nodes, the symmetric half only, from the rows of a table over
  /// 1000 nodes. [us]
  double block_reads_us(int m);

  /// A step in which so many contacts carry force cannot do with less than reading the compliance
  /// of both bodies between them and one sweep over them. [us]
  double step_us(int loaded, int deformable_bodies);

  const LimitReport& report() const { return report_; }

 private:
  double effort_s_ = 0.01;
  LimitReport report_;
  std::map<double, double> read_us_;
  std::map<int, double> block_reads_us_;
};

}  // namespace stickslip::bench
