#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/haptics/loop/newest.hpp"
#include "stickslip/haptics/loop/oscillation_watch.hpp"
#include "stickslip/haptics/loop/passivity.hpp"
#include "stickslip/haptics/loop/reading_judge.hpp"
#include "stickslip/haptics/loop/safety.hpp"
#include "stickslip/haptics/loop/tool_rendering.hpp"
#include "stickslip/haptics/loop/velocity_estimate.hpp"
#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

/// A device and how it lies in the scene.
struct HandSetup {
  std::shared_ptr<Device> device;
  WorkspaceMap map;
  double force_limit = std::numeric_limits<double>::infinity();   ///< the user's [N]
  double torque_limit = std::numeric_limits<double>::infinity();  ///< [N m]
  std::uint32_t grab_button = default_grab_button;  ///< bits; takes hold and lets go in turn
  /// Bits; moves the device without the tool while down.
  std::uint32_t clutch_button = default_clutch_button;
  bool starts_holding = false;
};

struct LoopOptions {
  double tick = 1e-3;  ///< nominal [s]
  RenderingOptions rendering;
  PassivityOptions passivity;
  ReadingLimits readings;
  OscillationOptions oscillation;
  double stall_s = 0.05;  ///< without a step for so long, and three of its periods, it is stalled
  /// Without a tick for so long, devices drop the force by themselves.
  double pause_s = 0.02;
};

/// Of a loop that runs by the clock: its solves end in time for the tick.
LoopOptions loop_by_clock(double tick, RenderingMode mode);

/// What happened to one hand at a tick.
struct TickRecord {
  Pose device;                      ///< as it was read last and believed, in its own axes
  Vec6 wrench = Vec6::Zero();       ///< on the hand, in the axes of the device [N, N m]
  Vec6 wanted = Vec6::Zero();       ///< the same before the last stage
  Pose grip;                        ///< where the tool is held, world axes
  Vec6 update_step = Vec6::Zero();  ///< by which a new step of the simulation puts it elsewhere
  double energy = 0.0;              ///< that the hand has put in [J]
  double removed = 0.0;             ///< by the passivity controller, so far [J]
  bool is_controlled = false;       ///< it acts
  double gain_scale = 1.0;          ///< below 1 once the hand has swung (OscillationWatch)
  SafetyState safety = SafetyState::ramping;
};

/// The loop of the hands: reads the devices, answers with what the last step of the simulation
/// knows, and writes. One thread ticks it; another one, the simulation, reads `inputs` and
/// publishes steps. A tick does not allocate, lock, throw or print.
class HapticLoop {
 public:
  /// `prototype` has room for the hands and groups of the scene.
  HapticLoop(const LoopOptions& options, std::vector<HandSetup> hands,
             const PublishedStep& prototype, int max_contacts);

  /// So long after the last one. All that takes time in the loop takes it from here: limits,
  /// ramps and velocities hold however late ticks are. Where a clock tells how long ago this tick
  /// began, a pause within it is seen as well, and slew goes by when wrenches are written.
  void tick(double elapsed_s, const std::function<double()>& since_beginning = {});

  /// A nominal tick after the last one, where ticks are counted.
  void tick() { tick(options_.tick); }

  /// Zero force on all devices, now. Later ticks begin anew from there, as after a pause.
  void stop();

  Newest<PublishedStep>& steps() { return steps_; }  ///< written by the simulation
  Newest<HandInputs>& inputs() { return inputs_; }   ///< read by it

  std::span<const TickRecord> records() const { return records_; }  ///< of the last tick
  const ToolRendering& rendering() const { return rendering_; }
  bool is_stalled() const { return is_stalled_; }
  double time_s() const { return time_s_; }  ///< of the last tick

 private:
  /// What belongs to one hand.
  struct Channel {
    Channel(const HandSetup& from, const LoopOptions& options);
    bool is_clutched() const { return (buttons & setup.clutch_button) != 0; }
    void forget_motion();

    HandSetup setup;
    ReadingJudge judge;
    ForceSafety safety;
    Passivity passivity;
    OscillationWatch oscillation;
    PoseVelocity motion;
    PoseVelocity grip_motion;
    DeviceReading reading;
    ReadingJudge::Verdict verdict = ReadingJudge::Verdict::bad;
    double failed_at_s = 0.0;  ///< the last time something was wrong
    bool wants_hold;
    /// Time of the last press; of the first reading to be believed where there was none.
    double wants_since_s = std::numeric_limits<double>::infinity();
    std::uint32_t buttons = 0;
    Vec6 device_velocity = Vec6::Zero();
    Vec6 sent = Vec6::Zero();
    Vec6 grip_velocity = Vec6::Zero();  ///< world axes
    bool is_holding = false;
    // by how much the newest step moved the grip, and what is left of such jumps
    Vec6 update_step = Vec6::Zero();
    Vec6 bridge = Vec6::Zero();
  };

  void read(std::size_t h);
  void take_reading(std::size_t h);
  bool take_step();
  bool is_pause(double seconds) const;
  double age() const;  ///< of what the step known last was told about the hands [s]
  void ask_simulation();
  void find_grips();
  Vec6 felt(std::size_t h) const;  ///< wrench of the coupling on the hand, world axes
  /// Energy that the coupling gives back from a wrench on the hand, in the axes of its device. [J]
  double held_by_coupling(std::size_t h, const Vec6& wrench) const;
  void write(std::size_t h);

  LoopOptions options_;
  std::vector<Channel> channels_;
  ToolRendering rendering_;
  Newest<PublishedStep> steps_;
  Newest<HandInputs> inputs_;
  std::vector<Pose> poses_;
  std::vector<Vec6> velocities_;
  std::vector<Pose> grips_;
  std::vector<Pose> at_last_tick_;
  std::vector<Pose> before_update_;
  std::vector<TickRecord> records_;
  double time_s_ = 0.0;
  double elapsed_s_ = 0.0;   ///< up to this tick
  double written_s_ = 0.0;   ///< after its beginning, the last tick wrote
  double held_s_ = 0.0;      ///< the last wrench was held, or less
  bool has_paused_ = false;  ///< before this tick or in it
  double since_step_ = 0.0;  ///< that came last [s]
  double supplied_ = 0.0;    ///< as of the last step taken
  double newly_supplied_ = 0.0;
  bool is_stalled_ = false;
};

}  // namespace stickslip
