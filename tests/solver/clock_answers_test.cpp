#include "stickslip/solver/clock_answers.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stickslip/solver/solver.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {
namespace {

TEST(ClockAnswers, AreGivenAgainInTheSameOrder) {
  std::mt19937 random(3);
  ClockAnswers noting(8);
  for (int trial = 0; trial < 100; ++trial) {
    noting.start();
    std::vector<bool> given;
    // sometimes more refusals than there is room for
    for (int k = 0; k < 40; ++k) given.push_back(noting.note(random() % 8 != 0));
    ClockAnswers repeating(8);
    repeating.repeat(noting.refused());
    for (const bool answer : given) EXPECT_EQ(repeating.next(), answer);
  }
}

TEST(ClockAnswers, OnceTheyAreFullEverythingIsRefused) {
  ClockAnswers answers(2);
  answers.start();
  EXPECT_TRUE(answers.note(true));
  EXPECT_FALSE(answers.note(false));
  EXPECT_FALSE(answers.note(false));
  EXPECT_FALSE(answers.note(true));
  EXPECT_EQ(answers.refused().size(), 2u);
}

TEST(Budget, WithGivenAnswersDoesNotLookAtTheClock) {
  ClockAnswers answers;
  SolverOptions options;
  options.deadline_us = 1e-9;
  options.clock_answers = &answers;
  const std::vector<std::uint32_t> refused = {1};
  answers.repeat(refused);
  Budget budget(options);
  EXPECT_TRUE(budget.look(0.0));
  EXPECT_FALSE(budget.has(0.0));
  EXPECT_TRUE(budget.has(1e9));

  answers.start();
  EXPECT_FALSE(Budget(options).look(0.0));
  EXPECT_EQ(answers.refused().size(), 1u);
}

TEST(Budget, HasNoTimeLeftOnceNobodyWaits) {
  std::atomic<bool> ends = false;
  ClockAnswers answers;
  answers.refuse_once(&ends);
  answers.start();
  SolverOptions options;
  options.deadline_us = 1e9;
  options.clock_answers = &answers;
  Budget budget(options);
  EXPECT_TRUE(budget.look(0.0));
  ends = true;
  EXPECT_FALSE(budget.look(0.0));
  EXPECT_FALSE(budget.has(0.0));
  answers.refuse_once(nullptr);
  EXPECT_TRUE(budget.has(0.0));
}

TEST(Budget, WithoutADeadlineAsksNothing) {
  ClockAnswers answers;
  SolverOptions options;
  options.clock_answers = &answers;
  answers.repeat(std::vector<std::uint32_t>{0});
  EXPECT_TRUE(Budget(options).look(1e9));
  EXPECT_FALSE(answers.next());
}

}  // namespace
}  // namespace stickslip
