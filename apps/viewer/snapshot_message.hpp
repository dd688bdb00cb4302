#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "apps/viewer/command.hpp"
#include "apps/viewer/snapshot.hpp"

// The binary messages of docs/viewer_protocol.md.

namespace stickslip::viewer {

/// The last rows of a table, each with a number of its own.
class RowHistory {
 public:
  explicit RowHistory(std::size_t room) : room_(room) {}

  void add(const std::vector<double>& row);
  void clear();
  /// The number that the next row gets.
  std::uint64_t end() const { return first_ + rows_.size(); }
  std::uint64_t first() const { return first_; }
  const std::vector<double>& row(std::uint64_t number) const { return rows_[number - first_]; }
  bool is_empty() const { return rows_.empty(); }

 private:
  std::size_t room_;
  std::uint64_t first_ = 0;
  std::deque<std::vector<double>> rows_;
};

/// What a frame carries besides the snapshot.
struct SnapshotTables {
  const RowHistory& ticks;  ///< as they came through the exchange
  const RowHistory& steps;
  std::uint64_t ticks_from = 0;  ///< the first that the viewer has not had
  std::uint64_t steps_from = 0;
};
struct SnapshotCounts {
  std::uint32_t sequence = 0;
  std::uint32_t viewers = 0;
  std::uint32_t ticks = 0;
  float tick_median_us = 0.0F;
  float tick_longest_us = 0.0F;
};

std::string mesh_message(const ViewedScene& scene, std::size_t body);
std::string snapshot_message(const Snapshot& snapshot, Field field, const SnapshotTables& tables,
                             const SnapshotCounts& counts);
std::string delassus_message(const Snapshot& snapshot);

}  // namespace stickslip::viewer
