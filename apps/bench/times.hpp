#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace stickslip::bench {

/// Measured times, or other numbers.
class Times {
 public:
  void add(double value) { all_.push_back(value); }
  std::size_t count() const { return all_.size(); }
  const std::vector<double>& all() const { return all_; }

  /// The number that a share of them does not exceed; not a number where there are none.
  double quantile(double share) const {
    if (all_.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> sorted = all_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }

 private:
  std::vector<double> all_;
};

}  // namespace stickslip::bench
