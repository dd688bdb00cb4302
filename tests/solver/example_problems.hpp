#pragma once

#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "places.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

/// m contacts on an elastic body: W = B B^T + a diagonal, dense, with a load that presses most of
/// them and slides some.
inline ContactProblem elastic_problem(int m, double mu, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const int n = 3 * m;
  MatX W(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      // a smooth influence that falls with the distance of the contacts
      const double distance = std::abs(i / 3 - j / 3);
      W(i, j) = (i % 3 == j % 3 ? 1.0 : 0.2) / (1.0 + distance);
    }
  }
  W += 0.5 * MatX::Identity(n, n);
  VecX delta_free(n);
  for (int i = 0; i < n; ++i) delta_free[i] = uniform(random) - (i % 3 == 0 ? 0.5 : 0.0);
  return {BlockMatrix::dense(1e-3 * W), 1e-3 * delta_free, VecX::Constant(m, mu)};
}

/// One contact with that W and delta_free.
inline ContactProblem single_contact(const Mat3& W, const Vec3& delta_free, double mu) {
  return {BlockMatrix::dense(W), delta_free, VecX::Constant(1, mu)};
}

/// The folder of problems from the world; empty where there is none.
inline std::filesystem::path world_problems() {
  const char* asked = std::getenv("STICKSLIP_FC3D");
  const std::filesystem::path folder =
      asked != nullptr ? asked : STICKSLIP_SOURCE_DIR "/../shared/fc3d";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

}  // namespace stickslip
