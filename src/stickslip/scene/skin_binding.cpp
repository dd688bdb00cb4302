#include "stickslip/scene/skin_binding.hpp"

#include <fmt/core.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/face_functions.hpp"
#include "stickslip/proximity/surface_tree.hpp"

namespace stickslip {

namespace {

constexpr double anywhere = std::numeric_limits<double>::infinity();

// vertices so near a face, by its edges, are put on it: what single precision in a file leaves
constexpr double rounding_share = 1e-6;

// shares of a face that are as good as none
constexpr double least_share = 1e-12;

/// A surface at rest, to find what is nearest.
class SearchedSurface {
 public:
  explicit SearchedSurface(const Surface& surface)
      : points_(surface.points),
        shape_(SurfaceTopology(surface), points_),
        tree_(shape_.topology(), points_) {
    shape_.reshape(points_);
  }

  NearestPlace nearest(const Vec3& p) const { return tree_.nearest(shape_, p, anywhere); }
  double longest_edge(int triangle) const {
    double longest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 edge = shape_.corner(triangle, (k + 1) % 3) - shape_.corner(triangle, k);
      longest = std::max(longest, edge.norm());
    }
    return longest;
  }

 private:
  std::vector<Vec3> points_;
  SurfaceShape shape_;
  SurfaceTree tree_;
};

/// A place in a face: its barycentric shares.
using Share = std::array<double, 3>;

// where the nodes of a face are, and which of them span each of its four triangles
constexpr std::array<Share, 6> node_shares = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}}};
constexpr std::array<std::array<std::size_t, 3>, 4> quarters = {
    {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}}};

/// A face of an element in space.
class Face {
 public:
  Face(const std::array<int, 6>& list, const std::vector<Vec3>& nodes)
      : list_(list), nodes_(nodes), count_(list[3] < 0 ? 3 : 6) {}

  FaceFunctions functions(const Share& share) const { return {count_, share}; }
  int node(std::size_t i) const { return list_[i]; }

  Vec3 place(const FaceFunctions& at) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < uz(count_); ++i) sum += at.N[i] * nodes_[uz(list_[i])];
    return sum;
  }
  Eigen::Matrix<double, 3, 2> tangents(const FaceFunctions& at) const {
    Eigen::Matrix<double, 3, 2> sum = Eigen::Matrix<double, 3, 2>::Zero();
    for (std::size_t i = 0; i < uz(count_); ++i) {
      sum += nodes_[uz(list_[i])] * at.slope[i].transpose();
    }
    return sum;
  }

  /// The foot of p, from a place near it by Newton's method without curvature; once at the end of a
  /// share it goes along the side there. Where it comes to lie a little beside the nearest place,
  /// the offset is a little longer, and nothing is lost.
  Share foot(const Vec3& p, Share share) const {
    constexpr int most_steps = 20;
    for (int k = 0; k < most_steps && count_ == 6; ++k) {
      // the shares that may change, and how they do together
      std::array<std::size_t, 3> moving{};
      int count = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        if (share[i] > 0.0) moving[uz(count++)] = i;
      }
      if (count < 2) break;
      Mat3 change = Mat3::Zero();
      for (int c = 1; c < count; ++c) {
        change(static_cast<int>(moving[0]), c - 1) = -1.0;
        change(static_cast<int>(moving[uz(c)]), c - 1) = 1.0;
      }
      const FaceFunctions at = functions(share);
      const MatX t = tangents(at) * change.block(1, 0, 2, count - 1);
      const VecX along = (t.transpose() * t).inverse() * (t.transpose() * (p - place(at)));
      const Vec3 step = change.leftCols(count - 1) * along;
      if (!(step.cwiseAbs().maxCoeff() > least_share)) break;
      double part = 1.0;
      for (int i = 0; i < 3; ++i) {
        if (share[uz(i)] + step[i] < 0.0) part = std::min(part, -share[uz(i)] / step[i]);
      }
      for (int i = 0; i < 3; ++i) {
        double& s = share[uz(i)];
        s += part * step[i];
        if (s < least_share) s = 0.0;
      }
      const double sum = share[0] + share[1] + share[2];
      for (double& s : share) s /= sum;
    }
    return share;
  }

 private:
  const std::array<int, 6>& list_;
  const std::vector<Vec3>& nodes_;
  int count_;
};

