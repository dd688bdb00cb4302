#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stickslip/math/rotation.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::testing_support {

/// A sheet: a plate of one layer of cells, whose middle surface nothing may cross.
struct ThinSheet {
  TetMesh mesh;
  /// Nodes above and below each point of the middle surface, and its triangles.
  std::vector<std::array<int, 2>> pairs;
  std::vector<std::array<int, 3>> triangles;
  double size;
  double thickness;
  int cells;
};

inline ThinSheet make_thin_sheet(double size, double thickness, int cells) {
  ThinSheet sheet{make_box({size, size, thickness}, {cells, cells, 1}, ElementType::tet4),
                  {},
                  {},
                  size,
                  thickness,
                  cells};
  double low = sheet.mesh.nodes.front().z();
  for (const Vec3& p : sheet.mesh.nodes) low = std::min(low, p.z());
  const auto& nodes = sheet.mesh.nodes;
  std::vector<int> bottom;
  for (int i = 0; i < sheet.mesh.node_count(); ++i) {
    if (nodes[uz(i)].z() < low + 0.5 * thickness) bottom.push_back(i);
  }
  std::sort(bottom.begin(), bottom.end(), [&](int a, int b) {
    const Vec3& p = nodes[uz(a)];
    const Vec3& q = nodes[uz(b)];
    return std::abs(p.y() - q.y()) > 1e-9 ? p.y() < q.y() : p.x() < q.x();
  });
  for (const int b : bottom) {
    for (int t = 0; t < sheet.mesh.node_count(); ++t) {
      if (t != b && (nodes[uz(t)] - nodes[uz(b)]).head<2>().norm() < 1e-9) {
        sheet.pairs.push_back({b, t});
      }
    }
  }
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      const int a = j * (cells + 1) + i;
      const int c = a + cells + 1;
      sheet.triangles.push_back({a, a + 1, c + 1});
      sheet.triangles.push_back({a, c + 1, c});
    }
  }
  return sheet;
}

enum class SheetKind { held_rigid, free_rigid, held_soft, free_soft, dynamic_soft };
constexpr std::array<SheetKind, 5> sheet_kinds = {SheetKind::held_rigid, SheetKind::free_rigid,
                                                  SheetKind::held_soft, SheetKind::free_soft,
                                                  SheetKind::dynamic_soft};

inline Body sheet_body(const ThinSheet& sheet, SheetKind kind, double dt) {
  const Material plastic{2e9, 0.35, 1200.0};
  if (kind == SheetKind::held_rigid) return make_fixed_body(extract_surface(sheet.mesh));
  if (kind == SheetKind::free_rigid) {
    return make_rigid_body(extract_surface(sheet.mesh), mass_properties(sheet.mesh, 1200.0));
  }
  const DeformationModel model = make_elastic_model(sheet.mesh, plastic);
  DeformationOptions options;
  options.is_dynamic = kind == SheetKind::dynamic_soft;
  options.dt = dt;
  if (kind == SheetKind::free_soft) return make_corotational_body(model, {}, options);
  double low = model.nodes.front().x();
  double high = low;
  for (const Vec3& p : model.nodes) {
    low = std::min(low, p.x());
    high = std::max(high, p.x());
  }
  std::vector<int> held;
  for (int i = 0; i < model.node_count(); ++i) {
    const double x = model.nodes[uz(i)].x();
    if (x < low + 1e-6 || x > high - 1e-6) held.push_back(i);
  }
  return make_deformable_body(model, held, options);
}

enum class ProbeKind { ball, pin, needle, blade, bar, shell };
constexpr std::array<ProbeKind, 6> probe_kinds = {ProbeKind::ball,   ProbeKind::pin,
                                                  ProbeKind::needle, ProbeKind::blade,
                                                  ProbeKind::bar,    ProbeKind::shell};
constexpr std::array<const char*, 6> probe_names = {"ball",  "pin", "needle",
                                                    "blade", "bar", "shell"};

inline TetMesh probe_mesh(ProbeKind kind) {
  const auto box = [](const Vec3& size, const std::array<int, 3>& cells) {
    TetMesh mesh = make_box(size, cells, ElementType::tet4);
    Vec3 low = mesh.nodes.front();
    for (const Vec3& p : mesh.nodes) low = low.cwiseMin(p);
    for (Vec3& p : mesh.nodes) p -= low + 0.5 * size;
    return mesh;
  };
  switch (kind) {
    case ProbeKind::ball: {
      TetMesh mesh = box({2.0, 2.0, 2.0}, {2, 2, 2});
      for (Vec3& p : mesh.nodes) p *= 1.5e-3 * p.cwiseAbs().maxCoeff() / std::max(1e-9, p.norm());
      return mesh;
    }
    case ProbeKind::pin:
      return box({0.3e-3, 0.3e-3, 8e-3}, {1, 1, 1});
    case ProbeKind::needle: {
      TetMesh mesh = box({0.5e-3, 0.5e-3, 10e-3}, {1, 1, 2});
      for (Vec3& p : mesh.nodes) p.head<2>() *= 0.52 + p.z() / 10e-3;
      return mesh;
    }
    case ProbeKind::blade: {
      TetMesh mesh = box({6e-3, 1e-3, 3e-3}, {1, 1, 1});
      for (Vec3& p : mesh.nodes) p.y() *= 0.6 + p.z() / 3e-3;
      return mesh;
    }
    case ProbeKind::bar:
      return box({1e-3, 1e-3, 20e-3}, {1, 1, 2});
    case ProbeKind::shell:
      break;
  }
  return box({6e-3, 6e-3, 0.2e-3}, {2, 2, 1});
}

