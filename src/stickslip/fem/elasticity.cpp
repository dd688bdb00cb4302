#include "stickslip/fem/elasticity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stickslip/error.hpp"
#include "stickslip/mesh/tet_shape.hpp"

namespace stickslip {

void validate(const Material& material) {
  const auto refuse = [](const char* field, double value, const char* range) {
    throw InputError(fmt::format("{} = {}: must be {}", field, value, range));
  };
  const auto is_positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  if (!is_positive(material.young)) {
    refuse("young", material.young, "a positive number of pascals, e.g. 700e6 for polyethylene");
  }
  if (!(material.poisson > -1.0 && material.poisson < 0.5)) {
    refuse("poisson", material.poisson, "above -1 and below 0.5; 0.49 is nearly incompressible");
  }
  if (!is_positive(material.density)) {
    refuse("density", material.density, "a positive number of kg/m^3, e.g. 950 for polyethylene");
  }
}

namespace {

struct Lame {
  double lambda;
  double mu;
};

Lame lame(const Material& m) {
  return {m.young * m.poisson / ((1.0 + m.poisson) * (1.0 - 2.0 * m.poisson)),
          m.young / (2.0 * (1.0 + m.poisson))};
}

/// K += weight * B^T C B for an isotropic material, B from the gradients of the shape functions
/// (a row per node).
template <int Nodes>
void add_stiffness(const Eigen::Matrix<double, Nodes, 3>& gradient, const Lame& c, double weight,
                   Eigen::Matrix<double, 3 * Nodes, 3 * Nodes>& K) {
  for (int b = 0; b < Nodes; ++b) {
    const Vec3 gb = gradient.row(b);
    for (int a = 0; a < Nodes; ++a) {
      const Vec3 ga = gradient.row(a);
      Mat3 block = c.lambda * ga * gb.transpose() + c.mu * gb * ga.transpose();
      block.diagonal().array() += c.mu * ga.dot(gb);
      K.template block<3, 3>(3 * a, 3 * b) += weight * block;
    }
  }
}

/// Derivatives of the four linear shape functions by the local coordinates.
Eigen::Matrix<double, 4, 3> tet4_shape_gradient() {
  Eigen::Matrix<double, 4, 3> G;
  G << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return G;
}

}  // namespace

Eigen::Matrix<double, 12, 12> tet4_stiffness(const Tet4Nodes& X, const Material& material) {
  const Mat3 jacobian = X * tet4_shape_gradient();
  const Eigen::Matrix<double, 4, 3> gradient = tet4_shape_gradient() * jacobian.inverse();
  Eigen::Matrix<double, 12, 12> K = Eigen::Matrix<double, 12, 12>::Zero();
  add_stiffness<4>(gradient, lame(material), jacobian.determinant() / 6.0, K);
  return K;
}

Eigen::Matrix<double, 30, 30> tet10_stiffness(const Tet10Nodes& X, const Material& material) {
  Eigen::Matrix<double, 30, 30> K = Eigen::Matrix<double, 30, 30>::Zero();
  const Lame c = lame(material);
  for (const auto& point : tet_quadrature_degree_2) {
    const Eigen::Matrix<double, 10, 3> local = tet10_shape_gradient(point.barycentric);
    const Mat3 jacobian = X * local;
    const Eigen::Matrix<double, 10, 3> gradient = local * jacobian.inverse();
    add_stiffness<10>(gradient, c, point.weight * jacobian.determinant() / 6.0, K);
  }
  return K;
}

Eigen::Matrix<double, 4, 4> tet4_mass(const Tet4Nodes& X, double density) {
  const double element_mass = density * tet_volume(X.col(0), X.col(1), X.col(2), X.col(3));
  Eigen::Matrix<double, 4, 4> M = Eigen::Matrix<double, 4, 4>::Constant(element_mass / 20.0);
  M.diagonal() *= 2.0;
  return M;
}

Eigen::Matrix<double, 10, 10> tet10_mass(const Tet10Nodes& X, double density) {
  static const auto quadrature = tet_quadrature_degree_5();
  Eigen::Matrix<double, 10, 10> M = Eigen::Matrix<double, 10, 10>::Zero();
  for (const auto& point : quadrature) {
    const Mat3 jacobian = X * tet10_shape_gradient(point.barycentric);
    const Eigen::Matrix<double, 10, 1> N = tet10_shape(point.barycentric);
    M += density * point.weight * jacobian.determinant() / 6.0 * N * N.transpose();
  }
  return M;
}

namespace {

/// A matrix with the pattern of a mesh: a 3 x 3 block for every pair of nodes of one element.
class BlockAssembly {
 public:
  explicit BlockAssembly(const TetMesh& mesh) : neighbours_(mesh.nodes.size()) {
    for (int e = 0; e < mesh.element_count(); ++e) {
      const auto nodes = mesh.element(e);
      for (const int node : nodes) {
        auto& list = neighbours_[uz(node)];
        list.insert(list.end(), nodes.begin(), nodes.end());
      }
    }
    Eigen::Index block_count = 0;
    for (auto& list : neighbours_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      block_count += static_cast<Eigen::Index>(list.size());
    }
    const auto size = static_cast<Eigen::Index>(3 * mesh.nodes.size());
    matrix_.resize(size, size);
    matrix_.resizeNonZeros(9 * block_count);
    std::fill_n(matrix_.valuePtr(), 9 * block_count, 0.0);
    int next = 0;
    for (std::size_t node = 0; node < neighbours_.size(); ++node) {
      for (std::size_t d = 0; d < 3; ++d) {
        matrix_.outerIndexPtr()[3 * node + d] = next;
        for (const int other : neighbours_[node]) {
          for (int row = 0; row < 3; ++row) matrix_.innerIndexPtr()[next++] = 3 * other + row;
        }
      }
    }
    matrix_.outerIndexPtr()[size] = next;
  }

