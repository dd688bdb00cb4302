#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/math/pose.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Mass, damping and stiffness of a hand along one direction, or about it.
struct HandAxis {
  double mass = 0.0;       ///< [kg], [kg m^2]
  double damping = 0.0;    ///< against the intended velocity [N s/m], [N m s/rad]
  double stiffness = 0.0;  ///< towards the intended pose [N/m], [N m/rad]
};

/// How a hand holds a device, the same in all directions.
struct HandModel {
  std::string name;
  HandAxis translation;
  HandAxis rotation;
  bool is_clamped = false;  ///< the device is where the operator wants it, whatever the force
};

/// Hands of a test bench: none, light, medium, firm, clamped. Rotation is that of the translation
/// at a lever of 40 mm.
std::span<const HandModel> known_hand_models();

/// Null where the name is not known.
const HandModel* find_hand_model(std::string_view name);

/// 10 s^3 - 15 s^4 + 6 s^5 within [0, 1], the smoothest way from 0 to 1: it begins and ends without
/// velocity and acceleration.
double minimum_jerk(double s);

/// What an operator wants over time: a pose, which moves one after the other lead on, and buttons.
/// Before the first move and after the last the pose rests.
class Intention {
 public:
  struct Row {
    double time_s = 0.0;
    Pose pose;
    std::uint32_t buttons = 0;  ///< down until the next row
  };

  Intention() = default;
  explicit Intention(const Pose& start);

  /// Recorded poses: straight between the rows, whose times ascend and are not negative. At least
  /// one row.
  static Intention from_rows(std::span<const Row> rows);

  Intention& hold(double seconds);
  Intention& ramp_to(const Pose& pose, double seconds);
  Intention& minimum_jerk_to(const Pose& pose, double seconds);
  Intention& press(std::uint32_t buttons, double from_s, double until_s);

  Pose pose(double time_s) const;
  std::uint32_t buttons(double time_s) const;
  /// When the last move ends.
  double duration_s() const;

 private:
  struct Move {
    double start_s;
    double duration_s;
    bool is_smooth;
    Pose from;
    Vec3 translation;
    Vec3 turn;  ///< rotation vector, world axes
  };
  struct Press {
    std::uint32_t buttons;
    double from_s;
    double until_s;
  };

  Intention& add_move(const Pose& pose, double seconds, bool is_smooth);

  Pose last_;
  std::vector<Move> moves_;
  std::vector<Press> presses_;
};

struct Operator {
  HandModel hand;
  Intention intention;
};

}  // namespace stickslip
