#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "stickslip/problem/contact_problem.hpp"

namespace stickslip::bench {

/// The displacement (normal, tangent 1, tangent 2) of an elastic half-space at d from a force on
/// its surface (Boussinesq, Cerruti), times 2 pi G. The distance r is replaced by sqrt(r^2 + a^2),
/// which spreads the force over a spot of about radius a.
inline Mat3 half_space(double d_1, double d_2, double a) {
  constexpr double poisson = 0.3;
  const double squared = d_1 * d_1 + d_2 * d_2 + a * a;
  const double r = std::sqrt(squared);
  const double cube = r * squared;
  const double sideways = (1.0 - 2.0 * poisson) / 2.0 / squared;
  Mat3 W;
  W << (1.0 - poisson) / r, sideways * d_1, sideways * d_2,  //
      -sideways * d_1, (1.0 - poisson) / r + poisson * d_1 * d_1 / cube, poisson * d_1 * d_2 / cube,
      -sideways * d_2, poisson * d_1 * d_2 / cube, (1.0 - poisson) / r + poisson * d_2 * d_2 / cube;
  return W;
}

/// A rough flat punch, pressed onto m points of a jittered square grid, pushed sideways and
/// twisted. W and delta_free are scaled to a mean compliance of one, so that the plain and the
/// rescaled error agree.
inline ContactProblem make_punch(int m) {
  std::mt19937 random(static_cast<std::uint32_t>(m));
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const int across = static_cast<int>(std::ceil(std::sqrt(m)));
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < m; ++i) {
    const int row = i / across;
    points.emplace_back(i % across + 0.2 * uniform(random), row + 0.2 * uniform(random));
  }

  MatX W(3 * m, 3 * m);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      const Eigen::Vector2d d = points[uz(i)] - points[uz(j)];
      W.block<3, 3>(3 * i, 3 * j) = half_space(d[0], d[1], 0.4);
    }
  }
  W *= 3.0 * m / W.trace();

  ContactProblem problem{BlockMatrix::dense(W), VecX(3 * m), VecX::Constant(m, 0.3)};
  const Eigen::Vector2d centre = Eigen::Vector2d::Constant((across - 1) / 2.0);
  for (int i = 0; i < m; ++i) {
    const Eigen::Vector2d arm = (points[uz(i)] - centre) / across;
    problem.delta_free[3 * i] = -1.0 - 0.2 * arm[0] + 0.02 * uniform(random);
    problem.delta_free[3 * i + 1] = 0.2 - 0.3 * arm[1];
    problem.delta_free[3 * i + 2] = 0.1 + 0.3 * arm[0];
  }
  return problem;
}

}  // namespace stickslip::bench
