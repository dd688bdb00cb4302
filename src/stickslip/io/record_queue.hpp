#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

namespace stickslip {

/// Rows of numbers from one thread to another, in order. Neither side ever waits, locks or
/// allocates.
class RecordQueue {
 public:
  /// Room for so many numbers.
  explicit RecordQueue(std::size_t capacity) : ring_(std::bit_ceil(capacity)) {}

  std::size_t capacity() const { return ring_.size(); }

  /// The sender's side. False where there is no room.
  bool push(std::span<const double> row) {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    const std::size_t start = start_.load(std::memory_order_acquire);
    if (row.size() + 1 > ring_.size() - (end - start)) return false;
    at(end) = static_cast<double>(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) at(end + 1 + i) = row[i];
    end_.store(end + 1 + row.size(), std::memory_order_release);
    return true;
  }

  /// The receiver's side: replaces `row` by the oldest. False where there is none.
  bool pop(std::vector<double>& row) {
    const std::size_t start = start_.load(std::memory_order_relaxed);
    if (start == end_.load(std::memory_order_acquire)) return false;
    row.resize(static_cast<std::size_t>(at(start)));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = at(start + 1 + i);
    start_.store(start + 1 + row.size(), std::memory_order_release);
    return true;
  }

 private:
  double& at(std::size_t place) { return ring_[place & (ring_.size() - 1)]; }

  std::vector<double> ring_;
  // numbers ever sent and received; apart, so that the threads do not share a cache line
  alignas(64) std::atomic<std::size_t> end_ = 0;
  alignas(64) std::atomic<std::size_t> start_ = 0;
};

}  // namespace stickslip
