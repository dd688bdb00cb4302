#include "stickslip/fem/nonlinear_elements.hpp"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <limits>
#include <span>

#include "stickslip/error.hpp"
#include "stickslip/mesh/tet_shape.hpp"

namespace stickslip {

namespace {

/// Derivatives of the shape functions by the local coordinates.
template <int Nodes>
Eigen::Matrix<double, Nodes, 3> local_gradient(const std::array<double, 4>& barycentric) {
  if constexpr (Nodes == 10) {
    return tet10_shape_gradient(barycentric);
  } else {
    Eigen::Matrix<double, 4, 3> G;
    G << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
    return G;
  }
}

std::span<const QuadraturePoint> quadrature(ElementType type) {
  static constexpr QuadraturePoint middle{{0.25, 0.25, 0.25, 0.25}, 1.0};
  if (type == ElementType::tet4) return {&middle, 1};
  return tet_quadrature_degree_2;
}

/// Into three columns that begin there, so many entries further on.
void add_block(const Mat3& block, const int* columns, int first, double* values) {
  for (int d = 0; d < 3; ++d) {
    double* entries = values + columns[d] + first;
    for (int row = 0; row < 3; ++row) entries[row] += block(row, d);
  }
}

/// The nearest matrix without negative eigenvalues.
void take_out_negative(Mat9& A) {
  const Eigen::SelfAdjointEigenSolver<Mat9> solver(A);
  const Mat9& V = solver.eigenvectors();
  A.noalias() = V * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * V.transpose();
}

}  // namespace

NonlinearElements::NonlinearElements(const TetMesh& mesh, const Material& material, ElasticLaw law)
    : response_(law, material),
      node_count_(mesh.node_count()),
      nodes_per_element_(nodes_per_element(mesh.type)),
      connectivity_(mesh.connectivity),
      pattern_(assemble_stiffness(mesh, material)) {
  std::fill_n(pattern_.valuePtr(), pattern_.nonZeros(), 0.0);
  if (mesh.type == ElementType::tet4) {
    place_points<4>(mesh);
  } else {
    place_points<10>(mesh);
  }
  place_blocks(mesh);
}

template <int Nodes>
void NonlinearElements::place_points(const TetMesh& mesh) {
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    Eigen::Matrix<double, 3, Nodes> X;
    for (int i = 0; i < Nodes; ++i) X.col(i) = mesh.nodes[uz(nodes[uz(i)])];
    for (const QuadraturePoint& point : quadrature(mesh.type)) {
      const Eigen::Matrix<double, Nodes, 3> local = local_gradient<Nodes>(point.barycentric);
      const Mat3 jacobian = X * local;
      const double determinant = jacobian.determinant();
      if (!(determinant > 0.0)) {
        throw InputError(fmt::format(
            "element {} near ({:.6g}, {:.6g}, {:.6g}) m is flat or inverted at rest; large "
            "deformations need elements with volume: repair it, e.g. by `stickslip mesh import`",
            e, X(0, 0), X(1, 0), X(2, 0)));
      }
      const Eigen::Matrix<double, 3, Nodes> gradient = (local * jacobian.inverse()).transpose();
      points_.push_back({e, point.weight * determinant / 6.0});
      gradients_.insert(gradients_.end(), gradient.data(), gradient.data() + gradient.size());
    }
  }
}

void NonlinearElements::place_blocks(const TetMesh& mesh) {
  // rows of a column ascend, three to a node
  for (int e = 0; e < mesh.element_count(); ++e) {
    for (const int column_node : mesh.element(e)) {
      const int* outer = pattern_.outerIndexPtr();
      const int* begin = pattern_.innerIndexPtr() + outer[3 * column_node];
      const int* end = pattern_.innerIndexPtr() + outer[3 * column_node + 1];
      for (const int row_node : mesh.element(e)) {
        blocks_.push_back(static_cast<int>(std::lower_bound(begin, end, 3 * row_node) - begin));
      }
    }
  }
}

template <int Nodes>
Mat3 NonlinearElements::deformation_gradient(std::size_t point, const VecX& u) const {
  const Eigen::Map<const Eigen::Matrix<double, 3, Nodes>> gradient(gradients_.data() +
                                                                   3 * Nodes * point);
  const int* nodes = connectivity_.data() + Nodes * points_[point].element;
  Mat3 F = Mat3::Identity();
  for (int i = 0; i < Nodes; ++i) {
    F.noalias() += u.segment<3>(3 * nodes[i]) * gradient.col(i).transpose();
  }
  return F;
}

