#include "stickslip/studies/snap_fit.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/haptics/models/device.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/simulation/linear_range.hpp"

namespace stickslip {

namespace {

/// Shorter ways are no motion. [m]
constexpr double least_travel = 1e-5;
/// Of what was stored, given back at a snap at the least.
constexpr double given_back_share = 0.5;
/// Of the largest push without friction, with which contacts draw a part in at the least.
constexpr double drawn_in_share = 0.1;
/// Of the push, with which contacts pull at a part that they hold, at the least.
constexpr double noticed_pull_share = 1e-3;
/// Steps about a snap in which contacts may be found late.
constexpr std::size_t snap_steps = 5;

/// Sets axis and travel by the places of a path; whether it leads anywhere.
bool follow_path(std::span<const Vec3> places, SnapMover& mover) {
  Vec3 way = Vec3::Zero();
  for (const Vec3& place : places) {
    if ((place - places.front()).norm() > way.norm()) way = place - places.front();
  }
  mover.travel = way.norm();
  if (mover.travel < least_travel) return false;
  mover.axis = way / mover.travel;
  return true;
}

std::vector<Vec3> places_of(const Hand& hand) {
  constexpr int count = 1000;
  std::vector<Vec3> places;
  for (int k = 0; k <= count; ++k) {
    places.push_back(
        hand.map.to_world(hand.intention.pose(hand.intention.duration_s() * k / count)).position);
  }
  return places;
}

std::vector<Vec3> places_of(const Drive& drive) {
  std::vector<Vec3> places;
  if (drive.kind == DriveKind::force) return {Vec3::Zero()};
  for (const TimeTable::Row& row : drive.table.rows()) places.emplace_back(row.value.head<3>());
  return places;
}

/// Where the mover holds the body, at the start.
Vec3 held_place(const Scene& scene, const SnapMover& mover) {
  if (mover.hand < 0) return scene.drives[uz(mover.drive)].pivot;
  const SceneBody& part = scene.bodies[uz(mover.body)];
  const FrameState frame = part.body.initial_state(part.position, part.orientation).frame;
  return grip_pose(frame, scene.hands[uz(mover.hand)].handles.front().grip).position;
}

struct ContactForce {
  Vec3 whole = Vec3::Zero();
  Vec3 normal = Vec3::Zero();
};

ContactForce contact_force_on(int body, const StepData& data) {
  ContactForce force;
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Contact& contact = data.contacts[c];
    const int side = contact.where.body_1 == body ? 1 : contact.where.body_2 == body ? -1 : 0;
    const Vec3 f = side * data.f.segment<3>(3 * static_cast<Eigen::Index>(c));
    force.whole += contact.axes.transpose() * f;
    force.normal += contact.axes.row(0).transpose() * f[0];
  }
  return force;
}

/// The scene and what it is told.
class Test {
 public:
  Test(const Scene& scene, const SnapMover& mover)
      : scene_(scene),
        mover_(mover),
        state_(initial_state(scene)),
        data_(scene),
        gauge_(mover, state_) {
    for (std::size_t h = 0; h < scene.hands.size(); ++h) {
      const Handle& handle = scene.hands[h].handles.front();
      data_.hand_inputs[h].pose = grip_pose(state_.bodies[uz(handle.body)].frame, handle.grip);
      data_.hand_inputs[h].wants_hold = true;
    }
    if (mover.hand >= 0) start_ = data_.hand_inputs[uz(mover.hand)].pose.position;
    if (mover.drive >= 0) at_start_ = scene.drives[uz(mover.drive)].table.at(0.0);
  }

  /// A step at the end of which the mover has gone that far.
  SnapSample advance(double way) {
    if (mover_.hand >= 0) {
      data_.hand_inputs[uz(mover_.hand)].pose.position = start_ + way * mover_.axis;
    } else {
      DriveInput& input = data_.inputs[uz(mover_.drive)];
      input.is_given = true;
      input.value = at_start_;
      input.value.head<3>() += way * mover_.axis;
    }
    not_converged_ += step(scene_, state_, data_).is_converged ? 0 : 1;
    return gauge_.measure(state_, data_);
  }

