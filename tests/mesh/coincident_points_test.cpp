#include "stickslip/mesh/coincident_points.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "stickslip/mesh/findings.hpp"

namespace stickslip {
namespace {

/// The same by looking at all: a point belongs to the first that stands for itself.
std::vector<int> by_all_pairs(const std::vector<Vec3>& points, double tolerance) {
  std::vector<int> first;
  for (std::size_t i = 0; i < points.size(); ++i) {
    first.push_back(static_cast<int>(i));
    for (std::size_t j = 0; j < i; ++j) {
      if (first[j] != static_cast<int>(j) || !((points[i] - points[j]).norm() <= tolerance)) {
        continue;
      }
      first[i] = static_cast<int>(j);
      break;
    }
  }
  return first;
}

TEST(CoincidentPoints, AreThoseThatALookAtAllPairsFinds) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const double scale : {1e-6, 1.0, 1e5}) {
    for (const double tolerance : {1e-9 * scale, 1e-3 * scale, 0.05 * scale, 3.0 * scale}) {
      std::vector<Vec3> points;
      for (int k = 0; k < 400; ++k) {
        // some stand exactly on others, some just beside
        if (k > 10 && k % 3 == 0) {
          points.push_back(points[uz(random() % uz(k))]);
        } else if (k > 10 && k % 3 == 1) {
          points.push_back(points[uz(random() % uz(k))] +
                           1.2 * tolerance * Vec3(uniform(random), uniform(random), 0.0));
        } else {
          points.push_back(scale * Vec3(uniform(random), uniform(random), uniform(random)));
        }
      }
      EXPECT_EQ(first_coincident(points, tolerance), by_all_pairs(points, tolerance))
          << scale << ' ' << tolerance;
    }
  }
}

TEST(CoincidentPoints, AreFoundAcrossTheCellsOfTheGrid) {
  // pairs at every place of a line that crosses many cells
  const double tolerance = 1e-3;
  std::vector<Vec3> points;
  for (int k = -500; k < 500; ++k) {
    const double x = 0.0137 * k;
    points.emplace_back(x, -x, 2.0 * x);
    points.emplace_back(x + 0.9 * tolerance, -x, 2.0 * x);
    points.emplace_back(x, -x - 1.1 * tolerance, 2.0 * x);
  }
  const std::vector<int> first = first_coincident(points, tolerance);
  for (std::size_t k = 0; k < points.size(); k += 3) {
    EXPECT_EQ(first[k + 1], static_cast<int>(k));
    EXPECT_EQ(first[k + 2], static_cast<int>(k) + 2);
  }
}

TEST(CoincidentPoints, ThatAreNotFiniteCoincideWithNothing) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double undefined = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vec3> points = {{undefined, 0, 0}, {undefined, 0, 0}, {infinite, 0, 0},
                                    {infinite, 0, 0},  {1e300, 0, 0},     {1, 2, 3},
                                    {1, 2, 3}};
  EXPECT_EQ(first_coincident(points, 1e-6), (std::vector<int>{0, 1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(largest_extent({{undefined, 0, 0}, {infinite, 1, 1}}), 0.0);
  EXPECT_EQ(largest_extent({{0, 0, 0}, {undefined, 9, 9}, {1, -2, 0.5}}), 2.0);
  EXPECT_EQ(largest_extent({}), 0.0);
}

TEST(DisjointSets, HoldTogetherWhatWasJoinedAndNothingElse) {
  constexpr std::size_t size = 60;
  std::mt19937 random(6);
  for (int joins = 0; joins < 80; joins += 8) {
    DisjointSets sets(size);
    std::vector<std::size_t> label(size);
    for (std::size_t i = 0; i < size; ++i) label[i] = i;
    for (int k = 0; k < joins; ++k) {
      const std::size_t a = random() % size;
      const std::size_t b = random() % size;
      sets.join(a, b);
      const std::size_t from = label[a];
      for (std::size_t& l : label) l = l == from ? label[b] : l;
    }
    for (std::size_t i = 0; i < size; ++i) {
      // the least of a set stands for it
      EXPECT_LE(sets.root(i), i);
      for (std::size_t j = 0; j < size; ++j) {
        EXPECT_EQ(sets.root(i) == sets.root(j), label[i] == label[j]);
      }
    }
  }
}

TEST(Fault, CountsAllAndShowsTheFirstThree) {
  std::vector<Finding> findings;
  Fault fault;
  fault.report(findings, Severity::error, "code", "thing", "that is wrong", "mend it");
  EXPECT_TRUE(findings.empty());
  const char* expected[] = {"a", "a; b", "a; b; c", "a; b; c; and 1 more"};
  for (std::size_t k = 0; k < 4; ++k) {
    fault.add(std::string(1, static_cast<char>('a' + k)));
    fault.report(findings, Severity::warning, "code", "thing", "that is wrong", "mend it");
    EXPECT_EQ(findings.back().where, expected[k]);
    EXPECT_EQ(findings.back().message,
              std::to_string(k + 1) + (k == 0 ? " thing" : " things") + " that is wrong");
    EXPECT_EQ(findings.back().severity, Severity::warning);
  }
}

}  // namespace
}  // namespace stickslip
