#include "experiments/figures.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "places.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip::experiments {
namespace {

/// Every figure in its small version.
class Figures : public testing::Test {
 protected:
  Figures() {
    settings_.out = folder_.path();
    settings_.scenes = STICKSLIP_SOURCE_DIR "/scenes";
    settings_.is_quick = true;
  }
  /// Runs it and looks whether what it names was written.
  Finding run(Finding (*figure)(const Settings&)) const {
    Finding finding = figure(settings_);
    EXPECT_FALSE(finding.paper.empty() || finding.ours.empty() || finding.why.empty());
    EXPECT_FALSE(finding.pictures.empty());
    for (const std::string& picture : finding.pictures) {
      const std::string svg = folder_.read(picture);
      EXPECT_NE(svg.find("</svg>"), svg.npos) << picture;
      EXPECT_EQ(svg.find("nan"), svg.npos) << picture;
    }
    for (const std::string& table : finding.tables) EXPECT_GT(folder_.read(table).size(), 50U);
    return finding;
  }
  TestFolder folder_;
  Settings settings_;
};

TEST_F(Figures, TwoTrianglesTouchAtTheCornersOfTheirOverlap) {
  const Finding finding = run(figure_03_triangles);
  EXPECT_EQ(finding.number("contacts, vertex on face"), 1.0);
  EXPECT_EQ(finding.number("contacts, edge on edge"), 1.0);
  EXPECT_EQ(finding.number("contacts, edge on face"), 2.0);
  EXPECT_EQ(finding.number("contacts, edge over the rim"), 2.0);
  EXPECT_EQ(finding.number("contacts, face on face"), 3.0);
  EXPECT_EQ(finding.number("contacts, star"), 6.0);
  EXPECT_LT(finding.number("smallest gap against the sampled distance, worst"), 1e-9);
  EXPECT_LT(finding.number("area that the contacts span against the overlap, worst share"), 1e-9);
  EXPECT_EQ(finding.verdict, Verdict::agrees);
}

TEST_F(Figures, TheFrictionLawIsTracedAsASet) {
  const Finding finding = run(figure_04_friction_law);
  EXPECT_LT(finding.number("distance of the traced points from the law's graph, worst share of fₙ"),
            1e-9);
  EXPECT_NEAR(finding.number("largest friction over µ m g"), 1.0, 1e-6);
  EXPECT_NEAR(finding.number("energy lost over µ m g times way slid"), 1.0, 1e-6);
  EXPECT_LT(finding.number("drift of sticking contacts over the run"), 1e-9);
}

TEST_F(Figures, PyramidsMissFrictionByTwiceTheSineOfHalfTheAngle) {
  const Finding finding = run(figure_05_pyramid);
  EXPECT_LT(finding.number("distance from 2 sin(θ/2), θ to the nearest corner, worst"), 1e-6);
  for (const int sides : {4, 8, 16}) {
    const double bound = 200.0 * std::sin(0.5 * std::numbers::pi / sides);
    const double largest = finding.number(fmt::format("largest error of {} sides in slip", sides));
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, 0.9 * bound);
  }
  EXPECT_LT(finding.number("friction of 8 sides off the cone's, stick, well inside"), 1e-6);
}

TEST_F(Figures, LegsSpreadWhereFrictionIsSmall) {
  const Finding finding = run(figure_06_legs);
  EXPECT_GT(finding.number("feet outward, µ = 0.05"), 5.0);
  EXPECT_LT(std::abs(finding.number("feet outward, µ = 0.8")), 0.05);
  EXPECT_LT(finding.number("floor carries load and weight, worst relative error"), 1e-5);
  EXPECT_EQ(finding.verdict, Verdict::agrees);
}

TEST_F(Figures, PyramidsMissTheTangentialPartMoreThanWholeForces) {
  const Finding finding = run(figure_07_gap);
  for (const char* slip : {"partial slip", "threshold of slip", "full slip"}) {
    const double whole = finding.number(fmt::format("γ of whole forces at 16 sides, {}", slip));
    const double tangential =
        finding.number(fmt::format("γ of the tangential part at 16 sides, {}", slip));
    EXPECT_GT(whole, 0.0);
    EXPECT_LT(whole, 5.0);
    EXPECT_GT(tangential, 2.0 * whole);
  }
  // of one contact in imposed slip it would be 4.9 % in the mean and 19.6 % at most
  EXPECT_GT(finding.number("γ of the tangential part at 16 sides, full slip"), 4.9);
  EXPECT_LT(finding.number("γ of the tangential part at 16 sides, full slip"), 19.6);
}