  void add(int row_node, int column_node, const Mat3& block) {
    const auto& list = neighbours_[uz(column_node)];
    const auto at = std::lower_bound(list.begin(), list.end(), row_node) - list.begin();
    for (int d = 0; d < 3; ++d) {
      double* values = matrix_.valuePtr() + matrix_.outerIndexPtr()[3 * column_node + d] + 3 * at;
      for (int row = 0; row < 3; ++row) values[row] += block(row, d);
    }
  }

  SparseMatrix take() {
    SparseMatrix result;
    result.swap(matrix_);
    return result;
  }

 private:
  std::vector<std::vector<int>> neighbours_;
  SparseMatrix matrix_;
};

template <int Nodes>
Eigen::Matrix<double, 3, Nodes> element_nodes(const TetMesh& mesh, int element) {
  Eigen::Matrix<double, 3, Nodes> X;
  for (int i = 0; i < Nodes; ++i) X.col(i) = mesh.nodes[uz(mesh.element(element)[uz(i)])];
  return X;
}

/// The consistent mass of one element, whichever its kind.
MatX element_mass(const TetMesh& mesh, int element, double density) {
  if (mesh.type == ElementType::tet4) return tet4_mass(element_nodes<4>(mesh, element), density);
  return tet10_mass(element_nodes<10>(mesh, element), density);
}

MatX element_stiffness(const TetMesh& mesh, int element, const Material& material) {
  if (mesh.type == ElementType::tet4) {
    return tet4_stiffness(element_nodes<4>(mesh, element), material);
  }
  return tet10_stiffness(element_nodes<10>(mesh, element), material);
}

}  // namespace

SparseMatrix assemble_stiffness(const TetMesh& mesh, const Material& material) {
  BlockAssembly assembly(mesh);
  for (int e = 0; e < mesh.element_count(); ++e) {
    const MatX K = element_stiffness(mesh, e, material);
    const auto nodes = mesh.element(e);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      for (std::size_t b = 0; b < nodes.size(); ++b) {
        assembly.add(nodes[a], nodes[b],
                     K.block<3, 3>(static_cast<int>(3 * a), static_cast<int>(3 * b)));
      }
    }
  }
  return assembly.take();
}

SparseMatrix assemble_mass(const TetMesh& mesh, double density, MassKind kind) {
  if (kind == MassKind::lumped) {
    VecX diagonal = VecX::Zero(static_cast<int>(3 * mesh.nodes.size()));
    for (int e = 0; e < mesh.element_count(); ++e) {
      const MatX M = element_mass(mesh, e, density);
      const auto nodes = mesh.element(e);
      const double scale = M.sum() / M.trace();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        diagonal.segment<3>(3 * nodes[a]).array() +=
            scale * M(static_cast<int>(a), static_cast<int>(a));
      }
    }
    SparseMatrix result(diagonal.size(), diagonal.size());
    result.reserve(Eigen::VectorXi::Constant(diagonal.size(), 1));
    for (int i = 0; i < diagonal.size(); ++i) result.insert(i, i) = diagonal[i];
    result.makeCompressed();
    return result;
  }

  BlockAssembly assembly(mesh);
  for (int e = 0; e < mesh.element_count(); ++e) {
    const MatX M = element_mass(mesh, e, density);
    const auto nodes = mesh.element(e);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      for (std::size_t b = 0; b < nodes.size(); ++b) {
        const double share = M(static_cast<int>(a), static_cast<int>(b));
        assembly.add(nodes[a], nodes[b], share * Mat3::Identity());
      }
    }
  }
  return assembly.take();
}

namespace {

template <int Nodes>
Mat3 strain_at(const TetMesh& mesh, int element, const VecX& u,
               const Eigen::Matrix<double, Nodes, 3>& local) {
  Eigen::Matrix<double, 3, Nodes> U;
  for (int i = 0; i < Nodes; ++i) U.col(i) = u.segment<3>(3 * mesh.element(element)[uz(i)]);
  const Mat3 jacobian = element_nodes<Nodes>(mesh, element) * local;
  const Mat3 displacement_gradient = U * local * jacobian.inverse();
  return 0.5 * (displacement_gradient + displacement_gradient.transpose());
}

}  // namespace

Mat3 element_strain(const TetMesh& mesh, int element, const VecX& u) {
  if (mesh.type == ElementType::tet4) return strain_at<4>(mesh, element, u, tet4_shape_gradient());
  return strain_at<10>(mesh, element, u, tet10_shape_gradient({0.25, 0.25, 0.25, 0.25}));
}

}  // namespace stickslip
