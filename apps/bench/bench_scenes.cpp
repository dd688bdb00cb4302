#include "apps/bench/bench_scenes.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "stickslip/body/nonlinear_deformation.hpp"

namespace stickslip::bench {

namespace {

const Material rubber{2e6, 0.4, 1000.0};
constexpr double side = 0.05;

Body soft_block(int across, int along, bool is_held, bool only_faces_touch) {
  const TetMesh mesh = make_box({side, side, side}, {across, across, along}, ElementType::tet10);
  ModelOptions options;
  if (only_faces_touch) options.contact_regions = {is_held ? "z1" : "z0"};
  const DeformationModel model = make_elastic_model(mesh, rubber, options);
  if (!is_held) return make_corotational_body(model, {}, {});
  return make_deformable_body(model, model.region_nodes("z0"), {});
}

}  // namespace

Scene two_blocks(int across, int along, bool only_faces_touch) {
  Scene scene;
  scene.simulation.contact_budget = 1000;
  scene.simulation.alarm_distance = 2e-4;
  scene.bodies.push_back(
      {.name = "lower", .body = soft_block(across, along, true, only_faces_touch)});
  scene.bodies.push_back({.name = "upper",
                          .body = soft_block(across, along, false, only_faces_touch),
                          .position = {0.003, 0.002, side},
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

Scene punched_gel(ElementType type) {
  Scene scene;
  scene.simulation.dt = 0.01;
  scene.simulation.gravity.setZero();
  scene.simulation.contact_budget = 100;
  scene.simulation.alarm_distance = 2e-4;
  // about 2,000 nodes: a cube, or a slab
  const bool is_cube = type == ElementType::tet4;
  const Vec3 size = is_cube ? Vec3(0.1, 0.1, 0.1) : Vec3(0.2, 0.06, 0.05);
  const std::array<int, 3> cells =
      is_cube ? std::array<int, 3>{12, 12, 12} : std::array<int, 3>{16, 4, 3};
  const Material gel{1e5, 0.4, 1000.0};
  const TetMesh mesh = make_box(size, cells, type);
  ModelOptions options;
  options.contact_regions = {"z1"};
  const DeformationModel model = make_elastic_model(mesh, gel, options);
  scene.bodies.push_back({.name = "gel",
                          .body = make_nonlinear_body(mesh, gel, ElasticLaw::neo_hooke, model,
                                                      model.region_nodes("z0"), {})});
  const Vec3 punch(0.03, 0.03, 0.02);
  scene.bodies.push_back(
      {.name = "punch",
       .body = make_fixed_body(extract_surface(make_box(punch, {1, 1, 1}, ElementType::tet4))),
       .position = 0.5 * (size - punch) + 0.5 * Vec3(0.0, 0.0, size.z() + punch.z())});
  scene.friction = MatX::Constant(2, 2, 0.3);
  std::vector<TimeTable::Row> rows;
  for (int k = 0; k <= 400; ++k) {
    Vec6 way = Vec6::Zero();
    way[2] = size.z() * (k < 20 ? -0.003 * k : -0.06 - 0.02 * std::sin(0.2 * (k - 20)));
    rows.push_back({0.01 * k, way});
  }
  scene.drives.push_back({.body = 1, .kind = DriveKind::motion, .table = TimeTable(rows)});
  return scene;
}

Scene bricks_on_floor(int count) {
  Scene scene;
  scene.simulation.contact_budget = 12 * count;
  const double far = 2.0 + 0.004 * count;
  Surface floor;
  floor.points = {{-1, -1, 0}, {2, -1, 0}, {2, far, 0}, {-1, far, 0}};
  floor.triangles = {{0, 1, 2}, {0, 2, 3}};
  scene.bodies.push_back({.name = "floor", .body = make_fixed_body(floor)});
  const TetMesh mesh = make_box({0.03, 0.03, 0.02}, {2, 2, 1}, ElementType::tet4);
  const Body brick = make_corotational_body(make_elastic_model(mesh, rubber), {}, {});
  for (int k = 1; k < count; ++k) {
    const int row = k / 10;
    scene.bodies.push_back(
        {.name = "brick", .body = brick, .position = Vec3(0.04 * (k % 10), 0.04 * row, 0.0)});
  }
  scene.friction = MatX::Constant(count, count, 0.5);
  return scene;
}

}  // namespace stickslip::bench
