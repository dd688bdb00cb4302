#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stickslip/mesh/mesh_check.hpp"

namespace stickslip {

/// Counts the occurrences of one fault and keeps the first few places.
class Fault {
 public:
  void add(std::string place) {
    if (count_ < shown) places_.push_back(std::move(place));
    ++count_;
  }
  std::size_t count() const { return count_; }

  /// "3 <things> <problem>" as a finding, if there was any.
  void report(std::vector<Finding>& findings, Severity severity, std::string_view code,
              std::string_view thing, std::string_view problem, std::string_view remedy) const;

 private:
  static constexpr std::size_t shown = 3;
  std::size_t count_ = 0;
  std::vector<std::string> places_;
};

/// Sets of indices that grow together.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size);
  std::size_t root(std::size_t i);
  void join(std::size_t a, std::size_t b);

 private:
  std::vector<std::size_t> parent_;
};

/// Warns of a longest side that no body for the hand has.
void check_size(double extent, std::vector<Finding>& findings);

/// The edges of a surface whose indices are good: holes, edges of several triangles, triangles
/// that contradict their neighbours, points where two sheets touch. `name` tells a point.
struct EdgeFaults {
  Fault open;
  Fault crowded;
  Fault contradicting;
  Fault pinched;
};
EdgeFaults find_edge_faults(const Surface& surface, const std::vector<std::string>& names);

}  // namespace stickslip
