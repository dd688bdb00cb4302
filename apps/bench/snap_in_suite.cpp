#include <memory>

#include "apps/bench/shared.hpp"
#include "apps/bench/snap_in_run.hpp"

namespace stickslip::bench {

namespace {

/// While the hand waits with the clip on the pipe. [s]
constexpr double seated_from_s = 2.7;
constexpr double seated_to_s = 3.2;

using IsWanted = std::function<bool(const SnapInRun& run, std::size_t step)>;

Figure figure_of_steps(const SnapInRun& run, const IsWanted& is_wanted, Limits& limits) {
  return run.steps.figure([&](std::size_t step) { return is_wanted(run, step); },
                          [&](int contacts) { return limits.step_us(contacts, 1); });
}

}  // namespace

PlannedSuite plan_snap_in_suite() {
  const auto shared = std::make_shared<Shared<SnapInRun>>();
  const auto row = [&](const char* name, const IsWanted& is_wanted) {
    return PlannedRow{name, Cost::quick, [=](Setting& setting) {
                        const SnapInRun& run =
                            shared->get([&] { return run_snap_in(setting, 6.0); });
                        return figure_of_steps(run, is_wanted, setting.limits);
                      }};
  };
  const auto has_contacts = [](int least, int most) {
    return [=](const SnapInRun& run, std::size_t step) {
      const int contacts = run.steps.step(step).contacts;
      return contacts >= least && contacts <= most;
    };
  };
  const auto is_seated = [](const SnapInRun& run, std::size_t step) {
    return run.time_s(step) >= seated_from_s && run.time_s(step) <= seated_to_s;
  };
  const auto all = [](const SnapInRun&, std::size_t) { return true; };
  return {
      "snap-in",
      "whole steps of scenes/snap_in.toml, a clip of 500 nodes pushed onto a pipe and withdrawn "
      "(3 ms, at most six passes) by its simulated operator; phases are medians [us]; the limit "
      "is reading the compliance between the loaded contacts and one sweep over them",
      {row("20 to 30 contacts", has_contacts(20, 30)),
       row("31 to 100 contacts", has_contacts(31, 100)), row("seated clip", is_seated),
       row("all steps of the run", all)}};
}

}  // namespace stickslip::bench
