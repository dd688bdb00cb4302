#pragma once

#include <cstdint>
#include <vector>

namespace stickslip {

/// Quantiles of times in memory that does not grow: exact to one percent between 1 ns and 100 s.
class TimeHistogram {
 public:
  TimeHistogram();
  void add(double us);

  /// The time that a share of those added do not exceed; 0 where there are none. [us]
  double quantile(double share) const;
  double max() const { return max_; }

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t total_ = 0;
  double max_ = 0.0;
};

}  // namespace stickslip