  const State& state() const { return state_; }
  const StepData& data() const { return data_; }
  int steps_not_converged() const { return not_converged_; }

 private:
  const Scene& scene_;
  const SnapMover& mover_;
  State state_;
  StepData data_;
  Vec3 start_ = Vec3::Zero();
  Vec6 at_start_ = Vec6::Zero();
  SnapGauge gauge_;
  int not_converged_ = 0;
};

/// The place of the largest fall of what is stored, from a maximum to a minimum after it.
struct Fall {
  std::size_t from = 0;
  std::size_t to = 0;
  double size = 0.0;
};

Fall largest_fall(std::span<const SnapSample> samples) {
  Fall fall;
  std::size_t highest = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (samples[k].stored_J > samples[highest].stored_J) highest = k;
    const double size = samples[highest].stored_J - samples[k].stored_J;
    if (size > fall.size) fall = {highest, k, size};
  }
  return fall;
}

/// When a fall has gone that share of its way, between the steps.
double time_of_share(std::span<const SnapSample> samples, const Fall& fall, double share) {
  const double level = samples[fall.from].stored_J - share * fall.size;
  std::size_t k = fall.to;
  while (k > fall.from && samples[k - 1].stored_J <= level) --k;
  if (k == fall.from) return samples[k].time_s;
  const SnapSample& before = samples[k - 1];
  const SnapSample& after = samples[k];
  return std::lerp(before.time_s, after.time_s,
                   (before.stored_J - level) / (before.stored_J - after.stored_J));
}

/// What the curve says of the way in.
void read_insertion(SnapFit& fit) {
  const std::span<const SnapSample> in(fit.samples.data(), fit.withdrawal);
  const Fall fall = largest_fall(in);
  double most_pushed = 0.0;
  for (std::size_t k = 0; k <= fall.from; ++k) most_pushed = std::max(most_pushed, in[k].normal_N);
  const auto is_drawn_in = [&](const SnapSample& sample) {
    return sample.normal_N < -drawn_in_share * most_pushed;
  };
  fit.snaps = fall.size > given_back_share * in[fall.from].stored_J &&
              std::any_of(in.begin() + static_cast<std::ptrdiff_t>(fall.from),
                          in.begin() + static_cast<std::ptrdiff_t>(fall.to) + 1, is_drawn_in);
  fit.snap_at_m = in[fall.from].moved_m;
  fit.snap_time_s = in[fall.from].time_s;
  fit.snap_duration_s = time_of_share(in, fall, 0.9) - time_of_share(in, fall, 0.1);
  const std::size_t widest = fit.snaps ? fall.from : in.size() - 1;
  for (std::size_t k = 0; k <= widest; ++k) {
    if (in[k].force_N > fit.peak_N) {
      fit.peak_N = in[k].force_N;
      fit.peak_at_m = in[k].moved_m;
    }
    if (k > 0) fit.work_J += in[k].force_N * (in[k].moved_m - in[k - 1].moved_m);
  }
  for (std::size_t k = fall.from; k <= fall.to; ++k) {
    fit.pull_in_N = std::max(fit.pull_in_N, -in[k].force_N);
  }
}

/// The same of the way out.
void read_withdrawal(SnapFit& fit) {
  const std::span<const SnapSample> out = std::span(fit.samples).subspan(fit.withdrawal);
  const Fall fall = largest_fall(out);
  fit.release_at_m = out[fall.from].moved_m;
  for (const SnapSample& sample : out) {
    if (-sample.force_N > fit.retention_N) {
      fit.retention_N = -sample.force_N;
      fit.retention_at_m = sample.moved_m;
    }
  }
  fit.holds = fit.retention_N > noticed_pull_share * fit.peak_N;
  fit.lets_go = fit.holds && out.back().loaded_contacts == 0;
}

