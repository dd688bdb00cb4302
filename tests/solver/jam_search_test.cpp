#include "stickslip/solver/jam_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"
#include "tests/solver/example_problems.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr int any_number = 1'000'000;

/// Where a rigid body of 1 kg at the origin is touched, and where it is pushed to.
struct Touch {
  Vec3 point;
  Vec3 normal;
};

/// It moves by `motion` when nothing touches; walls have come `closing` [m] into it.
ContactProblem rigid_body(const std::vector<Touch>& touches, const Vec3& inertia, double closing,
                          double mu, const Vec6& motion = Vec6::Zero()) {
  const auto m = static_cast<Eigen::Index>(touches.size());
  MatX J(3 * m, 6);
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto& [point, normal] = touches[uz(i)];
    const Vec3 tangent = normal.unitOrthogonal();
    Eigen::Index row = 3 * i;
    for (const Vec3& axis : {normal, tangent, Vec3(normal.cross(tangent))}) {
      J.block<1, 3>(row, 0) = axis.transpose();
      J.block<1, 3>(row++, 3) = point.cross(axis).transpose();
    }
  }
  Vec6 inverse_mass = Vec6::Ones();
  inverse_mass.tail<3>() = inertia.cwiseInverse();
  const MatX W = J * inverse_mass.asDiagonal() * J.transpose();
  VecX delta_free = J * motion;
  for (Eigen::Index i = 0; i < m; ++i) delta_free[3 * i] -= closing;
  return {BlockMatrix::dense(0.5 * (W + W.transpose())), delta_free, VecX::Constant(m, mu)};
}

/// A rod of 1 m between two walls, so far from square to them. [rad]
ContactProblem rod_between_walls(double tilt, double mu) {
  const Vec3 end = 0.5 * Vec3(std::sin(tilt), 0.0, std::cos(tilt));
  return rigid_body({{-end, Vec3::UnitZ()}, {end, -Vec3::UnitZ()}},
                    Vec3(1.0 / 12.0, 1.0 / 12.0, 1e-3), 1e-3, mu);
}

/// A wedge with sides so far from the vertical, touched at each by `touches` points. [rad]
ContactProblem wedge_in_groove(double half_angle, int touches, double mu) {
  std::vector<Touch> all;
  for (const double side : {-1.0, 1.0}) {
    const Vec3 normal(-side * std::cos(half_angle), 0.0, std::sin(half_angle));
    for (int k = 0; k < touches; ++k) {
      all.push_back({{side * 0.1, touches > 1 ? 0.1 * (2 * k - 1) : 0.0, 0.0}, normal});
    }
  }
  return rigid_body(all, Vec3(0.01, 0.02, 0.015), 1e-4, mu);
}

/// By all solvers, at any tolerance: whether the problem is jammed; if not it is solved.
void expect_jam(const ContactProblem& problem, bool is_jammed) {
  for (const char* name : {"auto", "block-gauss-seidel", "gauss-seidel"}) {
    for (const double tolerance : {1e-2, 1e-4, 1e-8}) {
      for (const Criterion criterion : {Criterion::plain, Criterion::rescaled}) {
        SCOPED_TRACE(testing::Message() << name << " to " << tolerance);
        SolverOptions options;
        options.tolerance = tolerance;
        options.criterion = criterion;
        VecX f;
        const SolveResult result = make_solver(name)->solve(problem, options, f);
        EXPECT_EQ(result.message, is_jammed ? jammed_message : "");
        EXPECT_EQ(result.status, is_jammed ? SolveStatus::failed : SolveStatus::converged);
        const NaturalMapError error = natural_map_error(problem, f);
        EXPECT_NEAR(result.error, criterion == Criterion::plain ? error.plain : error.rescaled,
                    1e-12);
      }
    }
  }
}

TEST(Jam, ARodBetweenClosingWallsJamsWithinTheAngleOfFriction) {
  // within it the force along the rod lies in both cones, and no slip goes against its friction
  for (const double mu : {0.1, 0.4, 1.0}) {
    for (const double share : {0.3, 0.9, 0.98, 1.02, 1.1, 1.5}) {
      SCOPED_TRACE(testing::Message() << "mu " << mu << ", tilt " << share << " of its angle");
      expect_jam(rod_between_walls(share * std::atan(mu), mu), share < 1.0);
    }
  }
}

TEST(Jam, AWedgeInAClosingGrooveJamsWithinTheAngleOfFriction) {
  for (const int touches : {1, 2}) {
    for (const double share : {0.3, 0.9, 1.1, 1.5}) {
      SCOPED_TRACE(testing::Message() << touches << " a side, " << share << " of the angle");
      expect_jam(wedge_in_groove(share * std::atan(0.5), touches, 0.5), share < 1.0);
    }
  }
}

/// How many problems a run looks at: all behind ./check --long.
int fraction_of(int count) {
  return std::getenv("STICKSLIP_LONG") != nullptr ? count : count / 20;
}

/// Problems of one to four contacts with their forces, made from the solution: whatever else is
/// true of them, one exists. Of most some force within the cones moves nothing, as in jams.
class KnownProblems {
 public:
  struct Known {
    ContactProblem problem;
    VecX f;
  };

