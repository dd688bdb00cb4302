// What watching costs the haptic loop: missed ticks and the time of a tick with 0, 1 and 4 viewers.
//   viewer_bench [SECONDS [SCENE]]

#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "apps/viewer/server.hpp"
#include "apps/viewer/viewing.hpp"
#include "tests/viewer/page_client.hpp"

namespace {

using namespace stickslip;

struct Watched {
  LiveReport report;
  std::int64_t steps = 0;
  int frames = 0;  ///< of all viewers
};

Watched watch(const std::string& scene, int viewers, double seconds) {
  viewer::Exchange exchange;
  viewer::ViewingOptions options;
  options.scene = scene;
  viewer::Viewing viewing(options, exchange);
  // also where nobody watches
  viewer::Command run;
  run.kind = viewer::Command::Kind::run;
  exchange.commands.post(run);
  const viewer::Server server({}, exchange);
  std::atomic<bool> stop = false;
  std::atomic<int> frames = 0;
  std::vector<std::thread> pages;
  for (int v = 0; v < viewers; ++v) {
    pages.emplace_back([&] {
      test::PageClient page(server.port(), server.token());
      page.say(R"({"type":"show","field":"stress","delassus":true})");
      while (!stop && !page.raw().is_closed()) frames += page.next_frame(0.2) ? 1 : 0;
    });
  }
  std::thread clock([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    stop = true;
  });
  viewing.run(stop);
  clock.join();
  for (std::thread& page : pages) page.join();
  return {viewing.last_run(), viewing.steps(), frames};
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
  const std::string scene = argc > 2 ? argv[2] : STICKSLIP_SOURCE_DIR "/scenes/poke.toml";
  fmt::print("{:>7} {:>7} {:>6} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9}\n", "viewers", "ticks",
             "missed", "wake p99", "tick p50", "tick p99", "tick max", "steps", "frames/s");
  for (const int viewers : {0, 1, 4}) {
    const Watched watched = watch(scene, viewers, seconds);
    const TickTimes& ticks = watched.report.ticks;
    fmt::print("{:>7} {:>7} {:>6} {:>6.0f} us {:>6.1f} us {:>6.1f} us {:>6.0f} us {:>7} {:>9.0f}\n",
               viewers, ticks.ticks, ticks.missed, ticks.wake_us.quantile(0.99),
               ticks.compute_us.quantile(0.5), ticks.compute_us.quantile(0.99),
               ticks.compute_us.max(), watched.steps,
               watched.frames / seconds / std::max(1, viewers));
    if (viewers == 4) fmt::print("{}\n", watched.report.granted);
  }
  return 0;
}