/// What is left over, and overlaps: deep ones only where a snap is not far.
void read_balance(SnapFit& fit) {
  const auto fall_of = [&](std::size_t first, std::size_t count) {
    Fall fall = largest_fall(std::span(fit.samples).subspan(first, count));
    return Fall{first + fall.from, first + fall.to + snap_steps, fall.size};
  };
  const Fall in = fall_of(0, fit.withdrawal);
  const Fall out = fall_of(fit.withdrawal, fit.samples.size() - fit.withdrawal);
  for (std::size_t k = 0; k < fit.samples.size(); ++k) {
    const SnapSample& sample = fit.samples[k];
    const bool is_in_snap = (k >= in.from && k <= in.to) || (k >= out.from && k <= out.to);
    double& deepest = is_in_snap ? fit.penetration_in_snap_m : fit.penetration_m;
    deepest = std::max(deepest, sample.penetration_m);
    fit.stored_J = std::max(fit.stored_J, sample.stored_J);
    fit.lost_J -= sample.left_over_J;
    fit.largest_gain_J = std::max(fit.largest_gain_J, sample.left_over_J);
  }
  fit.friction_J = fit.samples.back().friction_J;
}

}  // namespace

std::optional<SnapMover> find_snap_mover(const Scene& scene) {
  std::optional<SnapMover> found;
  for (std::size_t h = 0; h < scene.hands.size(); ++h) {
    SnapMover mover{.hand = static_cast<int>(h), .body = scene.hands[h].handles.front().body};
    if (!follow_path(places_of(scene.hands[h]), mover)) continue;
    if (found) return std::nullopt;
    found = mover;
  }
  if (found) return found;
  for (std::size_t d = 0; d < scene.drives.size(); ++d) {
    SnapMover mover{.drive = static_cast<int>(d), .body = scene.drives[d].body};
    if (!follow_path(places_of(scene.drives[d]), mover)) continue;
    if (found) return std::nullopt;
    found = mover;
  }
  return found;
}

void misalign(Scene& scene, const SnapMover& mover, const Vec3& offset, const Vec3& tilt) {
  SceneBody& part = scene.bodies[uz(mover.body)];
  const Vec3 held = held_place(scene, mover);
  const Quat turn = rotation_exp(tilt);
  part.position = held + turn * (part.position - held) + offset;
  part.orientation = (turn * part.orientation).normalized();
  if (mover.drive >= 0) scene.drives[uz(mover.drive)].pivot += offset;
}

SnapGauge::SnapGauge(const SnapMover& mover, const State& start)
    : mover_(mover), began_at_(start.bodies[uz(mover.body)].frame.position) {}

SnapSample SnapGauge::measure(const State& state, const StepData& data) {
  const EnergyReport& energy = data.report.energy;
  if (is_first_) energy_at_start_ = energy_before_ = energy.total - energy.work_in;
  is_first_ = false;
  SnapSample sample;
  sample.time_s = state.time_s;
  sample.moved_m = mover_.axis.dot(state.bodies[uz(mover_.body)].frame.position - began_at_);
  const ContactForce force = contact_force_on(mover_.body, data);
  sample.force_N = -mover_.axis.dot(force.whole);
  sample.normal_N = -mover_.axis.dot(force.normal);
  sample.stored_J = energy.total - energy_at_start_;
  sample.friction_J = friction_ += energy.friction;
  sample.left_over_J = energy.total - energy_before_ - energy.work_in + energy.friction;
  energy_before_ = energy.total;
  sample.penetration_m = data.report.penetration_m;
  sample.loaded_contacts = data.report.loaded_contacts;
  return sample;
}

