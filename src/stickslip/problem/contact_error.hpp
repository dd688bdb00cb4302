#pragma once

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

// How wrong a force is, by code that no solver shares.

/// The natural map of the bipotential form, | f - P_K(f - (delta + mu |delta_t| n)) | over
/// max(|delta_free|, |f|, |delta|), with P_K the projection on the product of the cones.
struct NaturalMapError {
  double plain = 0.0;     ///< of the problem as it is: newtons beside metres
  double rescaled = 0.0;  ///< of W/w, delta_free, f w with w = trace(W)/3m: lengths only
};

/// f has 3m entries and may be anything, inside the cones or not.
NaturalMapError natural_map_error(const ContactProblem& problem, const ConstVecView& f);

/// The quantity at the end of Algorithm 1: sum over the contacts of |f_i - f_i_before| / |f_i|. A
/// term whose forces are both zero counts as zero; one that has just become zero is infinite.
double relative_change(const ConstVecView& f, const ConstVecView& f_before);

/// (Eq. 26) how far forces are from reference forces: 100 |f - f_reference| / |f_reference|. [%]
/// Zero when both are zero, infinite when only the reference is.
double gap_percent(const ConstVecView& f, const ConstVecView& f_reference);

/// The worst violation of each law by itself, over all contacts; zero where the law holds.
struct LawViolations {
  /// (Eq. 18) delta_n >= 0: how deep a contact penetrates [m]
  double penetration_m = 0.0;
  /// (Eq. 18) f_n >= 0: how strongly a contact pulls [N]
  double adhesion_N = 0.0;
  /// (Eq. 18) f_n acts only where delta_n = 0: smaller of the gap and of what f_n lifts, W_nn f_n
  /// [m]
  double force_across_gap_m = 0.0;
  /// (Eq. 19) |f_t| <= mu f_n: how far the friction passes its limit [N]
  double cone_excess_N = 0.0;
  /// (Eqs. 19, 21) slip needs the full friction against it: how far a contact would slide back if
  /// its friction could adjust alone, | f_t - P(f_t - delta_t / w) | w with P the projection on
  /// the disc of radius mu f_n and w the mean tangential compliance of the contact. A contact
  /// that slides below its limit counts with all of its slip, one that slides against its
  /// friction with none. [m]
  double unopposed_slip_m = 0.0;
};

LawViolations law_violations(const ContactProblem& problem, const ConstVecView& f);

}  // namespace stickslip
