#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/io/scene_description.hpp"
#include "stickslip/mesh/exact_shape.hpp"
#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/mesh/surface.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// The shape of a body, in the coordinates of its mesh: tetrahedra and their boundary, or a
/// surface alone.
struct BodyGeometry {
  TetMesh mesh;  ///< without elements where there is only a surface; its nodes are the points then
  Surface surface;
  std::optional<ExactShape> exact;  ///< what they stand for, of a body that keeps its shape
  std::optional<Surface> skin;      ///< what it touches with in place of its boundary

  const Surface& touching() const { return skin ? *skin : surface; }

  bool has_elements() const { return mesh.element_count() > 0; }

  /// Throws InputError that lists the regions there are.
  const Region& region(std::string_view name) const;

  /// Where a force spread over a region acts. [m]
  Vec3 centre_of(const Region& region) const;

  /// The node of a region that is nearest to its centre. [m]
  const Vec3& middle_node(const Region& region) const;
};

/// Reads or makes the mesh of a body, with the regions that the scene marks. Throws InputError,
/// led by file and line.
BodyGeometry make_geometry(const BodyDescription& body);

/// Mass of a rigid body by its own mass, or else by a density [kg/m^3]. Throws InputError where
/// the shape has no volume.
MassProperties rigid_mass(const BodyGeometry& geometry, const BodyDescription& body,
                          double density);

/// The place on a surface nearest to a point.
SurfacePoint nearest_on_surface(const std::vector<Vec3>& points,
                                const std::vector<std::array<int, 3>>& triangles,
                                const Vec3& wanted);

}  // namespace stickslip
