#include "stickslip/fem/deformation_model.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "stickslip/error.hpp"
#include "stickslip/fem/rigid_modes.hpp"

namespace stickslip {

namespace {

const Region& find_region(const std::vector<Region>& regions, std::string_view name) {
  const auto found =
      std::find_if(regions.begin(), regions.end(), [&](const Region& r) { return r.name == name; });
  if (found != regions.end()) return *found;
  std::vector<std::string_view> names;
  for (const Region& region : regions) names.push_back(region.name);
  throw InputError(fmt::format("region \"{}\" is not in the mesh; it has: {}", name,
                               names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

/// Old node at each new place: nodes that may touch something, then the rest of the surface,
/// then the inside.
std::vector<int> contact_first_order(int node_count, const std::vector<char>& is_surface,
                                     const std::vector<char>& is_contact) {
  std::vector<int> order(uz(node_count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto rank = [&](int node) {
      if (is_surface[uz(node)] == 0) return 2;
      return is_contact[uz(node)] != 0 ? 0 : 1;
    };
    return rank(a) < rank(b);
  });
  return order;
}

SparseMatrix permuted(const SparseMatrix& A, const std::vector<int>& order) {
  std::vector<int> new_index(3 * order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (int d = 0; d < 3; ++d) {
      new_index[uz(3 * order[i] + d)] = static_cast<int>(3 * i) + d;
    }
  }
  return restricted(A, new_index);
}

/// Moves the origin to the centre of mass.
void centre(DeformationModel& model) {
  model.mass = mass_properties(model.nodes, model.M);
  for (Vec3& node : model.nodes) node -= model.mass.centre;
  for (Vec3& point : model.surface.points) point -= model.mass.centre;
}

}  // namespace

const Region& DeformationModel::region(std::string_view name) const {
  return find_region(regions, name);
}

DeformationModel make_elastic_model(const TetMesh& mesh, const Material& material,
                                    const ModelOptions& options) {
  Material used = material;
  if (options.total_mass != 0.0) {
    if (!(options.total_mass > 0.0 && std::isfinite(options.total_mass))) {
      throw InputError(
          fmt::format("mass = {}: must be a positive number of kilograms", options.total_mass));
    }
    used.density = options.total_mass / volume(mesh);
  }
  validate(used);

  // order of the nodes
  std::vector<char> is_surface(mesh.nodes.size(), 0);
  for (const int node : extract_surface(mesh).mesh_nodes) is_surface[uz(node)] = 1;
  std::vector<char> is_contact(mesh.nodes.size(), options.contact_regions.empty() ? 1 : 0);
  for (const std::string& name : options.contact_regions) {
    for (const int node : find_region(mesh.regions, name).nodes) is_contact[uz(node)] = 1;
  }
  const std::vector<int> order = contact_first_order(mesh.node_count(), is_surface, is_contact);
  const TetMesh ordered = renumbered(mesh, order);

  DeformationModel model;
  model.nodes = ordered.nodes;
  model.mesh_nodes = order;
  model.regions = ordered.regions;
  model.surface = extract_surface(ordered);
  for (const int node : order) model.contact_count += is_surface[uz(node)] * is_contact[uz(node)];
  model.K = assemble_stiffness(ordered, used);
  model.M = assemble_mass(ordered, used.density, options.mass_kind);
  model.D = options.damping.alpha * model.M + options.damping.beta * model.K;
  centre(model);
  return model;
}

DeformationModel make_matrix_model(const std::vector<Vec3>& nodes,
                                   const std::vector<std::array<int, 3>>& triangles,
                                   const SparseMatrix& M, const SparseMatrix& D,
                                   const SparseMatrix& K, const std::vector<Region>& regions) {
  const int node_count = static_cast<int>(nodes.size());
  const auto check_size = [&](const char* name, const SparseMatrix& A) {
    if (A.rows() == 3 * node_count && A.cols() == 3 * node_count) return;
    throw InputError(fmt::format("{} is {} x {}: {} nodes need {} x {}, three directions a node",
                                 name, A.rows(), A.cols(), node_count, 3 * node_count,
                                 3 * node_count));
  };
  check_size("M", M);
  check_size("K", K);
  if (D.size() > 0) check_size("D", D);

  std::vector<char> is_surface(nodes.size(), 0);
  for (const auto& triangle : triangles) {
    for (const int node : triangle) {
      if (node < 0 || node >= node_count) {
        throw InputError(fmt::format("a triangle names node {} of {}", node, node_count));
      }
      is_surface[uz(node)] = 1;
    }
  }
  const std::vector<int> order =
      contact_first_order(node_count, is_surface, std::vector<char>(nodes.size(), 1));
  std::vector<int> new_index(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) new_index[uz(order[i])] = static_cast<int>(i);

  DeformationModel model;
  model.mesh_nodes = order;
  for (const int node : order) {
    model.nodes.push_back(nodes[uz(node)]);
    model.contact_count += is_surface[uz(node)];
  }
  model.surface.points.assign(model.nodes.begin(), model.nodes.begin() + model.contact_count);
  model.surface.mesh_nodes.resize(uz(model.contact_count));
  std::iota(model.surface.mesh_nodes.begin(), model.surface.mesh_nodes.end(), 0);
  for (auto triangle : triangles) {
    for (int& node : triangle) node = new_index[uz(node)];
    model.surface.triangles.push_back(triangle);
  }
  model.regions = regions;
  for (Region& region : model.regions) {
    for (int& node : region.nodes) node = new_index[uz(node)];
    for (int& node : region.cells) node = new_index[uz(node)];
    std::sort(region.nodes.begin(), region.nodes.end());
  }
  model.M = permuted(M, order);
  model.K = permuted(K, order);
  model.D = D.size() > 0 ? permuted(D, order) : SparseMatrix(model.K.rows(), model.K.cols());
  centre(model);
  return model;
}

DeformationModel make_mass_spring_model(const std::vector<Vec3>& nodes,
                                        const std::vector<std::array<int, 3>>& triangles,
                                        const std::vector<double>& masses,
                                        const std::vector<Spring>& springs) {
  if (masses.size() != nodes.size()) {
    throw InputError(fmt::format("{} masses for {} nodes: one each", masses.size(), nodes.size()));
  }
  const auto size = static_cast<int>(3 * nodes.size());
  std::vector<Eigen::Triplet<double>> mass;
  std::vector<Eigen::Triplet<double>> damping;
  std::vector<Eigen::Triplet<double>> stiffness;
  for (int i = 0; i < size; ++i) mass.emplace_back(i, i, masses[uz(i / 3)]);
  for (const double m : masses) {
    if (!(m > 0.0 && std::isfinite(m))) {
      throw InputError(fmt::format("mass = {}: must be a positive number of kilograms", m));
    }
  }
  const int count = static_cast<int>(nodes.size());
  for (const Spring& spring : springs) {
    const bool is_known = spring.a >= 0 && spring.a < count && spring.b >= 0 && spring.b < count;
    if (!is_known || spring.a == spring.b) {
      throw InputError(fmt::format("spring from node {} to node {}: two different nodes of 0 to {}",
                                   spring.a, spring.b, count - 1));
    }
    const Vec3 direction = (nodes[uz(spring.b)] - nodes[uz(spring.a)]).normalized();
    const Mat3 along = direction * direction.transpose();
    for (const auto& [row, column, sign] :
         {std::tuple(spring.a, spring.a, 1.0), std::tuple(spring.b, spring.b, 1.0),
          std::tuple(spring.a, spring.b, -1.0), std::tuple(spring.b, spring.a, -1.0)}) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          stiffness.emplace_back(3 * row + i, 3 * column + j,
                                 sign * spring.stiffness * along(i, j));
          damping.emplace_back(3 * row + i, 3 * column + j, sign * spring.damping * along(i, j));
        }
      }
    }
  }
  const auto matrix = [&](const std::vector<Eigen::Triplet<double>>& entries) {
    SparseMatrix A(size, size);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  };
  return make_matrix_model(nodes, triangles, matrix(mass), matrix(damping), matrix(stiffness));
}

void refuse_loose_parts(const DeformationModel& model, std::span<const int> held_nodes) {
  // parts: nodes that an entry of K joins
  std::vector<int> part(model.nodes.size());
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](int node) {
    while (part[uz(node)] != node) node = part[uz(node)] = part[uz(part[uz(node)])];
    return node;
  };
  for (int j = 0; j < model.K.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(model.K, j); entry; ++entry) {
      if (entry.value() != 0.0) part[uz(root(static_cast<int>(entry.row() / 3)))] = root(j / 3);
    }
  }
  const auto refuse = [&](int node, const char* why) {
    const Vec3 at = model.nodes[uz(node)] + model.mass.centre;
    throw InputError(
        fmt::format("the part of the body near ({:.6g}, {:.6g}, {:.6g}) m is loose: {}", at.x(),
                    at.y(), at.z(), why));
  };
  if (held_nodes.empty()) {
    for (int node = 1; node < model.node_count(); ++node) {
      if (root(node) != root(0)) {
        refuse(node, "a free body must be in one piece; make a body of each part");
      }
    }
    return;
  }

  // the held nodes of a part must stop all six of its rigid motions
  const MatX R = rigid_modes(model.nodes);
  const double reach = R.rightCols<3>().cwiseAbs().maxCoeff();
  std::vector<Mat6> stopped(model.nodes.size(), Mat6::Zero());
  std::vector<char> is_held(model.nodes.size(), 0);
  for (const int node : held_nodes) {
    is_held[uz(node)] = 1;
    Eigen::Matrix<double, 3, 6> rows = R.middleRows<3>(3 * node);
    rows.rightCols<3>() /= reach;
    stopped[uz(root(node))] += rows.transpose() * rows;
  }
  for (int node = 0; node < model.node_count(); ++node) {
    if (is_held[uz(node)] != 0) continue;
    const Vec6 firmness =
        Eigen::SelfAdjointEigenSolver<Mat6>(stopped[uz(root(node))]).eigenvalues();
    if (firmness[0] > 1e-12 * firmness[5]) {
      // one look at a part is enough
      stopped[uz(root(node))] = Mat6::Identity();
      continue;
    }
    refuse(node, "hold it at three nodes at least that are not in line");
  }
}

VecX region_load(const std::vector<Vec3>& nodes, const Region& region, const Vec3& force) {
  VecX load = VecX::Zero(3 * static_cast<int>(nodes.size()));
  if (region.dimension != 2) {
    for (const int node : region.nodes) {
      load.segment<3>(3 * node) += force / static_cast<double>(region.nodes.size());
    }
    return load;
  }

  // integral of each shape function over the faces: corners of a linear face take a third of its
  // area each; on a quadratic one the corners take nothing and the mid-side nodes a third
  const auto per_cell = uz(region.nodes_per_cell);
  const std::size_t first_loaded = per_cell == 6 ? 3 : 0;
  double total_area = 0.0;
  for (std::size_t cell = 0; cell < region.cells.size(); cell += per_cell) {
    const auto at = [&](std::size_t k) { return region.cells[cell + k]; };
    const Vec3& a = nodes[uz(at(0))];
    const double face_area = 0.5 * (nodes[uz(at(1))] - a).cross(nodes[uz(at(2))] - a).norm();
    total_area += face_area;
    for (std::size_t k = first_loaded; k < first_loaded + 3; ++k) {
      load.segment<3>(3 * at(k)) += force * face_area / 3.0;
    }
  }
  return load / total_area;
}

}  // namespace stickslip
