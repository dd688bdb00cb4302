#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/body/displacement.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// Which features of the two surfaces are near each other.
enum class FeatureKind : std::uint8_t {
  vertex_face,  ///< a vertex of body 1 and a face of body 2
  face_vertex,  ///< a face of body 1 and a vertex of body 2
  edge_edge,
  supplied,  ///< found by the user's own method, which numbers features as it likes
  exact_1,   ///< of an exact shape, a feature of body 1 that may slide over body 2
  exact_2,   ///< the same of body 2
};

/// Whether a contact is one of an exact shape (ShapeContacts).
constexpr bool is_exact(FeatureKind kind) {
  return kind == FeatureKind::exact_1 || kind == FeatureKind::exact_2;
}

/// Two points that are, or may soon be, in contact (paper, section 3.2).
struct Proximity {
  int body_1 = 0;
  int body_2 = 0;  ///< not body_1
  SurfacePoint P;  ///< on body 1
  SurfacePoint Q;  ///< on body 2
  /// Unit vector toward the inside of body 1, world axes; zero where the method gives none, and
  /// then the direction of QP is taken.
  Vec3 normal = Vec3::Zero();
  /// (Eq. 5) delta_n = QP . n + bend; negative where they overlap [m]
  double gap = 0.0;
  /// Names the contact from step to step, together with the bodies: what touched last time and
  /// has the same kind and features is the same contact.
  FeatureKind kind = FeatureKind::supplied;
  int feature_1 = 0;
  int feature_2 = 0;
  /// What is added to the gap by surfaces that are curved between P and Q and their meshes [m]
  double bend = 0.0;
  /// What turning within a step adds, beyond a motion that is linear in the forces [m]
  double turning = 0.0;

  /// The gap where P is so far from Q, apart from turning. [m]
  double gap_of(const Vec3& QP) const { return normal.dot(QP) + bend; }
};

/// The surface of a body at one moment: world position = position + R * point.
struct PlacedSurface {
  Mat3 R = Mat3::Identity();
  Vec3 position = Vec3::Zero();
  std::span<const Vec3> points;  ///< deformed, in the axes of the body's frame
  bool has_new_shape = true;     ///< points may differ from those of the last call
  /// In place of points, for a method that displaces a surface at rest by itself; else null.
  const Displacement* displacement = nullptr;
};

/// Finds where bodies are near. A user's own method derives from it.
class ProximityMethod {
 public:
  virtual ~ProximityMethod() = default;

  /// Makes room for so many contacts, so that finding as many allocates nothing.
  virtual void reserve(int /*contacts*/) {}

  /// Replaces `found` by all places where two of the bodies are nearer than alarm_distance [m],
  /// overlapping ones included. The bodies are always the same, in the same order. Allocates
  /// nothing once `found` and the scratch have grown.
  virtual void find(std::span<const PlacedSurface> bodies, double alarm_distance,
                    std::vector<Proximity>& found) = 0;

  /// Measures a contact of the last step anew, after find on the same bodies did not report it:
  /// one that carries force shall not be lost because its features are for a moment at the limit
  /// of what is looked for. False where they have left each other.
  virtual bool follow(std::span<const PlacedSurface> /*bodies*/, double /*alarm_distance*/,
                      Proximity& /*known*/) {
    return false;
  }

  /// Whether it finds the same again on the same places, whatever it has looked at before: it is
  /// then not asked twice.
  virtual bool depends_on_places_alone() const { return false; }

  /// Whether it takes displacements in place of points: it can then leave alone what is far.
  virtual bool takes_displacements() const { return false; }

  /// What it must remember from step to step to go on the same way, appended to `memory`; most
  /// remember nothing. The step keeps it in the state and gives it back before each find.
  virtual void save(std::vector<std::uint64_t>& /*memory*/) const {}
  /// Empty at the start.
  virtual void restore(std::span<const std::uint64_t> /*memory*/) {}
};

}  // namespace stickslip