TEST_F(Figures, PyramidsGrowFasterThanGaussSeidel) {
  const Finding finding = run(figure_08_time);
  EXPECT_EQ(finding.number("size of the LCP, most contacts"),
            10.0 * finding.number("most contacts"));
  EXPECT_GT(finding.number("ratio, most contacts"), 1.0);
  EXPECT_GT(finding.number("pivots, most contacts"), finding.number("most contacts"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "table_problems"));
}

TEST_F(Figures, TheDelassusOperatorOfTheTableIsFourBlocks) {
  const Finding finding = run(figure_09_delassus);
  for (const char* axis : {"normal", "along x", "along y"}) {
    EXPECT_LT(finding.number(fmt::format("between legs over within a leg, {}", axis)), 1e-3);
    EXPECT_GT(finding.number(fmt::format("mean |W| within a leg, {}", axis)), 0.0);
  }
}

TEST_F(Figures, ReinforcementsStiffenTheirDirectionMost) {
  const Finding finding = run(figure_10_reinforcements);
  const double along = finding.number("mean compliance of a foot, along x, with bars over without");
  const double across =
      finding.number("mean compliance of a foot, along y, with bars over without");
  EXPECT_LT(along, 0.5);
  EXPECT_LT(along, across);
  EXPECT_LT(across, 1.0);
}

TEST_F(Figures, ReinforcementsCoupleTheLegsTheyJoin) {
  const Finding finding = run(figure_11_delassus_reinforced);
  EXPECT_LT(finding.number("legs joined by a bar over within a leg, along x, without bars"), 1e-3);
  EXPECT_GT(finding.number("legs joined by a bar over within a leg, along x, with bars"), 0.3);
  EXPECT_LT(finding.number("legs not joined over within a leg, along x, with bars"), 1e-3);
  EXPECT_LT(finding.number("mean |W| within a leg, along x, over that without bars"), 0.5);
}

TEST_F(Figures, OnlyTheRigidBlockDependsOnTheOrderOfContacts) {
  const Finding finding = run(figure_13_block);
  EXPECT_GT(finding.number("forces differ between orders, rigid"), 5.0);
  EXPECT_LT(finding.number("their sum differs between orders, rigid"), 0.1);
  EXPECT_LT(finding.number("forces differ between orders, quasi-rigid"), 0.01);
  EXPECT_LT(finding.number("`auto` against Algorithm 1, quasi-rigid"), 0.01);
  EXPECT_LT(finding.number("way moved under the push, rigid"), 1e-7);
  EXPECT_LT(finding.number("way moved under the push, quasi-rigid"), 1e-7);
}

TEST_F(Figures, TheClipSnapsInAndGrips) {
  const Finding finding = run(figure_14_snap_in);
  const auto in = [&](const char* mu) {
    return finding.number(fmt::format("largest force on the way in, µ = {}", mu));
  };
  const auto out = [&](const char* mu) {
    return finding.number(fmt::format("largest force on the way out, µ = {}", mu));
  };
  EXPECT_GT(in("0"), 1.0);
  EXPECT_GT(in("0.2"), in("0"));
  EXPECT_GT(in("0.8"), in("0.2"));
  EXPECT_GT(out("0.8"), out("0.2"));
  EXPECT_GT(out("0.8"), in("0.8"));
  // without friction what goes in comes out: the pipe pulls as it pushed
  EXPECT_GT(finding.number("pull into the seat, µ = 0"), 1.0);
  EXPECT_EQ(finding.verdict, Verdict::agrees);
}

TEST_F(Figures, ABodyMovesFarAndDeformsLittle) {
  const Finding finding = run(figure_12_two_motions);
  EXPECT_GT(finding.number("rigid motion to the widest opening, farthest"), 10.0);
  EXPECT_NEAR(finding.number("deformation there, farthest"), 1.8, 0.5);
  EXPECT_LT(finding.number("turn that linear elasticity alone takes for as much energy"), 10.0);
  EXPECT_EQ(finding.verdict, Verdict::agrees);
}

TEST_F(Figures, BothHandsFeelTheSnap) {
  const Finding finding = run(figure_15_two_hands);
  const double push = finding.number("largest force on the right hand, way in");
  EXPECT_NEAR(push, finding.number("largest force on the way in"), 0.1 * push);
  EXPECT_LT(finding.number("sum of both hands' forces in the push, largest"), 0.1 * push);
  EXPECT_EQ(finding.verdict, Verdict::agrees);
}

