#include "stickslip/mesh/findings.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <numeric>

namespace stickslip {

void Fault::report(std::vector<Finding>& findings, Severity severity, std::string_view code,
                   std::string_view thing, std::string_view problem,
                   std::string_view remedy) const {
  if (count_ == 0) return;
  std::string where = fmt::format("{}", fmt::join(places_, "; "));
  if (count_ > places_.size()) where += fmt::format("; and {} more", count_ - places_.size());
  findings.push_back({std::string(code), severity, std::move(where),
                      fmt::format("{} {}{} {}", count_, thing, count_ == 1 ? "" : "s", problem),
                      std::string(remedy)});
}

DisjointSets::DisjointSets(std::size_t size) : parent_(size) {
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
}

std::size_t DisjointSets::root(std::size_t i) {
  while (parent_[i] != i) {
    parent_[i] = parent_[parent_[i]];
    i = parent_[i];
  }
  return i;
}

void DisjointSets::join(std::size_t a, std::size_t b) {
  a = root(a);
  b = root(b);
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

void check_size(double extent, std::vector<Finding>& findings) {
  // no hand moves a part of 3 m, while nearly every part has more than 3 mm; below 10 um
  // a mesh was scaled twice
  constexpr double largest_m = 3.0;
  constexpr double smallest_m = 1e-5;
  if (extent > largest_m) {
    findings.push_back({"suspicious_size", Severity::warning,
                        fmt::format("longest side {:.6g} m", extent),
                        "the size smells of millimetres taken for metres",
                        "if it is in millimetres, `stickslip mesh convert --scale 0.001`"});
  } else if (extent > 0.0 && extent < smallest_m) {
    findings.push_back({"suspicious_size", Severity::warning,
                        fmt::format("longest side {:.6g} m", extent),
                        "the mesh is smaller than a grain of dust",
                        "if it was scaled once too often, `stickslip mesh convert --scale 1000`"});
  }
}

}  // namespace stickslip
