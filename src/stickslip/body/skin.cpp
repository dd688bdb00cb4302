#include "stickslip/body/skin.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "stickslip/body/surface_answers.hpp"

namespace stickslip {

namespace {

// three corners, each bound to the six nodes of a face at most
constexpr std::size_t most_nodes = 18;

/// What a matrix stretches at most.
double largest_stretch(const Mat3& D) {
  const Eigen::SelfAdjointEigenSolver<Mat3> squares(D * D.transpose(), Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, squares.eigenvalues()[2]));
}

}  // namespace

Skin::Skin(Surface surface, NodeShares binding, int contact_count, const SurfaceAnswers* answers)
    : surface_(std::move(surface)), binding_(std::move(binding)) {
  assert(binding_.count() == surface_.point_count());
  for (int v = 0; v < vertex_count(); ++v) {
    const auto shares = binding_.of(v);
    may_touch_.push_back(std::all_of(shares.begin(), shares.end(), [&](const auto& share) {
      return share.node < contact_count;
    }));
    for (const auto& share : shares) node_count_ = std::max(node_count_, share.node + 1);
  }
  find_nodes_a_point();
  if (answers != nullptr) find_softness(*answers);
}

void Skin::find_softness(const SurfaceAnswers& answers) {
  // no vertex goes farther than its nodes may together
  softness_.assign(uz(vertex_count()), 0.0F);
  for (int v = 0; v < vertex_count(); ++v) {
    if (!may_touch(v)) continue;
    const auto shares = binding_.of(v);
    double sum = 0.0;
    for (std::size_t a = 0; a < shares.size(); ++a) {
      const double stretch =
          binding_.has_turns() ? largest_stretch(binding_.turns(v)[a]) : std::abs(shares[a].weight);
      sum += stretch * static_cast<double>(answers.softness()[uz(shares[a].node)]);
    }
    most_softness_ = std::max(most_softness_, sum);
    // the next above, rather than the nearest
    softness_[uz(v)] = std::nextafter(static_cast<float>(sum), INFINITY);
  }
}

void Skin::find_nodes_a_point() {
  NodeShares shares(1, most_nodes);
  for (const auto& corners : surface_.triangles) {
    shares.clear();
    share({corners, {1.0 / 3, 1.0 / 3, 1.0 / 3}}, shares);
    nodes_a_point_ = std::max(nodes_a_point_, static_cast<int>(shares.of(0).size()));
  }
}

void Skin::share(const SurfacePoint& point, NodeShares& shares) const {
  std::array<NodeShares::Share, most_nodes> list;
  std::array<Mat3, most_nodes> turns;
  std::size_t count = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double weight = point.weight[c];
    if (weight == 0.0) continue;
    const auto of_corner = binding_.of(point.corner[c]);
    for (std::size_t a = 0; a < of_corner.size(); ++a) {
      const int node = of_corner[a].node;
      std::size_t k = 0;
      while (k < count && list[k].node != node) ++k;
      if (k == count) {
        assert(count < most_nodes);
        list[count] = {node, 0.0};
        turns[count++].setZero();
      }
      list[k].weight += weight * of_corner[a].weight;
      if (binding_.has_turns()) turns[k] += weight * binding_.turns(point.corner[c])[a];
    }
  }
  if (binding_.has_turns()) {
    shares.add(std::span(list).first(count), std::span(turns).first(count));
  } else {
    shares.add(std::span(list).first(count));
  }
}

NodalForces::NodalForces(const Skin& skin, int max_points)
    : shares_(1, skin.nodes_a_point()), slot_(uz(skin.node_count()), -1) {
  const std::size_t most = std::min(slot_.size(), uz(max_points) * uz(skin.nodes_a_point()));
  points_.reserve(most);
  forces_.reserve(most);
}

void NodalForces::gather(const Skin& skin, std::span<const SurfacePoint> points,
                         std::span<const Vec3> forces) {
  for (const SurfacePoint& point : points_) slot_[uz(point.corner[0])] = -1;
  points_.clear();
  forces_.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (forces[i].isZero(0.0)) continue;
    shares_.clear();
    skin.share(points[i], shares_);
    const auto shares = shares_.of(0);
    for (std::size_t a = 0; a < shares.size(); ++a) {
      const int node = shares[a].node;
      int& slot = slot_[uz(node)];
      if (slot < 0) {
        slot = static_cast<int>(points_.size());
        points_.push_back({{node, node, node}, {1.0, 0.0, 0.0}});
        forces_.emplace_back(Vec3::Zero());
      }
      // (Eqs. 10, 11) by the transpose of what displaces the point
      if (shares_.has_turns()) {
        forces_[uz(slot)] += shares_.turns(0)[a].transpose() * forces[i];
      } else {
        forces_[uz(slot)] += shares[a].weight * forces[i];
      }
    }
  }
}

}  // namespace stickslip
