#pragma once

#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// Groups of bodies that contacts may link, at most.
int most_groups(const Scene& scene);

/// The size that the contact problem of a group may reach.
ProblemSize largest_problem(const Scene& scene);

/// What a step's scratch takes at once to have room for the scene's budget of contacts, before any
/// of them is met: it goes by the square of their number. [bytes]
double bytes_for_contacts(const Scene& scene);

}  // namespace stickslip
