#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

struct OscillationOptions {
  bool is_on = true;
  double least_hz = 10.0;  ///< a hand of its own will does not swing faster
  double share = 0.1;      ///< of the largest force, above that frequency
  /// So long, without ringing down, is an oscillation; or a fifth of it, where each side is
  /// further out than the last, or it goes on after one.
  double time_s = 0.2;
  /// Of the handle [m]; or a count of its sensors, where that is more.
  double least_motion = 10e-6;
  /// What an oscillation of that share leaves of the gains; larger ones leave less.
  double factor = 0.7;
  double least_scale = 0.1;  ///< and all of them together
  double ramp_s = 0.02;      ///< from one scale to the next
};

/// A force and the motion that comes with it, both from one side to the other and back.
class Swing {
 public:
  /// Up to that force, with motion of so much that it can be told from rounding.
  Swing(const OscillationOptions& options, double largest_force, double least_motion);

  /// Where both have swung for long enough without ringing down, how many times larger the force
  /// was than it takes; else 0.
  double add(const Vec3& force, const Vec3& position, double elapsed_s);

 private:
  /// What of a signal is above a frequency: two filters of the first order in turn, at any times.
  struct HighPass {
    Vec3 add(const Vec3& sample, double kept);
    bool has_started = false;
    Vec3 low_1 = Vec3::Zero();
    Vec3 low_2 = Vec3::Zero();
  };
  /// The side that a signal is on, if it is away by more than an amplitude.
  struct Side {
    /// Whether it has come to the other one.
    bool add(const Vec3& value, double amplitude);
    Vec3 side = Vec3::Zero();
  };
  void begin();

  OscillationOptions options_;
  double least_force_;
  double least_motion_;
  HighPass force_above_;
  HighPass motion_above_;
  Side force_side_;
  Side motion_side_;
  bool goes_on_ = false;     ///< has been an oscillation, and has not ceased since
  double peak_ = 0.0;        ///< of the force on this side [N]
  double since_side_ = 0.0;  ///< since it came there [s]
  // since the swing began
  double time_s_ = 0.0;
  double first_peak_ = 0.0;
  double last_peak_ = 0.0;
  int sides_ = 0;
  int growing_sides_ = 0;  ///< the last so many have grown
  int motion_sides_ = 0;
};

/// Lowers the gains of a hand that swings: whatever a loop was thought to be stable with, a hand
/// that holds its device otherwise, or a link that is later than it was, may tell. What is watched
/// is what counts, force and handle, above 10 Hz; the loop's own view of the energy says nothing,
/// since a late link makes a damped spring give energy without the loop seeing it.
///
/// The scale is of the wrench on the hand, as if all gains were scaled; the tool goes on to be led
/// with those of the scene. Gains stay lowered. Devices without a limit are not watched.
class OscillationWatch {
 public:
  OscillationWatch(const OscillationOptions& options, double largest_force, double largest_torque,
                   double resolution);

  /// At a tick: the wrench sent last, and the way of the handle so far (translation, rotation).
  /// True where the gains are to be lowered.
  bool add(const Vec6& sent, const Vec6& way, double elapsed_s);

  double scale() const { return scale_; }  ///< of the gains, now

 private:
  OscillationOptions options_;
  Swing translation_;
  Swing rotation_;
  double aim_ = 1.0;
  double scale_ = 1.0;
};

}  // namespace stickslip