TEST_F(Figures, SoftPipesYieldToTheClip) {
  const Finding finding = run(figure_16_deformable_pipes);
  EXPECT_GT(finding.number("largest displacement of the pipe, µ = 0.8"),
            finding.number("largest displacement of the pipe, µ = 0.2"));
  // two rings need twice the force of one
  const double one = finding.number("largest force on the way in, µ = 0.2");
  EXPECT_NEAR(finding.number("largest force on the way in, µ = 0.2, double clip"), 2.0 * one,
              0.3 * one);
  EXPECT_EQ(finding.verdict, Verdict::agrees);
}

TEST_F(Figures, TheStepsCostIsToldPhaseByPhase) {
  const Finding finding = run(figure_17_frictionless);
  const std::string of = ", 30 contacts without friction";
  EXPECT_GT(finding.number("steps with 30 contacts without friction"), 50.0);
  EXPECT_GT(finding.number("treatment, median" + of), 0.0);
  EXPECT_LT(finding.number("treatment, median" + of), finding.number("whole step, median" + of));
  EXPECT_NEAR(
      finding.number("paper over treatment" + of) * finding.number("treatment, median" + of),
      3000.0, 1e-6);
}

TEST_F(Figures, OlderContactMethodsShowTheirFaults) {
  const Finding finding = run(section_2_methods);
  EXPECT_LT(finding.number("overlap, exact"), 1e-8);
  EXPECT_GT(finding.number("overlap, penalty-explicit"), 1e-4);
  EXPECT_LT(std::abs(finding.number("creep in stick, exact")), 1e-9);
  EXPECT_GT(finding.number("creep in stick, explicit-friction"), 0.01);
  EXPECT_EQ(finding.number("strongest pull, exact"), 0.0);
  EXPECT_GT(finding.number("strongest pull, imposed-motion"), 0.1);
  EXPECT_LT(finding.number("most energy given by contact, exact"), 1e-9);
  EXPECT_GT(finding.number("most energy given by contact, penalty-explicit-1kN/m"), 0.1);
  EXPECT_EQ(finding.verdict, Verdict::agrees);
}

TEST_F(Figures, RelaxingTheToleranceCostsPrecision) {
  const Finding finding = run(section_5_tolerance);
  EXPECT_LT(finding.number("forces wrong at ε₂ = 1e-4"),
            finding.number("forces wrong at ε₂ = 1e-2"));
  EXPECT_LT(finding.number("forces wrong at ε₂ = 1e-2"), 20.0);
}

TEST_F(Figures, ImplicitEulerSwallowsTheSwingOfAStiffBar) {
  const Finding finding = run(section_6_time_step);
  EXPECT_NEAR(finding.number("swing left, softest"), 1.0, 0.03);
  EXPECT_LT(finding.number("swing left, stiffest"), 1e-3);
  EXPECT_LT(finding.number("swing against one mass on one spring, worst difference"), 0.03);
  // (1 + w_max^2 dt^2) grows as E
  EXPECT_GT(finding.number("condition of M/dt² + K, stiffest"),
            1e6 * finding.number("condition of M/dt² + K, softest"));
  EXPECT_LT(finding.number("relative error of free fall, stiffest"), 1e-6);
}

TEST_F(Figures, AStiffCorotationalBlockMovesAsARigidOne) {
  const Finding finding = run(section_6_corotational);
  EXPECT_LT(finding.number("way differs from the rigid block's, E = 1e12"), 1e-6);
  EXPECT_GT(finding.number("way differs from the rigid block's, E = 1e4"), 1e-3);
  EXPECT_EQ(finding.number("steps that did not converge or were restored, all runs"), 0.0);
  EXPECT_LT(finding.number("largest gain of energy of a step, worst"), 1e-9);
}

TEST_F(Figures, EveryFigureHasANameOfItsOwnAndASection) {
  std::vector<Result> results;
  std::vector<std::string_view> names;
  for (const Experiment& experiment : all_experiments()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), experiment.name), 0);
    names.push_back(experiment.name);
    results.push_back({&experiment, {"a < b", "c & d", Verdict::differs, "e"}, 1.0});
  }
  write_page(settings_, results);
  const std::string page = folder_.read("index.html");
  for (const std::string_view name : names) {
    EXPECT_NE(page.find(fmt::format("<section id=\"{}\">", name)), page.npos);
  }
  EXPECT_NE(page.find("a &lt; b"), page.npos);
  EXPECT_EQ(page.find("a < b"), page.npos);
}

}  // namespace
}  // namespace stickslip::experiments
