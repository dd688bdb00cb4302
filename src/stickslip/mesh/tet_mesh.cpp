#include "stickslip/mesh/tet_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "stickslip/mesh/tet_shape.hpp"

namespace stickslip {

const Region* TetMesh::find_region(std::string_view name) const {
  const auto found =
      std::find_if(regions.begin(), regions.end(), [&](const Region& r) { return r.name == name; });
  return found == regions.end() ? nullptr : &*found;
}

double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).cross(c - a).dot(d - a) / 6.0;
}

double volume(const TetMesh& mesh) {
  const auto quadrature = tet_quadrature_degree_5();
  double sum = 0.0;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto at = [&](std::size_t i) -> const Vec3& { return mesh.nodes[uz(nodes[i])]; };
    if (mesh.type == ElementType::tet4) {
      sum += tet_volume(at(0), at(1), at(2), at(3));
      continue;
    }
    Eigen::Matrix<double, 3, 10> X;
    for (std::size_t i = 0; i < 10; ++i) X.col(static_cast<int>(i)) = at(i);
    for (const auto& point : quadrature) {
      const Mat3 jacobian = X * tet10_shape_gradient(point.barycentric);
      sum += point.weight * jacobian.determinant() / 6.0;
    }
  }
  return sum;
}

double tet_quality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double squared_rms_edge =
      ((b - a).squaredNorm() + (c - a).squaredNorm() + (d - a).squaredNorm() +
       (c - b).squaredNorm() + (d - b).squaredNorm() + (d - c).squaredNorm()) /
      6.0;
  if (squared_rms_edge == 0.0) return 0.0;
  return 6.0 * std::sqrt(2.0) * tet_volume(a, b, c, d) /
         (squared_rms_edge * std::sqrt(squared_rms_edge));
}

namespace {

/// Hands out one mid-side node per edge, however many elements share it.
class EdgeNodes {
 public:
  explicit EdgeNodes(std::vector<Vec3>& nodes) : nodes_(nodes) {}

  int between(int a, int b) {
    const auto [entry, is_new] =
        number_.try_emplace(std::minmax(a, b), static_cast<int>(nodes_.size()));
    if (is_new) {
      nodes_.emplace_back(0.5 * (nodes_[uz(a)] + nodes_[uz(b)]));
    }
    return entry->second;
  }

 private:
  std::vector<Vec3>& nodes_;
  std::map<std::pair<int, int>, int> number_;
};

void sort_unique(std::vector<int>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

TetMesh to_ten_node(const TetMesh& mesh) {
  if (mesh.type == ElementType::tet10) return mesh;
  TetMesh result;
  result.type = ElementType::tet10;
  result.nodes = mesh.nodes;
  EdgeNodes edge_nodes(result.nodes);

  // elements
  result.connectivity.reserve(uz(mesh.element_count()) * 10);
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto corners = mesh.element(e);
    result.connectivity.insert(result.connectivity.end(), corners.begin(), corners.end());
    for (const auto& [p, q] : tet_edges) {
      result.connectivity.push_back(edge_nodes.between(corners[uz(p)], corners[uz(q)]));
    }
  }

  // regions: their cells gain the same mid-side nodes
  for (const Region& region : mesh.regions) {
    Region& grown = result.regions.emplace_back(region);
    if (region.dimension == 3) {
      for (const int e : region.elements) {
        const auto nodes = result.element(e);
        grown.nodes.insert(grown.nodes.end(), nodes.begin(), nodes.end());
      }
    } else if (region.dimension >= 1) {
      const auto corners = uz(region.nodes_per_cell);
      grown.nodes_per_cell = region.dimension == 2 ? 6 : 3;
      grown.cells.clear();
      for (std::size_t first = 0; first < region.cells.size(); first += corners) {
        const int* cell = region.cells.data() + first;
        grown.cells.insert(grown.cells.end(), cell, cell + corners);
        const std::size_t edges = region.dimension == 2 ? 3 : 1;
        for (std::size_t k = 0; k < edges; ++k) {
          grown.cells.push_back(edge_nodes.between(cell[k], cell[(k + 1) % corners]));
        }
      }
      grown.nodes.insert(grown.nodes.end(), grown.cells.begin(), grown.cells.end());
    }
    sort_unique(grown.nodes);
  }
  return result;
}

TetMesh renumbered(const TetMesh& mesh, std::span<const int> order) {
  std::vector<int> new_index(order.size());
  TetMesh result = mesh;
  for (std::size_t i = 0; i < order.size(); ++i) {
    new_index[uz(order[i])] = static_cast<int>(i);
    result.nodes[i] = mesh.nodes[uz(order[i])];
  }
  const auto renumber = [&](std::vector<int>& nodes) {
    for (int& node : nodes) node = new_index[uz(node)];
  };
  renumber(result.connectivity);
  for (Region& region : result.regions) {
    renumber(region.cells);
    renumber(region.nodes);
    std::sort(region.nodes.begin(), region.nodes.end());
  }
  return result;
}

TetMesh make_box(const Vec3& size, const std::array<int, 3>& cells, ElementType type) {
  TetMesh mesh;
  const int nx = cells[0];
  const int ny = cells[1];
  const int nz = cells[2];
  const auto number = [&](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };

  // nodes
  mesh.nodes.reserve(uz((nx + 1) * (ny + 1) * (nz + 1)));
  for (int k = 0; k <= nz; ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i) {
        mesh.nodes.emplace_back(size.x() * i / nx, size.y() * j / ny, size.z() * k / nz);
      }
    }
  }

  // six tetrahedra around the diagonal of each cell, one per order in which the axes are walked
  constexpr std::array<std::array<int, 3>, 6> walks = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        for (std::size_t w = 0; w < walks.size(); ++w) {
          std::array<int, 3> at = {i, j, k};
          std::array<int, 4> corners{};
          corners[0] = number(i, j, k);
          for (std::size_t step = 0; step < 3; ++step) {
            ++at[uz(walks[w][step])];
            corners[step + 1] = number(at[0], at[1], at[2]);
          }
          // odd permutations walk a left-handed path
          if (w >= 3) std::swap(corners[1], corners[2]);
          mesh.connectivity.insert(mesh.connectivity.end(), corners.begin(), corners.end());
        }
      }
    }
  }

  // the faces of elements that lie on a side of the box make its region
  const std::array<const char*, 6> names = {"x0", "x1", "y0", "y1", "z0", "z1"};
  for (std::size_t side = 0; side < 6; ++side) {
    const auto axis = static_cast<int>(side / 2);
    const double at = side % 2 == 0 ? 0.0 : size[axis];
    Region region{names[side], 2, {}, {}, 3, {}};
    for (int e = 0; e < mesh.element_count(); ++e) {
      for (const auto& face : tet_faces) {
        std::array<int, 3> cell{};
        for (std::size_t c = 0; c < 3; ++c) {
          cell[c] = mesh.element(e)[uz(face[c])];
        }
        const bool on_side = std::all_of(cell.begin(), cell.end(), [&](int node) {
          return std::abs(mesh.nodes[uz(node)][axis] - at) < 1e-9 * size[axis];
        });
        if (on_side) region.cells.insert(region.cells.end(), cell.begin(), cell.end());
      }
    }
    region.nodes = region.cells;
    sort_unique(region.nodes);
    mesh.regions.push_back(std::move(region));
  }
  return type == ElementType::tet10 ? to_ten_node(mesh) : mesh;
}

}  // namespace stickslip
