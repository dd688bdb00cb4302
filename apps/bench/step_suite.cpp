#include <fmt/core.h>

#include <algorithm>

#include "apps/bench/bench_scenes.hpp"
#include "apps/bench/machine.hpp"
#include "apps/bench/step_times.hpp"
#include "stickslip/simulation/step_memory.hpp"

namespace stickslip::bench {

namespace {

/// How long a scene is stepped.
struct Stepping {
  int warm_up = 100;  ///< steps until it has settled
  int counted = 300;
  int runs = 3;
};

int deformable_bodies(const Scene& scene) {
  return static_cast<int>(
      std::count_if(scene.bodies.begin(), scene.bodies.end(),
                    [](const SceneBody& body) { return body.body.deformation() != nullptr; }));
}

/// Of a step with so many contacts; bricks share them equally.
double limit_of_step(const Scene& scene, int contacts, Limits& limits) {
  const int bodies = deformable_bodies(scene);
  if (bodies <= 2) return limits.step_us(contacts, bodies);
  return bodies * limits.step_us(std::max(1, contacts / bodies), 1);
}

Figure measure_scene(const Scene& scene, const Stepping& stepping, Setting& setting) {
  Figure refused;
  refused.remark = fmt::format("needs {:.0f} GB", 1e-9 * bytes_for_contacts(scene));
  if (bytes_for_contacts(scene) > 0.8 * available_bytes()) return refused;
  StepTimes times;
  const int warm_up = setting.quick ? stepping.warm_up / 10 : stepping.warm_up;
  const int counted = setting.quick ? stepping.counted / 20 : stepping.counted;
  for (int run = 0; run < (setting.quick ? 1 : stepping.runs); ++run) {
    State state = initial_state(scene);
    StepData data(scene);
    times.start_run();
    for (int k = 0; k < warm_up + counted; ++k) {
      const ThreadWatch watch;
      const StepReport report = step(scene, state, data);
      if (k < warm_up) continue;
      times.add(report, watch.us());
      setting.noise.spin();
    }
  }
  return times.figure([](std::size_t) { return true; },
                      [&](int contacts) { return limit_of_step(scene, contacts, setting.limits); });
}

PlannedRow scene_row(std::string name, Cost cost, const std::function<Scene()>& make,
                     const Stepping& stepping = {}) {
  return {std::move(name), cost,
          [=](Setting& setting) { return measure_scene(make(), stepping, setting); }};
}

void plan_blocks(std::vector<PlannedRow>& rows) {
  const auto nodes = [](int along) { return 25 * (2 * along + 1); };
  const auto name = [&](int along) {
    return fmt::format("two blocks, 2 x {} nodes", nodes(along));
  };
  for (const int along : {10, 40}) {
    rows.push_back(scene_row(name(along), Cost::quick, [=] { return two_blocks(2, along); }));
  }
  rows.push_back(scene_row(name(160), Cost::usual, [] { return two_blocks(2, 160); }));
  for (const int along : {160, 1000}) {
    rows.push_back(scene_row(name(along) + ", contact on two faces",
                             along == 160 ? Cost::usual : Cost::large,
                             [=] { return two_blocks(2, along, true); }, {100, 100, 2}));
  }
}

void plan_contacts(std::vector<PlannedRow>& rows) {
  const auto plan = [&](int across, Cost cost, const Stepping& stepping) {
    rows.push_back(scene_row(
        fmt::format("two blocks, {} nodes a face", (2 * across + 1) * (2 * across + 1)), cost,
        [=] { return two_blocks(across, 4); }, stepping));
  };
  for (const int across : {1, 2, 3}) plan(across, Cost::quick, {});
  plan(4, Cost::quick, {100, 200, 2});
  plan(5, Cost::usual, {100, 100, 2});
  plan(7, Cost::usual, {100, 100, 2});
  plan(9, Cost::large, {5, 5, 1});
  plan(12, Cost::large, {1, 2, 1});
}

}  // namespace

PlannedSuite plan_step_suite() {
  std::vector<PlannedRow> rows;
  plan_blocks(rows);
  plan_contacts(rows);
  for (const int passes : {2, 3}) {
    rows.push_back(scene_row(fmt::format("two blocks, 2 x 2025 nodes, at most {} passes", passes),
                             Cost::usual, [=] {
                               Scene scene = two_blocks(2, 40);
                               scene.simulation.passes = passes;
                               return scene;
                             }));
  }
  for (const ElementType type : {ElementType::tet4, ElementType::tet10}) {
    rows.push_back(scene_row(type == ElementType::tet4 ? "neo-Hookean cube, 2197 nodes"
                                                       : "neo-Hookean slab, 2079 ten-node nodes",
                             Cost::usual, [=] { return punched_gel(type); }, {30, 60, 2}));
  }
  for (const int bodies : {2, 10, 30, 100, 300, 1000}) {
    const Cost cost = bodies <= 100 ? Cost::quick : bodies <= 300 ? Cost::usual : Cost::large;
    rows.push_back(scene_row(fmt::format("{} bodies", bodies), cost,
                             [=] { return bricks_on_floor(bodies); },
                             {100, bodies <= 100 ? 300 : 100, bodies <= 100 ? 3 : 1}));
  }
  return {"step",
          "whole steps of two soft blocks (2 MPa), the upper one askew on the lower one and pushed "
          "to and fro, of a neo-Hookean body under a punch, and of bricks beside each other on a "
          "floor; phases are medians [us]; the "
          "limit is reading the compliance between the loaded contacts and one sweep over them",
          std::move(rows)};
}

}  // namespace stickslip::bench
