#include "stickslip/body/surface_answers.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

namespace stickslip {

namespace {

// nodes that are displaced together: while a column of the table is at hand
constexpr std::size_t nodes_at_once = 16;

// what rounding may add to a bound
constexpr double rounding = 1.0 + 1e-5;

}  // namespace

bool SurfaceLoads::is_finite() const {
  return weights.allFinite() &&
         std::all_of(forces.begin(), forces.end(), [](const Vec3& f) { return f.allFinite(); });
}

SurfaceAnswers::SurfaceAnswers(std::shared_ptr<const Compliance> compliance,
                               const MatX& case_answers, const MatX& case_gram)
    : compliance_(std::move(compliance)),
      node_count_(static_cast<int>(case_answers.rows() / 3)),
      contact_count_(compliance_->contact_count()) {
  for (int k = 0; k < case_answers.cols(); ++k) {
    // one number more, so that three can be read as four
    cases_.emplace_back(VecX::Zero(case_answers.rows() + 1)).head(case_answers.rows()) =
        case_answers.col(k);
    case_sizes_.push_back(rounding * std::sqrt(std::max(0.0, case_gram(k, k))));
  }
  for (int node = 0; node < contact_count_; ++node) {
    // |C_ab|^2 <= |C_aa| |C_bb|, C being positive semi-definite
    const double size = rounding * std::sqrt(compliance_->block(node, node).norm());
    softness_.push_back(static_cast<float>(size));
    most_softness_ = std::max(most_softness_, size);
  }
}

void SurfaceAnswers::displace(const SurfaceLoads& loads, std::span<const int> nodes,
                              double* u) const {
  while (!nodes.empty()) {
    const auto some = nodes.first(std::min(nodes.size(), nodes_at_once));
    nodes = nodes.subspan(some.size());
    std::array<Eigen::Array4d, nodes_at_once> sums;
    for (std::size_t i = 0; i < some.size(); ++i) sums[i] = under_cases(loads, some[i]);
    compliance_->add_answers(loads.nodes, loads.forces, some, sums);
    for (std::size_t i = 0; i < some.size(); ++i) std::copy_n(sums[i].data(), 3, u + 3 * some[i]);
  }
}

void SurfaceAnswers::displace(const SurfaceLoads& loads, int node, double* u) const {
  Eigen::Array4d sum = under_cases(loads, node);
  compliance_->add_answers(loads.nodes, loads.forces, std::span(&node, 1), std::span(&sum, 1));
  std::copy_n(sum.data(), 3, u + 3 * node);
}

inline Eigen::Array4d SurfaceAnswers::under_cases(const SurfaceLoads& loads, int node) const {
  Eigen::Array4d sum = Eigen::Array4d::Zero();
  for (std::size_t k = 0; k < cases_.size(); ++k) {
    const double weight = loads.weights[static_cast<int>(k)];
    if (weight != 0.0) sum += weight * Eigen::Map<const Eigen::Array4d>(&cases_[k][3 * node]);
  }
  return sum;
}

double SurfaceAnswers::distance(const SurfaceLoads& a, const SurfaceLoads& b) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < cases_.size(); ++k) {
    sum +=
        std::abs(a.weights[static_cast<int>(k)] - b.weights[static_cast<int>(k)]) * case_sizes_[k];
  }
  // nodes of both, side by side
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.nodes.size() || j < b.nodes.size()) {
    const bool is_of_a = j == b.nodes.size() || (i < a.nodes.size() && a.nodes[i] <= b.nodes[j]);
    const bool is_of_b = i == a.nodes.size() || (j < b.nodes.size() && b.nodes[j] <= a.nodes[i]);
    const int node = is_of_a ? a.nodes[i] : b.nodes[j];
    Vec3 change = Vec3::Zero();
    if (is_of_a) change += a.forces[i++];
    if (is_of_b) change -= b.forces[j++];
    sum += change.norm() * softness_of(node);
  }
  return sum;
}

double SurfaceAnswers::distance(const SurfaceLoads& loads) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < cases_.size(); ++k) {
    sum += std::abs(loads.weights[static_cast<int>(k)]) * case_sizes_[k];
  }
  for (std::size_t i = 0; i < loads.nodes.size(); ++i) {
    sum += loads.forces[i].norm() * softness_of(loads.nodes[i]);
  }
  return sum;
}

}  // namespace stickslip
