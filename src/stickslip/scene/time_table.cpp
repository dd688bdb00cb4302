#include "stickslip/scene/time_table.hpp"

#include <algorithm>

namespace stickslip {

Vec6 TimeTable::at(double time_s) const {
  if (rows_.empty()) return Vec6::Zero();
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), time_s,
                                      [](double t, const Row& row) { return t < row.time_s; });
  if (after == rows_.begin()) return rows_.front().value;
  if (after == rows_.end()) return rows_.back().value;
  const Row& before = *(after - 1);
  const double share = (time_s - before.time_s) / (after->time_s - before.time_s);
  return before.value + share * (after->value - before.value);
}

}  // namespace stickslip
