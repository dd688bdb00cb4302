#pragma once

#include <span>
#include <vector>

#include "stickslip/proximity/proximity.hpp"

namespace stickslip {

/// Scratch of choose_contacts (contact reduction), grown at its first uses.
struct ContactChoice {
  std::vector<double> squared_spacing;  ///< to the nearest contact chosen between the same bodies
  std::vector<char> is_chosen;
};

/// Replaces `chosen` by the indices, in ascending order, of at most `budget` of the contacts found.
///
/// Those that carried force come first, the nearest of them if they are too many. Then, one by
/// one, the contact that is best by the sum of two shares: how near it is among all, and how far
/// from what is already chosen between the same two bodies. `places` are world positions, one for
/// each contact; `carried_force` has one entry for each, not 0 where it did.
void choose_contacts(std::span<const Proximity> found, std::span<const Vec3> places,
                     std::span<const char> carried_force, int budget, ContactChoice& scratch,
                     std::vector<int>& chosen);

}  // namespace stickslip
