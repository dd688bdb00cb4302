#include "stickslip/mesh/curved_surface.hpp"

#include <cassert>
#include <map>

#include "stickslip/mesh/face_functions.hpp"

namespace stickslip {

namespace {

// a curve is halved so often at most; chords are then shorter by 4^12
constexpr int most_halvings = 12;

/// A corner of a triangle: a point of the surface, and where it lies in the face.
struct Corner {
  int point;
  std::array<double, 3> share;
};
struct Piece {
  std::size_t face;
  std::array<Corner, 3> corners;
};

class Subdivision {
 public:
  Subdivision(const TetMesh& mesh, double chord)
      : mesh_(mesh), chord_(chord), faces_(boundary_faces(mesh)) {
    std::map<int, int> point_of_node;
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      Piece& piece = pieces_.emplace_back(Piece{f, {}});
      for (std::size_t c = 0; c < 3; ++c) {
        const auto [known, is_new] =
            point_of_node.try_emplace(faces_[f][c], surface_.point_count());
        if (is_new) surface_.points.push_back(mesh.nodes[uz(faces_[f][c])]);
        Corner& corner = piece.corners[c];
        corner = {known->second, {}};
        corner.share[c] = 1.0;
      }
    }
  }

  Surface run() {
    for (int k = 0; k < most_halvings && halve(); ++k) {
    }
    for (const Piece& piece : pieces_) {
      surface_.triangles.push_back(
          {piece.corners[0].point, piece.corners[1].point, piece.corners[2].point});
    }
    return std::move(surface_);
  }

 private:
  Vec3 place(std::size_t face, const std::array<double, 3>& share) const {
    const FaceFunctions functions(6, share);
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < 6; ++i) {
      sum += functions.N[i] * mesh_.nodes[uz(faces_[face][i])];
    }
    return sum;
  }

  /// The point between two corners of a piece, -1 where the curve may stay straight. Both faces
  /// beside an edge of the boundary have the same curve there, and get the same answer.
  Corner between(const Piece& piece, std::size_t side) {
    const Corner& a = piece.corners[side];
    const Corner& b = piece.corners[(side + 1) % 3];
    Corner middle{-1, {}};
    for (std::size_t i = 0; i < 3; ++i) middle.share[i] = 0.5 * (a.share[i] + b.share[i]);
    const auto [known, is_new] = middles_.try_emplace(std::minmax(a.point, b.point), -1);
    if (is_new) {
      const Vec3 on_curve = place(piece.face, middle.share);
      const Vec3 on_chord = 0.5 * (surface_.points[uz(a.point)] + surface_.points[uz(b.point)]);
      if ((on_curve - on_chord).norm() > chord_) {
        known->second = surface_.point_count();
        surface_.points.push_back(on_curve);
      }
    }
    middle.point = known->second;
    return middle;
  }

  /// Cuts every triangle at those of its edges that are too straight. Whether there were any.
  bool halve() {
    middles_.clear();
    std::vector<Piece> next;
    for (const Piece& piece : pieces_) {
      std::array<Corner, 3> middle;
      for (std::size_t side = 0; side < 3; ++side) middle[side] = between(piece, side);
      add_parts(piece, middle, next);
    }
    const bool has_halved = next.size() > pieces_.size();
    pieces_ = std::move(next);
    return has_halved;
  }

  static void add_parts(const Piece& piece, const std::array<Corner, 3>& middle,
                        std::vector<Piece>& parts) {
    const auto is_cut = [&](std::size_t side) { return middle[side].point >= 0; };
    const int cuts = (is_cut(0) ? 1 : 0) + (is_cut(1) ? 1 : 0) + (is_cut(2) ? 1 : 0);
    const auto add = [&](const Corner& a, const Corner& b, const Corner& c) {
      parts.push_back({piece.face, {a, b, c}});
    };
    // the first side that is cut, after one that is not where there is any
    std::size_t s = 0;
    while (s < 2 && !(is_cut(s) && (cuts == 3 || !is_cut((s + 2) % 3)))) ++s;
    const Corner& a = piece.corners[s];
    const Corner& b = piece.corners[(s + 1) % 3];
    const Corner& c = piece.corners[(s + 2) % 3];
    const Corner& ab = middle[s];
    const Corner& bc = middle[(s + 1) % 3];
    const Corner& ca = middle[(s + 2) % 3];
    if (cuts == 0) {
      parts.push_back(piece);
    } else if (cuts == 1) {
      add(a, ab, c);
      add(ab, b, c);
    } else if (cuts == 2) {
      add(ab, b, bc);
      add(a, ab, c);
      add(ab, bc, c);
    } else {
      add(a, ab, ca);
      add(ab, b, bc);
      add(ca, bc, c);
      add(ab, bc, ca);
    }
  }

  const TetMesh& mesh_;
  double chord_;
  std::vector<std::array<int, 6>> faces_;
  Surface surface_;
  std::vector<Piece> pieces_;
  std::map<std::pair<int, int>, int> middles_;  ///< of this round, -1 where there is none
};

}  // namespace

Surface curved_surface(const TetMesh& mesh, double chord) {
  assert(mesh.type == ElementType::tet10 && chord > 0.0);
  return Subdivision(mesh, chord).run();
}

}  // namespace stickslip
