#include "stickslip/fem/elastic_law.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 3> law_names = {"neo-hooke", "corotated",
                                                       "st-venant-kirchhoff"};

/// dJ/dF.
Mat3 cofactors(const Mat3& F) {
  Mat3 C;
  C.col(0) = F.col(1).cross(F.col(2));
  C.col(1) = F.col(2).cross(F.col(0));
  C.col(2) = F.col(0).cross(F.col(1));
  return C;
}

Eigen::Matrix<double, 9, 1> listed(const Mat3& A) {
  return Eigen::Map<const Eigen::Matrix<double, 9, 1>>(A.data());
}

/// slope += factor d(cofactors)/dF
void add_cofactor_slope(const Mat3& F, double factor, Mat9& slope) {
  for (int c = 0; c < 3; ++c) {
    const Mat3 block = factor * skew(F.col(c));
    const int next = (c + 1) % 3;
    const int last = (c + 2) % 3;
    // column c of the cofactors is the product of the next two columns of F
    slope.block<3, 3>(3 * last, 3 * next) += block;
    slope.block<3, 3>(3 * next, 3 * last) -= block;
  }
}

/// A function with two derivatives.
struct Curve {
  double value, slope, bend;
};

/// r^(-2/3), below the floor by its series there.
Curve shear_curve(double r) {
  const double at = std::max(r, neo_hooke_floor);
  const double value = std::cbrt(1.0 / (at * at));
  const Curve there{value, -2.0 / 3.0 * value / at, 10.0 / 9.0 * value / (at * at)};
  const double s = r - at;
  return {there.value + s * (there.slope + 0.5 * s * there.bend), there.slope + s * there.bend,
          there.bend};
}

/// Rises from zero at the floor to one far below it: where the series forgets stretch, which would
/// let go of elements that are drawn out or inverted, I1 goes on to count by it.
Curve stretch_curve(double r) {
  constexpr double per_r = -1.0 / neo_hooke_floor;
  const double x = std::max(0.0, 1.0 + per_r * r);
  const double below = 1.0 / (1.0 + x * x * x);
  return {x * x * x * below, per_r * 3.0 * x * x * below * below,
          per_r * per_r * 6.0 * x * (1.0 - 2.0 * x * x * x) * below * below * below};
}

/// Neo-Hooke's energy as a function of I1 and J, and its derivatives.
struct NeoHooke {
  NeoHooke(const Mat3& F, double shear, double bulk)
      : C(cofactors(F)), I1(std::max(F.squaredNorm(), 1e-12)) {
    J = C.col(0).dot(F.col(0));
    r_J = std::pow(3.0 / I1, 1.5);
    r = J * r_J;
    curve = shear_curve(r);
    stretch = stretch_curve(r);
    scale = 1.5 * shear;
    // half of the curve remains at r = 0, so that two thirds let I1 count there as it does at J = 1
    share = 2.0 / 3.0 * scale;
    energy = scale * (curve.value - 1.0) + share * I1 * stretch.value +
             0.5 * bulk * (J - 1.0) * (J - 1.0);
    r_1 = -1.5 * r / I1;
    by_r = scale * curve.slope + share * I1 * stretch.slope;
    by_1 = by_r * r_1 + share * stretch.value;
    by_J = by_r * r_J + bulk * (J - 1.0);
  }

  Mat3 C;
  double I1;
  double J;
  double r;  ///< J (3/I1)^(3/2): 1 where all directions are stretched alike
  double r_1, r_J;
  Curve curve, stretch;
  double scale, share;
  double energy;
  double by_r;
  double by_1, by_J;  ///< dW/dI1, dW/dJ
};

LawAnswer answer_neo_hooke(const Mat3& F, double shear, double bulk, Mat9* slope) {
  const NeoHooke W(F, shear, bulk);
  if (slope != nullptr) {
    const double by_rr = W.scale * W.curve.bend + W.share * W.I1 * W.stretch.bend;
    const double by_r1 = W.share * W.stretch.slope;  // at the same r
    const double by_11 =
        by_rr * W.r_1 * W.r_1 + W.by_r * 3.75 * W.r / (W.I1 * W.I1) + 2.0 * by_r1 * W.r_1;
    const double by_1J = by_rr * W.r_1 * W.r_J - W.by_r * 1.5 * W.r_J / W.I1 + by_r1 * W.r_J;
    const double by_JJ = by_rr * W.r_J * W.r_J + bulk;
    const Eigen::Matrix<double, 9, 1> f = listed(F);
    const Eigen::Matrix<double, 9, 1> c = listed(W.C);
    slope->noalias() = (4.0 * by_11 * f + 2.0 * by_1J * c) * f.transpose();
    slope->noalias() += (2.0 * by_1J * f + by_JJ * c) * c.transpose();
    slope->diagonal().array() += 2.0 * W.by_1;
    add_cofactor_slope(F, W.by_J, *slope);
  }
  return {W.energy, 2.0 * W.by_1 * F + W.by_J * W.C};
}

