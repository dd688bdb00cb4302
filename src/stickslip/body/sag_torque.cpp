#include "stickslip/body/sag_torque.hpp"

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// sin x / x and its derivative over x, by their series where digits would be lost.
struct Sinc {
  explicit Sinc(double x) {
    const double square = x * x;
    const bool is_small = square < 1e-4;
    value = is_small ? 1.0 - square / 6.0 * (1.0 - square / 20.0) : std::sin(x) / x;
    slope = is_small ? -1.0 / 3.0 + square / 30.0 : (std::cos(x) - value) / square;
  }
  double value;
  double slope;  ///< value' / x
};

}  // namespace

double Sag::work(const Vec3& turn) const {
  return gravity.dot(rotation_exp(turn) * moment - moment);
}

Vec3 Sag::mean_torque(const Vec3& turn) const {
  // exp(t) s - s = sinc(|t|/2) t x (exp(t/2) s)
  return Sinc(0.5 * turn.norm()).value * (rotation_exp(0.5 * turn) * moment).cross(gravity);
}

Mat3 Sag::torque_slope(const Vec3& turn) const {
  const Sinc sinc(0.5 * turn.norm());
  const Mat3 half = rotation_exp(0.5 * turn).toRotationMatrix();
  const Mat3 moment_slope = -0.5 * half * skew(moment) * rotation_slope(0.5 * turn);
  return 0.25 * sinc.slope * (half * moment).cross(gravity) * turn.transpose() -
         sinc.value * skew(gravity) * moment_slope;
}

namespace {

/// Newton's method from a start: whether it found the turn.
bool find_turn(const Sag& sag, const Mat3& answer, const Vec3& without, Vec3& turn) {
  constexpr int most_rounds = 50;
  constexpr double almost = 1e-13;
  constexpr double least_share = 1e-3;
  const auto miss = [&](const Vec3& tried) -> Vec3 {
    return tried - without - answer * sag.mean_torque(tried);
  };
  Vec3 error = miss(turn);
  for (int round = 0; round < most_rounds; ++round) {
    if (error.norm() <= almost * (1.0 + turn.norm())) return true;

    // as far along Newton's way as it takes the error down
    const Mat3 slope = Mat3::Identity() - answer * sag.torque_slope(turn);
    const Vec3 way = slope.partialPivLu().solve(error);
    const Vec3 from = turn;
    const double before = error.norm();
    double share = 1.0;
    do {
      turn = from - share * way;
      error = miss(turn);
      share *= 0.5;
    } while (!(error.norm() < before) && share > least_share);
    if (!(error.norm() < before)) return false;
  }
  return false;
}

}  // namespace

Vec3 find_sag_torque(const Sag& sag, const Mat3& answer, const Vec3& without) {
  if (sag.is_weightless()) return Vec3::Zero();

  // usually it turns little
  Vec3 turn = without + answer * sag.mean_torque(without);
  if (find_turn(sag, answer, without, turn)) return sag.mean_torque(turn);

  // strong torque turns the moment into line with gravity, and past it
  const Vec3 down = rotation_log(Quat::FromTwoVectors(sag.moment, sag.gravity));
  const Vec3 up = rotation_log(Quat::FromTwoVectors(sag.moment, -sag.gravity));
  const std::array<Vec3, 4> starts = {without, 2.0 * down, 2.0 * up, down};
  for (const Vec3& start : starts) {
    turn = start;
    if (find_turn(sag, answer, without, turn)) return sag.mean_torque(turn);
  }
  return Vec3::Zero();
}

}  // namespace stickslip
