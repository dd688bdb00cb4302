#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip {

/// An element type of gmsh.
struct MshElementType {
  int number;
  const char* name;
  int dimension;
  int nodes;
  int order;
};

/// The type of that number, or null.
const MshElementType* find_msh_element_type(int number);

/// A physical group with its name.
struct MshGroupName {
  int dimension;
  int tag;
  std::string name;
};

/// Elements of one type that belong to the same physical groups.
struct MshBlock {
  const MshElementType* type = nullptr;
  std::vector<int> groups;  ///< tags, each positive and once
  std::vector<std::int64_t> element_tags;
  std::vector<std::int64_t> node_tags;  ///< element after element
};

/// What a .msh file of either version says, or another file that is read like one.
struct MshContents {
  std::vector<MshGroupName> names;
  std::vector<Vec3> nodes;
  std::vector<std::int64_t> node_tags;
  std::vector<MshBlock> blocks;
  /// An element of several groups is written once for each of them.
  bool repeats_elements = false;
};

/// The tetrahedra and regions of the contents. `file` is where they come from, for messages.
TetMeshFile make_tet_mesh(const FileCursor& file, const MshContents& contents);

/// Parses the sections of a .msh file from its beginning.
MshContents parse_msh(FileCursor& file);

}  // namespace stickslip
