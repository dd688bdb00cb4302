#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

/// A problem of one to four contacts that is sure to have a solution (Acary and Cadoux): with the
/// displacements `opening`, which forces can bring about, every delta = opening + delta_free lies
/// strictly inside the dual cone, delta_n > mu |delta_t|.
struct SmallProblem {
  ContactProblem problem;
  VecX opening;  ///< in the range of W
};

/// Rigid bodies, slender rods on their ends or any linear mechanics, with friction up to 3, rigid
/// or with a compliance down to 1e-8 of the mean. The same seed gives the same problem.
class SmallProblems {
 public:
  explicit SmallProblems(std::uint32_t seed) : random_(seed * 2654435761U + 12345U) {}

  SmallProblem make() {
    contacts_ = 1 + below(4);
    switch (below(4)) {
      case 0:
        any_mechanics();
        break;
      case 1:
        bodies(1, 0.0);
        break;
      case 2:  // the corners of a rod's end lie close together
        bodies(1, std::pow(10.0, between(-3.0, -1.0)));
        break;
      default:
        bodies(2, 0.0);
        break;
    }
    const int n = 3 * contacts_;
    const double compliances[] = {0.0, 1e-8, 1e-6, 1e-4, 1e-2};
    const double compliance = compliances[below(5)];
    MatX W = J_ * inverse_mass_ * J_.transpose();
    W += compliance * W.trace() / n * MatX::Identity(n, n);
    const VecX mu = frictions();
    SmallProblem small;
    const VecX motion = J_ * normals(static_cast<int>(J_.cols()));
    VecX delta_free;
    if (compliance > 0.0 && below(2) == 0) {
      // everything can open where W has full rank
      delta_free = motion;
      small.opening = inside_dual_cones(mu) - motion;
    } else {
      delta_free = inside_dual_cones(mu) - motion;
      small.opening = motion;
    }
    const double scale = std::pow(10.0, between(-6.0, 0.0));
    small.problem = {BlockMatrix::dense(scale * 0.5 * (W + W.transpose())), 1e-3 * delta_free, mu};
    small.opening *= 1e-3;
    return small;
  }

 private:
  // of the standard library only the engine gives the same numbers everywhere
  double share() { return static_cast<double>(random_()) / 4294967296.0; }
  double between(double low, double high) { return low + (high - low) * share(); }
  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint32_t>(count)); }
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += share();
    return sum;
  }
  VecX normals(int count) {
    VecX x(count);
    for (double& value : x) value = normal();
    return x;
  }
  Vec3 direction() { return Vec3(normals(3)).normalized(); }

  void any_mechanics() {
    const int freedoms = 1 + below(3 * contacts_);
    J_.resize(3 * contacts_, freedoms);
    for (int j = 0; j < freedoms; ++j) J_.col(j) = normals(3 * contacts_);
    inverse_mass_ = MatX::Zero(freedoms, freedoms);
    for (int j = 0; j < freedoms; ++j) inverse_mass_(j, j) = std::pow(10.0, between(-2.0, 2.0));
  }

  /// One rod or two blocks, against something fixed or against each other; with an `end` size all
  /// contacts lie so close to one end.
  void bodies(int count, double end) {
    J_ = MatX::Zero(3 * contacts_, 6 * count);
    inverse_mass_ = MatX::Zero(6 * count, 6 * count);
    std::vector<Vec3> axis(uz(count));
    for (int b = 0; b < count; ++b) {
      axis[uz(b)] = direction();
      const double thin = count > 1 ? 1.0 : std::pow(10.0, between(-3.0, -0.5));
      const double mass = std::pow(10.0, between(-1.0, 1.0));
      const Mat3 along = axis[uz(b)] * axis[uz(b)].transpose();
      inverse_mass_.block<3, 3>(6 * b, 6 * b) = Mat3::Identity() / mass;
      inverse_mass_.block<3, 3>(6 * b + 3, 6 * b + 3) =
          12.0 / (mass * (1.0 + thin * thin)) * (Mat3::Identity() - along) +
          6.0 / (mass * thin * thin) * along;
    }
    const bool is_plane = below(2) == 0;
    const Vec3 plane = direction();
    for (int i = 0; i < contacts_; ++i) {
      const Vec3 n = is_plane ? plane : direction();
      const Vec3 other = direction();
      const Vec3 t_1 = (other - other.dot(n) * n).normalized();
      const Vec3 axes[] = {n, t_1, n.cross(t_1)};
      for (int b = 0; b < count; ++b) {
        if (b > 0 && below(2) == 0) continue;
        Vec3 point = axis[uz(b)] * (below(2) == 0 ? 0.5 : between(-0.5, 0.5));
        point += 0.01 * Vec3(normals(3));
        if (end > 0.0) point = 0.5 * axis[uz(b)] + end * Vec3(normals(3));
        if (count > 1) point = 0.3 * Vec3(normals(3));
        for (int c = 0; c < 3; ++c) {
          const double sign = b == 0 ? 1.0 : -1.0;
          J_.block<1, 3>(3 * i + c, 6 * b) = sign * axes[c].transpose();
          J_.block<1, 3>(3 * i + c, 6 * b + 3) = sign * point.cross(axes[c]).transpose();
        }
      }
    }
  }

  VecX frictions() {
    const double common = below(4) == 0 ? 1.2 : std::pow(10.0, between(-1.0, 0.5));
    const bool is_common = below(2) == 0;
    VecX mu(contacts_);
    for (double& value : mu) value = is_common ? common : std::pow(10.0, between(-1.0, 0.5));
    return mu;
  }

  VecX inside_dual_cones(const VecX& mu) {
    VecX delta(3 * contacts_);
    const double margin = std::pow(10.0, between(-3.0, 0.5));
    for (int i = 0; i < contacts_; ++i) {
      const double slip = below(2) == 0 ? 0.0 : std::pow(10.0, between(-3.0, 0.5));
      const double angle = between(0.0, 2.0 * std::numbers::pi);
      delta.segment<3>(3 * i) =
          Vec3(margin + mu[i] * slip, slip * std::cos(angle), slip * std::sin(angle));
    }
    return delta;
  }

  std::mt19937 random_;
  int contacts_ = 0;
  MatX J_;             ///< displacements of the contacts by the freedoms of the bodies
  MatX inverse_mass_;  ///< of the freedoms
};

inline SmallProblem small_problem(std::uint32_t seed) {
  return SmallProblems(seed).make();
}

}  // namespace stickslip