void steady_hands(Scene& scene) {
  constexpr CouplingGains steady = {2000.0, 4.0, 2000.0 * handle_lever * handle_lever,
                                    4.0 * handle_lever * handle_lever};
  const auto settle = [](double& gain, double value) {
    if (std::isnan(gain)) gain = value;
  };
  for (Hand& hand : scene.hands) {
    settle(hand.gains.stiffness, steady.stiffness);
    settle(hand.gains.damping, steady.damping);
    settle(hand.gains.rotational_stiffness, steady.rotational_stiffness);
    settle(hand.gains.rotational_damping, steady.rotational_damping);
  }
}

std::string_view to_string(SnapPhase phase) {
  switch (phase) {
    case SnapPhase::approach:
      return "approach";
    case SnapPhase::push:
      return "push";
    case SnapPhase::seated:
      return "seated";
    case SnapPhase::pull:
      return "pull";
    default:
      return "free";
  }
}

SnapPhase SnapWatch::add(const SnapSample& sample, bool goes_out) {
  const bool touches = sample.loaded_contacts > 0;
  switch (phase_) {
    case SnapPhase::approach:
      if (touches) phase_ = SnapPhase::push;
      break;
    case SnapPhase::push:
      is_drawn_in_ = sample.stored_J < most_stored_ &&
                     (is_drawn_in_ || sample.normal_N < -drawn_in_share * most_pushed_);
      most_stored_ = std::max(most_stored_, sample.stored_J);
      most_pushed_ = std::max(most_pushed_, sample.normal_N);
      if (goes_out) {
        if (!touches) phase_ = SnapPhase::free;
      } else if (is_drawn_in_ && sample.stored_J < (1.0 - given_back_share) * most_stored_) {
        phase_ = SnapPhase::seated;
      }
      break;
    case SnapPhase::seated:
      if (goes_out && sample.force_N < 0.0) phase_ = SnapPhase::pull;
      break;
    case SnapPhase::pull:
      if (!touches) phase_ = SnapPhase::free;
      break;
    case SnapPhase::free:
      break;
  }
  return phase_;
}

SnapFit read_snap_fit(std::vector<SnapSample> samples, std::size_t withdrawal) {
  SnapFit fit;
  fit.samples = std::move(samples);
  fit.withdrawal = withdrawal;
  read_insertion(fit);
  read_withdrawal(fit);
  read_balance(fit);
  return fit;
}

SnapFit run_snap_fit(const Scene& scene, const SnapMover& mover, const SnapFitOptions& options,
                     const AfterSnapStep& after_step) {
  const double dt = scene.simulation.dt;
  const auto steps_of = [&](double seconds) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(seconds / dt)));
  };
  const std::size_t way = steps_of(mover.travel / options.speed);
  const std::size_t dwell = steps_of(options.dwell_s);

  const std::size_t withdrawal = way + dwell;
  const std::size_t steps = 2 * withdrawal;
  std::vector<SnapSample> samples;
  LinearRangeWatch range(scene, LinearRangeWatch::Pace::every_state);
  Test test(scene, mover);
  for (std::size_t k = 1; k <= steps; ++k) {
    const std::size_t in = std::min(k, way);
    const std::size_t out = k > withdrawal ? std::min(k - withdrawal, way) : 0;
    const double share = static_cast<double>(in - out) / static_cast<double>(way);
    samples.push_back(test.advance(share * mover.travel));
    range.add(scene, test.state());
    if (after_step) {
      after_step(static_cast<double>(k) / static_cast<double>(steps), test.state(), test.data());
    }
  }
  SnapFit fit = read_snap_fit(std::move(samples), withdrawal);
  for (const SurfaceStrain& worst : range.worst()) {
    fit.strain = std::max(fit.strain, worst.strain);
    fit.rotation_rad = std::max(fit.rotation_rad, worst.rotation_rad);
  }
  fit.of_bodies = range.worst();
  fit.steps_not_converged = test.steps_not_converged();
  return fit;
}

}  // namespace stickslip
