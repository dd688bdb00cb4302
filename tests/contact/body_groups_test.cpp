#include "stickslip/contact/body_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

/// Bodies and contacts between random pairs of them.
struct RandomScene {
  RandomScene(int body_count, int contact_count, unsigned seed) {
    std::mt19937 random(seed);
    for (int b = 0; b < body_count; ++b) bodies.push_back({random() % 4 == 0 ? &fixed : &rigid});
    while (static_cast<int>(contacts.size()) < contact_count) {
      Contact contact{};
      contact.where.body_1 = static_cast<int>(random() % uz(body_count));
      contact.where.body_2 = static_cast<int>(random() % uz(body_count));
      // two that nothing moves are never in contact
      if (contact.where.body_1 == contact.where.body_2 ||
          (!moves(contact.where.body_1) && !moves(contact.where.body_2))) {
        continue;
      }
      contacts.push_back(contact);
      taken.push_back(random() % 5 != 0 ? 1 : 0);
    }
  }
  bool moves(int body) const { return bodies[uz(body)].body == &rigid; }

  /// Contacts reached from one by going from contact to contact over bodies that move.
  std::set<int> reached_from(int contact) const {
    std::set<int> reached = {contact};
    std::vector<int> next = {contact};
    while (!next.empty()) {
      const Proximity& here = contacts[uz(next.back())].where;
      next.pop_back();
      for (int other = 0; other < static_cast<int>(contacts.size()); ++other) {
        const Proximity& there = contacts[uz(other)].where;
        if (!taken[uz(other)]) continue;
        for (const int body : {here.body_1, here.body_2}) {
          if (!moves(body) || (there.body_1 != body && there.body_2 != body)) continue;
          if (reached.insert(other).second) next.push_back(other);
        }
      }
    }
    return reached;
  }

  static Surface triangle() {
    Surface surface;
    surface.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    surface.triangles = {{0, 1, 2}};
    return surface;
  }
  Body fixed = make_fixed_body(triangle());
  Body rigid = make_rigid_body(triangle(), {1.0, Vec3::Zero(), Mat3::Identity()});
  std::vector<MovingBody> bodies;
  std::vector<Contact> contacts;
  std::vector<char> taken;
};

TEST(BodyGroups, AreWhatContactsReachOverBodiesThatMove) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    // from few links to many
    const RandomScene scene(3 + static_cast<int>(seed) % 20, 1 + static_cast<int>(seed) % 17, seed);
    BodyGroups groups;
    groups.build(scene.contacts, scene.taken, scene.bodies);
    int counted = 0;
    std::pair<std::size_t, int> before(scene.contacts.size() + 1, -1);
    for (int k = 0; k < groups.count(); ++k) {
      const auto found = groups.contacts(k);
      ASSERT_FALSE(found.empty());
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
      // the largest first, then by their first contact
      EXPECT_TRUE(found.size() < before.first ||
                  (found.size() == before.first && found.front() > before.second));
      before = {found.size(), found.front()};
      EXPECT_EQ(std::set<int>(found.begin(), found.end()), scene.reached_from(found.front()))
          << "seed " << seed;
      counted += static_cast<int>(found.size());
    }
    EXPECT_EQ(counted, std::count(scene.taken.begin(), scene.taken.end(), 1));
    EXPECT_EQ(groups.contact_count(), uz(counted));
  }
}

TEST(BodyGroups, ABodyIsInTheGroupOfItsContacts) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomScene scene(3 + static_cast<int>(seed) % 20, 1 + static_cast<int>(seed) % 17, seed);
    BodyGroups groups;
    groups.build(scene.contacts, scene.taken, scene.bodies);
    std::vector<int> group_of(scene.bodies.size(), -1);
    for (int k = 0; k < groups.count(); ++k) {
      for (const int c : groups.contacts(k)) {
        const Proximity& where = scene.contacts[uz(c)].where;
        for (const int body : {where.body_1, where.body_2}) {
          if (scene.moves(body)) group_of[uz(body)] = k;
        }
      }
    }
    for (std::size_t b = 0; b < group_of.size(); ++b) {
      EXPECT_EQ(groups.group_of(static_cast<int>(b)), group_of[b]) << "seed " << seed;
    }
  }
}

TEST(BodyGroups, AllocateNothingWithinWhatWasReserved) {
  BodyGroups groups;
  groups.reserve(30, 40);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const RandomScene scene(30, 40, seed);
    const std::size_t before = testing_support::allocation_count();
    groups.build(scene.contacts, scene.taken, scene.bodies);
    EXPECT_EQ(testing_support::allocation_count(), before);
  }
}

TEST(BodyGroups, ABodyYieldsWhereItMovesOrDeforms) {
  const RandomScene scene(1, 0, 1);
  EXPECT_FALSE(yields(scene.fixed));
  EXPECT_TRUE(yields(scene.rigid));
  const DeformationModel model =
      make_elastic_model(make_box({0.1, 0.1, 0.1}, {1, 1, 1}, ElementType::tet4),
                         {1e6, 0.3, 1000.0}, {.contact_regions = {}});
  const std::vector<int> held = {0, 1, 2};
  EXPECT_TRUE(yields(make_deformable_body(model, held, {})));
}

}  // namespace
}  // namespace stickslip
