#include "stickslip/haptics/loop/real_time.hpp"

#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

namespace stickslip {

namespace {

constexpr int loop_priority = 80;
constexpr int simulation_priority = 40;

/// Makes the pages of the stack that a tick may need.
void touch_stack() {
  std::array<volatile char, std::size_t{256} * 1024> stack;
  for (std::size_t i = 0; i < stack.size(); i += 1024) stack[i] = 0;
}

/// Zero, or why not.
int schedule(int policy, int priority) {
  sched_param parameter{};
  parameter.sched_priority = priority;
  return pthread_setschedparam(pthread_self(), policy, &parameter);
}

std::string granted_scheduling(int refused, int priority) {
  return refused ? fmt::format("ordinary scheduling ({})", std::strerror(refused))
                 : fmt::format("real-time scheduling, priority {}", priority);
}

/// What stands behind a name in a file of the system.
std::optional<std::string> entry_of(const char* file, std::string_view name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name)) return line.substr(name.size());
  }
  return std::nullopt;
}

std::optional<double> kilobytes_of(const char* file, std::string_view name) {
  const auto text = entry_of(file, name);
  double value = 0.0;
  if (!text || !(std::istringstream(*text) >> value)) return std::nullopt;
  return 1024.0 * value;
}

bool may_lock_anything() {
  constexpr int ipc_lock = 14;
  const auto text = entry_of("/proc/self/status", "CapEff:");
  std::uint64_t capabilities = 0;
  if (text) std::istringstream(*text) >> std::hex >> capabilities;
  return (capabilities >> ipc_lock & 1U) != 0;
}

std::string in_gigabytes(double bytes) {
  return fmt::format("{:.3g} GB", bytes * 1e-9);
}

}  // namespace

std::string lock_memory() {
  touch_stack();
  return mlockall(MCL_CURRENT | MCL_FUTURE) == 0
             ? std::string("memory locked")
             : std::string("memory not locked (") + std::strerror(errno) + ")";
}

std::string request_real_time() {
  const int refused = schedule(SCHED_FIFO, loop_priority);
  return granted_scheduling(refused, loop_priority) + ", " + lock_memory();
}

SimulationPriority::SimulationPriority() {
  sched_param before{};
  pthread_getschedparam(pthread_self(), &policy_before_, &before);
  priority_before_ = before.sched_priority;
  const int refused = schedule(SCHED_FIFO, simulation_priority);
  is_granted_ = refused == 0;
  granted_ = granted_scheduling(refused, simulation_priority);
}

SimulationPriority::~SimulationPriority() {
  if (is_granted_) schedule(policy_before_, priority_before_);
}

std::string granted_to_both(const std::string& loop, const std::string& simulation) {
  return fmt::format("loop: {}; simulation: {}", loop, simulation);
}

MemoryLimits memory_limits() {
  MemoryLimits limits;
  limits.used = kilobytes_of("/proc/self/status", "VmSize:").value_or(0.0);
  limits.may_lock = std::numeric_limits<double>::infinity();
  rlimit of_locking{};
  if (!may_lock_anything() && getrlimit(RLIMIT_MEMLOCK, &of_locking) == 0 &&
      of_locking.rlim_cur != RLIM_INFINITY) {
    limits.may_lock = static_cast<double>(of_locking.rlim_cur);
  }
  const double of_machine =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  limits.available = kilobytes_of("/proc/meminfo", "MemAvailable:").value_or(of_machine);
  return limits;
}

std::string memory_to_lock_refused(double bytes, const MemoryLimits& limits) {
  // something has to be left for everybody else
  constexpr double largest_share = 0.9;
  if (bytes > largest_share * limits.available) {
    return fmt::format("{} are needed and {} are left in the machine; lower contact_budget",
                       in_gigabytes(bytes), in_gigabytes(limits.available));
  }
  const double in_all = limits.used + bytes;
  if (limits.used <= limits.may_lock && in_all > limits.may_lock) {
    return fmt::format(
        "{} would have to be locked in memory and {} may be; lower contact_budget, or raise the "
        "limit (ulimit -l)",
        in_gigabytes(in_all), in_gigabytes(limits.may_lock));
  }
  return {};
}

}  // namespace stickslip
