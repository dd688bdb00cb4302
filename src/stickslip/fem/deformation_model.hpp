#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/fem/elasticity.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/mesh/surface.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// Rayleigh damping D = alpha M + beta K.
struct Damping {
  double alpha = 0.0;  ///< [1/s]
  double beta = 0.0;   ///< [s]
};

/// How the nodes of a body answer to forces on them, whatever the model behind it:
/// (Eq. 1) M u'' + D u' + K u = f, with K linearised.
///
/// Nodes are relative to the centre of mass and ordered so that those of the surface come
/// first, and among these the ones that may touch something. Unknown 3 i + d is direction d of
/// node i.
struct DeformationModel {
  std::vector<Vec3> nodes;      ///< at rest, relative to `mass.centre` [m]
  std::vector<int> mesh_nodes;  ///< the number of each node where the model came from
  Surface surface;              ///< its point i is node i
  int contact_count = 0;        ///< nodes that may touch something: the first ones
  SparseMatrix M;               ///< [kg]
  SparseMatrix D;               ///< [N s/m]
  SparseMatrix K;               ///< [N/m]
  MassProperties mass;          ///< its centre in the coordinates the model was given in
  std::vector<Region> regions;  ///< of the renumbered nodes

  int node_count() const { return static_cast<int>(nodes.size()); }
  int surface_count() const { return surface.point_count(); }

  /// A region, and its nodes. Throws InputError that lists the names there are.
  const Region& region(std::string_view name) const;
  const std::vector<int>& region_nodes(std::string_view name) const { return region(name).nodes; }
};

struct ModelOptions {
  MassKind mass_kind = MassKind::consistent;
  Damping damping = {};
  double total_mass = 0.0;                        ///< [kg]; overrides the density when positive
  std::vector<std::string> contact_regions = {};  ///< where contact may happen; empty: everywhere
};

/// The finite-element model of a homogeneous elastic body.
DeformationModel make_elastic_model(const TetMesh& mesh, const Material& material,
                                    const ModelOptions& options = {});

/// A model by its own matrices: M, D, K are 3n x 3n over the given nodes, `triangles` span its
/// surface. D may be empty.
DeformationModel make_matrix_model(const std::vector<Vec3>& nodes,
                                   const std::vector<std::array<int, 3>>& triangles,
                                   const SparseMatrix& M, const SparseMatrix& D,
                                   const SparseMatrix& K, const std::vector<Region>& regions = {});

/// The same from a folder: `surface.obj` lists every node as a vertex and the surface as faces
/// (vertices without a face are inside); `M.mtx`, `K.mtx` and, if there is damping, `D.mtx` are
/// in MatrixMarket coordinate form.
DeformationModel read_matrix_model(const std::filesystem::path& folder);

struct Spring {
  int a, b;          ///< nodes
  double stiffness;  ///< along the line between them [N/m]
  double damping;    ///< [N s/m]
};

/// Point masses joined by springs, linearised about the given rest positions.
DeformationModel make_mass_spring_model(const std::vector<Vec3>& nodes,
                                        const std::vector<std::array<int, 3>>& triangles,
                                        const std::vector<double>& masses,
                                        const std::vector<Spring>& springs);

/// Throws InputError, saying where, when a part of the body that K joins could still move as a
/// whole: held at too few nodes, or, where nothing is held, not in one piece.
void refuse_loose_parts(const DeformationModel& model, std::span<const int> held_nodes);

/// Nodal forces of a total force spread evenly over a surface region, or shared equally by the
/// nodes of any other region. (3n) [N]
VecX region_load(const std::vector<Vec3>& nodes, const Region& region, const Vec3& force);

}  // namespace stickslip
