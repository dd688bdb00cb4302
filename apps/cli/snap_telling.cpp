#include "apps/cli/snap_telling.hpp"

#include <fmt/core.h>

#include <limits>

#include "stickslip/error.hpp"

namespace stickslip::cli {

namespace {

/// A way back that is shorter is no withdrawal. [m]
constexpr double least_way_back = 1e-4;

SnapMover mover_of(const Scene& scene) {
  if (const auto mover = find_snap_mover(scene)) return *mover;
  throw InputError(
      fmt::format("--phases: nothing in scene {} leads a part in; it needs exactly one hand or "
                  "drive that moves",
                  scene.name));
}

const char* explanation(SnapPhase before, SnapPhase phase) {
  if (before == SnapPhase::push && phase == SnapPhase::free) {
    return "withdrawn before it had snapped in";
  }
  switch (phase) {
    case SnapPhase::approach:
      return "nothing touches";
    case SnapPhase::push:
      return "first contact; the part opens";
    case SnapPhase::seated:
      return "past its widest opening, the part has closed abruptly";
    case SnapPhase::pull:
      return "withdrawn; friction and stiffness hold it back";
    default:
      return "the part has let go";
  }
}

}  // namespace

SnapTelling::SnapTelling(const Scene& scene, const State& start)
    : mover_(mover_of(scene)),
      gauge_(mover_, start),
      farthest_way_(-std::numeric_limits<double>::infinity()) {}

double SnapTelling::way_of_mover(const StepData& data) const {
  if (mover_.hand >= 0) {
    return mover_.axis.dot(data.hand_inputs[uz(mover_.hand)].pose.position);
  }
  return mover_.axis.dot(data.inputs[uz(mover_.drive)].value.head<3>());
}

void SnapTelling::add(const State& state, const StepData& data) {
  samples_.push_back(gauge_.measure(state, data));
  const double way = way_of_mover(data);
  if (way > farthest_way_) {
    farthest_way_ = way;
    farthest_ = samples_.size() - 1;
  }
  const SnapSample& now = samples_.back();
  const SnapPhase before = watch_.phase();
  const SnapPhase phase = watch_.add(now, way < farthest_way_ - least_way_back);
  if (phase == before) return;
  fmt::print(stderr, "\r{:8.3f} s  {:<9}{} ({:.2f} mm in, {:.2f} N)\n", now.time_s,
             to_string(phase), explanation(before, phase), 1e3 * now.moved_m, now.force_N);
}

std::string SnapTelling::to_text() const {
  if (farthest_ + 1 >= samples_.size()) return {};
  return snap_fit_text(read_snap_fit(samples_, farthest_ + 1));
}

std::string snap_fit_headline(const SnapFit& fit) {
  if (!fit.snaps) {
    return fmt::format("{:.1f} N pushed, and it does not snap in\n", fit.peak_N);
  }
  return fmt::format("{:.1f} N to push in, {:.1f} N to pull out{}\n", fit.peak_N, fit.retention_N,
                     fit.lets_go ? "" : ", and it does not let go");
}

std::string snap_fit_text(const SnapFit& fit) {
  const auto line = [](std::string_view name, const std::string& value) {
    return fmt::format("{:<16}{}\n", name, value);
  };
  std::string text = snap_fit_headline(fit);
  text += line("insertion", fmt::format("{:.3g} N at {:.2f} mm, work {:.3g} mJ", fit.peak_N,
                                        1e3 * fit.peak_at_m, 1e3 * fit.work_J));
  text += line("snap", fit.snaps ? fmt::format("at {:.2f} mm ({:.2f} s), click of {:.0f} ms, "
                                               "draws itself in with {:.3g} N",
                                               1e3 * fit.snap_at_m, fit.snap_time_s,
                                               1e3 * fit.snap_duration_s, fit.pull_in_N)
                                 : std::string("none: the part does not close behind the "
                                               "counterpart within its travel"));
  text +=
      line("retention", fit.holds ? fmt::format("{:.3g} N at {:.2f} mm{}", fit.retention_N,
                                                1e3 * fit.retention_at_m,
                                                fit.lets_go ? "" : "; it does not let go")
                                  : std::string("none: nothing holds the part on its way back"));
  text += line("energy", fmt::format("stored {:.3g} mJ, friction {:.3g} mJ, impacts and size of "
                                     "steps {:.2g} mJ, largest gain in a step {:.1g} mJ",
                                     1e3 * fit.stored_J, 1e3 * fit.friction_J, 1e3 * fit.lost_J,
                                     1e3 * fit.largest_gain_J));
  text += line("penetration", fmt::format("{:.1g} m, in snaps {:.1g} m", fit.penetration_m,
                                          fit.penetration_in_snap_m));
  return text;
}

}  // namespace stickslip::cli
