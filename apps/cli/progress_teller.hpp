#pragma once

#include <fmt/core.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "stickslip/solver/solver.hpp"

namespace stickslip::cli {

/// Tells on standard error how far a solve has come, every two seconds, as long as it lives.
class ProgressTeller {
 public:
  explicit ProgressTeller(const std::string& what) : what_(what) {}
  SolveProgress& progress() { return progress_; }

 private:
  static constexpr int period_s = 2;

  void tell(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    for (int seconds = period_s;; seconds += period_s) {
      const auto never = [] { return false; };
      wake_.wait_for(lock, end, std::chrono::seconds(period_s), never);
      if (end.stop_requested()) return;
      fmt::print(stderr, "  {}: {} s, {} iterations, error {:.1e} so far\n", what_, seconds,
                 progress_.iterations.load(std::memory_order_relaxed),
                 progress_.error.load(std::memory_order_relaxed));
    }
  }

  std::string what_;
  SolveProgress progress_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_{[this](const std::stop_token& end) { tell(end); }};
};

}  // namespace stickslip::cli
