#include "apps/cli/viewer_run.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "apps/cli/end_signals.hpp"
#include "apps/viewer/http_guard.hpp"
#include "apps/viewer/server.hpp"
#include "stickslip/error.hpp"

namespace stickslip::cli {

namespace {

std::string token_of_environment() {
  const char* given = std::getenv("STICKSLIP_VIEWER_TOKEN");
  if (given == nullptr || *given == '\0') return "";
  if (!viewer::is_good_token(given)) {
    throw InputError(
        "STICKSLIP_VIEWER_TOKEN must be 16 to 64 letters and digits; leave it out for "
        "a new one at every launch");
  }
  return given;
}

/// On the port asked for; without one on the usual, or on any where that is taken.
std::unique_ptr<viewer::Server> start_server(const ViewerOptions& options,
                                             viewer::Exchange& exchange) {
  viewer::ServerOptions serving;
  serving.address = options.address;
  serving.token = token_of_environment();
  serving.recordings = options.viewing.recordings;
  serving.port = options.port.value_or(viewer::usual_port);
  try {
    return std::make_unique<viewer::Server>(serving, exchange);
  } catch (const InputError&) {
    if (options.port || !options.address.empty()) throw;
  }
  serving.port = 0;
  return std::make_unique<viewer::Server>(serving, exchange);
}

void open_browser(std::string url) {
  std::string program = "xdg-open";
  const std::array<char*, 3> arguments = {program.data(), url.data(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ);
}

}  // namespace

void run_viewer(const ViewerOptions& options) {
  const EndSignals signals;
  viewer::Exchange exchange;
  const std::unique_ptr<viewer::Server> server = start_server(options, exchange);
  fmt::print("{}\n", server->url());
  std::fflush(stdout);
  if (options.opens_browser) {
    fmt::print(stderr,
               "stickslip: open this address in a browser; Ctrl-C ends. From elsewhere: "
               "ssh -L {0}:127.0.0.1:{0}\n",
               server->port());
    if (std::getenv("DISPLAY") != nullptr) open_browser(server->url());
  }
  viewer::Viewing viewing(options.viewing, exchange);
  const ForceIsOut force_is_out;
  viewing.run(signals.wants_end());
  const LiveReport& last = viewing.last_run();
  const TickTimes& ticks = last.ticks;
  fmt::print(stderr, "stickslip: {} steps\n", viewing.steps());
  if (ticks.ticks == 0) return;
  fmt::print(
      stderr,
      "stickslip: since it ran last, {} ticks, {} missed; computed {:.1f} us (p99 {:.1f}, max "
      "{:.1f}); {}\n",
      ticks.ticks, ticks.missed, ticks.compute_us.quantile(0.5), ticks.compute_us.quantile(0.99),
      ticks.compute_us.max(), last.granted);
}

}  // namespace stickslip::cli
