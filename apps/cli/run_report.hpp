#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "stickslip/simulation/linear_range.hpp"
#include "stickslip/simulation/probe_readings.hpp"
#include "stickslip/simulation/run_summary.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::cli {

/// Where a recorded run is taken up.
struct Resumed {
  State state;
  std::int64_t step = 0;
  double energy = 0.0;  ///< [J]
};

struct Run {
  Scene scene;
  State state;
  StepData data;
  RunSummary summary;
  LinearRangeWatch range;
  std::vector<ProbeReading> readings;
  std::int64_t first_step = 0;  ///< that the run starts after
  double wall_s = 0.0;
  std::int64_t late_steps = 0;  ///< of --realtime
  std::int64_t lost_steps = 0;  ///< that the recording lacks
  std::string snap_text;        ///< of --phases
  std::string ended_by;         ///< before its time: "signal SIGTERM", "error: ..."

  explicit Run(Scene loaded)
      : scene(std::move(loaded)),
        state(initial_state(scene)),
        data(scene),
        summary(scene, state, data),
        range(scene, LinearRangeWatch::Pace::now_and_then),
        readings(initial_readings(scene, state)) {}

  Run(Scene loaded, const Resumed& from)
      : scene(std::move(loaded)),
        state(from.state),
        data(scene),
        summary(from.step == 0 ? RunSummary(scene, state, data) : RunSummary(from.energy)),
        range(scene, LinearRangeWatch::Pace::now_and_then),
        readings(initial_readings(scene, state)),
        first_step(from.step) {}
};

std::string run_csv_header(const Scene& scene);
std::string run_csv_row(const Run& run, const StepReport& report);

/// `name` is what the user gave: a scene, or a recording.
nlohmann::ordered_json report_json(const Run& run, const std::string& name);
std::string report_text(const Run& run);
/// On standard error, what went wrong.
void report_trouble(const Run& run);

}  // namespace stickslip::cli
