#include "stickslip/mesh/tet_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/mesh/surface.hpp"
#include "stickslip/mesh/tet_shape.hpp"

namespace stickslip {
namespace {

TEST(TetShape, QuadratureIsExactToItsDegree) {
  // over the unit tetrahedron, int x^a y^b z^c = a! b! c! / (a + b + c + 3)!
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  for (int a = 0; a <= 5; ++a) {
    for (int b = 0; a + b <= 5; ++b) {
      for (int c = 0; a + b + c <= 5; ++c) {
        const double exact =
            6.0 * factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
        const auto integrate = [&](const auto& points) {
          double sum = 0.0;
          for (const auto& p : points) {
            sum += p.weight * std::pow(p.barycentric[1], a) * std::pow(p.barycentric[2], b) *
                   std::pow(p.barycentric[3], c);
          }
          return sum;
        };
        EXPECT_NEAR(integrate(tet_quadrature_degree_5()), exact, 1e-15);
        if (a + b + c <= 2) {
          EXPECT_NEAR(integrate(tet_quadrature_degree_2), exact, 1e-15);
        }
      }
    }
  }
}

TEST(TetShape, Tet10IsOneAtItsOwnNodeAndZeroAtTheOthers) {
  for (int node = 0; node < 10; ++node) {
    std::array<double, 4> at{};
    if (node < 4) {
      at[uz(node)] = 1.0;
    } else {
      for (const int c : tet_edges[uz(node - 4)]) {
        at[uz(c)] = 0.5;
      }
    }
    const auto N = tet10_shape(at);
    for (int i = 0; i < 10; ++i) EXPECT_DOUBLE_EQ(N[i], i == node ? 1.0 : 0.0);
  }
}

class Box : public testing::TestWithParam<ElementType> {};

TEST_P(Box, HasTheVolumeAndTheAreaOfABox) {
  const TetMesh mesh = make_box({2.0, 1.0, 0.5}, {4, 3, 2}, GetParam());
  const Surface surface = extract_surface(mesh);
  EXPECT_NEAR(volume(mesh), 1.0, 1e-14);
  EXPECT_NEAR(enclosed_volume(surface), 1.0, 1e-14);
  EXPECT_NEAR(area(surface), 2.0 * (2.0 + 1.0 + 0.5), 1e-13);
}

TEST_P(Box, SurfaceIsClosed) {
  const Surface surface = extract_surface(make_box({1.0, 1.0, 1.0}, {3, 3, 3}, GetParam()));
  // a sphere's Euler number, with every edge shared by two triangles
  const int edges = surface.triangle_count() * 3 / 2;
  EXPECT_EQ(surface.point_count() - edges + surface.triangle_count(), 2);
}

TEST_P(Box, SidesAreNamedRegions) {
  const TetMesh mesh = make_box({2.0, 1.0, 0.5}, {4, 3, 2}, GetParam());
  ASSERT_EQ(mesh.regions.size(), 6u);
  const Region* side = mesh.find_region("x1");
  ASSERT_NE(side, nullptr);
  const std::size_t expected = GetParam() == ElementType::tet4 ? 4 * 3 : 7 * 5;
  EXPECT_EQ(side->nodes.size(), expected);
  for (const int node : side->nodes) {
    EXPECT_DOUBLE_EQ(mesh.nodes[uz(node)].x(), 2.0);
  }
  EXPECT_EQ(mesh.find_region("handle"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(BothElements, Box, testing::Values(ElementType::tet4, ElementType::tet10),
                         [](const auto& info) {
                           return info.param == ElementType::tet4 ? "FourNodes" : "TenNodes";
                         });

TEST(TetQuality, IsOneForARegularTetrahedronAndNegativeWhenInverted) {
  const Vec3 a(1, 1, 1), b(1, -1, -1), c(-1, 1, -1), d(-1, -1, 1);
  EXPECT_NEAR(std::abs(tet_quality(a, b, c, d)), 1.0, 1e-14);
  EXPECT_DOUBLE_EQ(tet_quality(a, b, c, d), -tet_quality(b, a, c, d));
  EXPECT_DOUBLE_EQ(tet_quality(a, a, a, a), 0.0);
}

}  // namespace
}  // namespace stickslip
