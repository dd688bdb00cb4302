#include "stickslip/problem/contact_problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/error.hpp"

namespace stickslip {

void ContactProblem::reserve(const ProblemSize& largest) {
  W.reserve(largest.contacts, largest.is_dense);
  delta_free.reserve(3 * largest.contacts);
  mu.reserve(largest.contacts);
}

void ContactProblem::resize_vectors(int contact_count) {
  delta_free.resize(3 * contact_count);
  mu.resize(contact_count);
}

void check_contact_problem(const ContactProblem& problem, const std::string& source) {
  const int m = problem.contact_count();
  const auto check_size = [&](const char* name, Eigen::Index size, int expected) {
    if (size == expected) return;
    throw InputError(fmt::format("{}: {} has {} entries, {} contacts need {}; write one per {}",
                                 source, name, size, m, expected,
                                 expected == m ? "contact" : "component"));
  };
  check_size("delta_free", problem.delta_free.size(), 3 * m);
  check_size("mu", problem.mu.size(), m);

  const auto check_finite = [&](const char* name, Eigen::Index index, double value) {
    if (!std::isfinite(value)) {
      throw InputError(
          fmt::format("{}: {}[{}] is {}, must be a finite number; repair the program "
                      "that wrote it",
                      source, name, index, value));
    }
    if (std::abs(value) > largest_number) {
      throw InputError(fmt::format("{}: {}[{}] is {}, must be within {}; use another unit", source,
                                   name, index, value, largest_number));
    }
    return std::abs(value);
  };
  const auto check_smallest = [&](const char* name, double largest) {
    if (largest == 0.0 || largest >= smallest_number) return;
    throw InputError(
        fmt::format("{}: {} has no entry above {}, must have one of {} or be zero; "
                    "use another unit",
                    source, name, largest, smallest_number));
  };
  double largest = 0.0;
  for (Eigen::Index k = 0; k < 3 * m; ++k) {
    largest = std::max(largest, check_finite("delta_free", k, problem.delta_free[k]));
  }
  check_smallest("delta_free", largest);
  for (Eigen::Index i = 0; i < m; ++i) {
    check_finite("mu", i, problem.mu[i]);
    if (problem.mu[i] < 0.0) {
      throw InputError(fmt::format("{}: mu[{}] is {}, must be 0 (no friction) or more", source, i,
                                   problem.mu[i]));
    }
  }
  largest = 0.0;
  if (problem.W.is_dense()) {
    const auto W = problem.W.as_dense();
    for (Eigen::Index k = 0; k < W.size(); ++k) {
      largest = std::max(largest, check_finite("W", k, W.data()[k]));
    }
  }
  for (int j = 0; j < m && !problem.W.is_dense(); ++j) {
    const BlockMatrix::Column column = problem.W.column(j);
    for (std::size_t k = 0; k < 9 * column.rows.size(); ++k) {
      largest =
          std::max(largest, check_finite("W", static_cast<Eigen::Index>(k), column.values[k]));
    }
  }
  check_smallest("W", largest);
}

}  // namespace stickslip
