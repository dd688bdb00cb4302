#include <fmt/core.h>

#include "apps/bench/body_set_up.hpp"
#include "stickslip/body/body.hpp"
#include "stickslip/body/point_compliance.hpp"

namespace stickslip::bench {

namespace {

const Material plastic{700e6, 0.35, 950.0};
constexpr double dt = 1e-3;

/// How a body deforms.
enum class Kind { quasi_static, on_demand, dynamic };

DeformationOptions options_of(Kind kind) {
  DeformationOptions options;
  options.compliance.precompute = kind != Kind::on_demand;
  options.is_dynamic = kind == Kind::dynamic;
  options.dt = dt;
  return options;
}

/// A free block of ten-node elements in the middle of a step, with forces on its surface.
struct SteppedBlock {
  SteppedBlock(int cells, int contacts, Kind kind)
      : body(make_corotational_body(
            make_elastic_model(
                make_box({0.05, 0.05, 0.05}, {cells, cells, cells}, ElementType::tet10), plastic),
            {}, options_of(kind))),
        state(body.initial_state()),
        step(body.make_step(contacts)),
        compliance(contacts),
        axes(uz(contacts), Mat3::Identity()),
        W(MatX::Zero(3 * contacts, 3 * contacts)) {
    const auto& triangles = body.surface().triangles;
    for (int i = 0; i < contacts; ++i) {
      points.push_back({triangles[uz(37 * i) % triangles.size()], {0.2, 0.3, 0.5}});
      forces.emplace_back(0.1, 0.2, 1.0);
    }
    body.compute_free_motion(state, {}, dt, step);
  }

  Body body;
  BodyState state;
  BodyStep step;
  PointCompliance compliance;
  std::vector<Mat3> axes;
  MatX W;
  std::vector<SurfacePoint> points;
  std::vector<Vec3> forces;
};

void add_columns(const SteppedBlock& block, Figure& figure) {
  figure.columns = {{"surface nodes", block.body.surface().point_count()},
                    {"contacts", static_cast<double>(block.points.size())}};
}

Figure measure_free_motion(int cells, Kind kind, Setting& setting) {
  SteppedBlock block(cells, 1, kind);
  Figure figure = figure_of(
      repeat(setting, [&] { block.body.compute_free_motion(block.state, {}, dt, block.step); }));
  add_columns(block, figure);
  return figure;
}

Figure measure_compliance(int cells, int contacts, Kind kind, Setting& setting) {
  SteppedBlock block(cells, contacts, kind);
  Figure figure = figure_of(repeat(setting, [&] {
    block.W.setZero();
    block.compliance.take(block.body, block.state, block.points, block.axes, Motion::whole,
                          block.step);
    for (int j = 0; j < contacts; ++j) {
      block.compliance.add_columns(j, block.W.block(3 * j, 3 * j, 3 * (contacts - j), 3));
    }
  }));
  if (kind == Kind::quasi_static) figure.limit = setting.limits.block_reads_us(contacts);
  add_columns(block, figure);
  return figure;
}

Figure measure_correction(int cells, Kind kind, Setting& setting) {
  constexpr int contacts = 30;
  SteppedBlock block(cells, contacts, kind);
  Figure figure = figure_of(repeat(
      setting, [&] { block.body.correct(block.points, block.forces, block.step, block.state); }));
  if (kind == Kind::quasi_static) {
    // the columns of the nodes under load, over the whole surface
    const double numbers = 9.0 * contacts * 3.0 * block.body.surface().point_count();
    figure.limit = setting.limits.read_us(8.0 * numbers);
  }
  add_columns(block, figure);
  return figure;
}

void plan_step_of_body(std::vector<PlannedRow>& rows) {
  using S = Setting;
  const auto plan = [&](const std::string& name, Cost cost, std::function<Figure(S&)> measure) {
    rows.push_back({name, cost, std::move(measure)});
  };
  for (const int cells : {4, 8}) {
    const std::string block = cells == 4 ? ", 386 surface nodes" : ", 1538 surface nodes";
    const Cost cost = cells == 4 ? Cost::quick : Cost::usual;
    plan("free motion, quasi-static" + block, cost,
         [=](S& s) { return measure_free_motion(cells, Kind::quasi_static, s); });
    plan("free motion, dynamic" + block, cost,
         [=](S& s) { return measure_free_motion(cells, Kind::dynamic, s); });
    plan("compliance, 30 points" + block, cost,
         [=](S& s) { return measure_compliance(cells, 30, Kind::quasi_static, s); });
    plan("compliance on demand, 30 points" + block, cost,
         [=](S& s) { return measure_compliance(cells, 30, Kind::on_demand, s); });
    plan("correction, 30 points" + block, cost,
         [=](S& s) { return measure_correction(cells, Kind::quasi_static, s); });
    plan("correction on demand, 30 points" + block, cost,
         [=](S& s) { return measure_correction(cells, Kind::on_demand, s); });
  }
  for (const int contacts : {10, 100, 300}) {
    plan(fmt::format("compliance, {} points, 386 surface nodes", contacts), Cost::quick,
         [=](S& s) { return measure_compliance(4, contacts, Kind::quasi_static, s); });
  }
}

}  // namespace

PlannedSuite plan_fem_suite() {
  std::vector<PlannedRow> rows;
  plan_step_of_body(rows);
  plan_block_set_up(rows);
  for (const int nodes : {500, 8000, 16000}) plan_clip_set_up(nodes, rows);
  return {"fem",
          "a body's part of a step (free corotational block, ten-node elements), and making bodies "
          "ready; limits: reading the blocks or columns of the compliance table, the operations of "
          "a factorisation, reading a whole table from memory",
          std::move(rows)};
}

}  // namespace stickslip::bench