/// Whether a segment goes through a triangle: where its line meets the plane, in shares of the
/// edges. Another way than the engine's, which it judges.
inline bool cuts(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  Mat3 edges;
  edges << p - q, b - a, c - a;
  if (edges.determinant() == 0.0) return false;
  const Vec3 shares = edges.inverse() * (p - a);
  return shares.minCoeff() >= 0.0 && shares[0] <= 1.0 && shares[1] + shares[2] <= 1.0;
}

/// Triangles with their edges.
struct Patch {
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> edges;
};

inline Patch make_patch(const std::vector<std::array<int, 3>>& triangles) {
  Patch patch{triangles, {}};
  for (const auto& [a, b, c] : triangles) {
    for (const auto& [i, j] : {std::minmax(a, b), std::minmax(b, c), std::minmax(c, a)}) {
      patch.edges.push_back({i, j});
    }
  }
  std::sort(patch.edges.begin(), patch.edges.end());
  patch.edges.erase(std::unique(patch.edges.begin(), patch.edges.end()), patch.edges.end());
  return patch;
}

inline bool edges_cut(const Patch& one, const std::vector<Vec3>& points_1, const Patch& two,
                      const std::vector<Vec3>& points_2) {
  for (const auto& edge : one.edges) {
    const Vec3& p = points_1[uz(edge[0])];
    const Vec3& q = points_1[uz(edge[1])];
    for (const auto& t : two.triangles) {
      if (cuts(p, q, points_2[uz(t[0])], points_2[uz(t[1])], points_2[uz(t[2])])) return true;
    }
  }
  return false;
}

/// Watches whether a probe ever cuts the middle surface of a sheet, between the steps, too.
class CrossingWatch {
 public:
  CrossingWatch(const ThinSheet& sheet, const Scene& scene, int sheet_body, int probe_body)
      : sheet_(sheet), scene_(scene), sheet_body_(sheet_body), probe_body_(probe_body) {
    const Surface& surface = scene.bodies[uz(sheet_body)].body.surface();
    // points of the surface in the order of the mesh
    for (const auto& pair : sheet.pairs) {
      std::array<int, 2> points{};
      for (std::size_t k = 0; k < 2; ++k) {
        const auto& nodes = surface.mesh_nodes;
        points[k] =
            static_cast<int>(std::find(nodes.begin(), nodes.end(), pair[k]) - nodes.begin());
      }
      pairs_.push_back(points);
    }
    middle_ = make_patch(sheet.triangles);
    outside_ = make_patch(surface.triangles);
    probe_ = make_patch(scene.bodies[uz(probe_body)].body.surface().triangles);
  }

  /// Whether they overlap, be it by a little.
  bool overlap(const State& state) {
    take(state, sheet_from_, probe_from_);
    return edges_cut(outside_, all_, probe_, probe_from_) ||
           edges_cut(probe_, probe_from_, outside_, all_);
  }

  /// The state before a step, and after it.
  bool crosses(const State& from, const State& to) {
    take(from, sheet_from_, probe_from_);
    take(to, sheet_to_, probe_to_);
    constexpr int pieces = 12;
    for (int k = 1; k <= pieces; ++k) {
      const double share = static_cast<double>(k) / pieces;
      mix(sheet_from_, sheet_to_, share, sheet_now_);
      mix(probe_from_, probe_to_, share, probe_now_);
      if (!boxes_meet()) continue;
      if (edges_cut(middle_, sheet_now_, probe_, probe_now_) ||
          edges_cut(probe_, probe_now_, middle_, sheet_now_)) {
        return true;
      }
    }
    return false;
  }

 private:
  using Points = std::vector<Vec3>;

