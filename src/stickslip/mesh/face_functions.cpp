#include "stickslip/mesh/face_functions.hpp"

namespace stickslip {

FaceFunctions::FaceFunctions(int node_count, const std::array<double, 3>& share)
    : node_count(node_count) {
  slope.fill(Eigen::Vector2d::Zero());
  const std::array<Eigen::Vector2d, 3> along = {
      Eigen::Vector2d(-1.0, -1.0), Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, 1.0)};
  for (std::size_t i = 0; i < 3; ++i) {
    if (node_count == 3) {
      N[i] = share[i];
      slope[i] = along[i];
      continue;
    }
    const std::size_t next = (i + 1) % 3;
    N[i] = share[i] * (2.0 * share[i] - 1.0);
    slope[i] = (4.0 * share[i] - 1.0) * along[i];
    N[3 + i] = 4.0 * share[i] * share[next];
    slope[3 + i] = 4.0 * (share[i] * along[next] + share[next] * along[i]);
  }
}

}  // namespace stickslip
