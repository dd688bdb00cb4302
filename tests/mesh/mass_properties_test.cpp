#include "stickslip/mesh/mass_properties.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "stickslip/math/rotation.hpp"

namespace stickslip {
namespace {

constexpr double pi = std::numbers::pi;

TetMesh one_tetrahedron(const std::array<Vec3, 4>& corners) {
  TetMesh mesh;
  mesh.nodes.assign(corners.begin(), corners.end());
  mesh.connectivity = {0, 1, 2, 3};
  return mesh;
}

/// A triangulated sphere: an octahedron, each triangle cut into four so many times.
Surface sphere(double radius, int cuts) {
  Surface surface;
  for (int d = 0; d < 3; ++d) {
    surface.points.push_back(radius * Vec3::Unit(d));
    surface.points.push_back(-radius * Vec3::Unit(d));
  }
  surface.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                       {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int cut = 0; cut < cuts; ++cut) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [entry, is_new] = middles.try_emplace(std::minmax(a, b), surface.point_count());
      if (is_new) {
        const Vec3 sum = surface.points[uz(a)] + surface.points[uz(b)];
        surface.points.push_back(radius * sum.normalized());
      }
      return entry->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : surface.triangles) {
      const int ab = middle(a, b);
      const int bc = middle(b, c);
      const int ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    surface.triangles = finer;
  }
  return surface;
}

void expect_same(const MassProperties& found, const MassProperties& expected, double tolerance) {
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass);
  EXPECT_LT((found.centre - expected.centre).norm(), tolerance);
  EXPECT_LT((found.inertia - expected.inertia).norm(), tolerance * expected.inertia.norm());
}

TEST(MassProperties, OfATetrahedronAreThoseOfItsClosedForm) {
  const std::array<Vec3, 4> corners = {Vec3(0.1, 0.2, 0.0), Vec3(1.3, 0.1, -0.2),
                                       Vec3(0.2, 1.1, 0.3), Vec3(-0.1, 0.4, 1.7)};
  const double density = 700.0;
  const double mass =
      density *
      (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]) / 6.0;
  // integral of x x^T: m/20 (sum of x_i x_i^T + (sum of x_i)(sum of x_i)^T)
  Vec3 sum = Vec3::Zero();
  Mat3 squares = Mat3::Zero();
  for (const Vec3& x : corners) {
    sum += x;
    squares += x * x.transpose();
  }
  const Vec3 centre = sum / 4.0;
  const Mat3 spread =
      mass / 20.0 * (squares + sum * sum.transpose()) - mass * centre * centre.transpose();
  const Mat3 inertia = spread.trace() * Mat3::Identity() - spread;
  const TetMesh mesh = one_tetrahedron(corners);
  expect_same(mass_properties(mesh, density), {mass, centre, inertia}, 1e-13);
  expect_same(mass_properties(to_ten_node(mesh), density), {mass, centre, inertia}, 1e-13);
  expect_same(mass_properties(extract_surface(mesh), density), {mass, centre, inertia}, 1e-13);
}

TEST(MassProperties, OfABoxAreThoseOfItsClosedFormHoweverItIsMeshed) {
  const Vec3 size(0.03, 0.02, 0.3);
  const double density = 1100.0;
  const double mass = density * size.prod();
  const Vec3 squared = size.cwiseAbs2();
  const Mat3 inertia =
      (mass / 12.0 * (Vec3::Constant(squared.sum()) - squared)).asDiagonal().toDenseMatrix();
  for (const ElementType type : {ElementType::tet4, ElementType::tet10}) {
    for (const std::array<int, 3>& cells : {std::array{1, 1, 1}, std::array{2, 3, 5}}) {
      const TetMesh mesh = make_box(size, cells, type);
      expect_same(mass_properties(mesh, density), {mass, 0.5 * size, inertia}, 1e-12);
      expect_same(mass_properties(extract_surface(mesh), density), {mass, 0.5 * size, inertia},
                  1e-12);
    }
  }
}

TEST(MassProperties, OfASphereConvergeWithTheSquareOfItsEdges) {
  const double radius = 0.05;
  const double density = 900.0;
  const double mass = density * 4.0 / 3.0 * pi * radius * radius * radius;
  const double inertia = 0.4 * mass * radius * radius;
  double before = 0.0;
  for (int cuts = 1; cuts <= 5; ++cuts) {
    const MassProperties found = mass_properties(sphere(radius, cuts), density);
    EXPECT_LT(found.centre.norm(), 1e-15);
    // the polyhedron lies inside
    const double missing = 1.0 - found.mass / mass;
    EXPECT_GT(missing, 0.0);
    if (cuts > 2) {
      EXPECT_NEAR(before / missing, 4.0, 0.3) << cuts;
    }
    before = missing;
    const double missing_inertia = 1.0 - found.inertia(0, 0) / inertia;
    EXPECT_NEAR(missing_inertia, 5.0 / 3.0 * missing, 0.2 * missing) << cuts;
    EXPECT_LT((found.inertia - found.inertia(0, 0) * Mat3::Identity()).norm(), 1e-12 * inertia);
  }
  EXPECT_LT(before, 1.5e-3);
}

