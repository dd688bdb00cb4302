#include "stickslip/haptics/loop/haptic_thread.hpp"

#include <cerrno>
#include <cmath>
#include <ctime>
#include <utility>

namespace stickslip {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

void sleep_until(std::int64_t due_ns) {
  const timespec due{.tv_sec = due_ns / second_ns, .tv_nsec = due_ns % second_ns};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) == EINTR) {
  }
}

double to_s(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

double to_us(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-3;
}

}  // namespace

HapticThread::HapticThread(HapticLoop& loop, double tick_s,
                           std::function<void(const TickTimes&)> after_tick)
    : loop_(loop),
      tick_s_(tick_s),
      after_tick_(std::move(after_tick)),
      thread_([this] { run(); }) {}

HapticThread::~HapticThread() {
  stop();
}

void HapticThread::stop() {
  wants_stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void HapticThread::run() {
  granted_ = request_real_time();
  const auto period_ns = static_cast<std::int64_t>(std::llround(tick_s_ * 1e9));
  std::int64_t due_ns = now_ns() + period_ns;
  std::int64_t begin_ns = now_ns();
  const std::function<double()> since_beginning = [&] { return to_s(now_ns() - begin_ns); };
  while (!wants_stop_.load(std::memory_order_relaxed)) {
    sleep_until(due_ns);
    const std::int64_t last_ns = std::exchange(begin_ns, now_ns());
    loop_.tick(to_s(begin_ns - last_ns), since_beginning);
    if (after_tick_) after_tick_(times_);
    const std::int64_t end_ns = now_ns();
    ++times_.ticks;
    times_.wake_us.add(to_us(begin_ns - due_ns));
    times_.last_compute_us = to_us(end_ns - begin_ns);
    times_.compute_us.add(times_.last_compute_us);

    // ticks whose time has passed are left out
    due_ns += period_ns;
    if (end_ns > due_ns) {
      const std::int64_t passed = (end_ns - due_ns) / period_ns + 1;
      times_.missed += passed;
      due_ns += passed * period_ns;
    }
  }
  loop_.stop();
}

}  // namespace stickslip
