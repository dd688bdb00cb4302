#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/mesh/mesh_check.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip::cli {

/// What `stickslip mesh info` tells of a mesh or a surface.
struct MeshSummary {
  std::string file;
  int nodes = 0;
  int elements = 0;
  std::string element_type;         ///< tet4, tet10 or triangle
  std::optional<double> volume_m3;  ///< none for a surface with holes
  std::optional<double> area_m2;    ///< surfaces only
  Vec3 low_m = Vec3::Zero();
  Vec3 high_m = Vec3::Zero();
  std::vector<Region> regions;
  std::vector<std::array<Vec3, 2>> region_boxes;  ///< lowest and highest corner of each [m]
  double quality_min = 0.0;
  double quality_mean = 0.0;
  std::array<int, 11> quality_histogram{};  ///< below zero, then tenths
  std::optional<double> density_kg_m3;
};

MeshSummary summarize(const std::filesystem::path& path, const TetMesh& mesh);
MeshSummary summarize(const std::filesystem::path& path, const Surface& surface);

std::string summary_text(const MeshSummary& summary);
std::string summary_json(const MeshSummary& summary);

/// One line: severity, what, where, remedy, code.
std::string finding_text(const Finding& finding);
std::string findings_json(const std::filesystem::path& path, const std::vector<Finding>& findings);

}  // namespace stickslip::cli
