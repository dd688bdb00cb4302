#include "apps/cli/run_report.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "apps/cli/csv_columns.hpp"
#include "apps/cli/vector_text.hpp"
#include "apps/json_values.hpp"
#include "stickslip/body/relinearised_deformation.hpp"
#include "stickslip/version.hpp"

namespace stickslip::cli {

std::string run_csv_header(const Scene& scene) {
  std::string header = "time_s";
  for (const Probe& probe : scene.probes) {
    header += vector_columns(probe.name + ".position", "m") +
              vector_columns(probe.name + ".velocity", "m_s") +
              vector_columns(probe.name + ".angular_velocity", "rad_s") +
              vector_columns(probe.name + ".force", "N") +
              vector_columns(probe.name + ".torque", "N_m");
  }
  return header + ",penetration_m,energy_J,work_in_J,friction_J,contacts,iterations,error,total_us";
}

std::string run_csv_row(const Run& run, const StepReport& report) {
  std::string row = fmt::format("{}", run.state.time_s);
  for (const ProbeReading& reading : run.readings) {
    for (const Vec3* vector : {&reading.position, &reading.velocity, &reading.angular_velocity,
                               &reading.force, &reading.torque}) {
      for (const double value : *vector) row += fmt::format(",{}", value);
    }
  }
  return row + fmt::format(",{},{},{},{},{},{},{},{:.2f}", report.penetration_m,
                           report.energy.total, report.energy.work_in, report.energy.friction,
                           report.contacts, report.iterations, report.error,
                           report.phase_us[static_cast<std::size_t>(Phase::total)]);
}

nlohmann::ordered_json report_json(const Run& run, const std::string& name) {
  const RunSummary& summary = run.summary;
  const auto extent = [](const RunSummary::Extent& e) {
    return nlohmann::ordered_json{{"mean", e.mean}, {"max", e.max}};
  };
  nlohmann::ordered_json json;
  json["scene"] = name;
  json["version"] = version;
  json["steps"] = summary.steps();
  json["dt_s"] = run.scene.simulation.dt;
  json["simulated_s"] = static_cast<double>(summary.steps()) * run.scene.simulation.dt;
  json["wall_s"] = run.wall_s;
  if (!run.ended_by.empty()) json["ended_by"] = run.ended_by;
  json["contacts"] = extent(summary.contacts());
  json["iterations"] = extent(summary.iterations());
  json["error_max"] = summary.error_max();
  json["penetration_max_m"] = summary.penetration_max();
  json["imbalance_max_N"] = summary.imbalance_max();
  json["laws"] = {{"adhesion_max_N", summary.adhesion_max()},
                  {"cone_excess_max_N", summary.cone_excess_max()},
                  {"stick_drift_m", summary.stick_drift()}};
  const RunSummary::Energy& energy = summary.energy();
  json["energy_J"] = {{"initial", energy.initial},
                      {"final", energy.final},
                      {"work_in", energy.work_in},
                      {"friction", energy.friction},
                      {"largest_unexplained_gain", energy.largest_unexplained_gain}};
  for (int p = 0; p < phase_count; ++p) {
    json["phases_us"][std::string(phase_names[uz(p)])] =
        times_json(summary.phase(static_cast<Phase>(p)));
  }
  json["flags"] = {{"not_converged", summary.not_converged()},
                   {"deadline", summary.missed_deadline()},
                   {"nan_restored", summary.restored()}};
  json["linear_range"] = nlohmann::ordered_json::object();
  for (std::size_t b = 0; b < run.scene.bodies.size(); ++b) {
    const Deformation* deformation = run.scene.bodies[b].body.deformation();
    if (deformation == nullptr ||
        dynamic_cast<const RelinearisedDeformation*>(deformation) != nullptr)
      continue;
    const SurfaceStrain& worst = run.range.worst()[b];
    json["linear_range"][run.scene.bodies[b].name] = {
        {"max_strain", worst.strain},
        {"max_relative_rotation_rad", worst.rotation_rad},
        {"is_past", is_past_linear_range(worst)}};
  }
  json["probes"] = nlohmann::ordered_json::object();
  for (std::size_t p = 0; p < run.readings.size(); ++p) {
    json["probes"][run.scene.probes[p].name] = {
        {"position_m", vector_json(run.readings[p].position)},
        {"velocity_m_s", vector_json(run.readings[p].velocity)},
        {"angular_velocity_rad_s", vector_json(run.readings[p].angular_velocity)},
        {"force_N", vector_json(run.readings[p].force)},
        {"torque_N_m", vector_json(run.readings[p].torque)}};
  }
  return json;
}

std::string report_text(const Run& run) {
  const RunSummary& summary = run.summary;
  const auto row = [](std::string_view name, const std::string& value) {
    return fmt::format("{:<16}{}\n", name, value);
  };
  const double simulated = static_cast<double>(summary.steps()) * run.scene.simulation.dt;
  std::string text = fmt::format(
      "{}: {} steps of {:g} s, {:g} s in {:.3g} s ({:.3g} times real time)\n", run.scene.name,
      summary.steps(), run.scene.simulation.dt, simulated, run.wall_s, simulated / run.wall_s);
  text += row("contacts", fmt::format("{:.1f} on the mean, {} at most", summary.contacts().mean,
                                      summary.contacts().max));
  text += row("iterations", fmt::format("{:.1f} on the mean, {} at most", summary.iterations().mean,
                                        summary.iterations().max));
  text += row("error", fmt::format("{:.2e} at most", summary.error_max()));
  text += row("penetration", fmt::format("{:.3g} m at most", summary.penetration_max()));
  if (summary.imbalance_max() > 0.0) {
    text += row("imbalance", fmt::format("{:.2e} N at most on a node of a nonlinear body",
                                         summary.imbalance_max()));
  }
  text +=
      row("laws",
          fmt::format("pull {:.2g} N, friction {:.2g} N over its limit at most; drift in "
                      "stick {:.2g} m",
                      summary.adhesion_max(), summary.cone_excess_max(), summary.stick_drift()));
  const RunSummary::Energy& energy = summary.energy();
  text +=
      row("energy", fmt::format("{:.6g} J to {:.6g} J, work in {:.4g} J, friction {:.4g} J, "
                                "largest unexplained gain of a step {:.2e} J",
                                shown(energy.initial), shown(energy.final), shown(energy.work_in),
                                shown(energy.friction), energy.largest_unexplained_gain));
  text += fmt::format("{:<16}{:>10} {:>10} {:>10}\n", "time of a step", "p50", "p99", "max");
  for (int p = 0; p < phase_count; ++p) {
    const TimeHistogram& times = summary.phase(static_cast<Phase>(p));
    text += fmt::format("  {:<14}{:>7.1f} us {:>7.1f} us {:>7.1f} us\n", phase_names[uz(p)],
                        times.quantile(0.5), times.quantile(0.99), times.max());
  }
  for (std::size_t p = 0; p < run.readings.size(); ++p) {
    const ProbeReading& reading = run.readings[p];
    text +=
        row(run.scene.probes[p].name,
            fmt::format(
                "at {} m, moving by {} m/s, turning by {} rad/s, contact force {} N, torque {} N m",
                vector_text(reading.position), vector_text(reading.velocity),
                vector_text(reading.angular_velocity), vector_text(reading.force),
                vector_text(reading.torque)));
  }
  return text;
}

void report_trouble(const Run& run) {
  const RunSummary& summary = run.summary;
  const auto tell = [&](std::int64_t count, std::string_view what) {
    if (count == 0) return;
    fmt::print(stderr, "stickslip: {} of {} steps {}\n", count, summary.steps(), what);
  };
  if (run.ended_by.starts_with("signal")) {
    fmt::print(stderr, "stickslip: ended at {:g} s of the scene by {}\n", run.state.time_s,
               run.ended_by);
  }
  tell(summary.not_converged() - summary.missed_deadline(),
       fmt::format("did not reach simulation.tolerance (worst error {:.1e}); raise "
                   "simulation.max_iterations, or try another solver",
                   summary.error_max()));
  tell(summary.missed_deadline(), "were stopped by simulation.deadline_us");
  tell(summary.restored(), "met a number that is not finite and were taken back");
  for (const std::string& warning : linear_range_warnings(run.scene, run.range.worst())) {
    fmt::print(stderr, "stickslip: {}\n", warning);
  }
  tell(run.late_steps, "ended later than real time");
  tell(run.lost_steps, "are missing in the recording: the disk was too slow");
}

}  // namespace stickslip::cli
