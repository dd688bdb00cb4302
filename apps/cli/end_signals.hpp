#pragma once

#include <atomic>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace stickslip::cli {

/// While one exists, signals that end programs (SIGINT, SIGTERM, SIGHUP, SIGQUIT, ...) ask a run to
/// end instead, and writing to a closed pipe, or beyond the largest size of a file, fails. A second
/// signal ends the program, as soon as no force is out; a third at once. One at a time.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  const std::atomic<bool>& wants_end() const;
  std::string name() const;  ///< of the first that came, like SIGTERM

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

/// Exists while a haptic loop runs by the clock.
class ForceIsOut {
 public:
  ForceIsOut();
  ~ForceIsOut();
  ForceIsOut(const ForceIsOut&) = delete;
  ForceIsOut& operator=(const ForceIsOut&) = delete;
};

}  // namespace stickslip::cli
