#include "stickslip/devices/device_rate.hpp"

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "stickslip/simulation/run_summary.hpp"

namespace stickslip {

DeviceRate measure_rate(Device& device, double seconds,
                        const std::function<bool(const DeviceReading&, bool)>& watch) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto tick = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(device.limits().tick_s));
  DeviceRate rate;
  DeviceReading reading;
  TimeHistogram intervals;
  std::vector<double> all_ms;
  std::uint64_t lost = 0;
  auto first = start;
  auto previous = start;
  for (auto due = start; std::chrono::duration<double>(due - start).count() < seconds;
       due = std::max(due + tick, Clock::now())) {
    std::this_thread::sleep_until(due);
    const bool is_there = device.read(reading);
    device.write(Vec6::Zero());
    ++rate.ticks;
    if (!is_there) ++lost;
    if (is_there && reading.sequence != rate.last.sequence) {
      const auto now = Clock::now();
      if (++rate.samples == 1) {
        first = now;
      } else {
        const std::chrono::duration<double, std::milli> interval = now - previous;
        intervals.add(1e3 * interval.count());
        all_ms.push_back(interval.count());
      }
      previous = now;
      rate.last = reading;
    }
    if (watch && !watch(reading, is_there)) break;
  }
  device.stop();

  if (rate.ticks > 0) rate.lost_share = static_cast<double>(lost) / static_cast<double>(rate.ticks);
  if (all_ms.empty()) return rate;
  const double mean = std::chrono::duration<double, std::milli>(previous - first).count() /
                      static_cast<double>(all_ms.size());
  rate.rate_hz = 1e3 / mean;
  rate.interval_p50_ms = 1e-3 * intervals.quantile(0.5);
  rate.interval_p99_ms = 1e-3 * intervals.quantile(0.99);
  rate.interval_max_ms = 1e-3 * intervals.max();
  for (const double interval : all_ms) {
    rate.jitter_ms += std::abs(interval - mean) / static_cast<double>(all_ms.size());
  }
  return rate;
}

}  // namespace stickslip
