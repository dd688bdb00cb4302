#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>

#include "stickslip/mesh/mesh_formats.hpp"

namespace stickslip {

namespace {

/// Numbers as text or as raw bytes, as FileCursor reads them.
class Sink {
 public:
  explicit Sink(bool binary) : binary_(binary) {}

  void integer(int value) { add(&value, sizeof value, fmt::format_int(value).c_str()); }
  void big_integer(std::size_t value) { add(&value, sizeof value, fmt::format_int(value).c_str()); }
  void real(double value) { add(&value, sizeof value, binary_ ? "" : fmt::format("{}", value)); }

  /// In binary files only the sections' names end lines.
  void end_line() {
    if (!binary_) text.push_back('\n');
  }

  void section(std::string_view name) {
    if (binary_ && name.starts_with("End")) text.push_back('\n');
    fmt::format_to(std::back_inserter(text), "${}\n", name);
  }

  std::string text;

 private:
  void add(const void* raw, std::size_t size, std::string_view written) {
    if (binary_) {
      text.append(static_cast<const char*>(raw), size);
    } else {
      if (text.back() != '\n') text.push_back(' ');
      text.append(written);
    }
  }

  bool binary_;
};

/// The cells that belong to the same regions: what gmsh calls an entity.
struct Entity {
  int dimension = 0;
  int tag = 0;
  std::vector<int> regions;  ///< indices of regions, ascending
  std::vector<std::size_t> element_tags;
  std::vector<std::vector<int>> cells;  ///< node indices
};

int element_type_number(int dimension, ElementType type) {
  constexpr std::array<int, 4> first_order = {15, 1, 2, 4};
  constexpr std::array<int, 4> second_order = {15, 8, 9, 11};
  return (type == ElementType::tet4 ? first_order : second_order)[uz(dimension)];
}

/// The regions of every element, as lists.
std::vector<std::vector<int>> regions_of_elements(const TetMesh& mesh) {
  std::vector<std::vector<int>> regions(uz(mesh.element_count()));
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    if (mesh.regions[r].dimension != 3) continue;
    for (const int e : mesh.regions[r].elements) regions[uz(e)].push_back(static_cast<int>(r));
  }
  return regions;
}

/// A cell of a surface, curve or node set with its regions, each cell once.
struct Cell {
  std::vector<int> nodes;
  std::vector<int> regions;
};

std::vector<Cell> cells_of_dimension(const TetMesh& mesh, int dimension) {
  std::vector<Cell> cells;
  std::map<std::vector<int>, std::size_t> known;
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    const Region& region = mesh.regions[r];
    if (region.dimension != dimension) continue;
    const std::vector<int>& source = dimension == 0 ? region.nodes : region.cells;
    const std::size_t n = dimension == 0 ? 1 : uz(region.nodes_per_cell);
    for (std::size_t first = 0; first < source.size(); first += n) {
      const auto begin = source.begin() + static_cast<std::ptrdiff_t>(first);
      std::vector<int> nodes(begin, begin + static_cast<std::ptrdiff_t>(n));
      std::vector<int> key = nodes;
      std::sort(key.begin(), key.end());
      const auto [entry, is_new] = known.try_emplace(std::move(key), cells.size());
      if (is_new) cells.push_back({std::move(nodes), {}});
      std::vector<int>& regions = cells[entry->second].regions;
      if (regions.empty() || regions.back() != static_cast<int>(r)) {
        regions.push_back(static_cast<int>(r));
      }
    }
  }
  return cells;
}

/// One entity per combination of regions. Tetrahedra are numbered from 1 in their own order,
/// the cells of regions behind them.
std::vector<Entity> make_entities(const TetMesh& mesh) {
  std::map<std::pair<int, std::vector<int>>, Entity> entities;
  std::array<int, 4> used{};
  const auto add = [&](int dimension, const std::vector<int>& regions, std::size_t element_tag,
                       std::vector<int> nodes) {
    const auto [entry, is_new] = entities.try_emplace({dimension, regions});
    Entity& entity = entry->second;
    if (is_new) entity = {dimension, ++used[uz(dimension)], regions, {}, {}};
    entity.element_tags.push_back(element_tag);
    entity.cells.push_back(std::move(nodes));
  };
  const auto regions = regions_of_elements(mesh);
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    add(3, regions[uz(e)], uz(e) + 1, {nodes.begin(), nodes.end()});
  }
  std::size_t next_tag = uz(mesh.element_count()) + 1;
  for (int dimension = 2; dimension >= 0; --dimension) {
    for (Cell& cell : cells_of_dimension(mesh, dimension)) {
      add(dimension, cell.regions, next_tag++, std::move(cell.nodes));
    }
  }
  std::vector<Entity> list;
  list.reserve(entities.size());
  for (auto& [key, entity] : entities) list.push_back(std::move(entity));
  std::sort(list.begin(), list.end(), [](const Entity& a, const Entity& b) {
    return std::pair(a.dimension, a.tag) < std::pair(b.dimension, b.tag);
  });
  return list;
}

