#include "stickslip/proximity/stochastic_proximity.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "stickslip/proximity/box_distance.hpp"

namespace stickslip {

namespace {

// moves from triangle to triangle: of a random start, and of a minimum that is followed
constexpr int start_moves = 60;
constexpr int followed_moves = 12;

// minima that are followed, for each distance that a pair is given, over all pairs; and how many
// of them a pair has at least
constexpr int minima_per_distance = 4;
constexpr int least_minima = 4;

/// Goes from triangle to triangle as long as p gets nearer, at most so many times.
TrianglePoint walk_to(const SurfaceShape& shape, const Vec3& p, int& triangle, int& moves) {
  const SurfaceTopology& topology = shape.topology();
  TrianglePoint best = shape.closest(triangle, p);
  const auto try_triangle = [&](int t) {
    if (t < 0 || !topology.may_touch(t)) return false;
    const TrianglePoint other = shape.closest(t, p);
    if (other.squared_distance >= best.squared_distance) return false;
    best = other;
    triangle = t;
    return true;
  };
  for (bool has_moved = true; has_moved && moves > 0; --moves) {
    // on over the side or corner on which the place lies
    has_moved = false;
    const int from = triangle;
    const std::array<double, 3> weight = best.weight;
    for (std::size_t k = 0; k < 3; ++k) {
      if (weight[k] == 1.0) {
        for (const int t : topology.triangles_around(topology.triangles()[uz(from)][k])) {
          if (t != from) has_moved |= try_triangle(t);
        }
      } else if (weight[k] == 0.0 && weight[(k + 1) % 3] != 0.0 && weight[(k + 2) % 3] != 0.0) {
        const auto& beside = topology.edges()[uz(topology.triangle_edges(from)[k])].triangle;
        has_moved |= try_triangle(beside[beside[0] == from ? 1 : 0]);
      }
    }
  }
  return best;
}

Vec3 middle(const SurfaceShape& shape, int triangle) {
  return (shape.corner(triangle, 0) + shape.corner(triangle, 1) + shape.corner(triangle, 2)) / 3.0;
}

double size(const SurfaceShape& shape, int triangle) {
  return (shape.corner(triangle, 0) - middle(shape, triangle)).squaredNorm();
}

}  // namespace

StochasticProximity::StochasticProximity(std::span<const ProximityBody> bodies,
                                         std::span<const std::pair<int, int>> excluded,
                                         const StochasticOptions& stochastic,
                                         const MeshProximityOptions& options)
    : MeshProximity(bodies, excluded, options), stochastic_(stochastic), random_(stochastic.seed) {
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    std::vector<int> leaf_of(topology(b).triangles().size(), -1);
    std::vector<int> faces;
    for (int leaf = 0; leaf < tree(b).leaf_count(); ++leaf) {
      for (const int t : tree(b).faces(leaf)) {
        leaf_of[uz(t)] = leaf;
        faces.push_back(t);
      }
    }
    leaf_of_face_.push_back(std::move(leaf_of));
    touching_faces_.push_back(std::move(faces));
  }
}

void StochasticProximity::reserve(int contacts) {
  MeshProximity::reserve(contacts);
  // the starts of all pairs of bodies, and the minima of each
  const std::size_t pairs = uz(most_pairs());
  const std::size_t minima = uz(stochastic_.samples) + pairs * uz(stochastic_.distances);
  for (auto* list : {&tracked_, &next_}) list->reserve(2 * minima);
  std::size_t most_faces = 0;
  for (const auto& faces : touching_faces_) most_faces = std::max(most_faces, faces.size());
  for (auto* list : {&leaves_1_, &leaves_2_}) list->reserve(most_faces);
}

void StochasticProximity::find(std::span<const PlacedSurface> bodies, double alarm_distance,
                               std::vector<Proximity>& found) {
  next_.clear();
  searched_pairs_ = 0;
  MeshProximity::find(bodies, alarm_distance, found);
  std::swap(tracked_, next_);

  // the nearest of each pair of bodies
  std::size_t kept = 0;
  for (std::size_t first = 0; first < found.size();) {
    std::size_t end = first;
    while (end < found.size() && found[end].body_1 == found[first].body_1 &&
           found[end].body_2 == found[first].body_2) {
      ++end;
    }
    const std::size_t count = std::min(end - first, uz(stochastic_.distances));
    const auto at = [&](std::size_t k) { return found.begin() + static_cast<std::ptrdiff_t>(k); };
    if (count < end - first) {
      std::nth_element(at(first), at(first + count - 1), at(end),
                       [](const Proximity& a, const Proximity& b) {
                         return std::tuple(a.gap, a.kind, a.feature_1, a.feature_2) <
                                std::tuple(b.gap, b.kind, b.feature_1, b.feature_2);
                       });
      std::sort(at(first), at(first + count), [](const Proximity& a, const Proximity& b) {
        return std::tuple(a.kind, a.feature_1, a.feature_2) <
               std::tuple(b.kind, b.feature_1, b.feature_2);
      });
    }
    if (kept != first) std::copy(at(first), at(first + count), at(kept));
    kept += count;
    first = end;
  }
  found.resize(kept);
}

int StochasticProximity::random_below(int count) {
  // splitmix64
  random_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = random_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  z ^= z >> 31U;
  return static_cast<int>(z % static_cast<std::uint64_t>(count));
}

int StochasticProximity::share_of_starts() {
  const int pairs = pair_count();
  if (searched_pairs_ == 0) first_pair_ = random_below(pairs);
  const int turn = (searched_pairs_++ + first_pair_) % pairs;
  return stochastic_.samples / pairs + (turn < stochastic_.samples % pairs ? 1 : 0);
}

