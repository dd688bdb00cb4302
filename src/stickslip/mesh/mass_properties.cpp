#include "stickslip/mesh/mass_properties.hpp"

#include "stickslip/mesh/tet_shape.hpp"

namespace stickslip {

namespace {

/// Sums of mass, mass times position, and mass times position position^T.
struct Moments {
  double zeroth = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  void add(double mass, const Vec3& x) {
    zeroth += mass;
    first += mass * x;
    second += mass * x * x.transpose();
  }
};

MassProperties properties(const Moments& moments) {
  MassProperties result;
  result.mass = moments.zeroth;
  result.centre = moments.first / moments.zeroth;
  const Mat3 spread = moments.second - moments.zeroth * result.centre * result.centre.transpose();
  result.inertia = spread.trace() * Mat3::Identity() - spread;
  return result;
}

}  // namespace

MassProperties mass_properties(const TetMesh& mesh, double density) {
  const auto quadrature = tet_quadrature_degree_5();
  Moments moments;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto count = static_cast<int>(nodes.size());
    Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 10> X(3, count);
    for (int i = 0; i < count; ++i) X.col(i) = mesh.nodes[uz(nodes[uz(i)])];
    for (const auto& point : quadrature) {
      const auto& b = point.barycentric;
      if (mesh.type == ElementType::tet4) {
        const double size = tet_volume(X.col(0), X.col(1), X.col(2), X.col(3));
        moments.add(density * point.weight * size, X * Eigen::Vector4d(b[0], b[1], b[2], b[3]));
      } else {
        const Mat3 jacobian = X * tet10_shape_gradient(b);
        moments.add(density * point.weight * jacobian.determinant() / 6.0, X * tet10_shape(b));
      }
    }
  }
  return properties(moments);
}

MassProperties mass_properties(const Surface& surface, double density) {
  // each triangle spans a signed tetrahedron with the origin; the sum is the solid
  const Vec3 origin = surface.points.empty() ? Vec3::Zero() : surface.points.front();
  Moments moments;
  for (const auto& triangle : surface.triangles) {
    const Vec3& a = surface.points[uz(triangle[0])];
    const Vec3& b = surface.points[uz(triangle[1])];
    const Vec3& c = surface.points[uz(triangle[2])];
    const double mass = density * (a - origin).cross(b - origin).dot(c - origin) / 6.0;
    for (const auto& point : tet_quadrature_degree_2) {
      const auto& w = point.barycentric;
      moments.add(mass * point.weight, w[0] * origin + w[1] * a + w[2] * b + w[3] * c);
    }
  }
  return properties(moments);
}

}  // namespace stickslip