TEST(MassProperties, TurnAndMoveWithTheBody) {
  const TetMesh mesh = make_box({0.3, 0.2, 0.1}, {2, 1, 3}, ElementType::tet10);
  const MassProperties before = mass_properties(mesh, 500.0);
  const Mat3 R = rotation_exp({0.4, -1.1, 2.0}).toRotationMatrix();
  // far from the origin digits would be lost if moments were taken there alone
  for (const double distance : {0.0, 1.0, 30.0}) {
    const Vec3 shift = distance * Vec3(1.0, -2.0, 0.5);
    TetMesh moved = mesh;
    for (Vec3& p : moved.nodes) p = R * p + shift;
    const double tolerance = 1e-12 * (1.0 + distance * distance * 1e3);
    expect_same(mass_properties(moved, 500.0),
                {before.mass, R * before.centre + shift, R * before.inertia * R.transpose()},
                tolerance);
    expect_same(mass_properties(extract_surface(moved), 500.0),
                {before.mass, R * before.centre + shift, R * before.inertia * R.transpose()},
                tolerance);
  }
}

TEST(MassProperties, OfAHollowBodyAreTheDifference) {
  // a sphere in a sphere, its triangles turned inwards
  Surface hollow = sphere(0.05, 3);
  const Surface inner = sphere(0.03, 3);
  const int first = hollow.point_count();
  hollow.points.insert(hollow.points.end(), inner.points.begin(), inner.points.end());
  for (const auto& [a, b, c] : inner.triangles) {
    hollow.triangles.push_back({first + a, first + c, first + b});
  }
  const MassProperties outside = mass_properties(sphere(0.05, 3), 800.0);
  const MassProperties inside = mass_properties(inner, 800.0);
  expect_same(mass_properties(hollow, 800.0),
              {outside.mass - inside.mass, Vec3::Zero(), outside.inertia - inside.inertia}, 1e-12);
}

TEST(MassProperties, OfCurvedElementsAreIntegrated) {
  // bow the middle of one edge of a ten-node tetrahedron: the volume follows the integral of the
  // Jacobian, here taken over a fine grid of the reference element
  TetMesh mesh =
      to_ten_node(one_tetrahedron({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}));
  mesh.nodes[uz(mesh.element(0)[5])] += Vec3(0.1, 0.1, 0.05);
  const auto place = [&](double x, double y, double z) {
    const double w = 1.0 - x - y - z;
    const std::array<double, 4> b = {w, x, y, z};
    Vec3 p = Vec3::Zero();
    for (std::size_t i = 0; i < 4; ++i) {
      p += b[i] * (2.0 * b[i] - 1.0) * mesh.nodes[uz(mesh.element(0)[i])];
    }
    for (std::size_t e = 0; e < 6; ++e) {
      const auto& [i, j] = tet_edges[e];
      p += 4.0 * b[uz(i)] * b[uz(j)] * mesh.nodes[uz(mesh.element(0)[4 + e])];
    }
    return p;
  };
  // cells of the grid, six tetrahedra each where they lie inside: the surface of the image
  constexpr int n = 40;
  double sum = 0.0;
  const auto at = [&](int i, int j, int k) { return place(1.0 * i / n, 1.0 * j / n, 1.0 * k / n); };
  const auto volume_of = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return std::abs((b - a).cross(c - a).dot(d - a)) / 6.0;
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; i + j < n; ++j) {
      for (int k = 0; i + j + k < n; ++k) {
        const Vec3 o = at(i, j, k), x = at(i + 1, j, k), y = at(i, j + 1, k), z = at(i, j, k + 1);
        sum += volume_of(o, x, y, z);
        if (i + j + k + 2 > n) continue;
        const Vec3 xy = at(i + 1, j + 1, k), yz = at(i, j + 1, k + 1), xz = at(i + 1, j, k + 1);
        sum += volume_of(x, xy, y, z) + volume_of(xy, yz, y, z) + volume_of(x, xz, xy, z) +
               volume_of(xz, yz, xy, z);
        if (i + j + k + 3 > n) continue;
        sum += volume_of(xy, xz, at(i + 1, j + 1, k + 1), yz);
      }
    }
  }
  const MassProperties found = mass_properties(mesh, 1.0);
  EXPECT_GT(std::abs(found.mass - 1.0 / 6.0), 0.02);
  EXPECT_NEAR(found.mass, sum, 1e-4);
  EXPECT_NEAR(volume(mesh), found.mass, 1e-14);
}

}  // namespace
}  // namespace stickslip
