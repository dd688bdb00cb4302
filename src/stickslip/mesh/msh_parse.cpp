#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "stickslip/mesh/msh_contents.hpp"

namespace stickslip {

namespace {

constexpr std::array<MshElementType, 34> element_types = {{
    {1, "2-node line", 1, 2, 1},
    {2, "3-node triangle", 2, 3, 1},
    {3, "4-node quadrangle", 2, 4, 1},
    {4, "4-node tetrahedron", 3, 4, 1},
    {5, "8-node hexahedron", 3, 8, 1},
    {6, "6-node prism", 3, 6, 1},
    {7, "5-node pyramid", 3, 5, 1},
    {8, "3-node line", 1, 3, 2},
    {9, "6-node triangle", 2, 6, 2},
    {10, "9-node quadrangle", 2, 9, 2},
    {11, "10-node tetrahedron", 3, 10, 2},
    {12, "27-node hexahedron", 3, 27, 2},
    {13, "18-node prism", 3, 18, 2},
    {14, "14-node pyramid", 3, 14, 2},
    {15, "point", 0, 1, 0},
    {16, "8-node quadrangle", 2, 8, 2},
    {17, "20-node hexahedron", 3, 20, 2},
    {18, "15-node prism", 3, 15, 2},
    {19, "13-node pyramid", 3, 13, 2},
    {20, "9-node triangle", 2, 9, 3},
    {21, "10-node triangle", 2, 10, 3},
    {22, "12-node triangle", 2, 12, 4},
    {23, "15-node triangle", 2, 15, 4},
    {24, "15-node triangle", 2, 15, 5},
    {25, "21-node triangle", 2, 21, 5},
    {26, "4-node line", 1, 4, 3},
    {27, "5-node line", 1, 5, 4},
    {28, "6-node line", 1, 6, 5},
    {29, "20-node tetrahedron", 3, 20, 3},
    {30, "35-node tetrahedron", 3, 35, 4},
    {31, "56-node tetrahedron", 3, 56, 5},
    {36, "16-node quadrangle", 2, 16, 3},
    {92, "64-node hexahedron", 3, 64, 3},
    {93, "125-node hexahedron", 3, 125, 4},
}};

constexpr std::string_view save_again = "save it from gmsh with -format msh41";
constexpr std::string_view join_parts = "join the parts in gmsh (unpartition) and save again";

/// The physical groups of each geometric entity, by dimension and tag.
using EntityGroups = std::map<std::pair<int, int>, std::vector<int>>;

int positive_tag(FileCursor& file, int tag) {
  // the sign of a group's tag tells orientation only
  if (tag == std::numeric_limits<int>::min()) {
    file.fail(fmt::format("a physical tag is {}", tag), save_again);
  }
  return std::abs(tag);
}

const MshElementType& known_type(FileCursor& file, int number) {
  const MshElementType* type = find_msh_element_type(number);
  if (type == nullptr) {
    file.fail(fmt::format("element type {} is not known", number),
              "mesh the part with four-node or ten-node tetrahedra");
  }
  const bool tetrahedron = number == 4 || number == 11;
  if (type->dimension == 3 && !tetrahedron) {
    file.fail(fmt::format("holds a {} (element type {})", type->name, number),
              type->order > 2 ? "mesh the part with gmsh -order 1 or -order 2"
                              : "mesh the part with four-node or ten-node tetrahedra only");
  }
  return *type;
}

void read_group_names(FileCursor& file, MshContents& contents) {
  // the names are text in binary files too
  file.set_text();
  const int count = file.count("the number of physical names", 3);
  for (int i = 0; i < count; ++i) {
    MshGroupName group;
    group.dimension = file.integer("the dimension of a physical name");
    group.tag = file.integer("the tag of a physical name");
    std::string_view rest;
    file.next_line(rest);
    const std::size_t first = rest.find('"');
    const std::size_t last = rest.rfind('"');
    if (first == std::string_view::npos || last == first || group.dimension < 0 ||
        group.dimension > 3) {
      file.fail("a line of $PhysicalNames is not: dimension tag \"name\"", save_again);
    }
    group.name = rest.substr(first + 1, last - first - 1);
    contents.names.push_back(std::move(group));
  }
}

EntityGroups read_entities(FileCursor& file) {
  std::array<int, 4> counts{};
  for (int& count : counts) count = file.count("a number of entities", 5);
  EntityGroups groups;
  for (int dimension = 0; dimension < 4; ++dimension) {
    for (int i = 0; i < counts[uz(dimension)]; ++i) {
      // a point has a place, the others a bounding box
      const int tag = file.integer("the tag of an entity");
      for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) file.real("the box of an entity");
      std::vector<int> tags;
      const int tag_count = file.count("the number of physical tags", 1);
      tags.reserve(uz(tag_count));
      for (int k = 0; k < tag_count; ++k) {
        tags.push_back(positive_tag(file, file.integer("a physical tag")));
      }
      std::sort(tags.begin(), tags.end());
      tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
      groups[{dimension, tag}] = std::move(tags);
      if (dimension == 0) continue;
      const int boundary_count = file.count("the number of bounding entities", 1);
      for (int k = 0; k < boundary_count; ++k) file.integer("a bounding entity");
    }
  }
  return groups;
}

Vec3 read_point(FileCursor& file) {
  const double x = file.real("a coordinate");
  const double y = file.real("a coordinate");
  const double z = file.real("a coordinate");
  return {x, y, z};
}

void refuse_other_sum(FileCursor& file, std::string_view what, std::size_t sum, int promised) {
  if (sum != uz(promised)) {
    file.fail(fmt::format("the blocks hold {} {}, but {} were promised", sum, what, promised),
              "the file is damaged: write or copy it again");
  }
}

void read_nodes_4(FileCursor& file, MshContents& contents) {
  const int blocks = file.count("the number of node blocks", 4);
  const int total = file.count("the number of nodes", 4);
  file.big_integer("the smallest node tag");
  file.big_integer("the largest node tag");
  contents.nodes.reserve(uz(total));
  contents.node_tags.reserve(uz(total));
  for (int b = 0; b < blocks; ++b) {
    const int dimension = file.integer("the dimension of a node block");
    file.integer("the entity of a node block");
    const int parametric = file.integer("the parametric flag of a node block");
    const int count = file.count("the number of nodes of a block", 4);
    for (int i = 0; i < count; ++i) contents.node_tags.push_back(file.big_integer("a node tag"));
    for (int i = 0; i < count; ++i) {
      contents.nodes.push_back(read_point(file));
      // its coordinates on the curve, surface or volume follow
      const int extra = parametric == 0 ? 0 : std::min(dimension, 3);
      for (int k = 0; k < extra; ++k) file.real("a parametric coordinate");
    }
  }
  refuse_other_sum(file, "nodes", contents.nodes.size(), total);
}

void read_elements_4(FileCursor& file, const EntityGroups& groups, MshContents& contents) {
  const int blocks = file.count("the number of element blocks", 4);
  const int total = file.count("the number of elements", 2);
  file.big_integer("the smallest element tag");
  file.big_integer("the largest element tag");
  std::size_t sum = 0;
  for (int b = 0; b < blocks; ++b) {
    file.integer("the dimension of an element block");
    const int entity = file.integer("the entity of an element block");
    const MshElementType& type = known_type(file, file.integer("the type of an element block"));
    const int count = file.count("the number of elements of a block", uz(type.nodes) + 1);
    MshBlock& block = contents.blocks.emplace_back();
    block.type = &type;
    const auto found = groups.find({type.dimension, entity});
    if (found != groups.end()) block.groups = found->second;
    for (int i = 0; i < count; ++i) {
      block.element_tags.push_back(file.big_integer("an element tag"));
      for (int k = 0; k < type.nodes; ++k) {
        block.node_tags.push_back(file.big_integer("a node of an element"));
      }
    }
    sum += uz(count);
  }
  refuse_other_sum(file, "elements", sum, total);
}

/// In version 2 the counts are text, in binary files too; raw bytes follow the line.
int read_count_2(FileCursor& file, std::string_view what, std::size_t numbers_each, bool binary,
                 bool swapped) {
  file.set_text();
  const std::int64_t count = file.big_integer(what);
  std::string_view rest_of_line;
  file.next_line(rest_of_line);
  if (binary) file.set_binary(swapped);
  return file.checked_count(count, what, numbers_each);
}

void read_nodes_2(FileCursor& file, int count, MshContents& contents) {
  contents.nodes.reserve(uz(count));
  contents.node_tags.reserve(uz(count));
  for (int i = 0; i < count; ++i) {
    contents.node_tags.push_back(file.integer("a node tag"));
    contents.nodes.push_back(read_point(file));
  }
}

/// One element of version 2, behind its type: its tag, its tags of groups and partitions, and
/// its nodes. In text the number of tags stands after the element's own tag.
void read_element_2(FileCursor& file, const MshElementType& type, int tag, int tag_count,
                    MshContents& contents) {
  int group = 0;
  for (int k = 0; k < tag_count; ++k) {
    const int value = file.integer("a tag of an element");
    if (k == 0) group = positive_tag(file, value);
    if (k == 2 && tag_count > 3 && value > 0) file.fail("the mesh is partitioned", join_parts);
  }
  std::vector<int> groups;
  if (group != 0) groups.push_back(group);
  if (contents.blocks.empty() || contents.blocks.back().type != &type ||
      contents.blocks.back().groups != groups) {
    contents.blocks.push_back({&type, groups, {}, {}});
  }
  MshBlock& block = contents.blocks.back();
  block.element_tags.push_back(tag);
  for (int k = 0; k < type.nodes; ++k) {
    block.node_tags.push_back(file.integer("a node of an element"));
  }
}

void read_elements_2(FileCursor& file, int count, bool binary, MshContents& contents) {
  contents.repeats_elements = true;
  if (!binary) {
    for (int i = 0; i < count; ++i) {
      const int tag = file.integer("an element tag");
      const MshElementType& type = known_type(file, file.integer("an element type"));
      const int tag_count = file.integer("the number of tags of an element");
      read_element_2(file, type, tag, tag_count, contents);
    }
    return;
  }
  for (int done = 0; done < count;) {
    const MshElementType& type = known_type(file, file.integer("an element type"));
    const int follow = file.integer("the number of elements of a block");
    const int tag_count = file.integer("the number of tags of an element");
    if (follow <= 0 || follow > count - done) {
      file.fail(fmt::format("a block holds {} elements, but {} are left", follow, count - done),
                "the file is damaged: write or copy it again");
    }
    for (int i = 0; i < follow; ++i) {
      const int tag = file.integer("an element tag");
      read_element_2(file, type, tag, tag_count, contents);
    }
    done += follow;
  }
}

/// What $MeshFormat says.
struct MshFormat {
  int major = 0;
  bool binary = false;
  bool swapped = false;
};

MshFormat read_format(FileCursor& file) {
  MshFormat format;
  const std::string_view version = file.next_word();
  if (version == "4.1") {
    format.major = 4;
  } else if (version == "2.2" || version == "2.1" || version == "2" || version == "2.0") {
    format.major = 2;
  } else {
    file.fail(fmt::format("format '{}' is not read, only 2.2 and 4.1", printable(version)),
              save_again);
  }
  const int file_type = file.integer("the file type");
  const int data_size = file.integer("the data size");
  if ((file_type != 0 && file_type != 1) || data_size != 8) {
    file.fail(fmt::format("file type {} with data size {} is not read, only 0 or 1 with 8",
                          file_type, data_size),
              save_again);
  }
  format.binary = file_type == 1;
  if (!format.binary) return format;

  // the number one shows the byte order
  std::string_view rest_of_line;
  file.next_line(rest_of_line);
  file.set_binary(false);
  const int one = file.integer("the byte order");
  file.set_text();
  constexpr int one_swapped = 0x01000000;
  format.swapped = one == one_swapped;
  if (one != 1 && !format.swapped) {
    file.fail("the byte order of the binary file is not recognised", save_again);
  }
  return format;
}

}  // namespace

