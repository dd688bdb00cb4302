#include "stickslip/io/recorded_scene.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "stickslip/error.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/version.hpp"

namespace stickslip {

namespace {

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string contents{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    throw InputError(fmt::format("{}: cannot be read; check the path", path.string()));
  }
  return contents;
}

/// A folder of this process alone, gone when the object is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stickslip-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw InputError(
          fmt::format("{}: cannot make a folder to unpack the scene; set TMPDIR to a folder that "
                      "may be written to",
                      name));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Writes a file with the last part of the name.
  std::filesystem::path add(const std::string& folder, const std::string& name,
                            const std::string& contents) const {
    const std::filesystem::path place = path_ / folder / std::filesystem::path(name).filename();
    std::filesystem::create_directories(place.parent_path());
    std::ofstream stream(place, std::ios::binary);
    stream << contents;
    if (!stream.flush()) {
      throw InputError(
          fmt::format("{}: cannot be written; is there room on the disk?", place.string()));
    }
    return place;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

RecordedScene collect_scene(const std::filesystem::path& path,
                            const std::vector<std::string>& overrides, bool resolve_start) {
  RecordedScene recorded;
  recorded.path = path.string();
  recorded.overrides = overrides;
  recorded.resolve_start = resolve_start;
  recorded.version = version;
  const SceneDescription description = read_scene_description(path, overrides);
  recorded.text = contents_of(path);
  for (const auto& [name, place] : description.files) recorded.files[name] = contents_of(place);
  return recorded;
}

namespace {

SceneDescription unpack(const RecordedScene& recorded, const TemporaryFolder& folder) {
  const auto scene = folder.add("scene", recorded.path, recorded.text);
  FilePlaces places;
  for (const auto& [name, contents] : recorded.files) {
    places[name] = folder.add(fmt::format("file_{}", places.size()), name, contents);
  }
  return read_scene_description(scene, recorded.overrides, places);
}

}  // namespace

Scene build_recorded_scene(const RecordedScene& recorded, const SceneBuildOptions& options) {
  const TemporaryFolder folder;
  SceneBuildOptions building = options;
  building.resolve_start = recorded.resolve_start;
  return build_scene(unpack(recorded, folder), building).scene;
}

SceneDescription describe_recorded_scene(const RecordedScene& recorded) {
  const TemporaryFolder folder;
  return unpack(recorded, folder);
}

void write_scene(const RecordedScene& scene, Hdf5File& file) {
  file.make_group("/scene");
  file.write_text("/scene/version", scene.version);
  file.write_text("/scene/path", scene.path);
  file.write_text("/scene/text", scene.text);
  const std::vector<int> resolve_start = {scene.resolve_start ? 1 : 0};
  file.write_integers("/scene/resolve_start", resolve_start);
  const std::vector<int> counts = {static_cast<int>(scene.overrides.size()),
                                   static_cast<int>(scene.files.size())};
  file.write_integers("/scene/counts", counts);
  for (std::size_t i = 0; i < scene.overrides.size(); ++i) {
    file.write_text(fmt::format("/scene/override_{}", i), scene.overrides[i]);
  }
  int number = 0;
  for (const auto& [name, contents] : scene.files) {
    const std::string group = fmt::format("/scene/file_{}", number++);
    file.make_group(group);
    file.write_text(group + "/name", name);
    file.write_bytes(group + "/bytes", contents);
  }
}

RecordedScene read_recorded_scene(const Hdf5File& file) {
  RecordedScene scene;
  scene.version = file.read_text("/scene/version");
  scene.path = file.read_text("/scene/path");
  scene.text = file.read_text("/scene/text");
  scene.resolve_start = file.read_integer("/scene/resolve_start") != 0;
  const std::vector<int> counts = file.read_integers("/scene/counts");
  if (counts.size() != 2) {
    throw InputError(fmt::format("{}: /scene/counts must hold 2 numbers; the file is damaged",
                                 file.path().string()));
  }
  for (int i = 0; i < counts[0]; ++i) {
    const std::string name = fmt::format("/scene/override_{}", i);
    if (!file.has(name)) break;
    scene.overrides.push_back(file.read_text(name));
  }
  for (int i = 0; i < counts[1]; ++i) {
    const std::string group = fmt::format("/scene/file_{}", i);
    scene.files[file.read_text(group + "/name")] = file.read_bytes(group + "/bytes");
  }
  return scene;
}

}  // namespace stickslip
