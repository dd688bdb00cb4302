#include "stickslip/fem/node_shares.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

TEST(NodeShares, OfAPlaceInATriangleAreThoseOfTheCornersThatMoveIt) {
  NodeShares points(3);
  points.add(SurfacePoint{{4, 7, 9}, {0.2, 0.3, 0.5}});
  points.add(SurfacePoint{{4, 7, 9}, {0.0, 1.0, 0.0}});
  points.add(SurfacePoint{{4, 7, 9}, {0.25, 0.0, 0.75}});
  ASSERT_EQ(points.count(), 3);
  EXPECT_FALSE(points.has_turns());
  ASSERT_EQ(points.of(0).size(), 3U);
  ASSERT_EQ(points.of(1).size(), 1U);
  EXPECT_EQ(points.of(1)[0].node, 7);
  EXPECT_EQ(points.of(1)[0].weight, 1.0);
  ASSERT_EQ(points.of(2).size(), 2U);
  EXPECT_EQ(points.of(2)[1].node, 9);
  EXPECT_EQ(points.of(2)[1].weight, 0.75);
  points.clear();
  EXPECT_EQ(points.count(), 0);
}

TEST(NodeShares, OfPointsThatTurnStandBesideWeights) {
  const std::array<NodeShares::Share, 2> two = {{{1, 0.4}, {2, 0.6}}};
  const std::array<Mat3, 2> turns = {Mat3(2.0 * Mat3::Identity()), Mat3(Mat3::Ones())};
  NodeShares points(4);
  points.add(two);
  points.add(two, turns);
  points.add(SurfacePoint{{4, 7, 9}, {0.0, 0.5, 0.5}});
  ASSERT_TRUE(points.has_turns());
  EXPECT_EQ(points.turns(0)[1], 0.6 * Mat3::Identity());
  EXPECT_EQ(points.turns(1)[0], turns[0]);
  EXPECT_EQ(points.turns(1)[1], turns[1]);
  ASSERT_EQ(points.turns(2).size(), 2U);
  EXPECT_EQ(points.turns(2)[0], 0.5 * Mat3::Identity());
  EXPECT_EQ(points.of(1)[1].node, 2);
}

TEST(NodeShares, AllocateNothingWithinTheRoomThereIs) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const std::array<NodeShares::Share, 6> six = {{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}};
  const std::vector<Mat3> turns(6, Mat3::Identity());
  NodeShares points(8, 6);
  const std::size_t before = testing_support::allocation_count();
  for (int run = 0; run < 3; ++run) {
    points.clear();
    for (int i = 0; i < 4; ++i) points.add(six);
    for (int i = 0; i < 4; ++i) points.add(six, turns);
  }
  EXPECT_EQ(testing_support::allocation_count(), before);
}

}  // namespace
}  // namespace stickslip
