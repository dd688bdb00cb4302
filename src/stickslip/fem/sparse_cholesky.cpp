#include "stickslip/fem/sparse_cholesky.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>
#include <thread>

#include "stickslip/fem/blas.hpp"
#include "stickslip/fem/elimination.hpp"

namespace stickslip {

NotPositiveDefinite::NotPositiveDefinite(int unknown)
    : InputError(fmt::format("the matrix is not positive definite: see unknown {}", unknown)),
      unknown_(unknown) {}

SparseCholesky::SparseCholesky(const SparseMatrix& A) : size_(static_cast<int>(A.cols())) {
  analyse(A);
  map_entries(A);
  // threads pay only where there is work for them
  constexpr double worthwhile_flops = 2e8;
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  const int bad = factorize_panels(A, flops_ < worthwhile_flops ? 1 : processors);
  if (bad >= 0) {
    throw NotPositiveDefinite(
        static_cast<int>(std::find(position_.begin(), position_.end(), bad) - position_.begin()));
  }
}

bool SparseCholesky::refactorize(const SparseMatrix& A) {
  assert(A.nonZeros() == static_cast<Eigen::Index>(entry_.size()));
  return factorize_panels(A, 1) < 0;
}

std::span<const int> SparseCholesky::rows_below(const Supernode& s) const {
  return {rows_.data() + s.row_list + s.width, uz(s.height - s.width)};
}

void SparseCholesky::analyse(const SparseMatrix& A) {
  EliminationPlan plan = plan_elimination(A);
  position_ = std::move(plan.position);
  supernode_of_.resize(uz(size_));
  int first = 0;
  for (const EliminationPlan::Panel& panel : plan.panels) {
    const auto below = static_cast<int>(panel.rows_below.size());
    Supernode s{first, panel.width, panel.width + below,
                -1,    0,           static_cast<std::int64_t>(rows_.size())};
    for (int k = 0; k < panel.width; ++k, ++first) {
      rows_.push_back(first);
      supernode_of_[uz(first)] = static_cast<int>(supernodes_.size());
    }
    rows_.insert(rows_.end(), panel.rows_below.begin(), panel.rows_below.end());
    supernodes_.push_back(s);
  }
  lay_out_panels();
}

void SparseCholesky::lay_out_panels() {
  // parents, and the row of the parent's panel that each row below goes to
  target_.resize(rows_.size());
  std::int64_t entries = 0;
  for (Supernode& s : supernodes_) {
    s.panel = entries;
    entries += std::int64_t{s.height} * s.width;
    const auto below = rows_below(s);
    tallest_ = std::max(tallest_, static_cast<int>(below.size()));
    if (below.empty()) continue;
    s.parent = supernode_of_[uz(below.front())];
    const Supernode& parent = supernodes_[uz(s.parent)];
    const int* parent_rows = rows_.data() + parent.row_list;
    int at = 0;
    for (std::size_t k = 0; k < below.size(); ++k) {
      while (parent_rows[at] != below[k]) ++at;
      target_[uz(s.row_list + s.width) + k] = at;
    }
  }
  panels_ = LargeArray(uz(entries) * sizeof(double), Pages::huge);
  values_ = {reinterpret_cast<double*>(panels_.bytes().data()), uz(entries)};

  find_branches();
  lay_out_updates();
}

void SparseCholesky::find_branches() {
  // children, and the work and the first supernode of every subtree
  const std::size_t count = supernodes_.size();
  child_start_.assign(count + 1, 0);
  for (const Supernode& s : supernodes_) {
    if (s.parent >= 0) ++child_start_[uz(s.parent) + 1];
  }
  std::partial_sum(child_start_.begin(), child_start_.end(), child_start_.begin());
  child_.resize(uz(child_start_.back()));
  std::vector<int> next(child_start_.begin(), child_start_.end() - 1);
  std::vector<Branch> subtree(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Supernode& s = supernodes_[k];
    const auto number = static_cast<int>(k);
    subtree[k].last = number;
    subtree[k].first = number;
    for (int c = 0; c < s.width; ++c) {
      const double rows = s.height - c;
      subtree[k].flops += rows * rows;
    }
    for (int c = child_start_[k]; c < next[k]; ++c) {
      const Branch& below = subtree[uz(child_[uz(c)])];
      subtree[k].first = std::min(subtree[k].first, below.first);
      subtree[k].flops += below.flops;
    }
    if (s.parent >= 0) child_[uz(next[uz(s.parent)]++)] = number;
  }

  // split the costliest subtree until all are small enough to share out
  constexpr double largest_share = 0.15;
  for (std::size_t k = 0; k < count; ++k) {
    if (supernodes_[k].parent >= 0) continue;
    branches_.push_back(subtree[k]);
    flops_ += subtree[k].flops;
  }
  for (std::size_t at = 0; at < branches_.size();) {
    const Branch branch = branches_[at];
    const auto root = uz(branch.last);
    if (branch.flops < largest_share * flops_ || child_start_[root] == child_start_[root + 1]) {
      ++at;
      continue;
    }
    trunk_.push_back(branch.last);
    branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(at));
    for (int c = child_start_[root]; c < child_start_[root + 1]; ++c) {
      branches_.push_back(subtree[uz(child_[uz(c)])]);
    }
  }
  std::sort(trunk_.begin(), trunk_.end());
  std::stable_sort(branches_.begin(), branches_.end(),
                   [](const Branch& a, const Branch& b) { return a.flops > b.flops; });
}

