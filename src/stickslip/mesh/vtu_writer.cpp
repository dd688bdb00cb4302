#include <fmt/core.h>

#include <array>
#include <cstdint>

#include "stickslip/mesh/mesh_formats.hpp"

namespace stickslip {

namespace {

/// Values that stand as raw bytes behind the XML, each array after its own size.
class Appended {
 public:
  /// The XML element of an array that begins here; its values follow through add().
  std::string begin(std::string_view type, std::string_view name, int components) {
    close();
    open_ = bytes.size();
    std::string xml = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
        "format=\"appended\" offset=\"{}\"/>\n",
        type, name, components, bytes.size());
    bytes.append(sizeof(std::uint64_t), '\0');
    return xml;
  }

  void add(const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  }

  /// Fills in the size of the array that was begun last.
  void close() {
    if (bytes.empty()) return;
    const std::uint64_t size = bytes.size() - open_ - sizeof(std::uint64_t);
    bytes.replace(open_, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
  }

  std::string bytes;

 private:
  std::size_t open_ = 0;
};

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string vtu_text(const TetMesh& mesh) {
  Appended data;
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
  data.close();

  xml += "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
  xml += data.bytes;
  xml += "\n</AppendedData>\n</VTKFile>\n";
  return xml;
}

}  // namespace stickslip
