#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/body/body.hpp"
#include "stickslip/fem/elastic_law.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

// What a scene file says, key by key, before any mesh is read. Every value is of its type and in
// its range, every name of a body or material is one that there is.

/// File and line, for messages: of a section, and of its keys.
struct Places {
  std::string section;
  std::map<std::string, std::string, std::less<>> keys;

  const std::string& of(std::string_view key) const {
    const auto found = keys.find(key);
    return found == keys.end() ? section : found->second;
  }
};

enum class BodyKind : std::uint8_t {
  fixed,
  rigid,
  deformable,
  corotational,
  quasi_rigid,
  nonlinear,
};

std::string_view to_string(BodyKind kind);
std::string_view to_string(DriveKind kind);

/// Whether its frame moves by forces.
constexpr bool has_free_frame(BodyKind kind) {
  return kind != BodyKind::fixed && kind != BodyKind::deformable && kind != BodyKind::nonlinear;
}
/// Whether it is made of finite elements.
constexpr bool has_elements(BodyKind kind) {
  return kind != BodyKind::fixed && kind != BodyKind::rigid;
}
/// Whether it deforms about regions that are held in the world.
constexpr bool deforms_in_place(BodyKind kind) {
  return has_elements(kind) && !has_free_frame(kind);
}

struct TomlValue;

struct MaterialDescription {
  std::string name;
  std::optional<double> young;             ///< [Pa]
  std::optional<double> poisson;           ///< in (-1, 0.5)
  std::optional<double> density;           ///< [kg/m^3]
  ElasticLaw law = ElasticLaw::neo_hooke;  ///< of nonlinear bodies
};

struct FrictionDescription {
  std::string first;  ///< a body, or a material
  std::string second;
  double mu = 0.0;
};

/// The nodes of a mesh within a box, in the coordinates of the mesh.
struct BoxRegion {
  std::string name;
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Zero();
  Places places;
};

struct BodyDescription {
  std::string name;
  BodyKind kind = BodyKind::fixed;
  Places places;

  // geometry: a mesh, or a shape
  std::filesystem::path mesh;
  double scale = 1.0;
  std::string shape;  ///< "box", "plane", "sphere", "cylinder", "capsule", or empty
  Vec3 size = Vec3::Zero();
  std::array<int, 3> cells = {1, 1, 1};
  ExactShape round;   ///< sphere, cylinder or capsule
  int segments = 36;  ///< around it
  ElementType element = ElementType::tet4;
  std::filesystem::path skin;  ///< a surface file, or empty
  double skin_chord = 0.0;     ///< of a skin over curved faces; 0: none is made [m]
  bool has_skin() const { return !skin.empty() || skin_chord > 0.0; }
  std::vector<BoxRegion> regions;

  // matter
  std::string material;  ///< or empty
  std::optional<double> mass;
  bool is_dynamic = false;
  Integration integration = Integration::implicit_euler;
  Damping damping;
  double young_ratio = 1e-2;
  int newton_steps = 1;

  // place
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
  std::vector<std::string> held;
  std::vector<std::string> contact_regions;

  // compliance of the surface
  bool precompute = true;
  bool is_float32 = false;
  bool is_cached = true;
};

struct DriveDescription {
  std::string name;  ///< or its number
  int body = 0;
  DriveKind kind = DriveKind::force;
  std::string region;  ///< or empty
  TimeTable table;
  std::optional<Vec3> pivot;
  double stiffness = 0.0;
  double damping = 0.0;
  double rotational_stiffness = 0.0;
  double rotational_damping = 0.0;
  Places places;
};

struct ProbeDescription {
  std::string name;
  int body = 0;
  std::optional<Vec3> point;  ///< in the coordinates of the mesh
  std::string region;         ///< or empty
  Places places;
};

/// A hand: what it holds and how it moves.
struct HandDescription {
  Hand hand;                  ///< but for its handles
  int body = -1;              ///< -1: whatever moves freely
  std::optional<Vec3> point;  ///< of the handle, in the coordinates of the mesh
  std::string region;         ///< or empty
  TimeTable path;             ///< may be empty
  bool is_path_smooth = true;
  std::optional<double> grab_at;
  std::optional<double> release_at;
  Places places;
};

/// Where the files are that a scene names, by the text that names them.
using FilePlaces = std::map<std::string, std::filesystem::path, std::less<>>;

struct SceneDescription {
  std::filesystem::path path;
  FilePlaces files;  ///< meshes and tables
  std::string name;
  SimulationOptions simulation;
  std::vector<MaterialDescription> materials;
  double friction = 0.0;  ///< where no pair says otherwise
  std::vector<FrictionDescription> friction_pairs;
  bool has_friction() const;
  std::vector<std::pair<int, int>> excluded_pairs;  ///< of bodies that never touch
  std::vector<BodyDescription> bodies;
  std::vector<DriveDescription> drives;
  std::vector<ProbeDescription> probes;
  std::vector<HandDescription> hands;

  const MaterialDescription* find_material(std::string_view name) const;
};

/// Reads and checks a scene file with values of `--set path=value` in place of its own. Throws
/// InputError that names file, line, key, value, range and remedy. Files that the scene names are
/// looked for beside it, unless `places` says where they are.
SceneDescription read_scene_description(const std::filesystem::path& path,
                                        const std::vector<std::string>& overrides = {},
                                        const FilePlaces& places = {});

/// The same of a document that is in memory, for a scene file that would stand at `path`.
SceneDescription describe_scene(const TomlValue& document, const std::filesystem::path& path,
                                const FilePlaces& places = {});

/// Coefficient of each pair of bodies: what is said of two bodies counts more than what is said
/// of a body and a material, and that more than what is said of two materials.
MatX friction_table(const SceneDescription& scene);

}  // namespace stickslip
