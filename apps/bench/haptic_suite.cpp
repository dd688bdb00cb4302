#include <memory>

#include "apps/bench/shared.hpp"
#include "apps/bench/snap_in_run.hpp"
#include "stickslip/haptics/loop/published_step.hpp"

namespace stickslip::bench {

namespace {

/// Ticks that knew that many contacts. A tick solves for 64 of them at most, and has to sweep over
/// these once.
Figure figure_of_ticks(const SnapInRun& run, int least, int most, Limits& limits) {
  Times us;
  Times contacts;
  for (const SnapInRun::Tick& tick : run.ticks) {
    if (tick.contacts < least || tick.contacts > most) continue;
    us.add(tick.us);
    contacts.add(tick.contacts);
  }
  Figure figure = figure_of(us);
  figure.columns = {{"contacts of the step", contacts.quantile(0.5)},
                    {"ticks", static_cast<double>(us.count())}};
  if (least > 0) figure.limit = limits.sweep_us(std::min(least, most_contacts_of_tick));
  return figure;
}

}  // namespace

PlannedSuite plan_haptic_suite() {
  const auto shared = std::make_shared<Shared<SnapInRun>>();
  const auto row = [&](const char* name, int least, int most) {
    return PlannedRow{name, Cost::quick, [=](Setting& setting) {
                        // up to the end of the wait with the clip on the pipe
                        const SnapInRun& run =
                            shared->get([&] { return run_snap_in(setting, 3.2); });
                        return figure_of_ticks(run, least, most, setting.limits);
                      }};
  };
  constexpr int any = 1'000'000;
  return {"haptic",
          "ticks of the haptic loop while the clip of scenes/snap_in.toml is pushed onto its pipe: "
          "the contact problem of the last step is solved again where the hand is now, for 64 "
          "contacts at most; the limit is one sweep over them",
          {row("tick, no contact", 0, 0), row("tick, 20 to 30 contacts", 20, 30),
           row("tick, 64 contacts", most_contacts_of_tick, any)}};
}

}  // namespace stickslip::bench
