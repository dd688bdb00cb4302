#include "stickslip/haptics/models/operator.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "stickslip/haptics/models/device.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

HandModel make(std::string_view name, double mass, double damping, double stiffness) {
  constexpr double squared_lever = handle_lever * handle_lever;
  return {std::string(name),
          {mass, damping, stiffness},
          {mass * squared_lever, damping * squared_lever, stiffness * squared_lever}};
}

}  // namespace

std::span<const HandModel> known_hand_models() {
  static const std::array<HandModel, 5> table = {
      make("none", 0.0, 0.0, 0.0),
      make("light", 0.05, 1.0, 50.0),
      make("medium", 0.2, 4.0, 300.0),
      make("firm", 1.5, 20.0, 800.0),
      HandModel{"clamped", HandAxis{}, HandAxis{}, true},
  };
  return table;
}

const HandModel* find_hand_model(std::string_view name) {
  const auto hands = known_hand_models();
  const auto found = std::find_if(hands.begin(), hands.end(),
                                  [&](const HandModel& hand) { return hand.name == name; });
  return found == hands.end() ? nullptr : &*found;
}

double minimum_jerk(double s) {
  const double t = std::clamp(s, 0.0, 1.0);
  return t * t * t * (10.0 + t * (-15.0 + 6.0 * t));
}

Intention::Intention(const Pose& start) : last_(start) {}

Intention Intention::from_rows(std::span<const Row> rows) {
  assert(!rows.empty() && rows.front().time_s >= 0.0);
  Intention intention(rows.front().pose);
  intention.hold(rows.front().time_s);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_last = i + 1 == rows.size();
    const double until = is_last ? std::numeric_limits<double>::infinity() : rows[i + 1].time_s;
    if (rows[i].buttons != 0) intention.press(rows[i].buttons, rows[i].time_s, until);
    if (!is_last) intention.ramp_to(rows[i + 1].pose, until - rows[i].time_s);
  }
  return intention;
}

Intention& Intention::hold(double seconds) {
  return add_move(last_, seconds, false);
}

Intention& Intention::ramp_to(const Pose& pose, double seconds) {
  return add_move(pose, seconds, false);
}

Intention& Intention::minimum_jerk_to(const Pose& pose, double seconds) {
  return add_move(pose, seconds, true);
}

Intention& Intention::add_move(const Pose& pose, double seconds, bool is_smooth) {
  assert(seconds >= 0.0);
  moves_.push_back({duration_s(), seconds, is_smooth, last_, pose.position - last_.position,
                    turn_between(last_.orientation, pose.orientation)});
  last_ = pose;
  return *this;
}

Intention& Intention::press(std::uint32_t buttons, double from_s, double until_s) {
  presses_.push_back({buttons, from_s, until_s});
  return *this;
}

Pose Intention::pose(double time_s) const {
  // the last move that has begun
  const auto after = std::upper_bound(moves_.begin(), moves_.end(), time_s,
                                      [](double t, const Move& move) { return t < move.start_s; });
  if (after == moves_.begin()) return moves_.empty() ? last_ : moves_.front().from;
  const Move& move = *(after - 1);
  const double elapsed = time_s - move.start_s;
  const bool is_over = after == moves_.end() && elapsed >= move.duration_s;
  if (is_over) return last_;
  const double share = std::min(1.0, elapsed / move.duration_s);
  const double way = move.is_smooth ? minimum_jerk(share) : share;
  return {move.from.position + way * move.translation,
          rotation_exp(way * move.turn) * move.from.orientation};
}

std::uint32_t Intention::buttons(double time_s) const {
  std::uint32_t down = 0;
  for (const Press& press : presses_) {
    if (time_s >= press.from_s && time_s < press.until_s) down |= press.buttons;
  }
  return down;
}

double Intention::duration_s() const {
  return moves_.empty() ? 0.0 : moves_.back().start_s + moves_.back().duration_s;
}

}  // namespace stickslip
