#include "stickslip/mesh/surface.hpp"

#include <algorithm>
#include <map>

namespace stickslip {

std::vector<std::array<int, 6>> boundary_faces(const TetMesh& mesh) {
  // a face that only one element has is on the boundary
  struct Face {
    int element;
    std::size_t side;
    int count;
  };
  std::map<std::array<int, 3>, Face> faces;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    for (std::size_t side = 0; side < tet_faces.size(); ++side) {
      std::array<int, 3> key{};
      for (std::size_t c = 0; c < 3; ++c) {
        key[c] = nodes[uz(tet_faces[side][c])];
      }
      std::sort(key.begin(), key.end());
      ++faces.try_emplace(key, Face{e, side, 0}).first->second.count;
    }
  }

  std::vector<Face> boundary;
  for (const auto& [key, face] : faces) {
    if (face.count == 1) boundary.push_back(face);
  }
  std::sort(boundary.begin(), boundary.end(), [](const Face& a, const Face& b) {
    return std::pair(a.element, a.side) < std::pair(b.element, b.side);
  });
  std::vector<std::array<int, 6>> result;
  for (const Face& face : boundary) {
    const auto nodes = mesh.element(face.element);
    std::array<int, 6>& list = result.emplace_back();
    list.fill(-1);
    for (std::size_t i = 0; i < uz(nodes_per_face(mesh.type)); ++i) {
      list[i] = nodes[uz(tet_faces[face.side][i])];
    }
  }
  return result;
}

Surface extract_surface(const TetMesh& mesh) {
  // triangles by mesh nodes
  Surface surface;
  for (const auto& node : boundary_faces(mesh)) {
    if (mesh.type == ElementType::tet4) {
      surface.triangles.push_back({node[0], node[1], node[2]});
    } else {
      surface.triangles.push_back({node[0], node[3], node[5]});
      surface.triangles.push_back({node[3], node[1], node[4]});
      surface.triangles.push_back({node[5], node[4], node[2]});
      surface.triangles.push_back({node[3], node[4], node[5]});
    }
  }

  // points: the nodes on the boundary, renumbered in their own order
  std::vector<int> point_of_node(mesh.nodes.size(), -1);
  for (const auto& triangle : surface.triangles) {
    for (const int node : triangle) point_of_node[uz(node)] = 0;
  }
  for (std::size_t node = 0; node < mesh.nodes.size(); ++node) {
    if (point_of_node[node] < 0) continue;
    point_of_node[node] = surface.point_count();
    surface.points.push_back(mesh.nodes[node]);
    surface.mesh_nodes.push_back(static_cast<int>(node));
  }
  for (auto& triangle : surface.triangles) {
    for (int& node : triangle) node = point_of_node[uz(node)];
  }
  return surface;
}

namespace {

const Vec3& corner(const Surface& surface, const std::array<int, 3>& triangle, std::size_t c) {
  return surface.points[uz(triangle[c])];
}

}  // namespace

double area(const Surface& surface) {
  double sum = 0.0;
  for (const auto& t : surface.triangles) {
    const Vec3& a = corner(surface, t, 0);
    sum += 0.5 * (corner(surface, t, 1) - a).cross(corner(surface, t, 2) - a).norm();
  }
  return sum;
}

double enclosed_volume(const Surface& surface) {
  double sum = 0.0;
  for (const auto& t : surface.triangles) {
    sum += corner(surface, t, 0).cross(corner(surface, t, 1)).dot(corner(surface, t, 2)) / 6.0;
  }
  return sum;
}

}  // namespace stickslip
