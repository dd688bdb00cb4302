#include "stickslip/solver/sparse_block_lu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stickslip {

namespace {

constexpr int word_bits = 64;
// of the product of the sizes of its rows: below, a diagonal block counts as singular
constexpr double singular = 1e-14;

std::size_t links_among(std::size_t contacts) {
  return contacts * (contacts - 1) / 2;
}

void grow(VecX& values, Eigen::Index size) {
  if (values.size() < size) values.setZero(size);
}

/// The same for what is written before it is read.
void make_room(VecX& values, Eigen::Index size) {
  if (values.size() < size) values.resize(size);
}

}  // namespace

void SparseBlockLu::reserve(int contact_count) {
  const auto k = uz(std::min(contact_count, most_contacts));
  const std::size_t most_links = links_among(std::min(k, uz(largest_pattern)));
  links_.reserve(k * ((k + word_bits - 1) / word_bits));
  for (std::vector<int>* list : {&degree_, &order_, &place_, &pivot_words_}) list->reserve(k);
  later_start_.reserve(k + 1);
  earlier_start_.reserve(k + 1);
  later_.reserve(most_links);
  earlier_.reserve(most_links);
  is_used_.reserve(k);
  for (VecX* blocks : {&upper_, &lower_}) {
    make_room(*blocks, block_size * static_cast<Eigen::Index>(most_links));
  }
  for (VecX* blocks : {&inverse_, &row_}) grow(*blocks, block_size * static_cast<Eigen::Index>(k));
  grow(solution_, 4 * static_cast<Eigen::Index>(k));
}

SparseBlockLu::Analysis SparseBlockLu::find_order(int k, Budget& budget, double reserve_us) {
  const int words = (k + word_bits - 1) / word_bits;
  const auto row = [&](int i) { return links_.data() + uz(i) * uz(words); };
  degree_.resize(uz(k));
  for (int i = 0; i < k; ++i) {
    degree_[uz(i)] = 0;
    for (int w = 0; w < words; ++w) degree_[uz(i)] += std::popcount(row(i)[w]);
  }
  order_.resize(uz(k));
  place_.assign(uz(k), -1);
  std::size_t all_links = 0;
  for (int s = 0; s < k; ++s) {
    if (!budget.look(reserve_us)) return Analysis::late;
    int pivot = -1;
    for (int i = 0; i < k; ++i) {
      if (place_[uz(i)] < 0 && (pivot < 0 || degree_[uz(i)] < degree_[uz(pivot)])) pivot = i;
    }
    all_links += uz(degree_[uz(pivot)]);
    if (all_links > links_among(largest_pattern)) return Analysis::too_large;
    order_[uz(s)] = pivot;
    place_[uz(pivot)] = s;
    const std::uint64_t* links = row(pivot);
    pivot_words_.clear();
    for (int w = 0; w < words; ++w) {
      if (links[w] != 0) pivot_words_.push_back(w);
    }
    // its neighbours become neighbours of each other, and are no longer its own
    for (const int w : pivot_words_) {
      for (std::uint64_t bits = links[w]; bits != 0; bits &= bits - 1) {
        const int i = w * word_bits + std::countr_zero(bits);
        std::uint64_t* own = row(i);
        int joined = 0;
        for (const int v : pivot_words_) {
          joined += std::popcount(links[v] & ~own[v]);
          own[v] |= links[v];
        }
        // it was told to be its own neighbour
        own[i / word_bits] &= ~(std::uint64_t{1} << (i % word_bits));
        own[pivot / word_bits] &= ~(std::uint64_t{1} << (pivot % word_bits));
        degree_[uz(i)] += joined - 2;
      }
    }
  }
  return Analysis::done;
}

void SparseBlockLu::fill_links(const LocalProblem& problem) {
  const int k = problem.contact_count();
  const int words = (k + word_bits - 1) / word_bits;
  links_.assign(uz(k) * uz(words), 0);
  for (int j = 0; j < k; ++j) {
    for (const int i : problem.column(j).rows) {
      if (i == j) continue;
      links_[uz(i) * uz(words) + uz(j / word_bits)] |= std::uint64_t{1} << (j % word_bits);
      links_[uz(j) * uz(words) + uz(i / word_bits)] |= std::uint64_t{1} << (i % word_bits);
    }
  }
}

bool SparseBlockLu::list_links(int k, Budget& budget, double reserve_us) {
  // the links left in the row of each pivot are to later places
  const int words = (k + word_bits - 1) / word_bits;
  flops_ = 0.0;
  later_start_.assign(uz(k) + 1, 0);
  earlier_start_.assign(uz(k) + 1, 0);
  later_.clear();
  for (int s = 0; s < k; ++s) {
    if (s % contacts_per_look == 0 && !budget.look(reserve_us)) return false;
    const std::uint64_t* row = links_.data() + uz(order_[uz(s)]) * uz(words);
    const auto first = static_cast<std::ptrdiff_t>(later_.size());
    for (int w = 0; w < words; ++w) {
      for (std::uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
        const int at = place_[uz(w * word_bits + std::countr_zero(bits))];
        later_.push_back(at);
        ++earlier_start_[uz(at) + 1];
      }
    }
    std::sort(later_.begin() + first, later_.end());
    later_start_[uz(s) + 1] = static_cast<int>(later_.size());
    const auto links = static_cast<double>(later_.size()) - static_cast<double>(first);
    flops_ += 54.0 * links * (links + 1.0) + 100.0;
  }
  for (int s = 0; s < k; ++s) earlier_start_[uz(s) + 1] += earlier_start_[uz(s)];
  earlier_.resize(later_.size());
  degree_.assign(earlier_start_.begin(), earlier_start_.end() - 1);
  for (int s = 0; s < k; ++s) {
    for (int e = later_start_[uz(s)]; e < later_start_[uz(s) + 1]; ++e) {
      earlier_[uz(degree_[uz(later_[uz(e)])]++)] = s;
    }
  }
  return true;
}

