#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/scene/scene.hpp"
#include "stickslip/scene/state.hpp"

namespace stickslip {

/// A state as a row of numbers, bit by bit, in the order of docs/recordings.md. Replaces the
/// content of `numbers`.
void write_numbers(const State& state, std::vector<double>& numbers);

/// The state that such a row stands for; `state` is any of the same scene. False, and the state
/// is good for nothing, where the row does not fit the scene.
bool read_numbers(std::span<const double> numbers, const Scene& scene, State& state);

/// Changes, as good as surely, when any bit of the numbers does.
std::uint64_t hash_of(std::span<const double> numbers);

}  // namespace stickslip
