// Cost of a body's part of a step: free motion, compliance between the contact points,
// correction. Meshes are boxes of ten-node elements; the count of contacts is the argument.

#include <benchmark/benchmark.h>

#include "stickslip/body/body.hpp"

namespace {

using namespace stickslip;

const Material plastic{700e6, 0.35, 950.0};
constexpr double dt = 1e-3;

struct Set {
  Body body;
  BodyState state;
  BodyStep step;
  std::vector<SurfacePoint> points;
  std::vector<Vec3> forces;
  MatX W;
};

Set make_set(int cells, int contacts, const DeformationOptions& options) {
  const TetMesh mesh = make_box({0.05, 0.05, 0.05}, {cells, cells, cells}, ElementType::tet10);
  const DeformationModel model = make_elastic_model(mesh, plastic);
  Body body = make_corotational_body(model, {}, options);
  Set set{body, body.initial_state(), body.make_step(contacts), {}, {}, {}};
  for (int i = 0; i < contacts; ++i) {
    const auto& triangles = body.surface().triangles;
    set.points.push_back({triangles[uz(37 * i) % triangles.size()], {0.2, 0.3, 0.5}});
    set.forces.emplace_back(0.1, 0.2, 1.0);
  }
  set.W = MatX::Zero(3 * contacts, 3 * contacts);
  set.body.compute_free_motion(set.state, {}, dt, set.step);
  return set;
}

void free_motion(benchmark::State& bench, const DeformationOptions& options) {
  Set set = make_set(static_cast<int>(bench.range(0)), 1, options);
  for (auto _ : bench) set.body.compute_free_motion(set.state, {}, dt, set.step);
  bench.counters["nodes"] = set.body.surface().point_count();
}

void compliance(benchmark::State& bench, const DeformationOptions& options) {
  Set set = make_set(static_cast<int>(bench.range(0)), static_cast<int>(bench.range(1)), options);
  for (auto _ : bench) {
    set.W.setZero();
    set.body.add_compliance(set.state, set.points, set.step, set.W);
    benchmark::DoNotOptimize(set.W.data());
  }
}

void correction(benchmark::State& bench, const DeformationOptions& options) {
  Set set = make_set(static_cast<int>(bench.range(0)), static_cast<int>(bench.range(1)), options);
  for (auto _ : bench) set.body.correct(set.points, set.forces, set.step, set.state);
}

const DeformationOptions quasi_static;
const DeformationOptions on_demand = [] {
  DeformationOptions options;
  options.compliance.precompute = false;
  return options;
}();
const DeformationOptions dynamic = [] {
  DeformationOptions options;
  options.is_dynamic = true;
  options.dt = dt;
  return options;
}();

BENCHMARK_CAPTURE(free_motion, quasi_static, quasi_static)->Arg(4)->Arg(8);
BENCHMARK_CAPTURE(free_motion, dynamic, dynamic)->Arg(4)->Arg(8);
BENCHMARK_CAPTURE(compliance, precomputed, quasi_static)
    ->Args({4, 10})
    ->Args({4, 30})
    ->Args({4, 100})
    ->Args({8, 30});
BENCHMARK_CAPTURE(compliance, on_demand, on_demand)->Args({4, 30})->Args({8, 30});
BENCHMARK_CAPTURE(correction, precomputed, quasi_static)->Args({4, 30})->Args({8, 30});
BENCHMARK_CAPTURE(correction, on_demand, on_demand)->Args({4, 30})->Args({8, 30});

}  // namespace

BENCHMARK_MAIN();
