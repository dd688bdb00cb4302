#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "stickslip/problem/contact_problem.hpp"

namespace stickslip::experiments {

/// The deformable table of the paper's Fig. 6 on a floor: its top is held and moved, the nodes
/// under its four feet touch.
///
/// (5.2) does not say how the table is loaded. Here the top is pressed down by about a
/// millimetre, a little tilted, and moved in the plane of the floor: a translation in any direction
/// with some turning.
class TableOnFloor {
 public:
  /// A mesh with the surface regions `feet` and `top`. Throws InputError.
  explicit TableOnFloor(const std::filesystem::path& mesh);

  /// Nodes under the four feet.
  int contact_count() const { return static_cast<int>(points_.size()); }

  /// The first so many contacts, 1 to contact_count: the feet take turns, and those of a foot are
  /// spread over it. delta_free is zero. The normal axis of every contact points up; its tangents
  /// are turned by chance, as a proximity search would give them, so that pyramids favour no
  /// direction.
  ContactProblem make_problem(int contacts, double mu) const;

  /// W of all contacts foot by foot, along the axes z, x, y of the table. [m/N]
  MatX delassus_by_feet() const;

  /// A random pressing of the table with a motion along the floor whose length is `motion` times
  /// what the legs bend at most before all feet slide. The same seed gives the same one.
  void load(ContactProblem& problem, double motion, std::uint32_t seed) const;

 private:
  std::vector<Vec3> points_;  ///< the first four are one of each foot, and so on
  std::vector<Mat3> axes_;    ///< rows: normal, tangent 1, tangent 2
  MatX W_;                    ///< of all of them, in those axes [m/N]
};

}  // namespace stickslip::experiments