void write_entities(Sink& sink, const TetMesh& mesh, const std::vector<Entity>& entities) {
  sink.section("Entities");
  for (int dimension = 0; dimension < 4; ++dimension) {
    sink.big_integer(uz(std::count_if(entities.begin(), entities.end(),
                                      [&](const Entity& e) { return e.dimension == dimension; })));
  }
  sink.end_line();
  for (const Entity& entity : entities) {
    sink.integer(entity.tag);
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = -low;
    for (const auto& cell : entity.cells) {
      for (const int node : cell) {
        low = low.cwiseMin(mesh.nodes[uz(node)]);
        high = high.cwiseMax(mesh.nodes[uz(node)]);
      }
    }
    for (const double x : low) sink.real(x);
    if (entity.dimension > 0) {
      for (const double x : high) sink.real(x);
    }
    sink.big_integer(entity.regions.size());
    for (const int r : entity.regions) sink.integer(r + 1);
    if (entity.dimension > 0) sink.big_integer(0);
    sink.end_line();
  }
  sink.section("EndEntities");
}

void write_nodes(Sink& sink, const TetMesh& mesh, const std::vector<Entity>& entities) {
  // a node stands in the block of the first entity that has it; one without any, in the last
  std::vector<std::vector<std::size_t>> blocks(entities.size());
  std::vector<bool> placed(mesh.nodes.size(), false);
  for (std::size_t b = 0; b < entities.size(); ++b) {
    for (const auto& cell : entities[b].cells) {
      for (const int node : cell) {
        if (!placed[uz(node)]) blocks[b].push_back(uz(node));
        placed[uz(node)] = true;
      }
    }
  }
  for (std::size_t node = 0; node < placed.size(); ++node) {
    if (!placed[node] && !blocks.empty()) blocks.back().push_back(node);
  }

  sink.section("Nodes");
  sink.big_integer(entities.size());
  sink.big_integer(mesh.nodes.size());
  sink.big_integer(1);
  sink.big_integer(mesh.nodes.size());
  sink.end_line();
  for (std::size_t b = 0; b < entities.size(); ++b) {
    std::sort(blocks[b].begin(), blocks[b].end());
    sink.integer(entities[b].dimension);
    sink.integer(entities[b].tag);
    sink.integer(0);
    sink.big_integer(blocks[b].size());
    sink.end_line();
    for (const std::size_t node : blocks[b]) {
      sink.big_integer(node + 1);
      sink.end_line();
    }
    for (const std::size_t node : blocks[b]) {
      for (const double x : mesh.nodes[node]) sink.real(x);
      sink.end_line();
    }
  }
  sink.section("EndNodes");
}

void write_elements(Sink& sink, const TetMesh& mesh, const std::vector<Entity>& entities) {
  std::size_t total = 0;
  for (const Entity& entity : entities) total += entity.cells.size();
  sink.section("Elements");
  sink.big_integer(entities.size());
  sink.big_integer(total);
  sink.big_integer(1);
  sink.big_integer(total);
  sink.end_line();
  for (const Entity& entity : entities) {
    sink.integer(entity.dimension);
    sink.integer(entity.tag);
    sink.integer(element_type_number(entity.dimension, mesh.type));
    sink.big_integer(entity.cells.size());
    sink.end_line();
    for (std::size_t i = 0; i < entity.cells.size(); ++i) {
      sink.big_integer(entity.element_tags[i]);
      for (const int node : entity.cells[i]) sink.big_integer(uz(node) + 1);
      sink.end_line();
    }
  }
  sink.section("EndElements");
}

}  // namespace

std::string msh_text(const TetMesh& mesh, bool binary) {
  Sink sink(binary);
  sink.text = fmt::format("$MeshFormat\n4.1 {} 8\n", binary ? 1 : 0);
  if (binary) sink.integer(1);
  sink.section("EndMeshFormat");
  if (!mesh.regions.empty()) {
    sink.text += fmt::format("$PhysicalNames\n{}\n", mesh.regions.size());
    for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
      sink.text +=
          fmt::format("{} {} \"{}\"\n", mesh.regions[r].dimension, r + 1, mesh.regions[r].name);
    }
    sink.text += "$EndPhysicalNames\n";
  }
  const std::vector<Entity> entities = make_entities(mesh);
  write_entities(sink, mesh, entities);
  write_nodes(sink, mesh, entities);
  write_elements(sink, mesh, entities);
  return std::move(sink.text);
}

}  // namespace stickslip
