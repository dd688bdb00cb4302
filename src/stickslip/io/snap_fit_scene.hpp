#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "stickslip/io/scene_description.hpp"

namespace stickslip {

/// Two meshes that are to snap together, in the coordinates of their assembly: the part is seated
/// where its mesh is.
struct SnapFitParts {
  std::filesystem::path part;
  std::filesystem::path counterpart;
  /// What of a mesh is held: a region, or where its name is empty all nodes within a box.
  struct Held {
    std::string region;
    Vec3 low = Vec3::Zero();  ///< in the coordinates of the mesh [m]
    Vec3 high = Vec3::Zero();
  };
  Held handle = {"handle"};              ///< of the part, by which it is led
  std::optional<Held> counterpart_held;  ///< none: the counterpart is rigid
  Vec3 axis = -Vec3::UnitY();            ///< along which the part goes in
  double travel = 0.03;                  ///< from its start to where it is seated [m]
  double overtravel = 0.0;               ///< beyond that [m]
  double young = 700e6;  ///< of the part, and of a counterpart that is not rigid [Pa]
  double poisson = 0.35;
  double density = 950.0;  ///< [kg/m^3]
  double friction = 0.2;
  double dt = 3e-3;           ///< [s]
  double stiffness = 2000.0;  ///< of the hand [N/m]
};

/// A scene in which a hand leads the part from its start into the counterpart.
SceneDescription describe_snap_fit(const SnapFitParts& parts);

}  // namespace stickslip
