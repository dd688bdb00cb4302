#include "apps/cli/end_signals.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <array>

namespace stickslip::cli {

namespace {

constexpr std::array<int, 3> ending_signals = {SIGINT, SIGTERM, SIGHUP};
/// In which a loop has ended, or has found its simulation stalled and faded. [us]
constexpr suseconds_t force_goes_us = 400'000;
constexpr int exit_code = 1;

std::atomic<bool> wants_end = false;
std::atomic<bool> is_force_out = false;
std::atomic<int> count = 0;
std::atomic<int> first = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// only what a handler may call

void end_now(int) {
  _exit(exit_code);
}

void note(int signal) {
  const int before = count.fetch_add(1);
  if (before == 0) {
    first = signal;
    wants_end = true;
  } else if (before == 1 && is_force_out) {
    itimerval soon = {};
    soon.it_value.tv_usec = force_goes_us;
    setitimer(ITIMER_REAL, &soon, nullptr);
  } else {
    end_now(signal);
  }
}

struct sigaction set_handler(int signal, void (*handler)(int)) {
  struct sigaction before = {};
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, &before);
  return before;
}

}  // namespace

EndSignals::EndSignals() {
  cli::wants_end = false;
  count = 0;
  for (const int signal : ending_signals) before_.emplace_back(signal, set_handler(signal, note));
  before_.emplace_back(SIGPIPE, set_handler(SIGPIPE, SIG_IGN));
  before_.emplace_back(SIGALRM, set_handler(SIGALRM, end_now));
  // a run that outlives its terminal was asked for: nohup
  for (const auto& [signal, action] : before_) {
    if (signal == SIGHUP && action.sa_handler == SIG_IGN) set_handler(SIGHUP, SIG_IGN);
  }
}

EndSignals::~EndSignals() {
  for (const auto& [signal, action] : before_) sigaction(signal, &action, nullptr);
}

const std::atomic<bool>& EndSignals::wants_end() const {
  return cli::wants_end;
}

std::string EndSignals::name() const {
  switch (first) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    default:
      return "SIGHUP";
  }
}

ForceIsOut::ForceIsOut() {
  is_force_out = true;
}

ForceIsOut::~ForceIsOut() {
  is_force_out = false;
}

}  // namespace stickslip::cli
