#include "stickslip/mesh/round_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace stickslip {

namespace {

// the orders in which the three axes of a cell are walked, one tetrahedron each
constexpr std::array<std::array<int, 3>, 6> walks = {
    {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};

/// Six sectors around the axis. In the straight part a sector is a prism of rings and layers; a
/// round end has six tetrahedra between centre, pole and equator. Both are cut as a lattice
/// (Freudenthal's triangulation), which leaves the same triangles on either side of any border.
class RoundMesh {
 public:
  RoundMesh(const ExactShape& shape, int segments, double stretch)
      : shape_(shape), rings_((segments + 5) / 6) {
    const double edge = stretch * 2.0 * std::numbers::pi * shape.radius / (6.0 * rings_);
    constexpr double most_layers = 1000.0;
    layers_ = shape.half_length > 0.0
                  ? static_cast<int>(
                        std::clamp(std::round(2.0 * shape.half_length / edge), 1.0, most_layers))
                  : 0;
  }

  TetMesh make() {
    for (int sector = 0; sector < 6; ++sector) {
      for (int layer = 0; layer < layers_; ++layer) {
        for (int x = 0; x < rings_; ++x) {
          for (int y = 0; y <= x; ++y) add_cell(sector, 0, {x, y, layer});
        }
      }
      for (int x = 0; shape_.has_round_ends && x < rings_; ++x) {
        for (int y = 0; y <= x; ++y) {
          for (int z = 0; z <= y; ++z) {
            add_cell(sector, 1, {x, y, z});
            add_cell(sector, -1, {x, y, z});
          }
        }
      }
    }
    add_regions();
    return std::move(mesh_);
  }

 private:
  /// The tetrahedra of a cell that lie in the sector, of the straight part (end 0) or of an end.
  void add_cell(int sector, int end, const std::array<int, 3>& from) {
    for (const auto& walk : walks) {
      std::array<int, 4> corners{};
      std::array<int, 3> at = from;
      bool is_inside = true;
      for (std::size_t k = 0; k < 4; ++k) {
        if (k > 0) ++at[uz(walk[k - 1])];
        is_inside &= at[0] >= at[1] && (end == 0 || at[1] >= at[2]);
        if (is_inside)
          corners[k] = end == 0 ? node_of_layer(sector, at) : node_of_end(sector, end, at);
      }
      if (!is_inside) continue;
      const auto node = [&](std::size_t k) { return mesh_.nodes[uz(corners[k])]; };
      if (tet_volume(node(0), node(1), node(2), node(3)) < 0.0) std::swap(corners[2], corners[3]);
      mesh_.connectivity.insert(mesh_.connectivity.end(), corners.begin(), corners.end());
    }
  }

  int node_of_layer(int sector, const std::array<int, 3>& at) {
    const double z = shape_.half_length * (2.0 * at[2] / layers_ - 1.0);
    return node(at[2], sector, at[0], at[1], shape_.radius * at[0] / rings_, z);
  }

  /// Shells around the centre of the end; in each, rings about the axis, the last at the equator.
  int node_of_end(int sector, int end, const std::array<int, 3>& at) {
    const int shell = at[0];
    const int ring = at[1];
    const double radius = shape_.radius * shell / rings_;
    const double polar = shell == 0 ? 0.0 : 0.5 * std::numbers::pi * ring / shell;
    const int above_equator = shell - ring;
    // on the equator exactly, where the straight part begins
    const double across = above_equator == 0 ? radius : radius * std::sin(polar);
    const double up = above_equator == 0 ? 0.0 : radius * std::cos(polar);
    const int level = end > 0 ? layers_ + above_equator : -above_equator;
    return node(level, sector, ring, at[2], across, end * (shape_.half_length + up));
  }

  /// The node on a ring, `step` of its `ring` places into a sector, made when first asked for.
  int node(int level, int sector, int ring, int step, double across, double z) {
    const int place = ring == 0 ? 0 : (sector * ring + step) % (6 * ring);
    const auto [known, is_new] =
        numbers_.try_emplace({level, ring, place}, static_cast<int>(mesh_.nodes.size()));
    if (is_new) {
      const double angle = ring == 0 ? 0.0 : std::numbers::pi / 3.0 * place / ring;
      mesh_.nodes.emplace_back(across * std::cos(angle), across * std::sin(angle), z);
    }
    return known->second;
  }

  /// Faces of one tetrahedron only, by where they lie.
  void add_regions() {
    std::map<std::array<int, 3>, std::array<int, 3>> border;
    for (int e = 0; e < mesh_.element_count(); ++e) {
      for (const auto& face : tet_faces) {
        std::array<int, 3> cell{};
        for (std::size_t c = 0; c < 3; ++c) cell[c] = mesh_.element(e)[uz(face[c])];
        std::array<int, 3> sorted = cell;
        std::sort(sorted.begin(), sorted.end());
        if (!border.try_emplace(sorted, cell).second) border.erase(sorted);
      }
    }
    std::array<Region, 3> regions = {
        {{"z0", 2, {}, {}, 3, {}}, {"z1", 2, {}, {}, 3, {}}, {"side", 2, {}, {}, 3, {}}}};
    for (const auto& [sorted, cell] : border) {
      const auto all_beyond = [&, &cell = cell](double sign) {
        return std::all_of(cell.begin(), cell.end(), [&](int node) {
          return sign * mesh_.nodes[uz(node)].z() >= shape_.half_length * (1.0 - 1e-9);
        });
      };
      Region& region = regions[all_beyond(-1.0) ? 0 : all_beyond(1.0) ? 1 : 2];
      region.cells.insert(region.cells.end(), cell.begin(), cell.end());
    }
    for (Region& region : regions) {
      if (region.cells.empty()) continue;
      region.nodes = region.cells;
      std::sort(region.nodes.begin(), region.nodes.end());
      region.nodes.erase(std::unique(region.nodes.begin(), region.nodes.end()), region.nodes.end());
      mesh_.regions.push_back(std::move(region));
    }
  }

  ExactShape shape_;
  int rings_;
  int layers_;
  TetMesh mesh_;
  std::map<std::array<int, 3>, int> numbers_;  ///< of nodes, by level, ring and place on it
};

}  // namespace

TetMesh make_round_mesh(const ExactShape& shape, int segments, ElementType type, double stretch) {
  const TetMesh mesh = RoundMesh(shape, segments, stretch).make();
  return type == ElementType::tet10 ? to_ten_node(mesh) : mesh;
}

}  // namespace stickslip
