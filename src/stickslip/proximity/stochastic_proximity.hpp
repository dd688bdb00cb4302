#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/proximity/mesh_proximity.hpp"

namespace stickslip {

struct StochasticOptions {
  int distances = 30;      ///< shortest ones that a pair of bodies is given, at most
  int samples = 20;        ///< random starts in each step, shared by the pairs of bodies
  std::uint64_t seed = 1;  ///< of the random starts
};

/// Proximity as the paper used it (section 7.3): random starts, from which the distance of two
/// surfaces is followed down to a local minimum; minima of earlier steps are followed on. A fixed
/// number of starts, of minima and of moves from triangle to triangle, shared by the pairs of
/// bodies that are near, gives a search of fixed cost. What is near a minimum is looked at as
/// MeshProximity does, with its names, signs and normals; what is near none of them is missed until
/// a start leads there.
///
/// Only bodies whose boxes are near each other are looked at. The boxes are refitted to deformed
/// surfaces, which follows the size of the mesh.
class StochasticProximity : public MeshProximity {
 public:
  explicit StochasticProximity(std::span<const ProximityBody> bodies,
                               std::span<const std::pair<int, int>> excluded = {},
                               const StochasticOptions& stochastic = {},
                               const MeshProximityOptions& options = {});

  void reserve(int contacts) override;

  void find(std::span<const PlacedSurface> bodies, double alarm_distance,
            std::vector<Proximity>& found) override;

  /// Its way over the surface is measured against all boxes.
  bool takes_displacements() const override { return false; }

  /// What the next step depends on: the random state, then the minima.
  void save(std::vector<std::uint64_t>& memory) const override;
  void restore(std::span<const std::uint64_t> memory) override;

 protected:
  void find_leaves(int i, int j, const Placement& to_2, double reach,
                   std::vector<LeafPair>& leaves) override;

 private:
  /// Two triangles that are nearest to each other among their neighbours.
  struct Minimum {
    int body_1, body_2;
    int triangle_1, triangle_2;
    double squared_distance;
  };

  int random_below(int count);
  /// Of the random starts, those of the pair that is searched: all get as many, in turn.
  int share_of_starts();
  void descend(const Placement& to_2, int moves, Minimum& minimum) const;
  void add_leaves(const Minimum& minimum, std::vector<LeafPair>& leaves);

  StochasticOptions stochastic_;
  std::uint64_t random_;
  std::vector<std::vector<int>> leaf_of_face_;  ///< of each body; -1 where it may not touch
  std::vector<std::vector<int>> touching_faces_;
  std::vector<Minimum> tracked_;  ///< by bodies
  std::vector<Minimum> next_;
  std::vector<int> leaves_1_, leaves_2_;
  int searched_pairs_ = 0;
  int first_pair_ = 0;
};

}  // namespace stickslip
