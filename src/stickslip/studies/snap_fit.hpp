#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "stickslip/body/surface_strain.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// What leads a part into its counterpart: a hand of the scene, or a drive.
struct SnapMover {
  int hand = -1;
  int drive = -1;  ///< where no hand does
  int body = 0;    ///< that it moves
  Vec3 axis = Vec3::UnitZ();
  double travel = 0.0;  ///< along the axis, from the start [m]
};

/// The only hand of a scene whose operator moves it, or else the only drive of kind motion or
/// spring that moves: along the line to where that is farthest from the start. None where there is
/// not one.
std::optional<SnapMover> find_snap_mover(const Scene& scene);

/// The moved body begins elsewhere: displaced, and turned about the place by which it is moved.
void misalign(Scene& scene, const SnapMover& mover, const Vec3& offset, const Vec3& tilt);

/// Gains of a steady hand for those that a scene leaves to the choice of a device.
void steady_hands(Scene& scene);

/// One step of a snap fit.
struct SnapSample {
  double time_s = 0.0;
  double moved_m = 0.0;      ///< by the body along the axis, from its start
  double force_N = 0.0;      ///< of the contacts on the body against the axis
  double normal_N = 0.0;     ///< the same without friction; below 0 the body is drawn in
  double stored_J = 0.0;     ///< in the bodies, above their start
  double friction_J = 0.0;   ///< lost since the start
  double left_over_J = 0.0;  ///< gained in the step by nothing that is known; a loss is negative
  double penetration_m = 0.0;
  int loaded_contacts = 0;
};

/// Measures a snap fit after each step.
class SnapGauge {
 public:
  /// At the start of a run.
  SnapGauge(const SnapMover& mover, const State& start);

  SnapSample measure(const State& state, const StepData& data);

 private:
  SnapMover mover_;
  Vec3 began_at_;
  bool is_first_ = true;
  double energy_at_start_ = 0.0;
  double energy_before_ = 0.0;
  double friction_ = 0.0;
};

enum class SnapPhase { approach, push, seated, pull, free };
std::string_view to_string(SnapPhase phase);

/// Tells, step by step, in which phase a snap fit is: a part is seated once half of what it had to
/// store to get in is given back while it still goes in, and contacts have drawn it in meanwhile,
/// which slip alone does not. One that goes back before is not, and is free again when nothing
/// touches.
class SnapWatch {
 public:
  /// The phase after a step, at which the mover goes in, or out.
  SnapPhase add(const SnapSample& sample, bool goes_out);
  SnapPhase phase() const { return phase_; }

 private:
  SnapPhase phase_ = SnapPhase::approach;
  double most_stored_ = 0.0;
  double most_pushed_ = 0.0;  ///< without friction
  bool is_drawn_in_ = false;  ///< since the most was stored
};

struct SnapFitOptions {
  double speed = 0.02;   ///< of the mover [m/s]
  double dwell_s = 0.1;  ///< before it goes back
};

struct SnapFit {
  std::vector<SnapSample> samples;  ///< one a step
  std::size_t withdrawal = 0;       ///< the first that goes back
  bool snaps = false;    ///< is drawn in and gives back most of what it stored, before it goes back
  bool holds = false;    ///< contacts pull at it on its way back
  bool lets_go = false;  ///< it held, and nothing touches at the end

  // insertion, until the part is open widest
  double peak_N = 0.0;
  double peak_at_m = 0.0;
  double work_J = 0.0;
  // the unstable equilibrium, and what follows
  double snap_at_m = 0.0;
  double snap_time_s = 0.0;
  double snap_duration_s = 0.0;  ///< while what is given back goes from a tenth to nine tenths
  double pull_in_N = 0.0;        ///< with which the part draws itself in
  // withdrawal
  double retention_N = 0.0;
  double retention_at_m = 0.0;
  double release_at_m = 0.0;  ///< where it is open widest on its way out

  double stored_J = 0.0;                 ///< at the most
  double friction_J = 0.0;               ///< in all
  double lost_J = 0.0;                   ///< to impacts, and to the size of the steps
  double largest_gain_J = 0.0;           ///< in one step
  double penetration_m = 0.0;            ///< but for what follows
  double penetration_in_snap_m = 0.0;    ///< within five steps of a snap
  double strain = 0.0;                   ///< of all bodies, the largest
  double rotation_rad = 0.0;             ///< the same
  std::vector<SurfaceStrain> of_bodies;  ///< both, of each
  int steps_not_converged = 0;
};

/// What samples say: those before `withdrawal` go in, the rest goes out; at least one of each.
SnapFit read_snap_fit(std::vector<SnapSample> samples, std::size_t withdrawal);

/// Told after each step how much of the test is done, from 0 to 1.
using AfterSnapStep = std::function<void(double share, const State&, const StepData&)>;

/// Pushes the moved part in and withdraws it, at a constant speed of the mover. Hands that are not
/// the mover hold still.
SnapFit run_snap_fit(const Scene& scene, const SnapMover& mover, const SnapFitOptions& options,
                     const AfterSnapStep& after_step = {});

}  // namespace stickslip
