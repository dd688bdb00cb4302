#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stickslip/motion/meeting_features.hpp"
#include "stickslip/proximity/mesh_proximity.hpp"

namespace stickslip {

/// Two features of two surfaces that meet within a motion.
struct Meeting {
  Proximity where;  ///< as they meet; the gap is that of the beginning, along the normal
  double time;      ///< as a share of the motion
  double depth;     ///< of the point on body 1 behind that on body 2 at the end [m]
  /// How far what is around the features is ahead of them along the normal, which then lies outside
  /// of their normal cones. Bodies that were apart meet at 0; more is met only by what has gone in
  /// elsewhere before, though it be by a rounding, as the points in the middle of a flat wall meet
  /// the front of what slides along it. [m]
  double behind;
};

/// Finds where surfaces go into each other on their way from one placement to another: a vertex
/// through a face from its front, or two convex edges through each other (continuous collision
/// detection). Frames turn steadily, points move evenly within them; turns are followed in pieces
/// over which all go straight.
///
/// Names of features are those of MeshProximity.
class MeetingSearch {
 public:
  explicit MeetingSearch(std::span<const ProximityBody> bodies);

  /// Makes room for the pairs of leaves and features that may be near.
  void reserve();

  /// How far ways may be from the straight pieces that are taken for them. [m]
  void set_accuracy(double distance) { accuracy_ = distance; }

  /// Gives a body its motion. Points stay where they are until the searches are done.
  void place(int body, const PlacedSurface& from, const PlacedSurface& to);

  /// Adds what meets of two bodies that were placed, i < j.
  void find(int i, int j, std::vector<Meeting>& hits);

  /// A time, as a share of the motion, up to which two bodies that were placed, i < j, and are more
  /// than 2 `least` apart at the beginning, are never nearer than `least` / 2: 1, or one at which
  /// they are nearer than 2 `least`. Then `where` is there, the normal from one to the other and
  /// the gap their distance. Turns too wild to follow end at 0, without a place (body_1 = body_2).
  double time_of_approach(int i, int j, double least, Proximity& where);

  const SurfaceTopology& topology(int body) const { return bodies_[uz(body)].topology; }

 private:
  struct Searched {
    SurfaceTopology topology;
    SurfaceTree tree;
    double radius;  ///< of the points around the origin
    PlacedSurface from, to;
    Vec3 rotation = Vec3::Zero();  ///< from one to the other
    std::vector<Vec3> begin, end;  ///< of a piece, in the world

    MovingPoint point(int i) const { return {begin[uz(i)], end[uz(i)]}; }
    std::array<MovingPoint, 3> triangle(int t) const;
    std::array<MovingPoint, 2> edge(int e) const;
    /// Of a triangle, of length 1, at a time of the piece.
    Vec3 normal(int t, double time) const;
  };
  struct Piece {
    double start;
    double length;
  };

  static void world_points(const Searched& body, double time, std::vector<Vec3>& points);
  /// How far what is around a vertex or an edge is ahead of it along n, at a time of the piece:
  /// infinite where that is steep, or the feature looks the other way.
  static double vertex_behind(const Searched& body, int vertex, double time, const Vec3& n);
  static double edge_behind(const Searched& body, int edge, double time, const Vec3& n);
  int piece_count(const Searched& one, const Searched& two) const;
  /// Features of two bodies.
  struct FeaturePair {
    FeatureKind kind;
    int feature_1, feature_2;
  };
  void collect_near_features(const Searched& one, const Searched& two, double reach);
  Proximity nearest(int i, int j, const FeaturePair& features, double time) const;
  double time_of_approach(int i, int j, const FeaturePair& features, double least,
                          Proximity& where) const;
  void search_leaves(const Piece& piece, int i, int j, std::vector<Meeting>& hits);
  void add(const Piece& piece, const FeatureMeeting& meeting, double behind, Proximity where,
           std::vector<Meeting>& hits) const;

  double accuracy_ = 1e-5;
  std::vector<Searched> bodies_;
  std::vector<LeafPair> leaf_pairs_;
  std::vector<FeaturePair> near_features_;
};

}  // namespace stickslip
