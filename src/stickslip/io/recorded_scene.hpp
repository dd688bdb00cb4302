#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stickslip/io/hdf5_file.hpp"
#include "stickslip/io/scene_file.hpp"

namespace stickslip {

/// Everything a scene was made of, so that it can be made again when its files have moved or
/// changed.
struct RecordedScene {
  std::string path;  ///< where the scene file was
  std::string text;  ///< of the scene file
  std::vector<std::string> overrides;
  bool resolve_start = false;
  std::map<std::string, std::string> files;  ///< contents, by the text that names them in the scene
  std::string version;                       ///< of the program that stepped it
};

/// Reads the scene file and all files it refers to. Throws InputError.
RecordedScene collect_scene(const std::filesystem::path& path,
                            const std::vector<std::string>& overrides, bool resolve_start);

/// Makes the scene from the contents, without a look at the files it once came from.
Scene build_recorded_scene(const RecordedScene& recorded, const SceneBuildOptions& options = {});

/// What its scene file says; the files that it names are not there any more.
SceneDescription describe_recorded_scene(const RecordedScene& recorded);

void write_scene(const RecordedScene& scene, Hdf5File& file);
RecordedScene read_recorded_scene(const Hdf5File& file);

}  // namespace stickslip
