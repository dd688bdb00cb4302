#include "stickslip/io/time_csv.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "stickslip/error.hpp"
#include "stickslip/mesh/file_cursor.hpp"

namespace stickslip {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t comma = std::min(line.find(',', at), line.size());
    cells.push_back(trimmed(line.substr(at, comma - at)));
    at = comma + 1;
  }
  return cells;
}

}  // namespace

std::vector<TimeCsvRow> read_time_csv(const std::filesystem::path& path,
                                      std::span<const std::string_view> known) {
  FileCursor cursor(path, "a CSV table");
  int line_number = 0;
  const auto refuse = [&](const std::string& problem) {
    throw InputError(fmt::format("{}:{}: {}", path.string(), line_number, problem));
  };

  // the header says what the columns are: -1 is time
  std::string_view line;
  cursor.next_line(line);
  ++line_number;
  std::vector<int> columns;
  for (const std::string_view cell : cells_of(line)) {
    const auto column = std::find(known.begin(), known.end(), cell);
    if (cell != "time_s" && column == known.end()) {
      refuse(fmt::format("column '{}' is not known; the header takes time_s, {}", printable(cell),
                         fmt::join(known, ", ")));
    }
    const int index = cell == "time_s" ? -1 : static_cast<int>(column - known.begin());
    if (std::find(columns.begin(), columns.end(), index) != columns.end()) {
      refuse(fmt::format("column '{}' stands twice in the header; remove one", cell));
    }
    columns.push_back(index);
  }
  if (std::find(columns.begin(), columns.end(), -1) == columns.end()) {
    refuse("the header lacks time_s; name the column of times [s]");
  }

  std::vector<TimeCsvRow> rows;
  while (cursor.next_line(line)) {
    ++line_number;
    if (trimmed(line).empty()) continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() != columns.size()) {
      refuse(fmt::format("{} values for {} columns; give each column one", cells.size(),
                         columns.size()));
    }
    TimeCsvRow row{0.0, std::vector<double>(known.size(), 0.0)};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = 0.0;
      if (!parse_real(cells[i], value) || !std::isfinite(value)) {
        refuse(fmt::format("'{}' is not a finite number", printable(cells[i])));
      }
      (columns[i] < 0 ? row.time_s : row.values[static_cast<std::size_t>(columns[i])]) = value;
    }
    if (!rows.empty() && row.time_s <= rows.back().time_s) {
      refuse(fmt::format("time_s = {} does not come after {}; let times ascend", row.time_s,
                         rows.back().time_s));
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) refuse("no row follows the header; give at least one");
  return rows;
}

}  // namespace stickslip
