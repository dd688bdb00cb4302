#pragma once

#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// Six numbers that follow time: linear between the rows, constant before the first and after the
/// last.
class TimeTable {
 public:
  struct Row {
    double time_s;
    Vec6 value;
  };

  TimeTable() = default;
  /// Times ascend.
  explicit TimeTable(std::vector<Row> rows) : rows_(std::move(rows)) {}
  /// The same value at all times.
  explicit TimeTable(const Vec6& value) : rows_{{0.0, value}} {}

  /// Zero where the table is empty.
  Vec6 at(double time_s) const;

  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

}  // namespace stickslip