void SparseCholesky::lay_out_updates() {
  // each branch has a stack of its own; a supernode sums its children's updates on top of them,
  // then leaves its own in their place
  std::int64_t top = 0;
  std::int64_t peak = 0;
  std::vector<char> is_in_stack(supernodes_.size(), 0);
  const auto place = [&](int number) {
    Supernode& s = supernodes_[uz(number)];
    const std::int64_t below = s.height - s.width;
    s.assembly = top;
    peak = std::max(peak, top + below * below);
    for (int c = child_start_[uz(number)]; c < child_start_[uz(number) + 1]; ++c) {
      const int child = child_[uz(c)];
      if (is_in_stack[uz(child)] != 0) top = std::min(top, supernodes_[uz(child)].update);
    }
    s.update = top;
    top += below * below;
    is_in_stack[uz(number)] = 1;
  };
  for (const Branch& branch : branches_) {
    std::fill(is_in_stack.begin(), is_in_stack.end(), 0);
    for (int number = branch.first; number <= branch.last; ++number) place(number);
    top = peak;
  }
  std::fill(is_in_stack.begin(), is_in_stack.end(), 0);
  for (const int number : trunk_) place(number);
  updates_ = LargeArray(uz(peak) * sizeof(double), Pages::huge);
}

void SparseCholesky::map_entries(const SparseMatrix& A) {
  std::vector<int> unknown_at(uz(size_));
  for (int unknown = 0; unknown < size_; ++unknown) {
    unknown_at[uz(position_[uz(unknown)])] = unknown;
  }
  entry_.assign(uz(A.nonZeros()), -1);
  std::vector<int> panel_row(uz(size_));
  for (const Supernode& s : supernodes_) {
    for (int k = 0; k < s.height; ++k) panel_row[uz(rows_[uz(s.row_list + k)])] = k;
    for (int column = 0; column < s.width; ++column) {
      const int unknown = unknown_at[uz(s.first + column)];
      for (int k = A.outerIndexPtr()[unknown]; k < A.outerIndexPtr()[unknown + 1]; ++k) {
        const int row = position_[uz(A.innerIndexPtr()[k])];
        if (row < s.first + column) continue;
        entry_[uz(k)] = s.panel + std::int64_t{column} * s.height + panel_row[uz(row)];
      }
    }
  }
}

void SparseCholesky::extend_add(const Supernode& child, const double* update,
                                const Supernode& parent, double* parent_update) {
  const int below = child.height - child.width;
  const int* target = target_.data() + child.row_list + child.width;
  const int parent_below = parent.height - parent.width;
  for (int j = 0; j < below; ++j) {
    const double* source = update + std::int64_t{j} * below;
    double* column =
        target[j] < parent.width
            ? values_.data() + parent.panel + std::int64_t{target[j]} * parent.height
            : parent_update + std::int64_t{target[j] - parent.width} * parent_below - parent.width;
    for (int i = j; i < below; ++i) column[target[i]] += source[i];
  }
}

int SparseCholesky::factorize_panels(const SparseMatrix& A, int threads) {
  // entries of A
  std::fill(values_.begin(), values_.end(), 0.0);
  const double* value = A.valuePtr();
  for (std::size_t k = 0; k < entry_.size(); ++k) {
    if (entry_[k] >= 0) values_[uz(entry_[k])] = value[k];
  }

  // the branches, shared out among the threads, then the trunk on which they stand
  std::atomic<std::size_t> next{0};
  std::atomic<int> first_bad{size_};
  const auto note = [&](int bad) {
    int known = first_bad;
    while (bad < known && !first_bad.compare_exchange_weak(known, bad)) {
    }
  };
  const auto work = [&] {
    for (std::size_t k = next++; k < branches_.size(); k = next++) {
      for (int number = branches_[k].first; number <= branches_[k].last; ++number) {
        const int bad = factorize_supernode(number);
        if (bad < 0) continue;
        note(bad);
        break;
      }
    }
  };
  if (threads > 1) {
    std::vector<std::thread> pool;
    for (int t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
    for (std::thread& thread : pool) thread.join();
  } else {
    work();
  }
  if (first_bad < size_) return first_bad;
  for (const int number : trunk_) {
    const int bad = factorize_supernode(number);
    if (bad >= 0) return bad;
  }
  return -1;
}

int SparseCholesky::factorize_supernode(int number) {
  const Supernode& s = supernodes_[uz(number)];
  const int below = s.height - s.width;
  const std::int64_t update_size = std::int64_t{below} * below;
  double* panel = values_.data() + s.panel;
  auto* updates = reinterpret_cast<double*>(updates_.bytes().data());
  double* assembly = updates + s.assembly;

  // take the children's updates
  std::fill(assembly, assembly + update_size, 0.0);
  for (int c = child_start_[uz(number)]; c < child_start_[uz(number) + 1]; ++c) {
    const Supernode& child = supernodes_[uz(child_[uz(c)])];
    extend_add(child, updates + child.update, s, assembly);
  }

  // factorise, and leave an update to the parent
  const int bad = blas::potrf_lower(s.width, panel, s.height);
  if (bad > 0) return s.first + bad - 1;
  if (below == 0) return -1;
  blas::trsm_right_lower_transposed(below, s.width, panel, s.height, panel + s.width, s.height);
  blas::syrk_lower_subtract(below, s.width, panel + s.width, s.height, assembly, below);
  std::copy(assembly, assembly + update_size, updates + s.update);
  return -1;
}

}  // namespace stickslip
