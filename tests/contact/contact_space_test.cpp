#include "stickslip/contact/contact_space.hpp"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

/// Two rigid triangles, one above the other.
struct TwoPlates {
  TwoPlates() {
    for (std::size_t b = 0; b < 2; ++b) {
      steps[b] = body.make_step(4);
      moving[b] = {&body, &states[b], &steps[b]};
    }
    states[0] = body.initial_state({0.0, 0.0, 0.01});
    states[1] = body.initial_state();
    move_freely();
  }
  void move_freely() {
    for (std::size_t b = 0; b < 2; ++b) body.compute_free_motion(states[b], {}, 1e-3, steps[b]);
  }

  static Surface triangle() {
    Surface surface;
    surface.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    surface.triangles = {{0, 1, 2}};
    return surface;
  }

  Body body = make_rigid_body(triangle(), {1.0, Vec3::Zero(), Mat3::Identity()});
  BodyState states[2];
  BodyStep steps[2];
  MovingBody moving[2];
  Proximity where = {.body_1 = 0,
                     .body_2 = 1,
                     .P = {{0, 1, 2}, {0.2, 0.3, 0.5}},
                     .Q = {{0, 1, 2}, {0.2, 0.3, 0.5}},
                     .normal = Vec3::UnitZ(),
                     .gap = 0.01,
                     .kind = FeatureKind::vertex_face,
                     .feature_1 = 5,
                     .feature_2 = 6};
};

TEST(ContactSpace, GapAndSlipAreThoseOfTheFreeMotion) {
  TwoPlates plates;
  plates.states[0].frame.velocity = {1.0, 2.0, -3.0};
  plates.move_freely();
  const Contact contact = make_contact(plates.where, plates.moving, 0.4, {});
  EXPECT_NEAR(contact.delta_free[0], 0.01 - 3e-3, 1e-15);
  const Vec3 slip =
      contact.axes.transpose() * Vec3(0.0, contact.delta_free[1], contact.delta_free[2]);
  EXPECT_LT((slip - Vec3(1e-3, 2e-3, 0.0)).norm(), 1e-15);
  EXPECT_EQ(contact.mu, 0.4);
  EXPECT_EQ(contact.initial_force, Vec3::Zero());
}

TEST(ContactSpace, ANormalThatIsNotGivenIsTheDirectionBetweenThePoints) {
  TwoPlates plates;
  plates.where.normal.setZero();
  plates.states[0].frame.position += Vec3(0.01, 0.0, 0.0);
  plates.move_freely();
  const Contact contact = make_contact(plates.where, plates.moving, 0.0, {});
  EXPECT_LT((contact.axes.row(0).transpose() - Vec3(1.0, 0.0, 1.0).normalized()).norm(), 1e-14);
}

TEST(ContactSpace, AStickingContactIsPulledBackToItsAnchor) {
  TwoPlates plates;
  const Contact before = make_contact(plates.where, plates.moving, 0.4, {});
  for (const double friction : {0.1, 0.4}) {
    ContactMemory memory;
    memory.remember(remembered(before, {1.0, 0.0, friction}));
    memory.sort();
    // it has drifted a little, and detection sees it at another place
    TwoPlates drifted;
    drifted.states[0].frame.position += Vec3(1e-5, 0.0, 0.0);
    drifted.move_freely();
    drifted.where.Q.weight = {0.2 - 1e-5, 0.3 + 1e-5, 0.5};
    const Contact contact = make_contact(drifted.where, drifted.moving, 0.4, memory);
    const Vec3 slip =
        contact.axes.transpose() * Vec3(0.0, contact.delta_free[1], contact.delta_free[2]);
    // one that slips has no anchor
    const double expected = friction < 0.4 ? 1e-5 : 0.0;
    EXPECT_LT((slip - Vec3(expected, 0.0, 0.0)).norm(), 1e-15) << friction;
    // both keep their force to start from
    EXPECT_LT((contact.axes.transpose() * contact.initial_force -
               before.axes.transpose() * Vec3(1.0, 0.0, friction))
                  .norm(),
              1e-14);
  }
}

TEST(ContactMemory, FindsTheSameFeaturesBeforeAVertexThatSlidOn) {
  TwoPlates plates;
  ContactMemory memory;
  Contact contact = make_contact(plates.where, plates.moving, 0.4, {});
  for (const int face : {9, 3, 6}) {
    contact.where.feature_2 = face;
    memory.remember(remembered(contact, {1.0 * face, 0.0, 0.0}));
  }
  memory.sort();
  Proximity where = plates.where;
  ASSERT_NE(memory.find(where), nullptr);
  EXPECT_NEAR(memory.find(where)->force.z(), 6.0, 1e-14);
  where.feature_2 = 77;
  ASSERT_NE(memory.find(where), nullptr);
  where.feature_1 = 4;
  EXPECT_EQ(memory.find(where), nullptr);
  where = plates.where;
  where.kind = FeatureKind::edge_edge;
  EXPECT_EQ(memory.find(where), nullptr);
}

}  // namespace
}  // namespace stickslip
