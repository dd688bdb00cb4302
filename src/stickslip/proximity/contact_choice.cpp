#include "stickslip/proximity/contact_choice.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// scores that differ by less are equal, and the first contact wins
constexpr double same_score = 1e-9;

}  // namespace

void choose_contacts(std::span<const Proximity> found, std::span<const Vec3> places,
                     std::span<const char> carried_force, int budget, ContactChoice& scratch,
                     std::vector<int>& chosen) {
  assert(places.size() == found.size() && carried_force.size() == found.size() && budget >= 0);
  const std::size_t count = found.size();
  chosen.clear();
  if (count <= uz(budget)) {
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(static_cast<int>(i));
    return;
  }

  // the scales of nearness and spread
  double least_gap = std::numeric_limits<double>::max();
  double largest_gap = std::numeric_limits<double>::lowest();
  Vec3 low = places.front();
  Vec3 high = low;
  for (std::size_t i = 0; i < count; ++i) {
    least_gap = std::min(least_gap, found[i].gap);
    largest_gap = std::max(largest_gap, found[i].gap);
    low = low.cwiseMin(places[i]);
    high = high.cwiseMax(places[i]);
  }
  constexpr double tiny = std::numeric_limits<double>::min();
  const double gap_scale = 1.0 / std::max(largest_gap - least_gap, tiny);
  const double extent = std::max((high - low).norm(), tiny);
  const auto nearness = [&](std::size_t i) {
    return largest_gap > least_gap ? (largest_gap - found[i].gap) * gap_scale : 0.0;
  };

  scratch.squared_spacing.assign(count, extent * extent);
  scratch.is_chosen.assign(count, 0);
  const auto take = [&](std::size_t taken) {
    scratch.is_chosen[taken] = 1;
    chosen.push_back(static_cast<int>(taken));
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i].body_1 != found[taken].body_1 || found[i].body_2 != found[taken].body_2)
        continue;
      scratch.squared_spacing[i] =
          std::min(scratch.squared_spacing[i], (places[i] - places[taken]).squaredNorm());
    }
  };
  const auto take_best = [&](auto&& is_candidate, auto&& score) {
    std::size_t best = count;
    double best_score = std::numeric_limits<double>::lowest();
    for (std::size_t i = 0; i < count; ++i) {
      if (scratch.is_chosen[i] != 0 || !is_candidate(i)) continue;
      const double value = score(i);
      if (best == count || value > best_score + same_score) {
        best = i;
        best_score = value;
      }
    }
    if (best < count) take(best);
  };

  // those that carried force
  const auto loaded = static_cast<std::size_t>(
      std::count_if(carried_force.begin(), carried_force.end(), [](char c) { return c != 0; }));
  if (loaded <= uz(budget)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (carried_force[i] != 0) take(i);
    }
  } else {
    for (int k = 0; k < budget; ++k) {
      take_best([&](std::size_t i) { return carried_force[i] != 0; }, nearness);
    }
  }

  // the nearest of the others, spread out
  while (chosen.size() < uz(budget)) {
    take_best([](std::size_t) { return true; },
              [&](std::size_t i) {
                return nearness(i) + std::sqrt(scratch.squared_spacing[i]) / extent;
              });
  }
  std::sort(chosen.begin(), chosen.end());
}

}  // namespace stickslip
