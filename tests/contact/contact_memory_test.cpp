#include "stickslip/contact/contact_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

Proximity random_proximity(std::mt19937& random) {
  // few numbers, so that many agree in some of them
  const auto below = [&](unsigned count) { return static_cast<int>(random() % count); };
  Proximity where;
  where.body_1 = below(2);
  where.body_2 = 2 + below(2);
  where.kind = static_cast<FeatureKind>(below(4));
  where.feature_1 = below(5);
  where.feature_2 = below(5);
  return where;
}

bool agree_in_all(const Proximity& a, const Proximity& b) {
  return a.body_1 == b.body_1 && a.body_2 == b.body_2 && a.kind == b.kind &&
         a.feature_1 == b.feature_1 && a.feature_2 == b.feature_2;
}

/// Whether b may be a, slid on: vertices stay, faces change; of two edges the first stays.
bool may_have_slid(const Proximity& a, const Proximity& b) {
  if (a.body_1 != b.body_1 || a.body_2 != b.body_2 || a.kind != b.kind) return false;
  switch (a.kind) {
    case FeatureKind::vertex_face:
    case FeatureKind::edge_edge:
      return a.feature_1 == b.feature_1;
    case FeatureKind::face_vertex:
      return a.feature_2 == b.feature_2;
    default:
      return agree_in_all(a, b);
  }
}

TEST(ContactMemory, FindsWhatALookAtEveryContactFinds) {
  std::mt19937 random(23);
  for (const int count : {0, 1, 5, 40, 300}) {
    ContactMemory memory;
    std::vector<Proximity> all;
    for (int k = 0; k < count; ++k) {
      all.push_back(random_proximity(random));
      memory.remember({.where = all.back(), .force = Vec3(k, 0.0, 0.0)});
    }
    memory.sort();
    EXPECT_EQ(memory.contacts().size(), uz(count));
    for (int k = 0; k < 500; ++k) {
      const Proximity where = random_proximity(random);
      bool has_same = false;
      bool has_slid = false;
      for (const Proximity& other : all) {
        has_same = has_same || agree_in_all(where, other);
        has_slid = has_slid || may_have_slid(where, other);
        EXPECT_EQ(is_same_contact(where, other), may_have_slid(where, other));
      }
      const RememberedContact* found = memory.find(where);
      ASSERT_EQ(found != nullptr, has_same || has_slid);
      if (found == nullptr) continue;
      // the very same is preferred to one that has slid on
      EXPECT_EQ(agree_in_all(found->where, where), has_same);
      EXPECT_TRUE(may_have_slid(found->where, where));
    }
  }
}

TEST(ContactMemory, KeepsWithEachContactWhatBelongsToIt) {
  ContactMemory memory;
  for (int k = 20; k-- > 0;) {
    RememberedContact contact;
    contact.where.feature_1 = k;
    contact.force = Vec3(k, 2.0 * k, 0.0);
    contact.sticks = k % 2 == 0;
    memory.remember(contact);
  }
  memory.sort();
  for (int k = 0; k < 20; ++k) {
    Proximity where;
    where.feature_1 = k;
    const RememberedContact* found = memory.find(where);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->force, Vec3(k, 2.0 * k, 0.0));
    EXPECT_EQ(found->sticks, k % 2 == 0);
  }
  memory.clear();
  EXPECT_EQ(memory.find(Proximity()), nullptr);
}

TEST(ContactMemory, AllocatesNothingWithinWhatWasReserved) {
  std::mt19937 random(3);
  ContactMemory memory;
  memory.reserve(50);
  const std::size_t before = testing_support::allocation_count();
  for (int round = 0; round < 3; ++round) {
    memory.clear();
    for (int k = 0; k < 50; ++k) memory.remember({.where = random_proximity(random)});
    memory.sort();
    memory.find(random_proximity(random));
  }
  EXPECT_EQ(testing_support::allocation_count(), before);
}

}  // namespace
}  // namespace stickslip
