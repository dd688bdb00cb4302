#pragma once

#include <cstdint>
#include <string_view>

#include "stickslip/fem/elasticity.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

// How an isotropic material answers to large deformations: energies W of the deformation gradient F
// (how a small vector at rest is turned and stretched), per volume at rest. Young's modulus and
// Poisson's ratio say what all of them do to small strains.

enum class ElasticLaw : std::uint8_t {
  /// Compressible neo-Hooke: W = G/2 (I1 J^(-2/3) - 3) + B/2 (J - 1)^2, I1 = tr F^T F, J = det F,
  /// with the moduli G of shear and B of bulk. For rubber, gels and tissue. This is CalculiX's
  /// "neo hooke" with C10 = G/2 and D1 = 2/B.
  neo_hooke,
  /// Corotated: W = G |F - R|^2 + L/2 (tr R^T F - 3)^2 with the rotation R of F and Lame's first
  /// constant L: linear elasticity in axes that turn with each place. For plastics that bend far
  /// and stretch little.
  corotated,
  /// St. Venant-Kirchhoff: W = G E:E + L/2 (tr E)^2, E = (F^T F - 1)/2. Right for large rotations
  /// at small strains; softens under compression and gives way at 42 % of it.
  st_venant_kirchhoff,
};

std::string_view to_string(ElasticLaw law);

using Mat9 = Eigen::Matrix<double, 9, 9>;

/// What a law says at one F.
struct LawAnswer {
  double energy = 0.0;         ///< W [J/m^3]
  Mat3 stress = Mat3::Zero();  ///< dW/dF, the first Piola-Kirchhoff stress [Pa]
};

/// A law with its moduli. All that it says is finite for every finite F, inverted ones included.
///
/// Neo-Hooke has infinite energy at J = 0. Where little volume is left for the stretch there is,
/// J (3/I1)^(3/2) below `neo_hooke_floor`, its part of shear is continued by the first three terms
/// of its series in that ratio, and stretch counts by I1 alone: with two continuous derivatives
/// through J = 0 and beyond, always falling towards more volume, so that inverted elements turn
/// back. A cube pressed to a thirtieth of its height between rigid plates is there, one stretched
/// to 4.6 times its length at constant volume.
class ElasticResponse {
 public:
  ElasticResponse(ElasticLaw law, const Material& material);

  ElasticLaw law() const { return law_; }

  double energy(const Mat3& F) const;
  LawAnswer answer(const Mat3& F) const;
  /// The same with the slope d(stress)/dF; entry 3 column + row stands for that of F.
  LawAnswer answer(const Mat3& F, Mat9& slope) const;

 private:
  ElasticLaw law_;
  double shear_;  ///< G [Pa]
  double lame_;   ///< L [Pa]
  double bulk_;   ///< B [Pa]
};

inline constexpr double neo_hooke_floor = 0.05;

/// The rotation nearest to F, a proper one for inverted F, too.
Mat3 nearest_rotation(const Mat3& F);

}  // namespace stickslip