template <int Nodes>
void NonlinearElements::add_forces(std::size_t point, const Mat3& stress, VecX& forces) const {
  const Eigen::Map<const Eigen::Matrix<double, 3, Nodes>> gradient(gradients_.data() +
                                                                   3 * Nodes * point);
  const int* nodes = connectivity_.data() + Nodes * points_[point].element;
  const Mat3 weighted = points_[point].volume * stress;
  for (int i = 0; i < Nodes; ++i) {
    forces.segment<3>(3 * nodes[i]).noalias() += weighted * gradient.col(i);
  }
}

template <int Nodes>
void NonlinearElements::add_slope(std::size_t point, const Mat9& material_slope,
                                  SparseMatrix& slope) const {
  const Eigen::Map<const Eigen::Matrix<double, 3, Nodes>> gradient(gradients_.data() +
                                                                   3 * Nodes * point);
  const Point& at = points_[point];
  const int* nodes = connectivity_.data() + Nodes * at.element;
  const int* blocks = blocks_.data() + Nodes * Nodes * at.element;
  double* values = slope.valuePtr();
  for (int b = 0; b < Nodes; ++b) {
    // how the stress follows this node
    const Vec3 g = at.volume * gradient.col(b);
    const Eigen::Matrix<double, 9, 3> follows = g[0] * material_slope.leftCols<3>() +
                                                g[1] * material_slope.middleCols<3>(3) +
                                                g[2] * material_slope.rightCols<3>();
    for (int a = 0; a <= b; ++a) {
      const Mat3 block = gradient(0, a) * follows.topRows<3>() +
                         gradient(1, a) * follows.middleRows<3>(3) +
                         gradient(2, a) * follows.bottomRows<3>();
      add_block(block, slope.outerIndexPtr() + 3 * nodes[b], blocks[Nodes * b + a], values);
      if (a == b) continue;
      add_block(block.transpose(), slope.outerIndexPtr() + 3 * nodes[a], blocks[Nodes * a + b],
                values);
    }
  }
}

template <int Nodes, class Visit>
void NonlinearElements::visit(const VecX& u, Visit&& visit_point) const {
  assert(u.size() == unknown_count());
  for (std::size_t p = 0; p < points_.size(); ++p)
    visit_point(p, deformation_gradient<Nodes>(p, u));
}

double NonlinearElements::energy(const VecX& u) const {
  double sum = 0.0;
  const auto add = [&](std::size_t p, const Mat3& F) {
    sum += points_[p].volume * response_.energy(F);
  };
  nodes_per_element_ == 4 ? visit<4>(u, add) : visit<10>(u, add);
  return sum;
}

double NonlinearElements::forces(const VecX& u, VecX& forces) const {
  forces.setZero();
  double energy = 0.0;
  const auto add = [&]<int Nodes>(std::size_t p, const Mat3& F) {
    const LawAnswer answer = response_.answer(F);
    energy += points_[p].volume * answer.energy;
    add_forces<Nodes>(p, answer.stress, forces);
  };
  if (nodes_per_element_ == 4) {
    visit<4>(u, [&](std::size_t p, const Mat3& F) { add.template operator()<4>(p, F); });
  } else {
    visit<10>(u, [&](std::size_t p, const Mat3& F) { add.template operator()<10>(p, F); });
  }
  return energy;
}

double NonlinearElements::linearise(const VecX& u, VecX& forces, SparseMatrix& slope,
                                    SlopeSign sign) const {
  assert(slope.nonZeros() == pattern_.nonZeros());
  forces.setZero();
  std::fill_n(slope.valuePtr(), slope.nonZeros(), 0.0);
  double energy = 0.0;
  Mat9 material_slope;
  const auto add = [&]<int Nodes>(std::size_t p, const Mat3& F) {
    const LawAnswer answer = response_.answer(F, material_slope);
    if (sign == SlopeSign::not_negative) take_out_negative(material_slope);
    energy += points_[p].volume * answer.energy;
    add_forces<Nodes>(p, answer.stress, forces);
    add_slope<Nodes>(p, material_slope, slope);
  };
  if (nodes_per_element_ == 4) {
    visit<4>(u, [&](std::size_t p, const Mat3& F) { add.template operator()<4>(p, F); });
  } else {
    visit<10>(u, [&](std::size_t p, const Mat3& F) { add.template operator()<10>(p, F); });
  }
  return energy;
}

double NonlinearElements::least_volume_ratio(const VecX& u) const {
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](std::size_t, const Mat3& F) { least = std::min(least, F.determinant()); };
  nodes_per_element_ == 4 ? visit<4>(u, look) : visit<10>(u, look);
  return least;
}

}  // namespace stickslip
