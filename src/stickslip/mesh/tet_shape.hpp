#pragma once

#include <array>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// A point inside a tetrahedron by its four barycentric coordinates, with its share of the
/// volume.
struct QuadraturePoint {
  std::array<double, 4> barycentric;
  double weight;
};

/// Four points, exact to degree 2: the stiffness of straight ten-node tetrahedra.
inline constexpr double quad4_a = 0.58541019662496845446;  // (5 + 3 sqrt(5)) / 20
inline constexpr double quad4_b = 0.13819660112501051518;  // (5 - sqrt(5)) / 20
inline constexpr std::array<QuadraturePoint, 4> tet_quadrature_degree_2 = {{
    {{quad4_a, quad4_b, quad4_b, quad4_b}, 0.25},
    {{quad4_b, quad4_a, quad4_b, quad4_b}, 0.25},
    {{quad4_b, quad4_b, quad4_a, quad4_b}, 0.25},
    {{quad4_b, quad4_b, quad4_b, quad4_a}, 0.25},
}};

/// Fourteen points with positive weights, exact to degree 5: mass and volume.
/// Abscissae and weights: N. J. Walkington, "Quadrature on simplices of arbitrary dimension".
std::array<QuadraturePoint, 14> tet_quadrature_degree_5();

/// Values of the ten quadratic shape functions.
Eigen::Matrix<double, 10, 1> tet10_shape(const std::array<double, 4>& barycentric);

/// Their derivatives by the first three local coordinates xi_k = barycentric[k + 1].
Eigen::Matrix<double, 10, 3> tet10_shape_gradient(const std::array<double, 4>& barycentric);

}  // namespace stickslip
