#pragma once

#include <atomic>
#include <exception>
#include <string>

#include "apps/cli/end_signals.hpp"

namespace stickslip::cli {

/// How a run ends before its time: asked to by a signal, or by something thrown in between two
/// steps.
class RunEnding {
 public:
  explicit RunEnding(const EndSignals& signals) : signals_(signals) {}

  /// Does some work of the run; what that throws, the first time, ends the run.
  template <class Work>
  void guard(Work&& work) {
    try {
      work();
    } catch (...) {
      if (!thrown_) thrown_ = std::current_exception();
    }
    stop_ = thrown_ || signals_.wants_end();
  }

  const std::atomic<bool>& stop() const { return stop_; }
  bool has_thrown() const { return thrown_ != nullptr; }
  std::string text() const;  ///< like "signal SIGTERM", once it stops
  void rethrow() const;      ///< what was thrown, if anything

 private:
  const EndSignals& signals_;
  std::exception_ptr thrown_;
  std::atomic<bool> stop_ = false;
};

}  // namespace stickslip::cli
