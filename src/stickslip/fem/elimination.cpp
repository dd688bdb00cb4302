#include "stickslip/fem/elimination.hpp"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <numeric>
#include <span>

namespace stickslip {

namespace {

/// Unknowns that share one pattern (the three directions of a node) are ordered as one.
struct Grouping {
  std::vector<int> group_of;  ///< unknown -> group
  std::vector<int> size;      ///< unknowns in each group
  std::vector<int> first;     ///< one unknown of each group
};

Grouping group_equal_columns(const SparseMatrix& A) {
  const int* start = A.outerIndexPtr();
  const int* row = A.innerIndexPtr();
  Grouping groups;
  groups.group_of.resize(uz(A.cols()));
  for (int j = 0; j < A.cols(); ++j) {
    const bool same_as_last =
        j > 0 && std::equal(row + start[j], row + start[j + 1], row + start[j - 1], row + start[j]);
    if (!same_as_last) {
      groups.size.push_back(0);
      groups.first.push_back(j);
    }
    groups.group_of[uz(j)] = static_cast<int>(groups.size.size()) - 1;
    ++groups.size.back();
  }
  return groups;
}

/// Neighbours of each vertex, itself excluded.
struct Graph {
  std::vector<idx_t> start;
  std::vector<idx_t> neighbour;

  int size() const { return static_cast<int>(start.size()) - 1; }
  std::span<const idx_t> neighbours(int v) const {
    return {neighbour.data() + start[uz(v)], uz(start[uz(v) + 1] - start[uz(v)])};
  }
};

Graph graph_of_groups(const SparseMatrix& A, const Grouping& groups) {
  Graph graph;
  graph.start.push_back(0);
  const int group_count = static_cast<int>(groups.size.size());
  for (int g = 0; g < group_count; ++g) {
    // rows ascend, so equal groups stand together
    int last = -1;
    for (SparseMatrix::InnerIterator entry(A, groups.first[uz(g)]); entry; ++entry) {
      const int other = groups.group_of[uz(entry.row())];
      if (other != g && other != last) graph.neighbour.push_back(other);
      last = other;
    }
    graph.start.push_back(static_cast<idx_t>(graph.neighbour.size()));
  }
  return graph;
}

/// vertex -> position, by nested dissection.
std::vector<int> nested_dissection(Graph& graph, const std::vector<int>& weight) {
  idx_t n = graph.size();
  std::vector<idx_t> vertex_weight(weight.begin(), weight.end());
  std::vector<idx_t> vertex_at(uz(n));
  std::vector<idx_t> position(uz(n));
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  if (graph.neighbour.empty()) {
    std::iota(position.begin(), position.end(), 0);
  } else {
    METIS_NodeND(&n, graph.start.data(), graph.neighbour.data(), vertex_weight.data(),
                 options.data(), vertex_at.data(), position.data());
  }
  return {position.begin(), position.end()};
}

/// Parent of each position in the elimination tree (-1 for a root).
std::vector<int> elimination_tree(const Graph& graph, const std::vector<int>& position) {
  const int n = graph.size();
  std::vector<int> vertex_at(uz(n));
  for (int v = 0; v < n; ++v) vertex_at[uz(position[uz(v)])] = v;
  std::vector<int> parent(uz(n), -1);
  std::vector<int> ancestor(uz(n), -1);
  for (int j = 0; j < n; ++j) {
    for (const idx_t neighbour : graph.neighbours(vertex_at[uz(j)])) {
      int i = position[uz(neighbour)];
      if (i >= j) continue;
      // climb to the root of i's tree, shortening the path on the way
      while (ancestor[uz(i)] != -1 && ancestor[uz(i)] != j) {
        const int next = ancestor[uz(i)];
        ancestor[uz(i)] = j;
        i = next;
      }
      if (ancestor[uz(i)] == -1) {
        ancestor[uz(i)] = j;
        parent[uz(i)] = j;
      }
    }
  }
  return parent;
}

/// old position -> new position such that every subtree is contiguous, children before parents.
std::vector<int> postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> first_child(uz(n), -1);
  std::vector<int> next_sibling(uz(n), -1);
  std::vector<int> open;
  for (int j = n - 1; j >= 0; --j) {
    const int p = parent[uz(j)];
    if (p < 0) {
      open.push_back(j);
    } else {
      next_sibling[uz(j)] = first_child[uz(p)];
      first_child[uz(p)] = j;
    }
  }
  std::vector<int> renumbered(uz(n), -1);
  int next = 0;
  while (!open.empty()) {
    const int j = open.back();
    const int child = first_child[uz(j)];
    if (child >= 0) {
      first_child[uz(j)] = next_sibling[uz(child)];
      open.push_back(child);
    } else {
      renumbered[uz(j)] = next++;
      open.pop_back();
    }
  }
  return renumbered;
}

/// The rows below the diagonal in each column of L.
std::vector<std::vector<int>> symbolic_columns(const Graph& graph, const std::vector<int>& position,
                                               const std::vector<int>& parent) {
  const int n = graph.size();
  std::vector<int> vertex_at(uz(n));
  for (int v = 0; v < n; ++v) vertex_at[uz(position[uz(v)])] = v;
  std::vector<std::vector<int>> columns(uz(n));
  std::vector<std::vector<int>> children(uz(n));
  std::vector<int> mark(uz(n), -1);
  for (int j = 0; j < n; ++j) {
    std::vector<int>& rows = columns[uz(j)];
    const auto add = [&](int i) {
      if (i > j && mark[uz(i)] != j) {
        mark[uz(i)] = j;
        rows.push_back(i);
      }
    };
    for (const idx_t neighbour : graph.neighbours(vertex_at[uz(j)])) {
      add(position[uz(neighbour)]);
    }
    for (const int child : children[uz(j)]) {
      for (const int i : columns[uz(child)]) add(i);
    }
    std::sort(rows.begin(), rows.end());
    if (parent[uz(j)] >= 0) children[uz(parent[uz(j)])].push_back(j);
  }
  return columns;
}

/// A run of columns that becomes one panel.
struct Run {
  int first_group;
  int last_group;
  std::int64_t width;  ///< in unknowns
  std::int64_t below;  ///< rows below, in unknowns
  std::int64_t zeros;  ///< entries of the panel that are zero by structure
};

/// Whether a panel may absorb the one before it, at the price of some stored zeros: small
/// panels are slow, large ones waste work.
bool is_worth_merging(std::int64_t width, std::int64_t entries, std::int64_t zeros) {
  const double share = static_cast<double>(zeros) / static_cast<double>(entries);
  if (width <= 12) return true;
  if (width <= 48) return share < 0.6;
  if (width <= 96) return share < 0.15;
  return share < 0.05;
}

std::vector<Run> find_runs(const std::vector<std::vector<int>>& columns,
                           const std::vector<int>& parent, const std::vector<int>& group_width) {
  const int n = static_cast<int>(columns.size());
  std::vector<std::int64_t> below(uz(n), 0);
  for (int j = 0; j < n; ++j) {
    for (const int i : columns[uz(j)]) below[uz(j)] += group_width[uz(i)];
  }
  std::vector<Run> runs;
  for (int j = 0; j < n; ++j) {
    const std::int64_t width = group_width[uz(j)];
    runs.push_back({j, j, width, below[uz(j)], 0});
    // the run before ends in a child of this one: merge as long as it pays
    while (runs.size() > 1) {
      const Run& top = runs.back();
      const Run& child = runs[runs.size() - 2];
      const int child_parent = parent[uz(child.last_group)];
      if (child_parent < top.first_group || child_parent > top.last_group) break;
      Run merged{child.first_group, top.last_group, child.width + top.width, top.below, 0};
      merged.zeros = child.zeros + top.zeros + child.width * (top.width + top.below - child.below);
      const bool is_exact = merged.zeros == child.zeros + top.zeros;
      const std::int64_t entries = merged.width * (merged.width + merged.below);
      if (!is_exact && !is_worth_merging(merged.width, entries, merged.zeros)) break;
      runs.pop_back();
      runs.back() = merged;
    }
  }
  return runs;
}

}  // namespace

