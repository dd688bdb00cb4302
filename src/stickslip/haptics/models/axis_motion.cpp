#include "stickslip/haptics/models/axis_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace stickslip {

namespace {

/// The motion over a piece, position = sum c_n s^n, s from 0 to 1.
class PowerSeries {
 public:
  /// Coefficients from m x'' + b x' + k x = force + rate t, power by power.
  PowerSeries(const AxisDynamics& d, double force, double rate, double piece,
              const AxisState& start) {
    c_[0] = start.position;
    c_[1] = start.velocity * piece;
    const double b = d.damping * piece;
    const double k = d.stiffness * piece * piece;
    for (std::size_t n = 0; n + 2 < terms; ++n) {
      const auto power = static_cast<double>(n);
      double rest = -b * (power + 1.0) * c_[n + 1] - k * c_[n];
      if (n == 0) rest += force * piece * piece;
      if (n == 1) rest += rate * piece * piece * piece;
      c_[n + 2] = rest / (d.mass * (power + 1.0) * (power + 2.0));
    }
  }

  double position(double s) const { return derivative<0>(s); }
  /// With respect to s.
  double velocity(double s) const { return derivative<1>(s); }
  double acceleration(double s) const { return derivative<2>(s); }

 private:
  /// 0.5^16 / 16! is far below rounding.
  static constexpr std::size_t terms = 16;

  template <std::size_t Order>
  double derivative(double s) const {
    double sum = 0.0;
    for (std::size_t n = terms; n-- > Order;) {
      double factor = 1.0;
      for (std::size_t i = 0; i < Order; ++i) factor *= static_cast<double>(n - i);
      sum = sum * s + factor * c_[n];
    }
    return sum;
  }

  std::array<double, terms> c_{};
};

/// How long a series of these terms serves: neither decay nor swing turns by more than a half.
double longest_piece(const AxisDynamics& d) {
  const double rate = std::max(d.damping / d.mass, std::sqrt(d.stiffness / d.mass));
  return rate > 0.0 ? 0.5 / rate : std::numeric_limits<double>::infinity();
}

/// Where a function that is not negative at `low` and negative at `high` changes sign.
template <class Function>
double sign_change(double low, double high, const Function& function) {
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (function(middle) < 0.0 ? high : low) = middle;
  }
  return high;
}

/// The first s in (0, 1] at which motion in `direction` comes to rest, if any. Acceleration changes
/// sign at most once in a piece, so that velocity rises or falls on either side of that place.
std::optional<double> find_rest(const PowerSeries& series, double direction) {
  const auto speed = [&](double s) { return direction * series.velocity(s); };
  const auto gain = [&](double s) { return direction * series.acceleration(s); };
  const bool rises_first = gain(0.0) > 0.0;
  const bool rises_last = gain(1.0) > 0.0;
  if (rises_first && rises_last) return std::nullopt;
  if (!rises_first && rises_last) {
    // from rest it can only rise: that it falls before is rounding
    if (speed(0.0) == 0.0) return std::nullopt;
    const double slowest = sign_change(0.0, 1.0, [&](double s) { return -gain(s); });
    if (speed(slowest) >= 0.0) return std::nullopt;
    return sign_change(0.0, slowest, speed);
  }
  if (speed(1.0) >= 0.0) return std::nullopt;
  const double fastest = rises_first ? sign_change(0.0, 1.0, gain) : 0.0;
  return sign_change(fastest, 1.0, speed);
}

/// How long force + rate t stays within +-friction.
double stick_duration(double force, double rate, double friction) {
  if (std::abs(force) > friction) return 0.0;
  if (rate == 0.0) return std::numeric_limits<double>::infinity();
  return (friction - std::copysign(force, force * rate)) / std::abs(rate);
}

void move(const PowerSeries& series, double s, double piece, AxisState& state) {
  state.position = series.position(s);
  state.velocity = series.velocity(s) / piece;
}

}  // namespace

void advance(const AxisDynamics& dynamics, double force, double rate, double duration,
             AxisState& state) {
  // rounding must not make events without end
  int events_left = 1000;
  const double longest = longest_piece(dynamics);
  double time = 0.0;
  while (time < duration && events_left > 0) {
    double direction = 0.0;
    if (dynamics.friction > 0.0) {
      direction = std::copysign(1.0, state.velocity);
      if (state.velocity == 0.0) {
        // stick, until the force exceeds friction
        const double pull = force + rate * time - dynamics.stiffness * state.position;
        const double stick = stick_duration(pull, rate, dynamics.friction);
        time += stick;
        if (time >= duration) return;
        direction = std::copysign(1.0, stick > 0.0 ? rate : pull);
      }
    }
    const double piece = std::min(longest, duration - time);
    const double net = force + rate * time - direction * dynamics.friction;
    const PowerSeries series(dynamics, net, rate, piece, state);
    const std::optional<double> rest =
        direction == 0.0 ? std::nullopt : find_rest(series, direction);
    move(series, rest.value_or(1.0), piece, state);
    if (rest) {
      state.velocity = 0.0;
      --events_left;
    }
    time = rest || duration - time > longest ? time + rest.value_or(1.0) * piece : duration;
  }
  if (events_left == 0) state.velocity = 0.0;
}

}  // namespace stickslip
