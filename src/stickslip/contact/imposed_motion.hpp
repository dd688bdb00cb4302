#pragma once

#include <vector>

#include "stickslip/contact/contact_law.hpp"
#include "stickslip/solver/dense_lu.hpp"

namespace stickslip {

/// Contacts as two-sided constraints delta_n = 0 held by multipliers, without friction, as in the
/// literature (paper, section 2.4). At each contact the stiffer body is the master and does not
/// give way to the contact forces; the softer one follows it. The master feels them all the same,
/// so that what it does give way by is left as gap or overlap. Where the softer body deforms, only
/// its nodes are held, against faces of the other.
///
/// A contact holds from the step in which bodies touch, or would at the speed of the last step. It
/// is released in the step after one in which it pulled: for that long it sticks.
class ImposedMotion final : public ContactLaw {
 public:
  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactGroup& group, VecView f) override;

  std::vector<int> masters_;  ///< a body for each contact
  std::vector<int> active_;
  BlockMatrix W_;  ///< of the softer bodies
  DenseLu lu_;
  VecX multipliers_;  ///< at least as long as there are active ones
};

}  // namespace stickslip
