#include "stickslip/proximity/contact_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

struct Contacts {
  std::vector<Proximity> found;
  std::vector<Vec3> places;
  std::vector<char> carried_force;
  ContactChoice scratch;
  std::vector<int> chosen;

  void add(const Vec3& place, double gap, bool carried, int body_2 = 1) {
    Proximity contact{};
    contact.body_2 = body_2;
    contact.gap = gap;
    found.push_back(contact);
    places.push_back(place);
    carried_force.push_back(carried ? 1 : 0);
  }
  const std::vector<int>& choose(int budget) {
    choose_contacts(found, places, carried_force, budget, scratch, chosen);
    return chosen;
  }
  bool has(int index) const { return std::binary_search(chosen.begin(), chosen.end(), index); }
};

TEST(ContactChoice, WithinTheBudgetAllAreKept) {
  Contacts contacts;
  for (int i = 0; i < 5; ++i) contacts.add(Vec3(i, 0.0, 0.0), 1e-3, i % 2 == 0);
  EXPECT_EQ(contacts.choose(5), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(contacts.choose(9).size(), 5U);
}

TEST(ContactChoice, LoadedContactsStayWhateverTheirGap) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Contacts contacts;
  for (int i = 0; i < 200; ++i) {
    contacts.add(Vec3(uniform(random), uniform(random), 0.0), uniform(random), i % 20 == 7);
  }
  contacts.choose(30);
  EXPECT_EQ(contacts.chosen.size(), 30U);
  for (int i = 7; i < 200; i += 20) EXPECT_TRUE(contacts.has(i));
  // of too many the nearest
  contacts.choose(4);
  std::vector<double> gaps;
  for (int i = 7; i < 200; i += 20) gaps.push_back(contacts.found[uz(i)].gap);
  std::sort(gaps.begin(), gaps.end());
  for (const int i : contacts.chosen) EXPECT_LE(contacts.found[uz(i)].gap, gaps[3]);
}

TEST(ContactChoice, EqualGapsAreSpreadOverTheArea) {
  Contacts contacts;
  for (int j = 0; j < 15; ++j) {
    for (int i = 0; i < 15; ++i) contacts.add(Vec3(i, j, 0.0), 0.0, false);
  }
  contacts.choose(4);
  // the corners of the area
  EXPECT_EQ(contacts.chosen, (std::vector<int>{0, 14, 210, 224}));
  // and more of them leave no large hole
  contacts.choose(25);
  for (const Vec3& place : contacts.places) {
    double nearest = 1e300;
    for (const int i : contacts.chosen) {
      nearest = std::min(nearest, (place - contacts.places[uz(i)]).norm());
    }
    EXPECT_LT(nearest, 4.0);
  }
}

TEST(ContactChoice, TheNearestIsAlwaysThere) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int trial = 0; trial < 50; ++trial) {
    Contacts contacts;
    for (int i = 0; i < 60; ++i) {
      contacts.add(Vec3(uniform(random), uniform(random), 0.0), uniform(random), false, 1 + i % 3);
    }
    contacts.choose(10);
    const auto nearest =
        std::min_element(contacts.found.begin(), contacts.found.end(),
                         [](const Proximity& a, const Proximity& b) { return a.gap < b.gap; });
    EXPECT_TRUE(contacts.has(static_cast<int>(nearest - contacts.found.begin())));
    // every pair of bodies has its share
    for (int body = 1; body <= 3; ++body) {
      EXPECT_TRUE(std::any_of(contacts.chosen.begin(), contacts.chosen.end(),
                              [&](int i) { return contacts.found[uz(i)].body_2 == body; }));
    }
  }
}

TEST(ContactChoice, AllocatesNothingOnceGrown) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "allocations are not counted";
  Contacts contacts;
  for (int i = 0; i < 100; ++i) contacts.add(Vec3(i % 10, i / 10, 0.0), 0.01 * i, i % 7 == 0);
  contacts.choose(30);
  const std::size_t before = testing_support::allocation_count();
  contacts.choose(30);
  contacts.choose(5);
  EXPECT_EQ(testing_support::allocation_count(), before);
}

}  // namespace
}  // namespace stickslip
