#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace stickslip::viewer {

/// Letters from one thread to another, in order and no more than it has room for. Neither side
/// waits or locks.
template <class T>
class Mailbox {
 public:
  explicit Mailbox(std::size_t room) : slots_(room) {}

  /// The sender's side. False where there is no room.
  bool post(T letter) {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    if (end - start_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[end % slots_.size()] = std::move(letter);
    end_.store(end + 1, std::memory_order_release);
    return true;
  }

  /// The receiver's side. False where there is none.
  bool take(T& letter) {
    const std::size_t start = start_.load(std::memory_order_relaxed);
    if (start == end_.load(std::memory_order_acquire)) return false;
    letter = std::move(slots_[start % slots_.size()]);
    start_.store(start + 1, std::memory_order_release);
    return true;
  }

 private:
  std::vector<T> slots_;
  // letters ever posted and taken; apart, so that the threads do not share a cache line
  alignas(64) std::atomic<std::size_t> end_ = 0;
  alignas(64) std::atomic<std::size_t> start_ = 0;
};

}  // namespace stickslip::viewer
