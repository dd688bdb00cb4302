#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "stickslip/io/scene_description.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

struct SceneBuildOptions {
  /// Bodies that overlap at the start are pulled apart; otherwise they are refused.
  bool resolve_start = false;
  int threads = 0;        ///< of the precomputation; 0: as many as there are processors
  bool use_cache = true;  ///< of compliances, where the scene does not forbid it
  /// Told how far the precomputation of a body is, from 0 to 1, by whichever thread does it.
  std::function<void(const std::string& body, double share)> progress;
};

/// What became of the description of a body.
struct BodyFacts {
  int nodes = 0;     ///< of the mesh; points of a surface
  int elements = 0;  ///< 0 for a surface
  int surface_points = 0;
  int surface_triangles = 0;
  double mass = 0.0;  ///< [kg]; 0 where the body is fixed
  std::vector<std::string> regions;
  std::vector<std::string> warnings;  ///< what can be simulated but will be far off, a line each
};

struct BuiltScene {
  Scene scene;
  std::vector<BodyFacts> facts;  ///< one a body
};

/// Meshes, matrices and compliances of a description. Throws InputError, led by file and line,
/// for meshes that cannot be simulated, regions that are missing, parts that are loose and bodies
/// that overlap at the start by more than the alarm distance.
BuiltScene build_scene(const SceneDescription& description, const SceneBuildOptions& options = {});

/// A scene from a file, ready to step, or an InputError. `overrides` are the "path=value" of
/// `--set`. docs/scene_format.md has every key.
Scene read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {},
                 const SceneBuildOptions& options = {});

}  // namespace stickslip
