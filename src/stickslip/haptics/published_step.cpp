#include "stickslip/haptics/published_step.hpp"

#include <utility>

namespace stickslip {

void PublishedGroup::resize(int m) {
  contacts.resize(uz(m));
  if (problem.mu.size() == m) return;
  const auto exchange = [this](Vectors& vectors) {
    std::swap(vectors.delta_free, problem.delta_free);
    std::swap(vectors.mu, problem.mu);
    std::swap(vectors.f, f);
    std::swap(vectors.u, u);
  };
  exchange(spare.at(uz(problem.mu.size())));
  exchange(spare.at(uz(m)));
  problem.delta_free.resize(3 * m);
  problem.mu.resize(m);
  f.resize(3 * m);
  u.resize(3 * m);
}

}  // namespace stickslip
