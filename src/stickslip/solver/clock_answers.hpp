#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace stickslip {

/// What the clock decided. Where there is a deadline a solver asks whether its next piece of work
/// still fits; the questions of a step are numbered from 0, and those answered "no" are noted. The
/// same answers given again, without a clock, make the same solve.
class ClockAnswers {
 public:
  /// Room for so many refusals in a step; the last of them stands for all that follow.
  explicit ClockAnswers(int capacity = 256) : capacity_(static_cast<std::size_t>(capacity)) {
    refused_.reserve(capacity_);
  }

  /// Questions from now on are answered by the clock.
  void start() {
    is_repeating_ = false;
    asked_ = 0;
    refused_.clear();
  }

  /// Once `ends` is true all questions are answered "no", as if there were no time left: nobody
  /// waits for the solve any more. Null: never. Only where there is a deadline are there questions.
  void refuse_once(const std::atomic<bool>* ends) { ends_ = ends; }

  /// Questions from now on are answered as they were when these were refused. At most as many as
  /// there is room for.
  void repeat(std::span<const std::uint32_t> refused) {
    is_repeating_ = true;
    asked_ = 0;
    next_ = 0;
    refused_.assign(refused.begin(), refused.end());
  }

  bool is_repeating() const { return is_repeating_; }

  /// The next answer of an earlier run.
  bool next() {
    const std::uint32_t question = asked_++;
    if (next_ == capacity_) return false;
    if (next_ == refused_.size() || refused_[next_] != question) return true;
    ++next_;
    return false;
  }

  /// Notes an answer of the clock, and gives the one that counts.
  bool note(bool fits) {
    const std::uint32_t question = asked_++;
    if (refused_.size() == capacity_) return false;
    if (ends_ != nullptr && ends_->load(std::memory_order_relaxed)) fits = false;
    if (!fits) refused_.push_back(question);
    return fits;
  }

  std::span<const std::uint32_t> refused() const { return refused_; }

 private:
  std::size_t capacity_;
  std::vector<std::uint32_t> refused_;
  std::uint32_t asked_ = 0;
  std::size_t next_ = 0;
  bool is_repeating_ = false;
  const std::atomic<bool>* ends_ = nullptr;
};

}  // namespace stickslip