  void take(const State& state, Points& sheet, Points& probe) {
    const Body& body = scene_.bodies[uz(sheet_body_)].body;
    all_.resize(body.surface().points.size());
    body.surface_positions(state.bodies[uz(sheet_body_)], all_);
    sheet.resize(pairs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      sheet[i] = 0.5 * (all_[uz(pairs_[i][0])] + all_[uz(pairs_[i][1])]);
    }
    draw_in(sheet);
    const Body& other = scene_.bodies[uz(probe_body_)].body;
    probe.resize(other.surface().points.size());
    other.surface_positions(state.bodies[uz(probe_body_)], probe);
  }
  /// The rim of the middle surface as far from the rim of the sheet as from its faces.
  void draw_in(Points& sheet) const {
    const double share = 0.5 * sheet_.thickness * sheet_.cells / sheet_.size;
    const std::size_t n = uz(sheet_.cells);
    for (std::size_t k = 0; k <= n; ++k) {
      const std::size_t row = k * (n + 1);
      sheet[row] += share * (sheet[row + 1] - sheet[row]);
      sheet[row + n] += share * (sheet[row + n - 1] - sheet[row + n]);
    }
    for (std::size_t k = 0; k <= n; ++k) {
      const std::size_t last = n * (n + 1) + k;
      sheet[k] += share * (sheet[k + n + 1] - sheet[k]);
      sheet[last] += share * (sheet[last - n - 1] - sheet[last]);
    }
  }
  static void mix(const Points& from, const Points& to, double share, Points& now) {
    now.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) now[i] = from[i] + share * (to[i] - from[i]);
  }
  bool boxes_meet() const {
    Eigen::AlignedBox3d one;
    Eigen::AlignedBox3d two;
    for (const Vec3& p : sheet_now_) one.extend(p);
    for (const Vec3& p : probe_now_) two.extend(p);
    return one.intersects(two);
  }

  const ThinSheet& sheet_;
  const Scene& scene_;
  int sheet_body_, probe_body_;
  std::vector<std::array<int, 2>> pairs_;
  Patch middle_, outside_, probe_;
  Points all_, sheet_from_, sheet_to_, probe_from_, probe_to_, sheet_now_, probe_now_;
};

/// A probe thrown at a sheet.
struct Throw {
  Scene scene;
  double speed;
  int steps;
};

/// Sheets to throw at, made once: body 0 of each scene.
struct SheetShelf {
  struct Item {
    ThinSheet sheet;
    SheetKind kind;
    Body body;
  };
  explicit SheetShelf(double dt) {
    for (const double thickness : {0.2e-3, 0.5e-3}) {
      for (const SheetKind kind : sheet_kinds) {
        ThinSheet sheet = make_thin_sheet(20e-3, thickness, 3);
        Body body = sheet_body(sheet, kind, dt);
        items.push_back({std::move(sheet), kind, std::move(body)});
      }
    }
    for (const ProbeKind kind : probe_kinds) {
      const TetMesh mesh = probe_mesh(kind);
      probes.push_back(make_rigid_body(extract_surface(mesh), mass_properties(mesh, 4000.0)));
    }
  }
  std::vector<Item> items;
  std::vector<Body> probes;
};

inline double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Vec3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vec3(normal(random), normal(random), normal(random)).normalized();
}

/// A random throw: the middle of the probe flies toward a random place of the sheet, its rim and
/// corners more often than by chance.
inline Throw random_throw(const SheetShelf& shelf, const SheetShelf::Item& item, ProbeKind kind,
                          double dt, std::mt19937& random) {
  Throw result;
  Scene& scene = result.scene;
  scene.simulation.dt = dt;
  scene.simulation.alarm_distance = uniform(random, 0.5e-3, 1e-3);
  scene.simulation.gravity = Vec3::Zero();
  scene.friction = MatX::Constant(2, 2, uniform(random, 0.0, 0.8));
  scene.bodies.push_back({.name = "sheet", .body = item.body});
  scene.bodies.push_back({.name = "probe", .body = shelf.probes[uz(static_cast<int>(kind))]});
  SceneBody& sheet = scene.bodies[0];
  SceneBody& probe = scene.bodies[1];
  sheet.orientation = rotation_exp(uniform(random, 0.0, 3.0) * random_direction(random));

  // where: a third of the throws each at the rim and at a corner
  const double half = 0.5 * item.sheet.size;
  Vec3 aim(uniform(random, -half, half), uniform(random, -half, half), 0.0);
  const int place = std::uniform_int_distribution<int>(0, 2)(random);
  if (place > 0) aim.x() = half + uniform(random, -1e-3, 1e-3);
  if (place > 1) aim.y() = half + uniform(random, -1e-3, 1e-3);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : item.sheet.mesh.nodes) {
    middle += p / static_cast<double>(item.sheet.mesh.nodes.size());
  }
  const Vec3 target = sheet.orientation * (middle + aim);

  result.speed = uniform(random, 0.2, 1.0);
  const Vec3 way = random_direction(random);
  const bool spins =
      kind == ProbeKind::bar || std::uniform_int_distribution<int>(0, 2)(random) == 0;
  const double distance = 14e-3 + uniform(random, 0.0, result.speed * dt);
  probe.position = target - distance * way;
  probe.orientation = rotation_exp(uniform(random, 0.0, 3.0) * random_direction(random));
  probe.velocity = result.speed * way;
  if (spins) probe.angular_velocity = uniform(random, 0.0, 60.0) * random_direction(random);
  result.steps = static_cast<int>(std::ceil(1.5 * distance / (result.speed * dt))) + 2;
  return result;
}

}  // namespace stickslip::testing_support
