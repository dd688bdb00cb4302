#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace stickslip {

/// Hands values from one thread to another without waiting on either side: the reader gets the
/// newest, values in between are lost. One writer and one reader. Each owns a slot, a third lies
/// between them and is exchanged in one atomic operation, so that no slot is ever shared; what T
/// holds is copied in place, and must not allocate where that matters.
template <class T>
class Newest {
 public:
  explicit Newest(const T& initial = T()) : slots_{initial, initial, initial} {}
  Newest(const Newest&) = delete;
  Newest& operator=(const Newest&) = delete;

  /// Writer: the slot to fill; what it holds is some older value.
  T& draft() { return slots_[writing_]; }

  /// Writer: hands the draft over.
  void publish() {
    const std::uint8_t before = between_.exchange(writing_ | fresh, std::memory_order_acq_rel);
    writing_ = before & index;
  }

  /// Writer: hands a copy over.
  void publish(const T& value) {
    draft() = value;
    publish();
  }

  /// Reader: makes the newest value the current one. False: nothing came since the last call.
  bool refresh() {
    if ((between_.load(std::memory_order_relaxed) & fresh) == 0) return false;
    const std::uint8_t before = between_.exchange(reading_, std::memory_order_acq_rel);
    reading_ = before & index;
    return true;
  }

  /// Reader: the current value, which stays the same until the next refresh().
  const T& value() const { return slots_[reading_]; }
  T& value() { return slots_[reading_]; }

 private:
  static constexpr std::uint8_t index = 3;
  static constexpr std::uint8_t fresh = 4;
  static_assert(std::atomic<std::uint8_t>::is_always_lock_free);

  std::array<T, 3> slots_;
  // on cache lines of their own: either side writes its index at every exchange
  alignas(64) std::uint8_t writing_ = 0;
  alignas(64) std::atomic<std::uint8_t> between_{1};
  alignas(64) std::uint8_t reading_ = 2;
};

}  // namespace stickslip
