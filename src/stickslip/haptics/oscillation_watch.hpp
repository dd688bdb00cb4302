#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

struct OscillationOptions {
  bool is_on = true;
  double corner_hz = 20.0;  ///< a hand of its own will does not move faster
  /// Of the largest force, in the root of the mean square above the corner.
  double share = 0.1;
  double window_s = 0.03;  ///< two of them, one not much calmer than the other, are an oscillation
  double least_motion =
      10e-6;                 ///< of the handle [m]; or a count of its sensors, where that is more
  double factor = 0.7;       ///< what an oscillation leaves of the gains
  double least_scale = 0.1;  ///< and all of them together
  double ramp_s = 0.02;      ///< from one scale to the next
};

/// A force and the motion that comes with it, both swinging.
class Swing {
 public:
  /// Up to that force, with motion of so much that it can be told from rounding.
  Swing(const OscillationOptions& options, double largest_force, double least_motion);

  /// True at the end of a window in which both have swung as they did in the one before.
  bool add(const Vec3& force, const Vec3& position, double elapsed_s);

 private:
  /// What of a signal is above a frequency: two filters of the first order in turn, at any times.
  struct HighPass {
    Vec3 add(const Vec3& sample, double kept);
    bool has_started = false;
    Vec3 low_1 = Vec3::Zero();
    Vec3 low_2 = Vec3::Zero();
  };
  /// Counts how often a signal comes to the other side, each time by more than an amplitude.
  struct Reversals {
    void add(const Vec3& value, double amplitude);
    Vec3 side = Vec3::Zero();
    int count = 0;
  };
  bool end_window();

  OscillationOptions options_;
  double least_force_;
  double least_motion_;
  HighPass force_above_;
  HighPass motion_above_;
  // of the window
  Reversals force_;
  Reversals motion_;
  double squares_ = 0.0;  ///< of the force above the corner, times time [N^2 s]
  double time_s_ = 0.0;
  double rms_before_ = 0.0;  ///< of the window before, where that swung
};

/// Lowers the gains of a hand that swings: whatever a loop was thought to be stable with, a hand
/// that holds its device otherwise, or a link that is later than it was, may tell. What is watched
/// is what counts, force and handle, above 20 Hz; the loop's own view of the energy says nothing,
/// since a late link makes a damped spring give energy without the loop seeing it.
///
/// The scale is of the wrench on the hand, as if all gains were scaled; the tool goes on to be led
/// with those of the scene. Gains stay lowered. Devices without a limit are not watched.
class OscillationWatch {
 public:
  OscillationWatch(const OscillationOptions& options, double largest_force, double largest_torque,
                   double resolution);

  /// At a tick: the wrench sent last, and the way of the handle so far (translation, rotation).
  void add(const Vec6& sent, const Vec6& way, double elapsed_s);

  double scale() const { return scale_; }  ///< of the gains, now

 private:
  OscillationOptions options_;
  Swing translation_;
  Swing rotation_;
  double aim_ = 1.0;
  double scale_ = 1.0;
};

}  // namespace stickslip
