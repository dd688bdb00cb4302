#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "stickslip/mesh/mesh_formats.hpp"
#include "stickslip/mesh/msh_contents.hpp"

namespace stickslip {

namespace {

/// One element of the file, inside its block.
struct Place {
  std::int64_t tag;
  const MshBlock* block;
  std::size_t index;

  const std::int64_t* nodes() const {
    return block->node_tags.data() + index * uz(block->type->nodes);
  }
};

/// The elements of one dimension that the mesh needs, in the order of their tags.
std::vector<Place> elements_of_dimension(const MshContents& contents, int dimension) {
  std::vector<Place> places;
  for (const MshBlock& block : contents.blocks) {
    if (block.type->dimension != dimension || (dimension < 3 && block.groups.empty())) continue;
    for (std::size_t i = 0; i < block.element_tags.size(); ++i) {
      places.push_back({block.element_tags[i], &block, i});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.tag < b.tag; });
  return places;
}

/// For each element the first one with the same nodes in another group, or itself.
std::vector<std::size_t> first_of_same_nodes(const std::vector<Place>& places) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto nodes_of = [&](std::size_t i) {
    return std::span(places[i].nodes(), uz(places[i].block->type->nodes));
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(nodes_of(a), nodes_of(b));
  });
  std::vector<std::size_t> first(places.size());
  std::size_t leader = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && std::ranges::equal(nodes_of(order[leader]), nodes_of(order[i])) &&
                      places[order[leader]].block->groups != places[order[i]].block->groups;
    if (!same) leader = i;
    first[order[i]] = order[leader];
  }
  return first;
}

/// Finds nodes by their tags. A tag that the file lacks gets an index behind the last node.
class NodeIndex {
 public:
  NodeIndex(const MshContents& contents, TetMeshFile& file) : numbers_(file.numbers.nodes) {
    std::vector<std::size_t> order(contents.nodes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return contents.node_tags[a] < contents.node_tags[b];
    });
    index_.reserve(order.size());
    for (const std::size_t node : order) {
      file.mesh.nodes.push_back(contents.nodes[node]);
      add(contents.node_tags[node]);
    }
  }

  int of(std::int64_t tag) {
    const auto found = index_.find(tag);
    return found == index_.end() ? add(tag) : found->second;
  }

 private:
  int add(std::int64_t tag) {
    const int index = static_cast<int>(numbers_.size());
    numbers_.push_back(tag);
    index_.try_emplace(tag, index);
    return index;
  }

  std::vector<std::int64_t>& numbers_;
  std::unordered_map<std::int64_t, int> index_;
};

/// The regions, first the named ones in the order of the file.
class Regions {
 public:
  Regions(const MshContents& contents, std::vector<Region>& regions) : regions_(regions) {
    for (const MshGroupName& group : contents.names) {
      if (find(group.dimension, group.tag) == nullptr) {
        add(group.dimension, group.tag, group.name);
      }
    }
    for (int dimension = 0; dimension < 4; ++dimension) {
      std::vector<int> tags;
      for (const MshBlock& block : contents.blocks) {
        if (block.type->dimension != dimension) continue;
        tags.insert(tags.end(), block.groups.begin(), block.groups.end());
      }
      std::sort(tags.begin(), tags.end());
      for (const int tag : tags) {
        if (find(dimension, tag) == nullptr) {
          add(dimension, tag, fmt::format("group_{}_{}", dimension, tag));
        }
      }
    }
  }

  Region* find(int dimension, int tag) {
    const auto found = index_.find({dimension, tag});
    return found == index_.end() ? nullptr : &regions_[found->second];
  }

 private:
  void add(int dimension, int tag, std::string name) {
    index_[{dimension, tag}] = regions_.size();
    regions_.push_back({std::move(name), dimension, {}, {}, 0, {}});
  }

  std::vector<Region>& regions_;
  std::map<std::pair<int, int>, std::size_t> index_;
};

