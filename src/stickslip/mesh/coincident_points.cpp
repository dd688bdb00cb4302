#include "stickslip/mesh/coincident_points.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace stickslip {

namespace {

using GridCell = std::array<std::int64_t, 3>;

struct GridCellHash {
  std::size_t operator()(const GridCell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t k : cell) {
      hash = (hash ^ static_cast<std::uint64_t>(k)) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32U;
    }
    return hash;
  }
};

}  // namespace

std::vector<int> first_coincident(const std::vector<Vec3>& points, double tolerance) {
  std::vector<int> first(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) first[i] = static_cast<int>(i);

  // cells much larger than the tolerance, so that a search rarely leaves its own
  const double cell_size = 64.0 * std::max(tolerance, std::numeric_limits<double>::min());
  constexpr double largest_cell = 1e15;
  std::unordered_map<GridCell, std::vector<int>, GridCellHash> cells;
  cells.reserve(points.size());
  const auto cell_of = [&](const Vec3& p) {
    GridCell cell{};
    for (int k = 0; k < 3; ++k) {
      cell[uz(k)] = static_cast<std::int64_t>(std::floor(p[k] / cell_size));
    }
    return cell;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    if (!((p.array() / cell_size).abs().maxCoeff() < largest_cell) || !p.allFinite()) continue;
    const GridCell low = cell_of(p.array() - tolerance);
    const GridCell high = cell_of(p.array() + tolerance);
    GridCell at{};
    for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
      for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
        for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
          const auto found = cells.find(at);
          if (found == cells.end()) continue;
          for (const int other : found->second) {
            if ((points[uz(other)] - p).norm() <= tolerance) first[i] = std::min(first[i], other);
          }
        }
      }
    }
    if (first[i] == static_cast<int>(i)) cells[cell_of(p)].push_back(static_cast<int>(i));
  }
  return first;
}

double largest_extent(const std::vector<Vec3>& points) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = -low;
  for (const Vec3& p : points) {
    if (!p.allFinite()) continue;
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return low.x() > high.x() ? 0.0 : (high - low).maxCoeff();
}

}  // namespace stickslip
