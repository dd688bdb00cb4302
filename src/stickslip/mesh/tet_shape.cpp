#include "stickslip/mesh/tet_shape.hpp"

#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

std::array<QuadraturePoint, 14> tet_quadrature_degree_5() {
  std::array<QuadraturePoint, 14> points{};
  std::size_t next = 0;

  // two orbits of four points, one barycentric coordinate apart from the other three
  constexpr double orbit_a = 0.31088591926330060980;
  constexpr double orbit_b = 0.09273525031089122640;
  for (const auto& [a, weight] :
       {std::pair{orbit_a, 0.11268792571801585080}, std::pair{orbit_b, 0.07349304311636194954}}) {
    for (std::size_t corner = 0; corner < 4; ++corner) {
      QuadraturePoint& point = points[next++];
      point.barycentric.fill(a);
      point.barycentric[corner] = 1.0 - 3.0 * a;
      point.weight = weight;
    }
  }

  // one orbit of six points, one per edge
  constexpr double edge_a = 0.04550370412564964949;
  for (const auto& edge : tet_edges) {
    QuadraturePoint& point = points[next++];
    point.barycentric.fill(0.5 - edge_a);
    for (const int corner : edge) point.barycentric[uz(corner)] = edge_a;
    point.weight = 0.04254602077708146644;
  }
  return points;
}

Eigen::Matrix<double, 10, 1> tet10_shape(const std::array<double, 4>& barycentric) {
  Eigen::Matrix<double, 10, 1> N;
  for (std::size_t c = 0; c < 4; ++c) {
    N[static_cast<int>(c)] = barycentric[c] * (2.0 * barycentric[c] - 1.0);
  }
  for (std::size_t e = 0; e < 6; ++e) {
    N[4 + static_cast<int>(e)] =
        4.0 * barycentric[uz(tet_edges[e][0])] * barycentric[uz(tet_edges[e][1])];
  }
  return N;
}

Eigen::Matrix<double, 10, 3> tet10_shape_gradient(const std::array<double, 4>& barycentric) {
  // d barycentric[0] / d xi_k = -1, d barycentric[k + 1] / d xi_k = 1
  const auto slope = [](int corner, int k) {
    if (corner == 0) return -1.0;
    return corner == k + 1 ? 1.0 : 0.0;
  };
  Eigen::Matrix<double, 10, 3> G;
  for (int k = 0; k < 3; ++k) {
    for (int c = 0; c < 4; ++c) {
      G(c, k) = (4.0 * barycentric[uz(c)] - 1.0) * slope(c, k);
    }
    for (std::size_t e = 0; e < 6; ++e) {
      const auto [p, q] = tet_edges[e];
      G(4 + static_cast<int>(e), k) =
          4.0 * (barycentric[uz(p)] * slope(q, k) + barycentric[uz(q)] * slope(p, k));
    }
  }
  return G;
}

}  // namespace stickslip
