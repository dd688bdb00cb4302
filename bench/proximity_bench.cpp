// Cost of proximity: refitting the tree of a deformed surface, finding the contacts of two
// surfaces, and the pass over many bodies. Surfaces are cubes, blown up to balls where asked, with
// `cells` squares of two triangles along each side.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "stickslip/math/rotation.hpp"
#include "stickslip/proximity/mesh_proximity.hpp"

namespace {

using namespace stickslip;

Surface make_cube(int cells, double size, bool is_ball) {
  Surface cube;
  std::map<std::array<int, 3>, int> point_at;
  const auto point = [&](const std::array<int, 3>& place) {
    const auto [entry, is_new] = point_at.try_emplace(place, cube.point_count());
    if (is_new) {
      Vec3 p(2.0 * place[0] / cells - 1.0, 2.0 * place[1] / cells - 1.0,
             2.0 * place[2] / cells - 1.0);
      if (is_ball) p = (p * (std::numbers::pi / 4.0)).array().tan().matrix().normalized();
      cube.points.push_back(0.5 * size * p);
    }
    return entry->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int side : {0, cells}) {
      for (int i = 0; i < cells; ++i) {
        for (int j = 0; j < cells; ++j) {
          std::array<int, 4> corner{};
          for (int k = 0; k < 4; ++k) {
            std::array<int, 3> place{};
            place[axis] = side;
            place[(axis + 1) % 3] = i + (k == 1 || k == 2 ? 1 : 0);
            place[(axis + 2) % 3] = j + (k >= 2 ? 1 : 0);
            corner[uz(k)] = point(place);
          }
          if (side == 0) std::swap(corner[1], corner[3]);
          cube.triangles.push_back({corner[0], corner[1], corner[2]});
          cube.triangles.push_back({corner[0], corner[2], corner[3]});
        }
      }
    }
  }
  return cube;
}

void refit(benchmark::State& bench) {
  const Surface ball = make_cube(static_cast<int>(bench.range(0)), 0.03, true);
  const SurfaceTopology topology(ball);
  SurfaceTree tree(topology, ball.points);
  for (auto _ : bench) {
    tree.refit(ball.points);
    benchmark::DoNotOptimize(tree);
  }
  bench.counters["triangles"] = ball.triangle_count();
}

void query(benchmark::State& bench, const Surface& a, const Surface& b, const Vec3& position,
           double alarm_distance, bool deforms) {
  const std::vector<ProximityBody> bodies{{&a}, {&b}};
  MeshProximity method(bodies);
  const Mat3 R = rotation_exp(Vec3(0.0, 0.0, 0.3)).toRotationMatrix();
  std::vector<PlacedSurface> placed{{R, position, a.points, deforms},
                                    {Mat3::Identity(), Vec3::Zero(), b.points, deforms}};
  std::vector<Proximity> found;
  for (auto _ : bench) method.find(placed, alarm_distance, found);
  bench.counters["triangles"] = a.triangle_count();
  bench.counters["results"] = static_cast<double>(found.size());
}

// two balls of 30 mm, nearly touching; the alarm distance in um; the last argument is 1 where both
// deform, so that refitting is included
void balls(benchmark::State& bench) {
  const Surface ball = make_cube(static_cast<int>(bench.range(0)), 0.03, true);
  query(bench, ball, ball, Vec3(0.002, 0.001, 0.030), 1e-6 * static_cast<double>(bench.range(1)),
        bench.range(2) != 0);
}

// one cube on another, turned by 0.3 rad, the upper one smaller by the second argument
void stacked(benchmark::State& bench) {
  const Surface lower = make_cube(static_cast<int>(bench.range(0)), 0.03, false);
  const Surface upper = make_cube(static_cast<int>(bench.range(0)),
                                  0.03 / static_cast<double>(bench.range(1)), false);
  const double height = 0.015 + 0.015 / static_cast<double>(bench.range(1));
  query(bench, upper, lower, Vec3(0.0011, 0.0007, height), 0.0005, bench.range(2) != 0);
}

// a layer of balls of 30 mm; their spacing in um
void many_bodies(benchmark::State& bench) {
  const int count = static_cast<int>(bench.range(0));
  const double spacing = 1e-6 * static_cast<double>(bench.range(1));
  const Surface ball = make_cube(8, 0.03, true);
  const std::vector<ProximityBody> bodies(uz(count), ProximityBody{&ball});
  MeshProximity method(bodies);
  std::vector<PlacedSurface> placed;
  for (int i = 0; i < count; ++i) {
    placed.push_back(
        {Mat3::Identity(), Vec3(spacing * (i % 10), spacing * (i / 10), 0.0), ball.points, false});
  }
  std::vector<Proximity> found;
  for (auto _ : bench) method.find(placed, 0.001, found);
  bench.counters["results"] = static_cast<double>(found.size());
}

BENCHMARK(refit)->Arg(13)->Arg(41)->Unit(benchmark::kMicrosecond);
BENCHMARK(balls)
    ->Args({13, 1500, 0})
    ->Args({13, 1500, 1})
    ->Args({41, 500, 0})
    ->Args({41, 500, 1})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(stacked)->Args({13, 3, 0})->Args({13, 3, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(many_bodies)
    ->Args({10, 32000})
    ->Args({100, 32000})
    ->Args({100, 30500})
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