SparseBlockLu::Analysis SparseBlockLu::analyse(const LocalProblem& problem, Budget& budget,
                                               double reserve_us) {
  const int k = problem.contact_count();
  count_ = 0;
  if (k > most_contacts || problem.is_dense()) return Analysis::too_large;
  fill_links(problem);
  const Analysis order = find_order(k, budget, reserve_us);
  if (order != Analysis::done) return order;
  if (!list_links(k, budget, reserve_us)) return Analysis::late;
  count_ = k;
  is_used_.assign(uz(k), 0);
  const auto links = static_cast<Eigen::Index>(later_.size());
  make_room(upper_, block_size * links);
  make_room(lower_, block_size * links);
  grow(inverse_, block_size * k);
  grow(row_, block_size * k);
  grow(solution_, 4 * k);
  return Analysis::done;
}

bool SparseBlockLu::eliminate(int s) {
  for (int e = earlier_start_[uz(s)]; e < earlier_start_[uz(s) + 1]; ++e) {
    const int p = earlier_[uz(e)];
    if (is_used_[uz(p)] == 0) continue;
    const BlockMap entry = block(row_, p);
    const BlockMap inverse = block(inverse_, p);
    BlockMap factor = block(lower_, e);
    for (int c = 0; c < 3; ++c) {
      factor.col(c) = entry.col(0) * inverse(0, c) + entry.col(1) * inverse(1, c) +
                      entry.col(2) * inverse(2, c);
    }
    const Eigen::Vector4d f_0 = factor.col(0);
    const Eigen::Vector4d f_1 = factor.col(1);
    const Eigen::Vector4d f_2 = factor.col(2);
    const double* upper = upper_.data() + block_size * later_start_[uz(p)];
    for (int l = later_start_[uz(p)]; l < later_start_[uz(p) + 1]; ++l, upper += block_size) {
      BlockMap target = block(row_, later_[uz(l)]);
      const ConstBlockMap u(upper);
      for (int c = 0; c < 3; ++c) {
        target.col(c) -= f_0 * u(0, c) + f_1 * u(1, c) + f_2 * u(2, c);
      }
    }
  }
  for (int e = later_start_[uz(s)]; e < later_start_[uz(s) + 1]; ++e) {
    block(upper_, e) = block(row_, later_[uz(e)]);
  }

  // the inverse of the block on the diagonal
  const Mat3 D = block(row_, s).topRows<3>();
  const Vec3 cross = D.col(1).cross(D.col(2));
  const double determinant = D.col(0).dot(cross);
  const double size = D.row(0).norm() * D.row(1).norm() * D.row(2).norm();
  if (!(std::abs(determinant) > singular * size) || !std::isfinite(determinant)) return false;
  Mat3 inverse;
  inverse.row(0) = cross.transpose();
  inverse.row(1) = D.col(2).cross(D.col(0)).transpose();
  inverse.row(2) = D.col(0).cross(D.col(1)).transpose();
  BlockMap result = block(inverse_, s);
  result.setZero();
  result.topRows<3>() = inverse / determinant;
  return true;
}

void SparseBlockLu::solve(VecX& x) {
  // A is the transpose of what was factorised
  for (int s = 0; s < count_; ++s) {
    solution_.segment<3>(4 * s) = x.segment<3>(3 * order_[uz(s)]);
    solution_[4 * s + 3] = 0.0;
  }
  for (int s = 0; s < count_; ++s) {
    if (is_used_[uz(s)] == 0) continue;
    const Vec3 y = block(inverse_, s).topRows<3>().transpose() * solution_.segment<3>(4 * s);
    solution_.segment<3>(4 * s) = y;
    for (int e = later_start_[uz(s)]; e < later_start_[uz(s) + 1]; ++e) {
      solution_.segment<3>(4 * later_[uz(e)]) -= block(upper_, e).topRows<3>().transpose() * y;
    }
  }
  for (int s = count_ - 1; s >= 0; --s) {
    if (is_used_[uz(s)] == 0) continue;
    const Vec3 y = solution_.segment<3>(4 * s);
    for (int e = earlier_start_[uz(s)]; e < earlier_start_[uz(s) + 1]; ++e) {
      if (is_used_[uz(earlier_[uz(e)])] == 0) continue;
      solution_.segment<3>(4 * earlier_[uz(e)]) -= block(lower_, e).topRows<3>().transpose() * y;
    }
  }
  for (int s = 0; s < count_; ++s) {
    x.segment<3>(3 * order_[uz(s)]) = solution_.segment<3>(4 * s);
  }
}

}  // namespace stickslip
