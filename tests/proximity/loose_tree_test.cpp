#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "stickslip/body/body.hpp"
#include "stickslip/proximity/mesh_proximity.hpp"

namespace stickslip {
namespace {

/// A bar over a block, both soft, under loads that change a little or much.
class LooseTree : public testing::Test {
 protected:
  LooseTree() {
    for (const Vec3& size : {Vec3(0.06, 0.02, 0.01), Vec3(0.02, 0.03, 0.02)}) {
      const TetMesh mesh = make_box(size, {8, 4, 3}, ElementType::tet10);
      const DeformationModel model = make_elastic_model(mesh, {1e6, 0.4, 1000.0});
      bodies.push_back(
          std::make_unique<Body>(make_deformable_body(model, model.region_nodes("x0"), {})));
      states.push_back(bodies.back()->initial_state(Vec3(0.0, 0.0, states.empty() ? 0.0105 : 0.0)));
      points.push_back(bodies.back()->surface().points);
    }
    for (std::size_t b = 0; b < 2; ++b) {
      displaced.push_back({.position = states[b].frame.position,
                           .points = {},
                           .displacement = &states[b].deformation.u});
      whole.push_back({.position = states[b].frame.position, .points = points[b]});
      at_rest.push_back({.surface = &bodies[b]->surface()});
      softened.push_back({.surface = &bodies[b]->surface(),
                          .displacement = bodies[b]->initial_state().deformation.u});
    }
  }

  void load(double change) {
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (BodyState& state : states) {
      std::uniform_int_distribution<int> pick(0, 99);
      Displacement& u = state.deformation.u;
      u.take_loads([&](SurfaceLoads& loads) {
        if (loads.nodes.empty() || pick(random) < 5) {
          loads.nodes.clear();
          for (int k = 0; k < 20; ++k) loads.nodes.push_back(7 * k + pick(random) % 7);
          loads.forces.assign(20, Vec3::Zero());
        }
        for (Vec3& force : loads.forces) {
          force = 0.8 * force + change * Vec3(number(random), number(random), number(random));
        }
      });
    }
    for (std::size_t b = 0; b < 2; ++b) {
      bodies[b]->deformed_points(states[b], points[b]);
      displaced[b].R = whole[b].R = states[b].frame.orientation.toRotationMatrix();
      displaced[b].position = whole[b].position = states[b].frame.position;
    }
  }

  std::vector<std::unique_ptr<Body>> bodies;
  std::vector<BodyState> states;
  std::vector<std::vector<Vec3>> points;
  std::vector<PlacedSurface> displaced, whole;
  std::vector<ProximityBody> at_rest, softened;
  std::mt19937 random{3};
};

TEST_F(LooseTree, FindsWhatATreeFindsThatIsFittedAnew) {
  MeshProximity loose(softened);
  MeshProximity fitted(at_rest);
  std::vector<Proximity> found;
  std::vector<Proximity> expected;
  std::size_t most = 0;
  for (int k = 0; k < 400; ++k) {
    load(k % 50 < 40 ? 0.002 : 0.1);
    states[0].frame.position.z() = 0.0105 + 0.0015 * std::sin(0.1 * k);
    states[0].frame.orientation = Quat(Eigen::AngleAxisd(0.02 * k, Vec3::UnitZ()));
    loose.find(displaced, 0.0015, found);
    fitted.find(whole, 0.0015, expected);
    ASSERT_EQ(found.size(), expected.size()) << k;
    for (std::size_t c = 0; c < found.size(); ++c) {
      ASSERT_EQ(found[c].kind, expected[c].kind);
      ASSERT_EQ(found[c].feature_1, expected[c].feature_1);
      ASSERT_EQ(found[c].feature_2, expected[c].feature_2);
      ASSERT_EQ(found[c].gap, expected[c].gap);
      ASSERT_EQ(found[c].normal, expected[c].normal);
    }
    most = std::max(most, found.size());
  }
  EXPECT_GT(most, 20U);
}

TEST_F(LooseTree, FollowsContactsWhereverDisplacementsAreKept) {
  MeshProximity loose(softened);
  MeshProximity fitted(at_rest);
  std::vector<Proximity> known, found;
  for (int k = 0; k < 400 && known.size() <= 10; ++k) {
    states[0].frame.position.z() = 0.0105 + 0.0015 * std::sin(0.1 * k);
    states[0].frame.orientation = Quat(Eigen::AngleAxisd(0.02 * k, Vec3::UnitZ()));
    load(0.002);
    loose.find(displaced, 0.0015, known);
  }
  ASSERT_GT(known.size(), 5U);

  // under other loads and far away nobody asks for what was near
  load(0.002);
  for (BodyState& state : states) {
    state.deformation.u.take_loads([](SurfaceLoads& /*loads*/) {});
  }
  const Vec3 near = whole[0].position;
  displaced[0].position = whole[0].position = near + Vec3(0.0, 0.0, 0.5);
  loose.find(displaced, 0.0015, found);
  EXPECT_TRUE(found.empty());
  fitted.find(whole, 0.0015, found);
  displaced[0].position = whole[0].position = near;
  std::vector<BodyState> kept = states;
  load(0.01);
  std::size_t followed = 0;
  for (std::size_t b = 0; b < 2; ++b) displaced[b].displacement = &kept[b].deformation.u;
  for (const Proximity& contact : known) {
    Proximity again = contact;
    Proximity expected = contact;
    for (std::size_t b = 0; b < 2; ++b) bodies[b]->deformed_points(kept[b], points[b]);
    const bool is_there = fitted.follow(whole, 1.0, expected);
    ASSERT_EQ(loose.follow(displaced, 1.0, again), is_there);
    if (!is_there) continue;
    EXPECT_EQ(again.gap, expected.gap);
    ++followed;
  }
  EXPECT_GT(followed, 3U);
}

}  // namespace
}  // namespace stickslip
