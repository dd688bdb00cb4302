#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stickslip/problem/contact_problem.hpp"

namespace stickslip::bench {

/// Rigid bodies that touch at points, one step under gravity: W = H M^-1 H^T (sparse) and
/// delta_free = H v_free, in velocities. v = 0 opens nothing and closes nothing, so that every such
/// problem has a solution.
class RigidStack {
 public:
  explicit RigidStack(unsigned seed) : random_(seed) {}

  /// A brick of the density of wood; its number.
  int add_brick(const Vec3& centre, const Vec3& size) {
    const double mass = 600.0 * size.prod();
    const Vec3 squared = size.cwiseProduct(size);
    Body body{centre, 1.0 / mass, {}};
    for (int axis = 0; axis < 3; ++axis) {
      body.inverse_inertia[axis] = 12.0 / (mass * (squared.sum() - squared[axis]));
    }
    bodies_.push_back(body);
    return static_cast<int>(bodies_.size()) - 1;
  }

  /// A contact whose normal points into body `upper`; `lower` is another or -1, the ground.
  void add_contact(int lower, int upper, const Vec3& point, const Vec3& normal) {
    contacts_.push_back({lower, upper, point, normal.normalized()});
  }

  /// Four corners of a horizontal rectangle, a little off so that no two are alike.
  void add_rectangle(int lower, int upper, const Vec3& centre, double half_x, double half_y) {
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {-1.0, 1.0}) {
        const Vec3 corner((0.97 + 0.03 * uniform()) * x * half_x,
                          (0.97 + 0.03 * uniform()) * y * half_y, 0.0);
        add_contact(lower, upper, centre + corner, Vec3::UnitZ());
      }
    }
  }

  double uniform() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  int body_count() const { return static_cast<int>(bodies_.size()); }
  const Vec3& centre(int body) const { return bodies_[uz(body)].centre; }

  /// The problem of a step of 5 ms; `shock` [m/s] are random velocities of all bodies.
  ContactProblem problem(double mu, double shock) {
    constexpr double dt = 5e-3;
    VecX v = VecX::Zero(6 * body_count());
    for (int b = 0; b < body_count(); ++b) {
      for (int k = 0; k < 6; ++k) v[6 * b + k] = shock * uniform() * (k < 3 ? 1.0 : 10.0);
      v[6 * b + 2] -= 9.81 * dt;
    }
    const int m = static_cast<int>(contacts_.size());
    std::vector<Eigen::Triplet<double>> entries;
    VecX inverse_mass(6 * body_count());
    for (int b = 0; b < body_count(); ++b) {
      inverse_mass.segment<3>(6 * b).setConstant(bodies_[uz(b)].inverse_mass);
      inverse_mass.segment<3>(6 * b + 3) = bodies_[uz(b)].inverse_inertia;
    }
    for (int c = 0; c < m; ++c) {
      const Contact& contact = contacts_[uz(c)];
      Mat3 axes;
      axes.col(0) = contact.normal;
      axes.col(1) = contact.normal.unitOrthogonal();
      axes.col(2) = axes.col(0).cross(axes.col(1));
      for (const int body : {contact.lower, contact.upper}) {
        if (body < 0) continue;
        const double sign = body == contact.upper ? 1.0 : -1.0;
        const Vec3 arm = contact.point - centre(body);
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 turn = arm.cross(axes.col(axis));
          for (int k = 0; k < 3; ++k) {
            entries.emplace_back(3 * c + axis, 6 * body + k, sign * axes(k, axis));
            entries.emplace_back(3 * c + axis, 6 * body + 3 + k, sign * turn[k]);
          }
        }
      }
    }
    SparseMatrix H(3 * m, 6 * body_count());
    H.setFromTriplets(entries.begin(), entries.end());
    const SparseMatrix W = H * inverse_mass.asDiagonal() * SparseMatrix(H.transpose());
    return {BlockMatrix::sparse(W), VecX(H * v), VecX::Constant(m, mu)};
  }

 private:
  struct Body {
    Vec3 centre;
    double inverse_mass;
    Vec3 inverse_inertia;
  };
  struct Contact {
    int lower;
    int upper;
    Vec3 point;
    Vec3 normal;
  };
  std::mt19937 random_;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
};

/// Layers of `across` parallel flat bricks, each layer across the one below.
inline RigidStack make_tower(int layers, int across, unsigned seed) {
  RigidStack stack(seed);
  const double thickness = 0.008;
  const double width = 0.024;
  const double length = 0.12;
  const double pitch = across > 1 ? (length - width) / (across - 1) : 0.0;
  for (int layer = 0; layer < layers; ++layer) {
    for (int k = 0; k < across; ++k) {
      const double offset = across > 1 ? k * pitch - (length - width) / 2.0 : 0.0;
      const bool is_along_x = layer % 2 == 0;
      const Vec3 centre(is_along_x ? 0.0 : offset, is_along_x ? offset : 0.0,
                        (layer + 0.5) * thickness);
      const Vec3 size(is_along_x ? length : width, is_along_x ? width : length, thickness);
      const int brick = stack.add_brick(centre, size);
      const Vec3 bottom = centre - Vec3(0.0, 0.0, thickness / 2.0);
      if (layer == 0) {
        stack.add_rectangle(-1, brick, bottom, size[0] / 2.0, size[1] / 2.0);
        continue;
      }
      for (int below = brick - k - across; below < brick - k; ++below) {
        const Vec3 at(is_along_x ? stack.centre(below)[0] : offset,
                      is_along_x ? offset : stack.centre(below)[1], bottom[2]);
        stack.add_rectangle(below, brick, at, width / 2.0, width / 2.0);
      }
    }
  }
  return stack;
}