  Known make() {
    const Eigen::Index m = 1 + static_cast<Eigen::Index>(random_() % 4);
    const auto freedoms = 1 + static_cast<Eigen::Index>(random_() % uz(3 * m));
    MatX J = MatX::NullaryExpr(3 * m, freedoms, [&] { return normal_(random_); });
    const VecX mu = VecX::NullaryExpr(m, [&] { return std::pow(10.0, 1.5 * share() - 1.0); });
    if (share() < 0.8) {
      VecX idle(3 * m);
      for (Eigen::Index i = 0; i < m; ++i) {
        idle.segment<3>(3 * i) = share() * (Vec3::UnitX() + mu[i] * share() * tangent());
      }
      J -= idle * (idle.transpose() * J).eval() / idle.squaredNorm();
    }
    VecX f = VecX::Zero(3 * m);
    VecX delta = VecX::Zero(3 * m);
    for (Eigen::Index i = 0; i < m; ++i) {
      const Vec3 t = tangent();
      const double size = std::pow(10.0, 4.0 * share() - 2.0);
      switch (random_() % 3) {
        case 0:
          delta.segment<3>(3 * i) = Vec3(share(), normal_(random_), normal_(random_));
          break;
        case 1:
          f.segment<3>(3 * i) = size * (Vec3::UnitX() + mu[i] * share() * t);
          break;
        default:
          f.segment<3>(3 * i) = size * (Vec3::UnitX() - mu[i] * t);
          delta.segment<3>(3 * i) = share() * t;
      }
    }
    const MatX W = J * J.transpose();
    return {{BlockMatrix::dense(0.5 * (W + W.transpose())), delta - W * f, mu}, f};
  }

 private:
  double share() { return uniform_(random_); }
  Vec3 tangent() {
    const double angle = 2.0 * std::numbers::pi * share();
    return {0.0, std::cos(angle), std::sin(angle)};
  }

  std::mt19937 random_{11};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0.0, 1.0};
};

TEST(Jam, IsNeverSaidWhereASolutionIsKnown) {
  KnownProblems problems;
  JamSearch search;
  search.reserve(4);
  for (int k = 0; k < fraction_of(100'000); ++k) {
    const auto [problem, f] = problems.make();
    ASSERT_LT(natural_map_error(problem, f).plain, 1e-12) << k;
    Budget budget(unlimited);
    EXPECT_FALSE(search.proves_no_solution_of(problem, any_number, budget, 0.0)) << k;
  }
}

TEST(Jam, BodiesBetweenClosingWallsAreSolvedOrProvenToJam) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const std::unique_ptr<Solver> solver = make_solver("auto");
  for (const int m : {2, 3, 4}) {
    int solved = 0;
    int jammed = 0;
    const int count = 100;
    for (int trial = 0; trial < count; ++trial) {
      const auto some = [&](double size) {
        return Vec3(size * Vec3::NullaryExpr([&] { return normal(random); }));
      };
      std::vector<Touch> touches;
      for (int i = 0; i < m; ++i) {
        const Vec3 point = some(1.0);
        touches.push_back({point, (some(0.3) - point).normalized()});
      }
      Vec6 motion;
      motion.head<3>() = some(0.01);
      motion.tail<3>() = some(0.01);
      const ContactProblem problem = rigid_body(touches, Vec3::Ones(), 0.01, 1.0, motion);
      SolverOptions options;
      options.tolerance = 1e-8;
      options.criterion = Criterion::rescaled;
      VecX f;
      const SolveResult result = solver->solve(problem, options, f);
      solved += result.status == SolveStatus::converged ? 1 : 0;
      jammed += result.message == jammed_message ? 1 : 0;
      if (result.status != SolveStatus::converged) continue;
      // and not beside forces that ran away
      EXPECT_LT(problem.W.mean_diagonal() * f.norm(), 1e6 * problem.delta_free.norm()) << trial;
      EXPECT_LE(natural_map_error(problem, f).rescaled, 1.0001e-8) << trial;
    }
    EXPECT_EQ(solved + jammed, count) << m << " contacts";
    EXPECT_GT(solved, 5) << m << " contacts";
    EXPECT_GT(jammed, 5) << m << " contacts";
  }
}

TEST(Jam, TheSearchAllocatesNothingAndEndsWithItsTimeAndItsCases) {
  const ContactProblem problem = rod_between_walls(0.2, 0.5);
  JamSearch search;
  search.reserve(problem.contact_count());
  Budget budget(unlimited);
  const std::size_t before = testing_support::allocation_count();
  EXPECT_TRUE(search.proves_no_solution_of(problem, any_number, budget, 0.0));
  if (testing_support::counts_allocations()) {
    EXPECT_EQ(testing_support::allocation_count(), before);
  }
  EXPECT_FALSE(search.proves_no_solution_of(problem, 3, budget, 0.0));
  Budget none(0.0);
  EXPECT_FALSE(search.proves_no_solution_of(problem, any_number, none, 0.0));
  // more contacts than it takes
  search.reserve(12);
  EXPECT_FALSE(search.proves_no_solution_of(elastic_problem(12, 0.4, 3), any_number, budget, 0.0));
}

}  // namespace
}  // namespace stickslip
