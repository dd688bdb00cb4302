#include "apps/cli/end_signals.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <array>

namespace stickslip::cli {

namespace {

struct EndingSignal {
  int number;
  const char* name;
};
// all that would end the program, but for those of a program that cannot go on
constexpr std::array<EndingSignal, 8> ending_signals = {{{SIGINT, "SIGINT"},
                                                         {SIGTERM, "SIGTERM"},
                                                         {SIGHUP, "SIGHUP"},
                                                         {SIGQUIT, "SIGQUIT"},
                                                         {SIGUSR1, "SIGUSR1"},
                                                         {SIGUSR2, "SIGUSR2"},
                                                         {SIGALRM, "SIGALRM"},
                                                         {SIGXCPU, "SIGXCPU"}}};
/// In which a loop has ended, or has found its simulation stalled and faded. [us]
constexpr suseconds_t force_goes_us = 400'000;
constexpr int exit_code = 1;

std::atomic<bool> wants_end = false;
std::atomic<bool> is_force_out = false;
std::atomic<int> count = 0;
std::atomic<int> first = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// only what a handler may call

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
    _exit(exit_code);
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
  for (const EndingSignal& signal : ending_signals) {
    before_.emplace_back(signal.number, set_handler(signal.number, note));
  }
  // a write that the system refuses is told to who writes
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    before_.emplace_back(signal, set_handler(signal, SIG_IGN));
  }
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
  for (const EndingSignal& signal : ending_signals) {
    if (signal.number == first) return signal.name;
  }
  return "none";
}

ForceIsOut::ForceIsOut() {
  is_force_out = true;
}

ForceIsOut::~ForceIsOut() {
  is_force_out = false;
}

}  // namespace stickslip::cli
