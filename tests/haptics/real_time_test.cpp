#include "stickslip/haptics/loop/real_time.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <limits>
#include <thread>

namespace stickslip {
namespace {

constexpr double gigabyte = 1e9;
constexpr double any = std::numeric_limits<double>::infinity();

TEST(LockedMemory, AScenePastTheMachineIsRefusedInOneLine) {
  const MemoryLimits machine{.used = 0.1 * gigabyte, .may_lock = any, .available = 4 * gigabyte};
  EXPECT_EQ(memory_to_lock_refused(3.0 * gigabyte, machine), "");
  const std::string refused = memory_to_lock_refused(7.4 * gigabyte, machine);
  EXPECT_EQ(refused, "7.4 GB are needed and 4 GB are left in the machine; lower contact_budget");
}

TEST(LockedMemory, AScenePastTheLimitOfTheProcessIsRefusedInOneLine) {
  const MemoryLimits limited{
      .used = 0.1 * gigabyte, .may_lock = 2 * gigabyte, .available = 64 * gigabyte};
  EXPECT_EQ(memory_to_lock_refused(1.0 * gigabyte, limited), "");
  const std::string refused = memory_to_lock_refused(7.4 * gigabyte, limited);
  EXPECT_NE(refused.find("7.5 GB"), std::string::npos);
  EXPECT_NE(refused.find("ulimit -l"), std::string::npos);
  EXPECT_EQ(refused.find('\n'), std::string::npos);

  // who may lock nothing locks nothing: that is said elsewhere, and no harm
  const MemoryLimits ordinary{.used = 0.1 * gigabyte, .may_lock = 8e6, .available = 64 * gigabyte};
  EXPECT_EQ(memory_to_lock_refused(7.4 * gigabyte, ordinary), "");
}

TEST(LockedMemory, TheSystemTellsItsLimits) {
  const MemoryLimits limits = memory_limits();
  EXPECT_GT(limits.used, 1e6);
  EXPECT_GT(limits.available, 1e7);
  EXPECT_GE(limits.may_lock, 0.0);
  EXPECT_EQ(memory_to_lock_refused(1e3), "");
  EXPECT_NE(memory_to_lock_refused(1e18), "");
}

TEST(SimulationPriority, IsBelowTheLoopAboveAllElseAndGivenBack) {
  std::thread([] {
    int policy_before = 0;
    int policy = 0;
    sched_param parameter{};
    pthread_getschedparam(pthread_self(), &policy_before, &parameter);
    {
      const SimulationPriority priority;
      const bool is_granted = priority.granted().starts_with("real-time");
      pthread_getschedparam(pthread_self(), &policy, &parameter);
      EXPECT_EQ(policy, is_granted ? SCHED_FIFO : policy_before) << priority.granted();
      if (is_granted) {
        const int of_simulation = parameter.sched_priority;
        EXPECT_GT(of_simulation, 0);
        std::thread([of_simulation] {
          request_real_time();
          int policy_of_loop = 0;
          sched_param of_loop{};
          pthread_getschedparam(pthread_self(), &policy_of_loop, &of_loop);
          EXPECT_GT(of_loop.sched_priority, of_simulation);
        }).join();
      }
      EXPECT_EQ(granted_to_both("a, b", priority.granted()),
                "loop: a, b; simulation: " + priority.granted());
    }
    pthread_getschedparam(pthread_self(), &policy, &parameter);
    EXPECT_EQ(policy, policy_before);
  }).join();
}

}  // namespace
}  // namespace stickslip
