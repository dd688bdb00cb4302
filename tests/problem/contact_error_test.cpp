#include "stickslip/problem/contact_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "stickslip/error.hpp"

namespace stickslip {
namespace {

// one contact of compliance `w` in every direction
ContactProblem one_contact(double w, const Vec3& delta_free, double mu) {
  return {BlockMatrix::dense(w * MatX::Identity(3, 3)), delta_free, VecX::Constant(1, mu)};
}

TEST(ContactError, IsZeroForStickSlipAndTakeOff) {
  // stick: f = -delta_free / w stays inside the cone
  const NaturalMapError stick =
      natural_map_error(one_contact(2.0, {-4.0, 0.4, 0.2}, 0.5), Vec3(2.0, -0.2, -0.1));
  EXPECT_NEAR(stick.plain, 0.0, 1e-16);
  EXPECT_NEAR(stick.rescaled, 0.0, 1e-16);
  // slip: friction mu f_n = 1 against (6, 8)
  const NaturalMapError slip =
      natural_map_error(one_contact(2.0, {-4.0, 6.0, 8.0}, 0.5), Vec3(2.0, -0.6, -0.8));
  EXPECT_NEAR(slip.plain, 0.0, 1e-16);
  EXPECT_NEAR(slip.rescaled, 0.0, 1e-16);
  // take-off
  const NaturalMapError open =
      natural_map_error(one_contact(2.0, {1.0, 6.0, 8.0}, 0.5), Vec3::Zero());
  EXPECT_EQ(open.plain, 0.0);
  EXPECT_EQ(open.rescaled, 0.0);
}

TEST(ContactError, MatchesAHandComputedValue) {
  // frictionless, f_n = 1 where 2 is right: delta_n = 2 * 1 - 4 = -2, map = 1 - P(1 + 2) = -2
  const NaturalMapError error =
      natural_map_error(one_contact(2.0, {-4.0, 0.0, 0.0}, 0.0), Vec3(1.0, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(error.plain, 2.0 / 4.0);
  // in lengths f w = 2, map = 2 - P(2 + 2) = -2
  EXPECT_DOUBLE_EQ(error.rescaled, 2.0 / 4.0);
}

TEST(Gap, IsTheDistanceOverTheReferenceInPercent) {
  const Vec3 reference(3.0, 0.0, 4.0);
  EXPECT_DOUBLE_EQ(gap_percent(Vec3(3.0, 0.5, 4.0), reference), 10.0);
  EXPECT_DOUBLE_EQ(gap_percent(Vec3::Zero(), reference), 100.0);
  EXPECT_EQ(gap_percent(reference, reference), 0.0);
  EXPECT_EQ(gap_percent(Vec3::Zero(), Vec3::Zero()), 0.0);
  EXPECT_EQ(gap_percent(reference, Vec3::Zero()), std::numeric_limits<double>::infinity());
}

TEST(ContactError, RescaledOneSeesGapsThatThePlainOneDoesNot) {
  // 1 N lifts 1e-6 m: 10 um of penetration are left
  const NaturalMapError error =
      natural_map_error(one_contact(1e-6, {-2e-5, 0.0, 0.0}, 0.0), Vec3(10.0, 0.0, 0.0));
  EXPECT_NEAR(error.plain, 1e-6, 1e-12);
  EXPECT_NEAR(error.rescaled, 0.5, 1e-12);
}

TEST(ContactError, RescaledOneIsTheSameInEveryUnit) {
  MatX W = MatX::Random(6, 6);
  W = W * W.transpose();
  const VecX delta_free = VecX::Random(6);
  const VecX f = VecX::Random(6);
  const VecX mu = VecX::Constant(2, 0.4);
  const double reference = natural_map_error({BlockMatrix::dense(W), delta_free, mu}, f).rescaled;
  const double scaled =
      natural_map_error({BlockMatrix::dense(1e-7 * W), 1e-3 * delta_free, mu}, 1e4 * f).rescaled;
  EXPECT_GT(reference, 0.01);
  EXPECT_NEAR(scaled, reference, 1e-12);
}

TEST(ContactError, RelativeChangeCountsTwoZerosAsZero) {
  VecX before(9);
  VecX after(9);
  before << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0;
  after << 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0;
  EXPECT_DOUBLE_EQ(relative_change(after, before), 0.5 + 4.0 / 5.0);
  EXPECT_EQ(relative_change(VecX::Zero(3), VecX::Ones(3)), std::numeric_limits<double>::infinity());
}

TEST(LawViolations, EachLawIsSeenByItself) {
  const double w = 2.0;
  // nothing pushes back: all of the penetration, nothing else
  LawViolations found = law_violations(one_contact(w, {-4.0, 0.0, 0.0}, 0.5), Vec3::Zero());
  EXPECT_DOUBLE_EQ(found.penetration_m, 4.0);
  EXPECT_EQ(found.adhesion_N + found.force_across_gap_m + found.cone_excess_N, 0.0);
  EXPECT_EQ(found.unopposed_slip_m, 0.0);
  // a pull
  found = law_violations(one_contact(w, {4.0, 0.0, 0.0}, 0.5), Vec3(-1.5, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(found.adhesion_N, 1.5);
  EXPECT_EQ(found.penetration_m, 0.0);
  // a push of 0.5 N, worth 1 m, while a gap of 3 m is left
  found = law_violations(one_contact(w, {2.0, 0.0, 0.0}, 0.5), Vec3(0.5, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(found.force_across_gap_m, 1.0);
  // friction of 2 N where 1 N is allowed, without slip
  found = law_violations(one_contact(w, {-4.0, -4.0, 0.0}, 0.5), Vec3(2.0, 2.0, 0.0));
  EXPECT_DOUBLE_EQ(found.cone_excess_N, 1.0);
  EXPECT_EQ(found.penetration_m, 0.0);
  // no friction against a slip of 1 m that 0.5 N could stop
  found = law_violations(one_contact(w, {-4.0, 0.0, 1.0}, 0.5), Vec3(2.0, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(found.unopposed_slip_m, 1.0);
  EXPECT_EQ(found.cone_excess_N, 0.0);
  // full friction along the slip in place of against it: from -1 N to +1 N at 2 m/N
  found = law_violations(one_contact(w, {-4.0, -10.0, 0.0}, 0.5), Vec3(2.0, -1.0, 0.0));
  EXPECT_DOUBLE_EQ(found.unopposed_slip_m, 4.0);
}

TEST(ContactProblem, RefusesWhatIsNoProblem) {
  const auto check = [](const ContactProblem& problem) {
    check_contact_problem(problem, "example");
  };
  const BlockMatrix W = BlockMatrix::dense(MatX::Identity(6, 6));
  EXPECT_NO_THROW(check({W, VecX::Zero(6), VecX::Zero(2)}));
  EXPECT_THROW(check({W, VecX::Zero(5), VecX::Zero(2)}), InputError);
  EXPECT_THROW(check({W, VecX::Zero(6), VecX::Zero(3)}), InputError);
  EXPECT_THROW(check({W, VecX::Zero(6), VecX::Constant(2, -0.1)}), InputError);
  EXPECT_THROW(check({W, VecX::Constant(6, std::nan("")), VecX::Zero(2)}), InputError);
  MatX broken = MatX::Identity(6, 6);
  broken(3, 4) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(check({BlockMatrix::dense(broken), VecX::Zero(6), VecX::Zero(2)}), InputError);
}

TEST(ContactProblem, RefusesNumbersWhoseSquaresAreNoneInOneLineWithFieldAndValue) {
  const auto complaint = [](const MatX& W, const VecX& delta_free) -> std::string {
    for (const bool is_dense : {true, false}) {
      const ContactProblem problem{
          is_dense ? BlockMatrix::dense(W) : BlockMatrix::sparse(SparseMatrix(W.sparseView(0, 0))),
          delta_free, VecX::Zero(2)};
      try {
        check_contact_problem(problem, "example");
      } catch (const InputError& error) {
        if (!is_dense) return error.what();
        continue;
      }
      return {};
    }
    return {};
  };
  const MatX I = MatX::Identity(6, 6);
  const VecX ones = VecX::Ones(6);
  VecX large = ones;
  large[4] = -1e170;
  EXPECT_EQ(complaint(I, large),
            "example: delta_free[4] is -1e+170, must be within 1e+100; use another unit");
  EXPECT_NE(complaint(1e170 * I, ones).find("W[0] is 1e+170"), std::string::npos);
  EXPECT_NE(complaint(I, 1e-170 * ones).find("delta_free has no entry above 1e-170"),
            std::string::npos);
  EXPECT_NE(complaint(1e-170 * I, ones).find("W has no entry above 1e-170"), std::string::npos);
  EXPECT_EQ(complaint(0.0 * I, ones), "");
  EXPECT_EQ(complaint(1e90 * I, 1e-90 * ones), "");
}

}  // namespace
}  // namespace stickslip
