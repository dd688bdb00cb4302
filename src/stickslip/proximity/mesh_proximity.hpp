#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stickslip/proximity/broad_phase.hpp"
#include "stickslip/proximity/edge_contacts.hpp"
#include "stickslip/proximity/moved_points.hpp"
#include "stickslip/proximity/proximity.hpp"
#include "stickslip/proximity/shape_contacts.hpp"
#include "stickslip/proximity/surface_tree.hpp"
#include "stickslip/proximity/touching_pairs.hpp"
#include "stickslip/proximity/vertex_contacts.hpp"

namespace stickslip {

struct MeshProximityOptions {
  /// Overlap deeper than that is not taken for contact; 0: the alarm distance. [m]
  double max_depth = 0.0;
  /// A vertex counts although its surroundings come nearer to the other body, if they slope by
  /// less than that: 0 leaves only the local minima of the distance, more gives a curved or
  /// tilted surface the neighbours that will touch next.
  double slope_deg = 20.0;
  /// Edges bent less than that are flat and left to their vertices.
  double flat_deg = 0.02;
  /// Contacts nearer to each other than this share of the mean length of an edge, with normals
  /// less than 10 degrees apart, are one.
  double merge_share = 1e-3;
  /// Vertices touch the curved surfaces for which the faces of bodies that keep their shape stand,
  /// instead of the faces: less false stick-slip. Only these have a bulge that is the same at all
  /// times, and only vertices stay on it: where it changes with the shape, or edges come into sight
  /// underneath, contact forces would do work that gaps do not account for. Places bent by more
  /// than crease_deg stay sharp.
  bool interpolate_normals = false;
  double crease_deg = 40.0;
};

/// A surface to look at; its shape and place come with each call of find.
struct ProximityBody {
  const Surface* surface;            ///< at rest; needed only at construction
  TrianglePredicate may_touch = {};  ///< all triangles, if there is none
  bool is_immobile = false;          ///< two such bodies are never tested
  /// What the triangles stand for, of a body that keeps its shape; needed only at construction,
  /// null where they are all there is.
  const ExactShape* exact = nullptr;
  /// At rest, of a body whose displacement follows from loads: what its surface answers to them;
  /// needed only at construction.
  Displacement displacement = {};
};

/// Proximity of triangulated surfaces (narrow phase), closed or open: places where the distance
/// between two of them has a local minimum, by pairs of features.
///
/// - A vertex and a face where it projects into the face; the normal is that of the face.
/// - A vertex and a convex edge or corner nearest to it; the normal is the direction of QP. It
///   is reported with the face that owns the edge or corner, and weights on its border.
/// - Two convex edges whose common perpendicular meets both; that is the normal.
///
/// Exact shapes touch by themselves (ShapeContacts); their triangles only tell what is near.
///
/// What faces away is left out. Overlap down to max_depth has a negative gap: a vertex inside
/// the other body has come through the nearest face that it faces.
///
/// Features are numbered by surface point, triangle and (in the order in which the triangles
/// bring them) edge. Results are ordered by bodies, kind and features.
class MeshProximity : public ProximityMethod {
 public:
  explicit MeshProximity(std::span<const ProximityBody> bodies,
                         std::span<const std::pair<int, int>> excluded = {},
                         const MeshProximityOptions& options = {});

  void reserve(int contacts) override;

  void find(std::span<const PlacedSurface> bodies, double alarm_distance,
            std::vector<Proximity>& found) override;

  bool follow(std::span<const PlacedSurface> bodies, double alarm_distance,
              Proximity& known) override;
  bool depends_on_places_alone() const override { return true; }
  bool takes_displacements() const override { return true; }

  /// Adds what find would report of two bodies in these places, i < j.
  void find_pair(int i, int j, const PlacedSurface& placed_i, const PlacedSurface& placed_j,
                 double alarm_distance, std::vector<Proximity>& found);

  /// The gap of a contact of an exact shape where its bodies are in these places;
  /// `linear` where only that is known. [m]
  double exact_gap(const Proximity& where, const PlacedSurface& placed_1,
                   const PlacedSurface& placed_2, double linear);

  const SurfaceTopology& topology(int body) const { return bodies_[uz(body)].shape.topology(); }

