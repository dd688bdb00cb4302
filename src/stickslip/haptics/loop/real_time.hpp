#pragma once

#include <string>

namespace stickslip {

/// Has the system keep all memory of the process where it is, now and later, and touches the stack
/// of the calling thread, so that using them causes no page faults. What was allowed, in a few
/// words.
std::string lock_memory();

/// The same, and real-time scheduling of the calling thread, above that of a simulation.
std::string request_real_time();

/// Real-time scheduling of the thread that simulates, as long as this lives: below the haptic loop,
/// which it never keeps waiting, and above ordinary processes, which never keep it waiting. A
/// simulation that is always late has to sleep now and then: the system stops real-time threads
/// that take all of a processor, the loop's among them.
class SimulationPriority {
 public:
  SimulationPriority();
  SimulationPriority(const SimulationPriority&) = delete;
  SimulationPriority& operator=(const SimulationPriority&) = delete;
  /// In the same thread: as it was before.
  ~SimulationPriority();

  const std::string& granted() const { return granted_; }  ///< in a few words

 private:
  int policy_before_ = 0;
  int priority_before_ = 0;
  bool is_granted_ = false;
  std::string granted_;
};

/// "loop: ...; simulation: ..."
std::string granted_to_both(const std::string& loop, const std::string& simulation);

/// What the system has, and what it lets this process keep in memory. [bytes]
struct MemoryLimits {
  double used = 0.0;       ///< by this process already
  double may_lock = 0.0;   ///< infinite: any
  double available = 0.0;  ///< of the memory of the machine
};
MemoryLimits memory_limits();

/// Why so much more memory must not be asked for by a process that locks it; empty: it may. Where
/// the process may not even lock what it has, nothing will be locked, and only the memory of the
/// machine counts.
std::string memory_to_lock_refused(double bytes, const MemoryLimits& limits = memory_limits());

}  // namespace stickslip
