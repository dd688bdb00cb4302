#pragma once

#include "stickslip/io/scene_description.hpp"
#include "stickslip/io/toml_document.hpp"

namespace stickslip {

/// Reads the sections of a scene file, one after the other: later ones name what earlier ones have.
class SceneReader {
 public:
  SceneReader(const std::filesystem::path& path, const TomlValue& document,
              const FilePlaces& places);

  SceneDescription read_all();

 private:
  void read_simulation();
  void read_contact_method(const TomlValue& table);
  void read_materials();
  void read_contact();
  void read_friction();
  void refuse_friction_unsolved() const;
  void read_probe(const TomlValue& table);

  // scene_bodies.cpp
  void read_body(const TomlValue& table);
  void read_geometry(const TomlValue& table, const std::string& path, BodyDescription& body);
  void read_shape(const TomlValue& table, const std::string& path, BodyDescription& body);
  void read_round_shape(const TomlValue& table, const std::string& path, BodyDescription& body);
  void read_skin(const TomlValue& table, const std::string& path, BodyDescription& body);
  void read_matter(const TomlValue& table, const std::string& path, BodyDescription& body);
  void read_newton(const TomlValue& table, const std::string& path, BodyDescription& body);
  void read_place(const TomlValue& table, const std::string& path, BodyDescription& body);

  // scene_drives.cpp
  void read_drive(const TomlValue& table);
  TimeTable read_course(const TomlValue& table, const std::string& path, DriveKind kind);

  // scene_hands.cpp
  void read_hand(const TomlValue& table);

  std::vector<std::string> body_names() const;
  /// -1 where there is none.
  int body_index(const std::string& name) const;
  int require_body(const TomlValue& table, const std::string& path) const;
  /// A file beside the scene file, unless the path is absolute or the place is given.
  std::filesystem::path place_of(const std::string& file);

  const TomlValue& document_;
  const FilePlaces& places_;
  SceneDescription scene_;
};

}  // namespace stickslip
