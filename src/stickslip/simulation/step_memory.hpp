#pragma once

#include "stickslip/simulation/scene.hpp"

namespace stickslip {

/// What a step's scratch takes at once to have room for the scene's budget of contacts, before any
/// of them is met: it goes by the square of their number. [bytes]
double bytes_for_contacts(const Scene& scene);

}  // namespace stickslip