/// Faces as one or four triangles each, over all nodes.
Surface facets(const std::vector<Vec3>& nodes, const std::vector<std::array<int, 6>>& faces) {
  Surface surface;
  surface.points = nodes;
  for (const auto& face : faces) {
    if (face[3] < 0) {
      surface.triangles.push_back({face[0], face[1], face[2]});
      continue;
    }
    for (const auto& [a, b, c] : quarters) {
      surface.triangles.push_back({face[a], face[b], face[c]});
    }
  }
  return surface;
}

/// Shares of the nodes of a face in what carries a place d off it: N + [d]x^T Omega, where Omega
/// turns with the nodes.
void bind_offset(const Face& face, const FaceFunctions& at, const Vec3& d, NodeShares& binding) {
  const Eigen::Matrix<double, 3, 2> t = face.tangents(at);
  const Vec3 n = t.col(0).cross(t.col(1)).normalized();
  const Eigen::Matrix<double, 3, 2> dual = t * (t.transpose() * t).inverse();
  std::array<NodeShares::Share, 6> shares;
  std::array<Mat3, 6> turns;
  for (std::size_t i = 0; i < uz(at.node_count); ++i) {
    // the normal turns by -grad(u) n, the plane by half its curl
    const Vec3 gradient = dual * at.slope[i];
    const Vec3 across = n.cross(gradient);
    const Mat3 turn = -across * n.transpose() + 0.5 * n * across.transpose();
    shares[i] = {face.node(i), at.N[i]};
    turns[i] = at.N[i] * Mat3::Identity() - skew(d) * turn;
  }
  binding.add(std::span(shares).first(uz(at.node_count)),
              std::span(turns).first(uz(at.node_count)));
}

void bind_place(const Face& face, const FaceFunctions& at, NodeShares& binding) {
  std::array<NodeShares::Share, 6> shares;
  std::size_t count = 0;
  for (std::size_t i = 0; i < uz(at.node_count); ++i) {
    if (at.N[i] != 0.0) shares[count++] = {face.node(i), at.N[i]};
  }
  binding.add(std::span(shares).first(count));
}

void refuse_distant(const SearchedSurface& from, const std::vector<Vec3>& points,
                    const SearchedSurface& edges, std::string_view what, std::string_view where) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    const NearestPlace place = from.nearest(p);
    const double away = std::sqrt(place.on.squared_distance);
    const double allowed = edges.longest_edge(edges.nearest(p).triangle);
    if (away <= allowed) continue;
    throw InputError(fmt::format(
        "{} at ({:.4g}, {:.4g}, {:.4g}) m is {:.3g} m from {}, and the edges of the mesh there are "
        "{:.3g} m long: a skin covers its mesh and no more; move or scale it",
        what, p.x(), p.y(), p.z(), away, where, allowed));
  }
}

}  // namespace

void refuse_distant_skin(const Surface& skin, const Surface& surface) {
  const SearchedSurface of_skin(skin);
  const SearchedSurface of_mesh(surface);
  refuse_distant(of_mesh, skin.points, of_mesh, "a vertex", "the mesh");
  refuse_distant(of_skin, surface.points, of_mesh, "the mesh", "the skin");
}

NodeShares bind_skin(Surface& skin, const std::vector<Vec3>& nodes,
                     const std::vector<std::array<int, 6>>& faces) {
  const Surface searched = facets(nodes, faces);
  const SearchedSurface search(searched);
  NodeShares binding(skin.point_count(), 6);
  for (Vec3& p : skin.points) {
    const NearestPlace near = search.nearest(p);
    const bool has_six = faces.front()[3] >= 0;
    const auto triangle = uz(near.triangle);
    const Face face(faces[has_six ? triangle / 4 : triangle], nodes);
    Share share = near.on.weight;
    if (has_six) {
      share = {};
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = 0; i < 3; ++i) {
          share[i] += near.on.weight[c] * node_shares[quarters[triangle % 4][c]][i];
        }
      }
      share = face.foot(p, share);
    }
    const FaceFunctions at = face.functions(share);
    const Vec3 foot = face.place(at);
    if ((p - foot).norm() <= rounding_share * search.longest_edge(near.triangle)) {
      p = foot;
      bind_place(face, at, binding);
    } else {
      bind_offset(face, at, p - foot, binding);
    }
  }
  return binding;
}

}  // namespace stickslip