void StochasticProximity::descend(const Placement& to_2, int moves, Minimum& minimum) const {
  const SurfaceShape& shape_1 = shape(minimum.body_1);
  const SurfaceShape& shape_2 = shape(minimum.body_2);
  const Placement to_1 = to_2.inverse();

  // from the middle of the smaller triangle, each looks in turn for what is nearest to the other
  Vec3 on_1 = middle(shape_1, minimum.triangle_1);
  if (size(shape_1, minimum.triangle_1) > size(shape_2, minimum.triangle_2)) {
    const Vec3 from = to_1(middle(shape_2, minimum.triangle_2));
    on_1 = walk_to(shape_1, from, minimum.triangle_1, moves).point;
  }
  double before = std::numeric_limits<double>::max();
  constexpr double settled = 1e-3;
  while (moves > 0) {
    const TrianglePoint on_2 = walk_to(shape_2, to_2(on_1), minimum.triangle_2, moves);
    const TrianglePoint back = walk_to(shape_1, to_1(on_2.point), minimum.triangle_1, moves);
    on_1 = back.point;
    minimum.squared_distance = back.squared_distance;
    if (back.squared_distance >= (1.0 - settled) * before) break;
    before = back.squared_distance;
  }
}

void StochasticProximity::add_leaves(const Minimum& minimum, std::vector<LeafPair>& leaves) {
  const auto collect = [&](int body, int triangle, std::vector<int>& around) {
    around.clear();
    for (const int corner : topology(body).triangles()[uz(triangle)]) {
      for (const int t : topology(body).triangles_around(corner)) {
        const int leaf = leaf_of_face_[uz(body)][uz(t)];
        if (leaf >= 0 && std::find(around.begin(), around.end(), leaf) == around.end()) {
          around.push_back(leaf);
        }
      }
    }
  };
  collect(minimum.body_1, minimum.triangle_1, leaves_1_);
  collect(minimum.body_2, minimum.triangle_2, leaves_2_);
  for (const int a : leaves_1_) {
    for (const int b : leaves_2_) leaves.push_back({a, b});
  }
}

void StochasticProximity::find_leaves(int i, int j, const Placement& to_2, double reach,
                                      std::vector<LeafPair>& leaves) {
  const std::size_t first = next_.size();
  const auto try_from = [&](Minimum minimum, int moves) {
    descend(to_2, moves, minimum);
    if (minimum.squared_distance > reach * reach) return;
    const bool is_known = std::any_of(
        next_.begin() + static_cast<std::ptrdiff_t>(first), next_.end(), [&](const Minimum& other) {
          return other.triangle_1 == minimum.triangle_1 && other.triangle_2 == minimum.triangle_2;
        });
    if (!is_known) next_.push_back(minimum);
  };
  const auto begin = std::lower_bound(
      tracked_.begin(), tracked_.end(), std::pair(i, j),
      [](const Minimum& a, const auto& pair) { return std::pair(a.body_1, a.body_2) < pair; });
  for (auto known = begin; known != tracked_.end() && known->body_1 == i && known->body_2 == j;
       ++known) {
    try_from(*known, followed_moves);
  }
  const auto& faces_1 = touching_faces_[uz(i)];
  const auto& faces_2 = touching_faces_[uz(j)];
  if (faces_1.empty() || faces_2.empty()) return;
  const int starts = share_of_starts();
  for (int k = 0; k < starts; ++k) {
    const int t_1 = faces_1[uz(random_below(static_cast<int>(faces_1.size())))];
    const int t_2 = faces_2[uz(random_below(static_cast<int>(faces_2.size())))];
    try_from({i, j, t_1, t_2, 0.0}, start_moves);
  }

  // the nearest are followed on
  const int share =
      std::max(least_minima, minima_per_distance * stochastic_.distances / pair_count());
  const std::size_t count =
      std::min(next_.size() - first, uz(std::min(share, stochastic_.distances)));
  const auto start = next_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(start, next_.end(), [](const Minimum& a, const Minimum& b) {
    return std::tuple(a.squared_distance, a.triangle_1, a.triangle_2) <
           std::tuple(b.squared_distance, b.triangle_1, b.triangle_2);
  });
  next_.resize(first + count);

  for (std::size_t k = first; k < next_.size(); ++k) add_leaves(next_[k], leaves);
  std::sort(leaves.begin(), leaves.end(), [](const LeafPair& a, const LeafPair& b) {
    return std::pair(a.a, a.b) < std::pair(b.a, b.b);
  });
  leaves.erase(
      std::unique(leaves.begin(), leaves.end(),
                  [](const LeafPair& a, const LeafPair& b) { return a.a == b.a && a.b == b.b; }),
      leaves.end());
  const BoxDistance boxes(tree(i), tree(j), to_2);
  std::erase_if(leaves, [&](const LeafPair& pair) { return boxes.of_leaves(pair) > reach; });
}

void StochasticProximity::save(std::vector<std::uint64_t>& memory) const {
  memory.push_back(random_);
  for (const Minimum& minimum : tracked_) {
    for (const int number :
         {minimum.body_1, minimum.body_2, minimum.triangle_1, minimum.triangle_2}) {
      memory.push_back(static_cast<std::uint64_t>(number));
    }
  }
}

void StochasticProximity::restore(std::span<const std::uint64_t> memory) {
  tracked_.clear();
  random_ = memory.empty() ? stochastic_.seed : memory[0];
  for (std::size_t k = 1; k + 4 <= memory.size(); k += 4) {
    const auto number = [&](std::size_t m) { return static_cast<int>(memory[k + m]); };
    tracked_.push_back({number(0), number(1), number(2), number(3), 0.0});
  }
}

}  // namespace stickslip
