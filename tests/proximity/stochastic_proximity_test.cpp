#include "stickslip/proximity/stochastic_proximity.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/proximity/example_shapes.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

using testing_support::block_surface;

auto name_of(const Proximity& p) {
  return std::tuple(p.body_1, p.body_2, p.kind, p.feature_1, p.feature_2);
}

/// Two blocks on each other, the upper one turned.
struct Stack {
  Surface lower = block_surface({0.03, 0.03, 0.01}, {8, 8, 3});
  Surface upper = block_surface({0.02, 0.02, 0.01}, {6, 6, 3});
  std::vector<ProximityBody> bodies{{&upper}, {&lower}};
  std::vector<PlacedSurface> placed{{rotation_exp(Vec3(0.0, 0.0, 0.3)).toRotationMatrix(),
                                     Vec3(1e-3, 2e-3, 0.0101), upper.points, false},
                                    {Mat3::Identity(), Vec3::Zero(), lower.points, false}};
};

double recall(const std::vector<Proximity>& exact, const std::vector<Proximity>& found) {
  int present = 0;
  for (const Proximity& p : exact) {
    for (const Proximity& q : found) {
      if (name_of(p) == name_of(q) && std::abs(p.gap - q.gap) < 1e-12 &&
          p.normal.dot(q.normal) > 1.0 - 1e-9) {
        ++present;
        break;
      }
    }
  }
  return static_cast<double>(present) / static_cast<double>(exact.size());
}

TEST(StochasticProximity, FindsMoreOfTheExactContactsWithMoreStarts) {
  Stack stack;
  std::vector<Proximity> exact;
  MeshProximity(stack.bodies).find(stack.placed, 5e-4, exact);
  ASSERT_GE(exact.size(), 4U);
  double before = -1.0;
  for (const int samples : {1, 8, 64}) {
    double mean = 0.0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      StochasticProximity method(stack.bodies, {}, {1000, samples, seed});
      std::vector<Proximity> found;
      method.find(stack.placed, 5e-4, found);
      mean += recall(exact, found) / 8.0;
    }
    EXPECT_GT(mean, before);
    before = mean;
  }
  EXPECT_GT(before, 0.9);
}

TEST(StochasticProximity, FollowsMinimaUntilItHasSeenAll) {
  Stack stack;
  std::vector<Proximity> exact;
  MeshProximity(stack.bodies).find(stack.placed, 5e-4, exact);
  StochasticProximity method(stack.bodies, {}, {1000, 4, 1});
  std::vector<Proximity> found;
  method.find(stack.placed, 5e-4, found);
  const double first = recall(exact, found);
  for (int k = 0; k < 60; ++k) method.find(stack.placed, 5e-4, found);
  EXPECT_GT(recall(exact, found), std::max(first, 0.95));
}

TEST(StochasticProximity, GivesNoMoreThanItsNumberOfDistances) {
  Stack stack;
  StochasticProximity method(stack.bodies, {}, {5, 50, 1});
  std::vector<Proximity> found;
  for (int k = 0; k < 10; ++k) {
    method.find(stack.placed, 5e-4, found);
    EXPECT_LE(found.size(), 5U);
    EXPECT_FALSE(found.empty());
  }
}

TEST(StochasticProximity, FollowsAFixedNumberOfMinimaForAllPairsTogether) {
  // a row of blocks on a long one
  const Surface lower = block_surface({0.2, 0.03, 0.01}, {40, 8, 2});
  const Surface upper = block_surface({0.02, 0.02, 0.01}, {6, 6, 2});
  std::vector<ProximityBody> bodies{{&lower, {}, true}};
  std::vector<PlacedSurface> placed{{Mat3::Identity(), Vec3::Zero(), lower.points, false}};
  for (int k = 0; k < 8; ++k) {
    bodies.push_back({&upper});
    placed.push_back({Mat3::Identity(), Vec3(0.022 * k - 0.08, 0.0, 0.0101), upper.points, false});
    constexpr int distances = 10;
    StochasticProximity method(bodies, {}, {distances, 40, 1});
    std::vector<Proximity> found;
    for (int round = 0; round < 60; ++round) method.find(placed, 5e-4, found);
    std::vector<std::uint64_t> memory;
    method.save(memory);
    const std::size_t minima = (memory.size() - 1) / 4;
    EXPECT_LE(minima, 4U * distances) << k;
    EXPECT_GE(minima, 5U) << k;
    // each pair has some
    for (int b = 1; b <= k + 1; ++b) {
      EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                              [&](const Proximity& p) { return p.body_2 == b; }))
          << k << " " << b;
    }
  }
}

TEST(StochasticProximity, GoesOnTheSameFromWhatWasSaved) {
  Stack stack;
  StochasticProximity method(stack.bodies, {}, {20, 3, 9});
  std::vector<Proximity> found;
  for (int k = 0; k < 5; ++k) method.find(stack.placed, 5e-4, found);
  std::vector<std::uint64_t> numbers;
  method.save(numbers);
  StochasticProximity other(stack.bodies, {}, {20, 3, 1});
  other.restore(numbers);
  std::vector<Proximity> again;
  for (int k = 0; k < 5; ++k) {
    method.find(stack.placed, 5e-4, found);
    other.find(stack.placed, 5e-4, again);
    ASSERT_EQ(found.size(), again.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(name_of(found[i]), name_of(again[i]));
      EXPECT_EQ(found[i].gap, again[i].gap);
    }
  }
}

TEST(StochasticProximity, AllocatesNothingOnceGrown) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  Stack stack;
  StochasticProximity method(stack.bodies, {}, {30, 20, 1});
  std::vector<Proximity> found;
  for (int k = 0; k < 200; ++k) method.find(stack.placed, 5e-4, found);
  const std::size_t before = testing_support::allocation_count();
  for (int k = 0; k < 200; ++k) method.find(stack.placed, 5e-4, found);
  EXPECT_EQ(testing_support::allocation_count(), before);
}

}  // namespace
}  // namespace stickslip
