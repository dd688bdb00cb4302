#include "apps/bench/limits.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "apps/bench/stopwatch.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip::bench {

namespace {

/// Four numbers in a register.
using Lane [[gnu::vector_size(32)]] = double;

/// Or the compiler would see that nobody wants the result.
void keep(Lane& lane) {
  asm volatile("" : "+m"(lane));
}

double measure_flops(double effort_s) {
  constexpr std::size_t chains = 8;
  constexpr int rounds = 10'000;
  double best_s = 1.0;
  const Stopwatch begin;
  do {
    Lane values[chains] = {{1.0}, {2.0}, {3.0}, {4.0}, {5.0}, {6.0}, {7.0}, {8.0}};
    const Lane factor = Lane{} + 0.999;
    const Lane addend = Lane{} + 1e-3;
    const Stopwatch watch;
    for (int i = 0; i < rounds; ++i) {
      for (Lane& value : values) value = value * factor + addend;
    }
    best_s = std::min(best_s, watch.seconds());
    for (Lane& value : values) keep(value);
  } while (begin.wall_seconds() < effort_s);
  return 2.0 * 4 * chains * rounds / best_s;
}

/// Seconds to read a buffer of that size once, when it is read over and over.
double measure_reading(double bytes, double effort_s) {
  constexpr std::size_t unrolled = 8;
  const std::size_t count = std::max<std::size_t>(
      static_cast<std::size_t>(bytes) / sizeof(Lane) / unrolled * unrolled, unrolled);
  const MatX buffer = MatX::Ones(static_cast<Eigen::Index>(4 * count), 1);
  const auto* lanes = reinterpret_cast<const Lane*>(buffer.data());
  const int passes = static_cast<int>(std::max(1.0, 1e6 / bytes));
  double best_s = 1e9;
  const Stopwatch begin;
  do {
    Lane sums[unrolled] = {};
    const Stopwatch watch;
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < count; i += unrolled) {
        for (std::size_t u = 0; u < unrolled; ++u) sums[u] += lanes[i + u];
      }
    }
    best_s = std::min(best_s, watch.seconds() / passes);
    Lane total{};
    for (const Lane& sum : sums) total += sum;
    keep(total);
  } while (begin.wall_seconds() < effort_s);
  return best_s * bytes / static_cast<double>(count * sizeof(Lane));
}

}  // namespace

void Limits::measure(double effort_s) {
  effort_s_ = effort_s;
  report_.flops = measure_flops(effort_s);
  const std::pair<const char*, double> stores[] = {{"first-level cache", 16e3},
                                                   {"second-level cache", 300e3},
                                                   {"third-level cache", 6e6},
                                                   {"memory", 200e6}};
  for (const auto& [name, bytes] : stores) {
    report_.reading.emplace_back(name, bytes / measure_reading(bytes, effort_s));
  }
}

double Limits::read_us(double bytes) {
  const auto [entry, is_new] = read_us_.try_emplace(bytes, 0.0);
  if (is_new) entry->second = 1e6 * measure_reading(bytes, effort_s_);
  return entry->second;
}

double Limits::sweep_us(double m) {
  return m > 0 ? std::max(compute_us(18.0 * m * m), read_us(72.0 * m * m)) : 0.0;
}

double Limits::block_reads_us(int m) {
  const auto [entry, is_new] = block_reads_us_.try_emplace(m, 0.0);
  if (!is_new) return entry->second;
  constexpr int rows = 1000;
  const MatX table = MatX::Ones(3 * rows, 3 * m);
  std::mt19937 random(1);
  std::vector<int> node_at(uz(m));
  for (int& row : node_at) row = static_cast<int>(random() % rows);
  double best_s = 1e9;
  const Stopwatch begin;
  do {
    const Stopwatch watch;
    Mat3 sum = Mat3::Zero();
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i <= j; ++i) sum += table.block<3, 3>(3 * node_at[uz(i)], 3 * j);
    }
    best_s = std::min(best_s, watch.seconds());
    asm volatile("" : : "g"(&sum) : "memory");
  } while (begin.wall_seconds() < effort_s_);
  return entry->second = 1e6 * best_s;
}

double Limits::step_us(int loaded, int deformable_bodies) {
  if (loaded == 0) return unknown;
  return deformable_bodies * block_reads_us(loaded) + sweep_us(loaded);
}

}  // namespace stickslip::bench