/// One order for all tetrahedra and for the cells of all groups; points fit to both.
int common_order(const FileCursor& file, const MshContents& contents) {
  const MshElementType* first = nullptr;
  for (const MshBlock& block : contents.blocks) {
    const bool used = block.type->dimension == 3 || !block.groups.empty();
    if (!used || block.type->dimension == 0) continue;
    const bool simplex =
        block.type->dimension != 2 || block.type->nodes == 3 || block.type->number == 9;
    if (!simplex || block.type->order > 2) {
      file.fail(fmt::format("a physical group holds a {} (element type {})", block.type->name,
                            block.type->number),
                "mesh the part with triangles and tetrahedra of order 1 or 2");
    }
    if (first == nullptr) first = block.type;
    if (first->order != block.type->order) {
      file.fail(
          fmt::format("mixes elements of order 1 and 2 ({}, {})", first->name, block.type->name),
          "mesh the whole part with one order (gmsh -order 1 or -order 2)");
    }
  }
  return first == nullptr ? 1 : first->order;
}

void refuse_without_tetrahedra(const FileCursor& file, const MshContents& contents) {
  std::size_t triangles = 0;
  for (const MshBlock& block : contents.blocks) {
    if (block.type->dimension == 3 && !block.element_tags.empty()) return;
    if (block.type->dimension == 2) triangles += block.element_tags.size();
  }
  file.fail(fmt::format("holds no tetrahedra ({} nodes, {} surface elements)",
                        contents.nodes.size(), triangles),
            "mesh the volume (gmsh -3), and include it if physical groups select what is saved");
}

}  // namespace

TetMeshFile make_tet_mesh(const FileCursor& cursor, const MshContents& contents) {
  const int order = common_order(cursor, contents);
  refuse_without_tetrahedra(cursor, contents);

  TetMeshFile file;
  TetMesh& mesh = file.mesh;
  mesh.type = order == 1 ? ElementType::tet4 : ElementType::tet10;
  NodeIndex index(contents, file);
  Regions regions(contents, mesh.regions);

  // tetrahedra, once each
  const std::vector<Place> tetrahedra = elements_of_dimension(contents, 3);
  std::vector<std::size_t> first(tetrahedra.size());
  std::iota(first.begin(), first.end(), std::size_t{0});
  if (contents.repeats_elements) first = first_of_same_nodes(tetrahedra);
  std::vector<int> element_of(tetrahedra.size());
  for (std::size_t i = 0; i < tetrahedra.size(); ++i) {
    const Place& place = tetrahedra[i];
    if (first[i] == i) {
      element_of[i] = mesh.element_count();
      file.numbers.elements.push_back(place.tag);
      for (int k = 0; k < place.block->type->nodes; ++k) {
        mesh.connectivity.push_back(index.of(place.nodes()[k]));
      }
    } else {
      element_of[i] = element_of[first[i]];
    }
    for (const int tag : place.block->groups) {
      regions.find(3, tag)->elements.push_back(element_of[i]);
    }
  }

  // cells of surfaces and curves, and points
  for (int dimension = 2; dimension >= 0; --dimension) {
    for (const Place& place : elements_of_dimension(contents, dimension)) {
      for (const int tag : place.block->groups) {
        Region& region = *regions.find(dimension, tag);
        auto& target = dimension == 0 ? region.nodes : region.cells;
        region.nodes_per_cell = dimension == 0 ? 0 : place.block->type->nodes;
        for (int k = 0; k < place.block->type->nodes; ++k) {
          target.push_back(index.of(place.nodes()[k]));
        }
      }
    }
  }

  // the nodes of each region
  for (Region& region : mesh.regions) {
    std::sort(region.elements.begin(), region.elements.end());
    for (const int e : region.elements) {
      const auto nodes = mesh.element(e);
      region.nodes.insert(region.nodes.end(), nodes.begin(), nodes.end());
    }
    region.nodes.insert(region.nodes.end(), region.cells.begin(), region.cells.end());
    std::sort(region.nodes.begin(), region.nodes.end());
    region.nodes.erase(std::unique(region.nodes.begin(), region.nodes.end()), region.nodes.end());
  }
  return file;
}

TetMeshFile read_msh(const std::filesystem::path& path) {
  FileCursor cursor(path, "a gmsh mesh");
  return make_tet_mesh(cursor, parse_msh(cursor));
}

}  // namespace stickslip
