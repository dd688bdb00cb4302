#include "apps/bench/noise.hpp"

#include <numeric>

#include "apps/bench/stopwatch.hpp"

namespace stickslip::bench {

void Noise::spin() {
  // multiplications and additions that wait for each other, so that no cache and no other work
  // of the processor matters
  constexpr int length = 10'000;
  double value = 1.0;
  const Stopwatch watch;
  for (int k = 0; k < length; ++k) value = value * 0.999 + 1e-3;
  // or the compiler would leave it out
  asm volatile("" : "+m"(value));
  us_.add(1e6 * watch.wall_seconds());
}

NoiseReport Noise::report() const {
  NoiseReport report;
  if (us_.count() == 0) return report;
  report.spin_us = us_.quantile(0.0);
  report.median_stretch = us_.quantile(0.5) / report.spin_us;
  const std::vector<double>& all = us_.all();
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  report.mean_stretch = sum / (report.spin_us * static_cast<double>(all.size()));
  report.p99_stretch = us_.quantile(0.99) / report.spin_us;
  report.spins = static_cast<int>(us_.count());
  return report;
}

}  // namespace stickslip::bench