const MshElementType* find_msh_element_type(int number) {
  const auto* found = std::find_if(element_types.begin(), element_types.end(),
                                   [&](const auto& type) { return type.number == number; });
  return found == element_types.end() ? nullptr : found;
}

MshContents parse_msh(FileCursor& file) {
  MshContents contents;
  MshFormat format;
  EntityGroups groups;
  bool has_nodes = false;
  bool has_elements = false;
  for (std::string_view word = file.next_word(); !word.empty(); word = file.next_word()) {
    const std::string section(word);
    if (section[0] != '$' ||
        (format.major == 0 && section != "$MeshFormat" && section != "$Comments")) {
      file.fail(fmt::format("expected {}, found '{}'",
                            format.major == 0 ? "$MeshFormat" : "a section", printable(section)),
                "give a gmsh .msh file, or convert this one with `stickslip mesh import`");
    }
    const bool raw_section =
        format.binary && section != "$PhysicalNames" && section != "$MeshFormat";
    if (raw_section && format.major == 4) {
      std::string_view rest_of_line;
      file.next_line(rest_of_line);
      file.set_binary(format.swapped);
    }

    if (section == "$MeshFormat") {
      format = read_format(file);
    } else if (section == "$PhysicalNames") {
      read_group_names(file, contents);
    } else if (section == "$Entities" && format.major == 4) {
      groups = read_entities(file);
    } else if (section == "$PartitionedEntities") {
      file.fail("the mesh is partitioned", join_parts);
    } else if (section == "$ParametricNodes") {
      file.fail("$ParametricNodes is not read", save_again);
    } else if (section == "$Nodes" && format.major == 4) {
      read_nodes_4(file, contents);
    } else if (section == "$Elements" && format.major == 4) {
      read_elements_4(file, groups, contents);
    } else if (section == "$Nodes") {
      const int count = read_count_2(file, "the number of nodes", 4, format.binary, format.swapped);
      read_nodes_2(file, count, contents);
    } else if (section == "$Elements") {
      const int count =
          read_count_2(file, "the number of elements", 2, format.binary, format.swapped);
      read_elements_2(file, count, format.binary, contents);
    } else if (!file.skip_past("$End" + section.substr(1))) {
      file.fail_truncated("the end of " + section);
    } else {
      file.set_text();
      continue;
    }
    has_nodes |= section == "$Nodes";
    has_elements |= section == "$Elements";

    // every section closes
    file.set_text();
    const std::string_view end = file.next_word();
    if (end.empty()) file.fail_truncated("$End" + section.substr(1));
    if (end != "$End" + section.substr(1)) {
      file.fail(fmt::format("expected $End{}, found '{}'", section.substr(1), printable(end)),
                "the file is cut off or damaged: write or copy it again");
    }
  }
  if (!has_nodes) file.fail_truncated("$Nodes");
  if (!has_elements) file.fail_truncated("$Elements");
  return contents;
}

}  // namespace stickslip
