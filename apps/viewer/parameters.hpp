#pragma once

#include <string>
#include <vector>

#include "apps/viewer/snapshot.hpp"
#include "stickslip/io/scene_description.hpp"

namespace stickslip::viewer {

/// A value of a scene that can be changed while it is watched.
struct Parameter {
  std::string path;  ///< as `--set` takes it
  std::string label;
  std::string unit;
  enum class Kind : std::uint8_t { linear, log, choice };
  Kind kind = Kind::linear;
  double value = 0.0;
  double min = 0.0;
  double max = 0.0;
  std::string word;  ///< of a choice
  std::vector<std::string> choices;
  bool restarts = false;  ///< a change takes a new scene
};

/// Those of a scene, with the values it has. The gains are those of the hands of `scene`.
std::vector<Parameter> parameters_of(const SceneDescription& description, const Scene& scene);

Json to_json(const std::vector<Parameter>& parameters);

}  // namespace stickslip::viewer
