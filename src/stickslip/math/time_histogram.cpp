#include "stickslip/math/time_histogram.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/math/types.hpp"

namespace stickslip {

namespace {

constexpr double least_us = 1e-3;
constexpr double largest_us = 1e8;
// bins are one percent wide
const double bin_width = std::log(1.01);

}  // namespace

TimeHistogram::TimeHistogram()
    : counts_(uz(static_cast<int>(std::log(largest_us / least_us) / bin_width) + 2)) {}

void TimeHistogram::add(double us) {
  const double bin = std::log(std::max(us, least_us) / least_us) / bin_width;
  ++counts_[std::min(counts_.size() - 1, static_cast<std::size_t>(bin))];
  ++total_;
  max_ = std::max(max_, us);
}

double TimeHistogram::quantile(double share) const {
  const double wanted = share * static_cast<double>(total_);
  std::int64_t passed = 0;
  for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
    passed += counts_[bin];
    if (passed == 0 || static_cast<double>(passed) < wanted) continue;
    const double middle = least_us * std::exp((static_cast<double>(bin) + 0.5) * bin_width);
    return std::min(middle, max_);
  }
  return max_;
}

}  // namespace stickslip