 protected:
  /// Adds the leaves of two bodies whose features are looked at, each pair once: those that are
  /// nearer than reach. to_2 leads from the axes of body i to those of body j.
  virtual void find_leaves(int i, int j, const Placement& to_2, double reach,
                           std::vector<LeafPair>& leaves);

  /// Pairs of bodies that are searched, one after the other.
  int pair_count() const { return static_cast<int>(pairs_.size()); }
  /// There is room for so many.
  int most_pairs() const { return static_cast<int>(pairs_.capacity()); }

  const SurfaceShape& shape(int body) const { return bodies_[uz(body)].shape; }
  const SurfaceTree& tree(int body) const { return bodies_[uz(body)].tree; }

 private:
  struct Searched {
    SurfaceShape shape;
    SurfaceTree tree;
    LeafShapes leaves;
    double edge_length;  ///< mean, at rest
    std::optional<ExactShape> exact;
    double bulge;  ///< of the exact shape over the triangles [m]
    bool has_shape = false;
    /// What the shape is displaced by, where it follows from loads; boxes of the tree may be loose.
    SurfaceLoads loads = {};
    bool has_loads = false;
    const SurfaceAnswers* answers = nullptr;  ///< whose softness the tree has
    /// Points in the middle of a flat part of a surface that keeps its shape: what is near them is
    /// near by features of its own.
    std::vector<char> is_flat = {};
  };

  struct Pair;

  /// Takes on the place of a body.
  static void take_shape(const PlacedSurface& placed, Searched& body);
  static void take_displacement(const Displacement& displacement, Searched& body);
  static void take_loads(const Displacement& displacement, Searched& body);
  /// Fits what is loose in leaves that may be near, and leaves the pairs that are.
  void fit_near_leaves(int i, int j, const Placement& to_2, double reach);
  ShapeBody shape_body(int i, const PlacedSurface& placed) const;
  ContactLimits limits(int i, int j, double alarm_distance) const;
  /// Contacts of a pair of which one is an exact shape.
  void search_shapes(int i, int j, const PlacedSurface& placed_1, const PlacedSurface& placed_2,
                     double alarm_distance, std::vector<Proximity>& found);
  void search_pair(int i, int j, const PlacedSurface& placed_1, const PlacedSurface& placed_2,
                   double alarm_distance, std::vector<Proximity>& found);
  /// Fills vertices_1_, vertices_2_ and edges_ with what is near in two bodies.
  void find_candidates(const Pair& pair);
  /// What is near in a leaf of each.
  void find_vertices(const Pair& pair, const LeafPair& leaves);
  void find_edges(const Pair& pair, const LeafPair& leaves);
  /// Convex edges of a leaf of one body, of some of them, that are near a leaf of the other: bits.
  static unsigned near_edges(const Pair& pair, unsigned among, const Searched& body, int leaf,
                             MovedPoints& moved, const FloatPlacement& move,
                             const SurfaceTree& other, int other_leaf);
  /// Those that are contacts, in world axes; guesses after all else.
  void add_vertices(const Pair& pair, std::vector<Proximity>& found) const;
  void add_edges(const Pair& pair, std::vector<Proximity>& found) const;
  void add_guesses(const Pair& pair, std::vector<Proximity>& found) const;
  /// Normals and gaps of vertices over the curved surface in place of the faces.
  void smooth(const SurfaceShape& shape, std::vector<VertexContact>& contacts) const;
  void merge(std::size_t first, double distance, std::vector<Proximity>& found);

  MeshProximityOptions options_;
  TouchingPairs touching_pairs_;
  std::vector<Searched> bodies_;

  ShapeContacts shape_contacts_;
  BroadPhase broad_phase_;
  std::vector<Box> boxes_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<LeafPair> leaf_pairs_;
  MovedPoints moved_1_, moved_2_;  ///< each in the axes of the other body
  VertexSearch search_1_, search_2_;
  std::vector<VertexContact> vertices_1_, vertices_2_;
  std::vector<EdgeContact> edges_;
  std::vector<Vec3> places_;  ///< of what was found for a pair, in the axes of its second body
  std::vector<int> order_;
  std::vector<char> is_dropped_;
};

}  // namespace stickslip