EliminationPlan plan_elimination(const SparseMatrix& A) {
  assert(A.rows() == A.cols() && A.isCompressed());

  // order the groups, then renumber them so that subtrees are contiguous
  const Grouping groups = group_equal_columns(A);
  Graph graph = graph_of_groups(A, groups);
  std::vector<int> place = nested_dissection(graph, groups.size);
  std::vector<int> parent = elimination_tree(graph, place);
  const std::vector<int> renumbered = postorder(parent);
  std::vector<int> ordered_parent(parent.size(), -1);
  for (std::size_t j = 0; j < parent.size(); ++j) {
    if (parent[j] >= 0) ordered_parent[uz(renumbered[j])] = renumbered[uz(parent[j])];
  }
  for (int& p : place) p = renumbered[uz(p)];

  // columns of L, by groups, and the runs of them that make panels
  const auto columns = symbolic_columns(graph, place, ordered_parent);
  std::vector<int> width(groups.size.size());
  for (std::size_t g = 0; g < place.size(); ++g) width[uz(place[g])] = groups.size[g];
  const std::vector<Run> runs = find_runs(columns, ordered_parent, width);

  // positions of the unknowns
  std::vector<int> offset(width.size() + 1, 0);
  std::partial_sum(width.begin(), width.end(), offset.begin() + 1);
  EliminationPlan plan;
  const int size = static_cast<int>(A.cols());
  plan.position.resize(uz(size));
  std::vector<int> next(offset.begin(), offset.end() - 1);
  for (int unknown = 0; unknown < size; ++unknown) {
    plan.position[uz(unknown)] = next[uz(place[uz(groups.group_of[uz(unknown)])])]++;
  }

  // panels with the rows below them
  for (const Run& run : runs) {
    EliminationPlan::Panel& panel = plan.panels.emplace_back();
    panel.width = static_cast<int>(run.width);
    panel.rows_below.reserve(uz(run.below));
    for (const int group : columns[uz(run.last_group)]) {
      for (int k = offset[uz(group)]; k < offset[uz(group) + 1]; ++k) panel.rows_below.push_back(k);
    }
  }
  return plan;
}

}  // namespace stickslip
