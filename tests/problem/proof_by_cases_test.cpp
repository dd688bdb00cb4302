#include "stickslip/problem/proof_by_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace stickslip {
namespace {

using State = ContactCase::State;

/// Contacts that overlap and that no force moves: (1, 0, 0) everywhere refutes each case.
ContactProblem immovable(int contacts) {
  VecX delta_free = VecX::Zero(3 * contacts);
  for (int i = 0; i < contacts; ++i) delta_free[3 * i] = -1.0;
  return {BlockMatrix::dense(MatX::Zero(3 * contacts, 3 * contacts)), delta_free,
          VecX::Constant(contacts, 0.5)};
}

VecX normals(int contacts) {
  VecX y = VecX::Zero(3 * contacts);
  for (int i = 0; i < contacts; ++i) y[3 * i] = 1.0;
  return y;
}

/// Open, at rest, or slipping somewhere.
struct Found {
  State state;
  double angle;
};

bool holds(const ContactCase& supposed, const Found& found) {
  switch (supposed.state) {
    case State::any:
      return true;
    case State::closed:
      return found.state != State::open;
    case State::open:
    case State::sticks:
      return found.state == supposed.state;
    case State::slips:
      break;
  }
  return found.state == State::slips && supposed.from <= found.angle && found.angle <= supposed.to;
}

TEST(ProofByCases, ForgetsNoStateOfAnyContactHoweverItIsCut) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::size_t most_cases = 0;
  for (int walk = 0; walk < 60; ++walk) {
    const int contacts = 1 + walk % 3;
    const ContactProblem problem = immovable(contacts);
    ProofByCases proof;
    proof.start(problem);
    std::vector<std::vector<ContactCase>> cases;
    while (!proof.is_complete()) {
      const int contact = static_cast<int>(random() % static_cast<unsigned>(contacts));
      const bool slips = proof.supposed()[uz(contact)].state == State::slips;
      if (proof.can_cut(contact) && share(random) < (slips ? 0.3 : 0.9)) {
        proof.cut(contact);
        continue;
      }
      cases.emplace_back(proof.supposed().begin(), proof.supposed().end());
      ASSERT_TRUE(proof.refute(normals(contacts)));
    }
    most_cases = std::max(most_cases, cases.size());
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<Found> found;
      for (int i = 0; i < contacts; ++i) {
        const State state = std::array{State::open, State::sticks, State::slips}[random() % 3];
        found.push_back({state, 2.0 * std::numbers::pi * share(random)});
      }
      const bool is_held = std::ranges::any_of(cases, [&](const auto& supposed) {
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (!holds(supposed[i], found[i])) return false;
        }
        return true;
      });
      EXPECT_TRUE(is_held) << "walk " << walk << ", trial " << trial;
    }
  }
  EXPECT_GT(most_cases, 100U);
}

/// A point that overlaps a plane by 1 after a free slip, and that forces move as their sizes:
/// friction of 0.5 takes at most 0.5 of the slip.
ContactProblem sliding_point(double slip) {
  return {BlockMatrix::dense(MatX::Identity(3, 3)), Vec3(-1.0, slip, 0.0), VecX::Constant(1, 0.5)};
}

/// Goes on to the parts of "closed", of which the first is that the point sticks.
void refute_open(ProofByCases& proof) {
  proof.cut(0);
  ASSERT_EQ(proof.supposed()[0].state, State::open);
  ASSERT_TRUE(proof.refute(Vec3(1.0, 0.0, 0.0)));
  ASSERT_EQ(proof.supposed()[0].state, State::closed);
  proof.cut(0);
  ASSERT_EQ(proof.supposed()[0].state, State::sticks);
}

TEST(ProofByCases, WhatIsOpenIsRefutedByPushesAlone) {
  const ContactProblem point = sliding_point(1.0);
  ProofByCases proof;
  proof.start(point);
  // where it may be closed forces lift the point
  EXPECT_FALSE(proof.refute(Vec3(1.0, 0.0, 0.0)));
  proof.cut(0);
  // it slips anywhere, does not come nearer, and a y must be something
  for (const Vec3& y : {Vec3(1.0, -1.0, 0.0), Vec3(-1.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0),
                        Vec3(std::nan(""), 0.0, 0.0)}) {
    EXPECT_FALSE(proof.refute(y)) << y;
  }
  EXPECT_FALSE(proof.refute(VecX::Ones(2)));
  EXPECT_TRUE(proof.refute(Vec3(1.0, 0.0, 0.0)));
}

TEST(ProofByCases, StickIsRefutedWhereTheConeEnds) {
  for (const double slip : {0.1, 0.499, 0.501, 1.0}) {
    const ContactProblem point = sliding_point(slip);
    ProofByCases proof;
    proof.start(point);
    refute_open(proof);
    // y.f = -f_n / 2 - f_t1 is positive beyond the cone alone
    EXPECT_FALSE(proof.refute(Vec3(-0.499, -1.0, 0.0))) << slip;
    EXPECT_FALSE(proof.refute(Vec3(0.5, -1.0, 0.0))) << slip;
    EXPECT_EQ(proof.refute(Vec3(-0.5, -1.0, 0.0)), slip > 0.5) << slip;
  }
}

TEST(ProofByCases, SlipIsRefutedInAllDirectionsButTheTrueOne) {
  // friction turns no slip: it goes on at an angle of 2
  const double angle = 2.0;
  ContactProblem point = sliding_point(1.0);
  point.delta_free.tail<2>() << std::cos(angle), std::sin(angle);
  ProofByCases proof;
  proof.start(point);
  refute_open(proof);
  ASSERT_TRUE(proof.refute(Vec3(-0.5, -std::cos(angle), -std::sin(angle))));
  int refuted = 0;
  while (proof.can_cut(0)) {
    const auto [state, from, to] = proof.supposed()[0];
    ASSERT_EQ(state, State::slips);
    ASSERT_LE(from, angle);
    if (to > angle) {
      // against slips on either side of it
      for (const double side : {to - 0.5 * std::numbers::pi, from + 0.5 * std::numbers::pi}) {
        EXPECT_FALSE(proof.refute(Vec3(0.0, std::cos(side), std::sin(side))));
        EXPECT_FALSE(proof.refute(Vec3(0.5, -std::cos(side), -std::sin(side))));
      }
      proof.cut(0);
      continue;
    }
    const double inward = to - 0.5 * std::numbers::pi;
    EXPECT_FALSE(proof.refute(Vec3(0.1, std::cos(inward), std::sin(inward))));
    EXPECT_TRUE(proof.refute(Vec3(0.0, std::cos(inward), std::sin(inward)))) << from;
    ++refuted;
  }
  EXPECT_GE(refuted, 3);
  EXPECT_FALSE(proof.is_complete());
}

}  // namespace
}  // namespace stickslip