LawAnswer answer_corotated(const Mat3& F, double shear, double lame, Mat9* slope) {
  const Mat3 R = nearest_rotation(F);
  const Mat3 U = R.transpose() * F;
  const double spread = U.trace() - 3.0;
  if (slope != nullptr) {
    slope->noalias() = lame * listed(R) * listed(R).transpose();
    slope->diagonal().array() += 2.0 * shear;
    // R turns by R [w], (tr U - U) w = axis of R^T dF - dF^T R; where two stretches cancel, as in
    // inverted elements, the turn has no bound, and is given one
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(
        (U.trace() * Mat3::Identity() - 0.5 * (U + U.transpose())).eval());
    const Vec3 firmness = solver.eigenvalues().cwiseMax(0.05);
    for (int a = 0; a < 3; ++a) {
      // a turn about this axis moves F by R [axis]
      const Vec3 axis = solver.eigenvectors().col(a);
      const Mat3 moved = R * skew(axis);
      const double factor = (lame * spread - 2.0 * shear) / firmness[a];
      slope->noalias() += factor * listed(moved) * listed(moved).transpose();
    }
  }
  return {shear * (F - R).squaredNorm() + 0.5 * lame * spread * spread,
          2.0 * shear * (F - R) + lame * spread * R};
}

LawAnswer answer_st_venant_kirchhoff(const Mat3& F, double shear, double lame, Mat9* slope) {
  const Mat3 E = 0.5 * (F.transpose() * F - Mat3::Identity());
  const Mat3 S = lame * E.trace() * Mat3::Identity() + 2.0 * shear * E;
  if (slope != nullptr) {
    slope->noalias() = lame * listed(F) * listed(F).transpose();
    const Mat3 FFt = F * F.transpose();
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        auto block = slope->block<3, 3>(3 * k, 3 * l);
        block += shear * F.col(l) * F.col(k).transpose();
        block.diagonal().array() += S(k, l);
        if (k == l) block += shear * FFt;
      }
    }
  }
  return {0.5 * lame * E.trace() * E.trace() + shear * E.squaredNorm(), F * S};
}

}  // namespace

std::string_view to_string(ElasticLaw law) {
  return law_names[static_cast<std::size_t>(law)];
}

Mat3 nearest_rotation(const Mat3& F) {
  // Newton's iteration for the polar decomposition where it converges fast
  Mat3 R = F;
  constexpr int most_iterations = 12;
  for (int k = 0; k < most_iterations; ++k) {
    const Mat3 C = cofactors(R);
    const double det = C.col(0).dot(R.col(0));
    if (!(det > 1e-2 * std::pow(R.squaredNorm() / 3.0, 1.5))) break;
    const Mat3 next = 0.5 * (R + C / det);
    const double change = (next - R).squaredNorm();
    R = next;
    if (change < 1e-20) return R;
  }
  const Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 U = svd.matrixU();
  if ((U * svd.matrixV().transpose()).determinant() < 0.0) U.col(2) *= -1.0;
  return U * svd.matrixV().transpose();
}

ElasticResponse::ElasticResponse(ElasticLaw law, const Material& material)
    : law_(law),
      shear_(material.young / (2.0 * (1.0 + material.poisson))),
      lame_(material.young * material.poisson /
            ((1.0 + material.poisson) * (1.0 - 2.0 * material.poisson))),
      bulk_(material.young / (3.0 * (1.0 - 2.0 * material.poisson))) {
  validate(material);
}

double ElasticResponse::energy(const Mat3& F) const {
  if (law_ == ElasticLaw::neo_hooke) return NeoHooke(F, shear_, bulk_).energy;
  return answer(F).energy;
}

LawAnswer ElasticResponse::answer(const Mat3& F) const {
  if (law_ == ElasticLaw::neo_hooke) return answer_neo_hooke(F, shear_, bulk_, nullptr);
  if (law_ == ElasticLaw::corotated) return answer_corotated(F, shear_, lame_, nullptr);
  return answer_st_venant_kirchhoff(F, shear_, lame_, nullptr);
}

LawAnswer ElasticResponse::answer(const Mat3& F, Mat9& slope) const {
  if (law_ == ElasticLaw::neo_hooke) return answer_neo_hooke(F, shear_, bulk_, &slope);
  if (law_ == ElasticLaw::corotated) return answer_corotated(F, shear_, lame_, &slope);
  return answer_st_venant_kirchhoff(F, shear_, lame_, &slope);
}

}  // namespace stickslip
