// Cost of a whole step, stage by stage: medians in microseconds over a run in which two soft blocks
// rest on each other and the upper one is pushed, and its growth with the contacts, the nodes and
// the bodies.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stickslip/simulation/step.hpp"

namespace {

using namespace stickslip;

const Material rubber{2e6, 0.4, 1000.0};
constexpr double size = 0.05;

Body soft_block(int across, int along, bool is_held) {
  const TetMesh mesh = make_box({size, size, size}, {across, across, along}, ElementType::tet10);
  const DeformationModel model = make_elastic_model(mesh, rubber);
  if (!is_held) return make_corotational_body(model, {}, {});
  std::vector<int> bottom;
  for (int i = 0; i < model.node_count(); ++i) {
    if (model.nodes[uz(i)].z() < -0.499 * size) bottom.push_back(i);
  }
  return make_deformable_body(model, bottom, {});
}

/// The upper block stands askew on the lower one and is pushed to and fro. `across` elements lie
/// along each side of the faces that touch, `along` above each other.
Scene two_blocks(int across, int along) {
  Scene scene;
  scene.simulation.contact_budget = 1000;
  scene.simulation.alarm_distance = 2e-4;
  scene.bodies.push_back({.name = "lower", .body = soft_block(across, along, true)});
  scene.bodies.push_back({.name = "upper",
                          .body = soft_block(across, along, false),
                          .position = {0.003, 0.002, size},
                          .orientation = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()))});
  scene.friction = MatX::Constant(2, 2, 0.5);
  std::vector<TimeTable::Row> rows;
  for (int k = 0; k <= 40; ++k) {
    Vec6 push = Vec6::Zero();
    push[0] = 0.3 * std::sin(0.5 * k);
    rows.push_back({0.01 * k, push});
  }
  scene.drives.push_back({.body = 1, .kind = DriveKind::force, .table = TimeTable(rows)});
  return scene;
}

/// Bricks in rows of ten on a floor, each on its own.
Scene many_bodies(int count) {
  Scene scene;
  scene.simulation.contact_budget = 12 * count;
  Surface floor;
  floor.points = {{-1, -1, 0}, {2, -1, 0}, {2, 2, 0}, {-1, 2, 0}};
  floor.triangles = {{0, 1, 2}, {0, 2, 3}};
  scene.bodies.push_back({.name = "floor", .body = make_fixed_body(floor)});
  const TetMesh mesh = make_box({0.03, 0.03, 0.02}, {2, 2, 1}, ElementType::tet4);
  const Body brick = make_corotational_body(make_elastic_model(mesh, rubber), {}, {});
  for (int k = 1; k < count; ++k) {
    scene.bodies.push_back(
        {.name = "brick", .body = brick, .position = Vec3(0.04 * (k % 10), 0.04 * (k / 10), 0.0)});
  }
  scene.friction = MatX::Constant(count, count, 0.5);
  return scene;
}

void measure(const std::string& label, const Scene& scene) {
  State state = initial_state(scene);
  StepData data(scene);
  std::vector<std::vector<double>> us(phase_count);
  double contacts = 0.0;
  double iterations = 0.0;
  constexpr int warm_up = 100;
  constexpr int counted = 300;
  for (int k = 0; k < warm_up + counted; ++k) {
    const StepReport report = step(scene, state, data);
    if (k < warm_up) continue;
    for (int p = 0; p < phase_count; ++p) us[uz(p)].push_back(report.phase_us[uz(p)]);
    contacts += report.contacts;
    iterations += report.iterations;
  }
  std::string line =
      fmt::format("{:<22}{:>9.0f}{:>7.1f}", label, contacts / counted, iterations / counted);
  for (auto& column : us) {
    std::nth_element(column.begin(), column.begin() + counted / 2, column.end());
    line += fmt::format("{:>14.1f}", column[counted / 2]);
  }
  fmt::print("{}\n", line);
}

}  // namespace

int main() {
  std::string head = fmt::format("{:<22}{:>9}{:>7}", "median in us", "contacts", "sweeps");
  for (const std::string_view phase : phase_names) head += fmt::format("{:>14}", phase);
  fmt::print("{}\n", head);
  for (const int along : {10, 40, 160}) {
    measure(fmt::format("2 x {} nodes", 25 * (2 * along + 1)), two_blocks(2, along));
  }
  for (const int across : {1, 2, 3, 4, 5, 7}) {
    measure(fmt::format("2 x {} nodes touch", (2 * across + 1) * (2 * across + 1)),
            two_blocks(across, 4));
  }
  for (const int passes : {2, 3}) {
    Scene scene = two_blocks(2, 40);
    scene.simulation.passes = passes;
    measure(fmt::format("at most {} passes", passes), scene);
  }
  for (const int bodies : {2, 10, 30, 100})
    measure(fmt::format("{} bodies", bodies), many_bodies(bodies));
}
