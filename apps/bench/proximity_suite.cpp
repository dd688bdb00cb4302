#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "apps/bench/setting.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/proximity/mesh_proximity.hpp"

namespace stickslip::bench {

namespace {

/// The corners of a square on a side of a cube of that many cells.
std::array<std::array<int, 3>, 4> square_corners(std::size_t axis, int at, int i, int j) {
  std::array<std::array<int, 3>, 4> corners{};
  for (int k = 0; k < 4; ++k) {
    std::array<int, 3>& place = corners[uz(k)];
    place[axis] = at;
    place[(axis + 1) % 3] = i + (k == 1 || k == 2 ? 1 : 0);
    place[(axis + 2) % 3] = j + (k >= 2 ? 1 : 0);
  }
  if (at == 0) std::swap(corners[1], corners[3]);
  return corners;
}

/// A cube, blown up to a ball where asked, with `cells` squares of two triangles along each side.
Surface make_cube(int cells, double size, bool is_ball) {
  Surface cube;
  std::map<std::array<int, 3>, int> point_at;
  const auto point = [&](const std::array<int, 3>& place) {
    const auto [entry, is_new] = point_at.try_emplace(place, cube.point_count());
    if (is_new) {
      Vec3 p = 2.0 / cells * Vec3(place[0], place[1], place[2]) - Vec3::Ones();
      if (is_ball) p = (p * (std::numbers::pi / 4.0)).array().tan().matrix().normalized();
      cube.points.push_back(0.5 * size * p);
    }
    return entry->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int square = 0; square < 2 * cells * cells; ++square) {
      const int at = square < cells * cells ? 0 : cells;
      const auto corners = square_corners(axis, at, square / cells % cells, square % cells);
      std::array<int, 4> c{};
      for (std::size_t k = 0; k < 4; ++k) c[k] = point(corners[k]);
      cube.triangles.push_back({c[0], c[1], c[2]});
      cube.triangles.push_back({c[0], c[2], c[3]});
    }
  }
  return cube;
}

Figure measure_refit(int cells, Setting& setting) {
  const Surface ball = make_cube(cells, 0.03, true);
  const SurfaceTopology topology(ball);
  SurfaceTree tree(topology, ball.points);
  Figure figure = figure_of(repeat(setting, [&] { tree.refit(ball.points); }));
  figure.limit = setting.limits.read_us(static_cast<double>(24 * ball.points.size()));
  figure.columns = {{"triangles", ball.triangle_count()}};
  return figure;
}

/// Two surfaces near each other, one of them turned by 0.3 rad; where they deform, refitting their
/// trees is included, and the limit is reading their points.
Figure measure_pair(const Surface& a, const Surface& b, const Vec3& position, double alarm_distance,
                    bool deforms, Setting& setting) {
  const std::vector<ProximityBody> bodies{{&a}, {&b}};
  MeshProximity method(bodies);
  const Mat3 R = rotation_exp(Vec3(0.0, 0.0, 0.3)).toRotationMatrix();
  const std::vector<PlacedSurface> placed{{R, position, a.points, deforms},
                                          {Mat3::Identity(), Vec3::Zero(), b.points, deforms}};
  std::vector<Proximity> found;
  Figure figure = figure_of(repeat(setting, [&] { method.find(placed, alarm_distance, found); }));
  if (deforms) {
    const auto points = static_cast<double>(a.points.size() + b.points.size());
    figure.limit = setting.limits.read_us(24.0 * points);
  }
  figure.columns = {{"triangles", a.triangle_count()},
                    {"results", static_cast<double>(found.size())}};
  return figure;
}

Figure measure_balls(int cells, double alarm_distance, bool deforms, Setting& setting) {
  const Surface ball = make_cube(cells, 0.03, true);
  return measure_pair(ball, ball, Vec3(0.002, 0.001, 0.030), alarm_distance, deforms, setting);
}

Figure measure_cubes(bool deforms, Setting& setting) {
  const Surface lower = make_cube(13, 0.03, false);
  const Surface upper = make_cube(13, 0.01, false);
  return measure_pair(upper, lower, Vec3(0.0011, 0.0007, 0.020), 0.0005, deforms, setting);
}

/// A layer of balls of 30 mm, ten in a row.
Figure measure_layer(int count, double spacing, Setting& setting) {
  const Surface ball = make_cube(8, 0.03, true);
  const std::vector<ProximityBody> bodies(uz(count), ProximityBody{&ball});
  MeshProximity method(bodies);
  std::vector<PlacedSurface> placed;
  for (int i = 0; i < count; ++i) {
    const int row = i / 10;
    placed.push_back(
        {Mat3::Identity(), Vec3(spacing * (i % 10), spacing * row, 0.0), ball.points, false});
  }
  std::vector<Proximity> found;
  Figure figure = figure_of(repeat(setting, [&] { method.find(placed, 0.001, found); }));
  figure.columns = {{"triangles", ball.triangle_count()},
                    {"results", static_cast<double>(found.size())}};
  return figure;
}

}  // namespace

PlannedSuite plan_proximity_suite() {
  using S = Setting;
  return {
      "proximity",
      "refitting the tree of a deformed surface, contacts of two surfaces (deforming: with "
      "refitting both), and the pass over many bodies; the limit of what deforms is reading its "
      "points once",
      {{"refit, 2028 triangles", Cost::quick, [](S& s) { return measure_refit(13, s); }},
       {"refit, 20,172 triangles", Cost::quick, [](S& s) { return measure_refit(41, s); }},
       {"two rigid balls, 2028 triangles", Cost::quick,
        [](S& s) { return measure_balls(13, 1.5e-3, false, s); }},
       {"two deforming balls, 2028 triangles", Cost::quick,
        [](S& s) { return measure_balls(13, 1.5e-3, true, s); }},
       {"two rigid balls, 20,172 triangles", Cost::quick,
        [](S& s) { return measure_balls(41, 0.5e-3, false, s); }},
       {"two deforming balls, 20,172 triangles", Cost::quick,
        [](S& s) { return measure_balls(41, 0.5e-3, true, s); }},
       {"two deforming balls, 101,568 triangles", Cost::usual,
        [](S& s) { return measure_balls(92, 0.2e-3, true, s); }},
       {"rigid cube on cube, 2028 triangles", Cost::quick,
        [](S& s) { return measure_cubes(false, s); }},
       {"deforming cube on cube, 2028 triangles", Cost::quick,
        [](S& s) { return measure_cubes(true, s); }},
       {"10 balls, apart", Cost::quick, [](S& s) { return measure_layer(10, 0.032, s); }},
       {"100 balls, apart", Cost::quick, [](S& s) { return measure_layer(100, 0.032, s); }},
       {"100 balls, near each other", Cost::quick,
        [](S& s) { return measure_layer(100, 0.0305, s); }}}};
}

}  // namespace stickslip::bench