/// Rows of bricks in running bond.
inline RigidStack make_wall(int rows, int columns, unsigned seed) {
  RigidStack stack(seed);
  const Vec3 size(0.2, 0.1, 0.06);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < columns; ++k) {
      const double shift = row % 2 == 0 ? 0.0 : 0.5;
      const Vec3 centre((k + shift) * size[0], 0.0, (row + 0.5) * size[2]);
      const int brick = stack.add_brick(centre, size);
      const Vec3 bottom = centre - Vec3(0.0, 0.0, size[2] / 2.0);
      if (row == 0) {
        stack.add_rectangle(-1, brick, bottom, size[0] / 2.0, size[1] / 2.0);
        continue;
      }
      // two halves, on the left and the right neighbour below
      for (const double side : {-0.5, 0.5}) {
        const auto below = static_cast<int>(std::lround(k + shift + side - (0.5 - shift)));
        if (below < 0 || below >= columns) continue;
        const Vec3 at = bottom + Vec3(side * size[0] / 2.0, 0.0, 0.0);
        stack.add_rectangle(brick - k - columns + below, brick, at, size[0] / 4.0, size[1] / 2.0);
      }
    }
  }
  return stack;
}

/// Wedges in half a circle, from the ground to the ground.
inline RigidStack make_arch(int wedges, unsigned seed) {
  RigidStack stack(seed);
  const double step = M_PI / wedges;
  const auto radial = [](double angle) { return Vec3(-std::cos(angle), 0.0, std::sin(angle)); };
  for (int k = 0; k < wedges; ++k) {
    stack.add_brick(radial((k + 0.5) * step), {0.2, 0.2, step});
  }
  for (int joint = 0; joint <= wedges; ++joint) {
    const Vec3 out = radial(joint * step);
    const Vec3 along(out[2], 0.0, -out[0]);
    const int before = joint - 1;
    const int after = joint < wedges ? joint : -1;
    for (const double r : {0.9, 1.1}) {
      for (const double y : {-0.1, 0.1}) {
        const Vec3 point = (r + 0.003 * stack.uniform()) * out + Vec3(0.0, y, 0.0);
        if (after < 0) {
          stack.add_contact(-1, before, point, -along);
        } else {
          stack.add_contact(before, after, point, along);
        }
      }
    }
  }
  return stack;
}

/// Boxes in a heap, each on three points of those below and on one beside it, at random.
inline RigidStack make_clump(int bodies, unsigned seed) {
  RigidStack stack(seed);
  const double size = 0.05;
  const int across = std::max(2, static_cast<int>(std::cbrt(bodies)));
  for (int b = 0; b < bodies; ++b) {
    const int layer = b / (across * across);
    const Vec3 centre(size * (b % across + 0.2 * stack.uniform()),
                      size * (b / across % across + 0.2 * stack.uniform()), size * (layer + 0.5));
    stack.add_brick(centre, Vec3::Constant(size));
    const int below = b - across * across;
    for (int k = 0; k < 4; ++k) {
      const Vec3 normal(0.5 * stack.uniform(), 0.5 * stack.uniform(), 1.0);
      const Vec3 foot = centre + 0.5 * size * Vec3(stack.uniform(), stack.uniform(), -1.0);
      stack.add_contact(below < 0 ? -1 : below - (k == 3 && below > 0 ? 1 : 0), b, foot, normal);
    }
    if (b % across == 0) continue;
    const Vec3 side = centre - 0.5 * size * Vec3(1.0, stack.uniform(), stack.uniform());
    stack.add_contact(b - 1, b, side, Vec3(1.0, 0.3 * stack.uniform(), 0.3 * stack.uniform()));
  }
  return stack;
}

struct NamedProblem {
  std::string name;
  ContactProblem problem;
};

/// Arches, walls, towers of flat bricks and clumps, at rest and after a shock.
inline std::vector<NamedProblem> make_stacks(std::uint32_t seed) {
  std::vector<NamedProblem> starters;
  const auto add = [&](const std::string& name, RigidStack stack, double mu) {
    starters.push_back({name + " at rest", stack.problem(mu, 0.0)});
    starters.push_back({name + " shaken", stack.problem(mu, 0.05)});
  };
  for (const int wedges : {9, 25}) {
    add(fmt::format("arch {}", wedges), make_arch(wedges, seed), 0.7);
  }
  for (const int rows : {4, 8}) {
    add(fmt::format("wall {0} x {0}", rows), make_wall(rows, rows, seed), 0.6);
  }
  for (const int across : {2, 3}) {
    add(fmt::format("tower 10 x {}", across), make_tower(10, across, seed), 0.4);
  }
  add("tower 30 x 2", make_tower(30, 2, seed), 0.4);
  for (const int bodies : {20, 60}) {
    add(fmt::format("clump {}", bodies), make_clump(bodies, seed), 0.5);
  }
  return starters;
}

}  // namespace stickslip::bench
