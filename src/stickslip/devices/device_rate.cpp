#include "stickslip/devices/device_rate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

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
  double squares_ms = 0.0;
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
        squares_ms += interval.count() * interval.count();
      }
      previous = now;
      rate.last = reading;
    }
    if (watch && !watch(reading, is_there)) break;
  }
  device.stop();

  if (rate.ticks > 0) rate.lost_share = static_cast<double>(lost) / static_cast<double>(rate.ticks);
  if (rate.samples < 2) return rate;
  const double count = static_cast<double>(rate.samples - 1);
  const double mean = std::chrono::duration<double, std::milli>(previous - first).count() / count;
  rate.rate_hz = 1e3 / mean;
  rate.interval_p50_ms = 1e-3 * intervals.quantile(0.5);
  rate.interval_p99_ms = 1e-3 * intervals.quantile(0.99);
  rate.interval_max_ms = 1e-3 * intervals.max();
  rate.jitter_ms = std::sqrt(std::max(0.0, squares_ms / count - mean * mean));
  return rate;
}

}  // namespace stickslip
