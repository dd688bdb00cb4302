#include <fmt/core.h>

#include <array>
#include <cstdint>

#include "stickslip/mesh/appended_data.hpp"
#include "stickslip/mesh/mesh_formats.hpp"

namespace stickslip {

std::string vtu_text(const TetMesh& mesh) {
  AppendedData data;
  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      mesh.node_count(), mesh.element_count());

  // one mark per node and region
  xml += "<PointData>\n";
  for (const Region& region : mesh.regions) {
    xml += data.begin("UInt8", xml_escaped(region.name), 1);
    std::string marks(mesh.nodes.size(), '\0');
    for (const int node : region.nodes) marks[uz(node)] = '\1';
    data.add(marks.data(), marks.size());
  }
  xml += "</PointData>\n<CellData>\n";
  xml += data.begin("Float64", "quality", 1);
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto at = [&](std::size_t c) -> const Vec3& { return mesh.nodes[uz(nodes[c])]; };
    const double quality = tet_quality(at(0), at(1), at(2), at(3));
    data.add(&quality, sizeof quality);
  }

  xml += "</CellData>\n<Points>\n";
  xml += data.begin("Float64", "Points", 3);
  for (const Vec3& p : mesh.nodes) data.add(p.data(), 3 * sizeof(double));

  // VTK has the mid-side nodes of edges (1,3) and (2,3) in the other order
  xml += "</Points>\n<Cells>\n";
  xml += data.begin("Int64", "connectivity", 1);
  constexpr std::array<std::size_t, 10> vtk_order = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::int64_t node = nodes[vtk_order[k]];
      data.add(&node, sizeof node);
    }
  }
  xml += data.begin("Int64", "offsets", 1);
  for (int e = 1; e <= mesh.element_count(); ++e) {
    const std::int64_t offset = std::int64_t{e} * nodes_per_element(mesh.type);
    data.add(&offset, sizeof offset);
  }
  xml += data.begin("UInt8", "types", 1);
  constexpr char vtk_tetra = 10;
  constexpr char vtk_quadratic_tetra = 24;
  const std::string types(uz(mesh.element_count()),
                          mesh.type == ElementType::tet4 ? vtk_tetra : vtk_quadratic_tetra);
  data.add(types.data(), types.size());

  xml += "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
  return xml + data.text();
}

}  // namespace stickslip
