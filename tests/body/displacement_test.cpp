#include "stickslip/body/displacement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <span>

#include "stickslip/body/body.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

/// A soft block under random loads: clamped at one end, or free.
struct Loaded {
  explicit Loaded(bool is_free, Precision precision = Precision::float64)
      : model(make_elastic_model(make_box({0.1, 0.02, 0.03}, {9, 2, 3}, ElementType::tet10),
                                 {1e6, 0.4, 1000.0})) {
    DeformationOptions options;
    options.compliance.precision = precision;
    body = std::make_unique<Body>(
        is_free ? make_corotational_body(model, {}, options)
                : make_deformable_body(model, model.region_nodes("x0"), options));
    step = body->make_step(40);
    u = body->initial_state().deformation.u;
  }

  void load() {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::uniform_int_distribution<int> node(0, u.answers()->contact_count() - 1);
    u.take_loads([&](SurfaceLoads& loads) {
      for (double& weight : loads.weights) weight = 10.0 * number(random);
      loads.nodes.clear();
      loads.forces.clear();
      for (int k = 0; k < 25; ++k) loads.nodes.push_back(node(random));
      std::sort(loads.nodes.begin(), loads.nodes.end());
      loads.nodes.erase(std::unique(loads.nodes.begin(), loads.nodes.end()), loads.nodes.end());
      for (std::size_t k = 0; k < loads.nodes.size(); ++k) {
        loads.forces.emplace_back(number(random), number(random), number(random));
      }
    });
  }

  DeformationModel model;
  std::unique_ptr<Body> body;
  BodyStep step;
  Displacement u;
  std::mt19937 random{7};
};

TEST(Displacement, IsTheSameWhicheverNodesAreAskedFor) {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    Loaded block(false, precision);
    for (int k = 0; k < 20; ++k) {
      block.load();
      const Displacement whole = block.u;
      std::vector<int> order(uz(block.u.answers()->node_count()));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), block.random);
      for (const int node : order) {
        const Vec3 all = whole.all().segment<3>(3 * node);
        ASSERT_EQ(block.u[node], all) << node;
      }
      EXPECT_EQ(block.u.all(), whole.all());
      EXPECT_TRUE(block.u == whole);
    }
  }
}

TEST(Displacement, IsTheSameWhetherNodesAreAskedForTogetherOrAlone) {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    Loaded block(false, precision);
    for (const int count : {1, 2, 15, 16, 17, 63, 64, 65, 300}) {
      block.load();
      const Displacement alone = block.u;
      std::uniform_int_distribution<int> node(0, block.u.answers()->node_count() - 1);
      // some of them twice, some known before
      std::vector<int> nodes;
      for (int k = 0; k < count; ++k) nodes.push_back(node(block.random));
      const Vec3 known = block.u[nodes[uz(count / 2)]];
      block.u.ask(nodes);
      EXPECT_EQ(block.u[nodes[uz(count / 2)]], known);
      for (const int n : nodes) ASSERT_EQ(block.u[n], alone[n]) << n << " of " << count;
    }
  }
}

TEST(Displacement, ACopyIsTheSameWhateverWasKnown) {
  Loaded block(false);
  Displacement copy = block.u;
  for (int k = 0; k < 30; ++k) {
    block.load();
    const Displacement whole = block.u;
    // nothing, some loaded nodes, all of them, everything
    const std::vector<int>& loaded = block.u.loads().nodes;
    if (k % 4 != 0) block.u.ask(std::span(loaded).first(k % 4 == 1 ? 5 : loaded.size()));
    if (k % 4 == 3) static_cast<void>(block.u.all());
    copy = block.u;
    for (const int node : loaded) ASSERT_EQ(copy[node], Vec3(whole.all().segment<3>(3 * node)));
    EXPECT_EQ(copy.all(), whole.all());
    EXPECT_EQ(block.u.all(), whole.all());
  }
}

TEST(Displacement, IsThatOfTheCompliance) {
  Loaded block(true);
  block.load();
  const auto& deformation = dynamic_cast<const QuasiStaticDeformation&>(*block.body->deformation());
  VecX expected = VecX::Zero(block.u.size());
  block.u.take_loads([](SurfaceLoads& loads) { loads.weights.setZero(); });
  const SurfaceLoads& loads = block.u.loads();
  for (std::size_t k = 0; k < loads.nodes.size(); ++k) {
    for (int a = 0; 3 * a < expected.size(); ++a) {
      expected.segment<3>(3 * a) +=
          deformation.compliance().block(a, loads.nodes[k]) * loads.forces[k];
    }
  }
  EXPECT_LT((block.u.all() - expected).norm(), 1e-14 * expected.norm());
}

TEST(Displacement, KnownOnesStayWhatTheyAre) {
  Loaded block(false);
  block.load();
  const VecX before = block.u.all();
  Displacement known = block.u;
  known.own()[0] += 1.0;
  EXPECT_FALSE(known.has_loads());
  EXPECT_EQ(known[0].x(), before[0] + 1.0);
  EXPECT_EQ(known[1], Vec3(before.segment<3>(3)));
  EXPECT_FALSE(known == block.u);
  known.own()[0] = before[0];
  EXPECT_TRUE(known == block.u);

  // and loads take over again
  known = block.u;
  EXPECT_TRUE(known.has_loads());
  EXPECT_EQ(known.all(), before);
}

TEST(Displacement, NoNodeMovesFartherThanLoadsAreApart) {
  for (const bool is_free : {false, true}) {
    Loaded block(is_free);
    const SurfaceAnswers& answers = *block.u.answers();
    double closest = 0.0;
    for (int k = 0; k < 200; ++k) {
      const Displacement before = block.u;
      block.load();
      if (k % 2 == 1) {
        // a small change of the same loads
        const SurfaceLoads last = before.loads();
        block.u.take_loads([&](SurfaceLoads& loads) {
          loads = last;
          for (Vec3& force : loads.forces) force *= 1.0 + 1e-3 * std::sin(k + force.x());
        });
      }
      const double distance = answers.distance(before.loads(), block.u.loads());
      const double from_none = answers.distance(block.u.loads());
      for (int node = 0; node < answers.contact_count(); ++node) {
        const double softness = static_cast<double>(answers.softness()[uz(node)]);
        ASSERT_LE((block.u[node] - before[node]).norm(), softness * distance);
        ASSERT_LE(block.u[node].norm(), softness * from_none);
        closest = std::max(closest, (block.u[node] - before[node]).norm() / (softness * distance));
      }
    }
    // and it is a bound worth having
    EXPECT_GT(closest, 0.02);
  }
}

TEST(Displacement, AStepAllocatesNothingFromTheFirstOn) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  const Loaded block(true);
  const Body& body = *block.body;
  std::vector<BodyState> states{body.initial_state(), body.initial_state()};
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(40);
  std::vector<SurfacePoint> points;
  std::vector<Vec3> forces;
  for (int k = 0; k < 40; ++k) {
    points.push_back({body.surface().triangles[uz(3 * k)], {0.2, 0.3, 0.5}});
    forces.emplace_back(0.01 * k, 1.0, -0.1);
  }
  const std::size_t before = testing_support::allocation_count();
  body.compute_free_motion(state, {}, 1e-3, step);
  states[0] = state;
  body.correct(points, forces, step, states[0]);
  states[1] = states[0];
  std::swap(states[1], state);
  double sum = 0.0;
  for (const SurfacePoint& point : points) sum += body.position(state, point).norm();
  EXPECT_EQ(testing_support::allocation_count(), before);
  EXPECT_GT(sum, 0.0);
}

}  // namespace
}  // namespace stickslip
