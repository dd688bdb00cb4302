#pragma once

#include <cstdint>
#include <vector>

#include "stickslip/fem/elastic_law.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// A slope as it is, or with what falls taken out at each integration point: that is positive
/// semi-definite, for steps that shall go downhill from where the energy is not convex.
enum class SlopeSign : std::uint8_t { any, not_negative };

/// Inner forces of a mesh under displacements of any size, their energy and their slope, by the
/// integration points of linear stiffness: one in four-node tetrahedra, four in ten-node ones.
/// Nothing but the constructor allocates.
class NonlinearElements {
 public:
  /// Throws InputError for material out of range, and where an element is flat or inverted at
  /// rest, with its place.
  NonlinearElements(const TetMesh& mesh, const Material& material, ElasticLaw law);

  const ElasticResponse& response() const { return response_; }
  int unknown_count() const { return 3 * node_count_; }

  /// A matrix with the pattern of the slope, that of the mesh's stiffness; its values are zero.
  SparseMatrix make_slope() const { return pattern_; }

  /// Elastic energy of all elements. [J]
  double energy(const VecX& u) const;

  /// forces = d energy/du. Returns the energy. [J, N]
  double forces(const VecX& u, VecX& forces) const;

  /// The same with slope = d forces/du, a matrix that make_slope made. [J, N, N/m]
  double linearise(const VecX& u, VecX& forces, SparseMatrix& slope,
                   SlopeSign sign = SlopeSign::any) const;

  /// The least volume ratio det F at any integration point.
  double least_volume_ratio(const VecX& u) const;

 private:
  struct Point {
    int element;
    double volume;  ///< its share [m^3]
  };

  template <int Nodes>
  Mat3 deformation_gradient(std::size_t point, const VecX& u) const;
  template <int Nodes>
  void add_forces(std::size_t point, const Mat3& stress, VecX& forces) const;
  template <int Nodes>
  void add_slope(std::size_t point, const Mat9& material_slope, SparseMatrix& slope) const;
  template <int Nodes, class Visit>
  void visit(const VecX& u, Visit&& visit_point) const;
  template <int Nodes>
  void place_points(const TetMesh& mesh);
  void place_blocks(const TetMesh& mesh);

  ElasticResponse response_;
  int node_count_;
  int nodes_per_element_;
  std::vector<int> connectivity_;
  std::vector<Point> points_;
  std::vector<double> gradients_;  ///< of the shape functions at each point, node after node [1/m]
  SparseMatrix pattern_;
  std::vector<int> blocks_;  ///< of each element's pairs of nodes: where the block's rows begin
};

}  // namespace stickslip
