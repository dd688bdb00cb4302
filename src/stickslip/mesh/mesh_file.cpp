#include "stickslip/mesh/mesh_file.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "stickslip/error.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/mesh_formats.hpp"

namespace stickslip {

namespace {

[[noreturn]] void refuse_extension(const std::filesystem::path& path, std::string_view allowed,
                                   std::string_view remedy) {
  throw InputError(fmt::format("{}: extension '{}' is not one of {}; {}", path.string(),
                               printable(path.extension().string()), allowed, remedy));
}

}  // namespace

bool is_surface_file(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".obj" || extension == ".stl";
}

TetMeshFile read_tet_mesh_unchecked(const std::filesystem::path& path) {
  require_file(path, "a mesh");
  if (is_surface_file(path)) {
    throw InputError(fmt::format(
        "{}: holds a surface, not tetrahedra; mesh it with `stickslip mesh import {} -o {}`",
        path.string(), path.string(), path.stem().string() + ".msh"));
  }
  if (extension_of(path) != ".msh") {
    refuse_extension(path, ".msh", "convert it with `stickslip mesh import`");
  }
  return read_msh(path);
}

Surface read_surface_unchecked(const std::filesystem::path& path) {
  require_file(path, "a surface");
  const std::string extension = extension_of(path);
  if (extension == ".obj") return read_obj(path);
  if (extension == ".stl") return read_stl(path);
  refuse_extension(path, ".obj, .stl", "export the surface as one of them");
}

void refuse_errors(const std::filesystem::path& path, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::error) continue;
    throw InputError(fmt::format("{}: {}{}{}; {}", path.string(), finding.message,
                                 finding.where.empty() ? "" : ": ", finding.where, finding.remedy));
  }
}

TetMesh read_tet_mesh(const std::filesystem::path& path) {
  TetMeshFile file = read_tet_mesh_unchecked(path);
  refuse_errors(path, check_elements(file.mesh, file.numbers));
  drop_floating_nodes(file.mesh);
  return std::move(file.mesh);
}

Surface read_surface(const std::filesystem::path& path) {
  if (extension_of(path) == ".msh") return extract_surface(read_tet_mesh(path));
  Surface surface = read_surface_unchecked(path);
  refuse_errors(path, check_surface(surface));
  return surface;
}

void drop_floating_nodes(TetMesh& mesh) {
  std::vector<int> new_index(mesh.nodes.size(), -1);
  for (const int node : mesh.connectivity) new_index[uz(node)] = 0;
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<int>(kept.size());
    kept.push_back(mesh.nodes[i]);
  }
  if (kept.size() == mesh.nodes.size()) return;
  mesh.nodes = std::move(kept);
  const auto is_dropped = [&](int node) { return new_index[uz(node)] < 0; };
  const auto renumber = [&](std::vector<int>& nodes) {
    for (int& node : nodes) node = new_index[uz(node)];
  };
  renumber(mesh.connectivity);
  for (Region& region : mesh.regions) {
    // a cell goes with any of its nodes
    std::vector<int> cells;
    const auto n = static_cast<std::ptrdiff_t>(region.nodes_per_cell);
    for (auto cell = region.cells.begin(); cell != region.cells.end(); cell += n) {
      if (std::none_of(cell, cell + n, is_dropped)) cells.insert(cells.end(), cell, cell + n);
    }
    region.cells = std::move(cells);
    renumber(region.cells);
    std::erase_if(region.nodes, is_dropped);
    renumber(region.nodes);
  }
}

void drop_floating_points(Surface& surface) {
  std::vector<int> new_index(surface.points.size(), -1);
  for (const auto& triangle : surface.triangles) {
    for (const int point : triangle) new_index[uz(point)] = 0;
  }
  Surface kept;
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = kept.point_count();
    kept.points.push_back(surface.points[i]);
    if (!surface.mesh_nodes.empty()) kept.mesh_nodes.push_back(surface.mesh_nodes[i]);
  }
  for (const auto& [a, b, c] : surface.triangles) {
    kept.triangles.push_back({new_index[uz(a)], new_index[uz(b)], new_index[uz(c)]});
  }
  surface = std::move(kept);
}

void write_tet_mesh(const std::filesystem::path& path, const TetMesh& mesh,
                    const MeshWriteOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == ".msh") {
    write_file_atomically(path, msh_text(mesh, options.binary));
  } else if (extension == ".vtu") {
    write_file_atomically(path, vtu_text(mesh));
  } else {
    refuse_extension(path, ".msh, .vtu", "name the output by one of them");
  }
}

void write_surface(const std::filesystem::path& path, const Surface& surface,
                   const MeshWriteOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == ".obj") {
    write_file_atomically(path, obj_text(surface));
  } else if (extension == ".stl") {
    write_file_atomically(path, stl_text(surface, options.binary));
  } else {
    refuse_extension(path, ".obj, .stl", "name the output by one of them");
  }
}

}  // namespace stickslip
