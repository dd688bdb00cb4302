#include "apps/bench/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace stickslip::bench {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json figure_json(const Figure& figure) {
  Json json = {
      {"name", figure.name},           {"value", number(figure.value)},
      {"unit", figure.unit},           {"p99", number(figure.p99)},
      {"limit", number(figure.limit)}, {"ratio_to_limit", number(figure.value / figure.limit)}};
  for (const auto& [name, value] : figure.columns) json["columns"][name] = number(value);
  if (!figure.remark.empty()) json["remark"] = figure.remark;
  return json;
}

/// Three or four digits, as one writes them.
std::string digits(double value) {
  if (!std::isfinite(value)) return "";
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.9995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

using Cells = std::vector<std::string>;

Cells head_of(const Figure& figure) {
  Cells cells = {"", "median", "p99", "limit", "times the limit"};
  for (const auto& column : figure.columns) cells.push_back(column.first);
  return cells;
}

Cells cells_of(const Figure& figure) {
  const auto with_unit = [&](double value) {
    return std::isfinite(value) ? fmt::format("{} {}", digits(value), figure.unit) : std::string();
  };
  Cells cells = {figure.name, with_unit(figure.value), with_unit(figure.p99),
                 with_unit(figure.limit), digits(figure.value / figure.limit)};
  if (!figure.remark.empty()) {
    cells[1] = fmt::format("{}{}{}", cells[1], cells[1].empty() ? "" : ", ", figure.remark);
  }
  for (const auto& column : figure.columns) cells.push_back(digits(column.second));
  return cells;
}

std::string table_text(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 3);
  for (const Cells& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string cell = c < rows[r].size() ? rows[r][c] : "";
      text += c == 0 ? fmt::format("| {:<{}} ", cell, widths[c])
                     : fmt::format("| {:>{}} ", cell, widths[c]);
    }
    text += "|\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += fmt::format("| {:->{}}{} ", "", widths[c] - 1, c == 0 ? '-' : ':');
    }
    text += "|\n";
  }
  return text;
}

/// A table for each run of rows with the same columns; rows without a value go along.
std::string suite_text(const Suite& suite) {
  std::string text = fmt::format("\n## {}\n\n{}\n", suite.name, suite.about);
  std::vector<Cells> rows;
  const auto finish = [&] {
    if (!rows.empty()) text += fmt::format("\n{}", table_text(rows));
    rows.clear();
  };
  for (const Figure& figure : suite.rows) {
    const Cells head = head_of(figure);
    const bool fits = !rows.empty() && (figure.columns.empty() || rows.front() == head);
    if (!fits) {
      finish();
      rows.push_back(head);
    }
    rows.push_back(cells_of(figure));
  }
  finish();
  return text;
}

}  // namespace

nlohmann::ordered_json report_json(const Report& report) {
  Json reading = Json::object();
  for (const auto& [store, rate] : report.limits.reading) reading[store] = number(rate);
  Json json = {{"machine",
                {{"processor", report.machine.processor},
                 {"cores", report.machine.cores},
                 {"instructions", report.machine.instructions},
                 {"compiler", report.machine.compiler},
                 {"version", report.machine.version}}},
               {"noise",
                {{"spin_us", number(report.noise.spin_us)},
                 {"median_stretch", number(report.noise.median_stretch)},
                 {"mean_stretch", number(report.noise.mean_stretch)},
                 {"p99_stretch", number(report.noise.p99_stretch)},
                 {"spins", report.noise.spins},
                 {"busy", report.noise.is_busy()}}},
               {"limits", {{"flop_per_s", report.limits.flops}, {"read_bytes_per_s", reading}}},
               {"suites", Json::array()},
               {"seconds", report.seconds}};
  for (const Suite& suite : report.suites) {
    Json rows = Json::array();
    for (const Figure& figure : suite.rows) rows.push_back(figure_json(figure));
    json["suites"].push_back({{"name", suite.name}, {"about", suite.about}, {"rows", rows}});
  }
  return json;
}

std::string report_text(const Report& report) {
  const Machine& machine = report.machine;
  const NoiseReport& noise = report.noise;
  std::string text =
      fmt::format("{}, {} cores; stickslip {} for {}, by {}\n", machine.processor, machine.cores,
                  machine.version,
                  machine.instructions.empty() ? "any processor of its kind" : machine.instructions,
                  machine.compiler);
  text += fmt::format(
      "an empty loop of {:.1f} us in between took {:.2f} times as long (median), {:.2f} times "
      "(mean), "
      "{:.2f} times (p99): the machine {}\n",
      noise.spin_us, noise.median_stretch, noise.mean_stretch, noise.p99_stretch,
      noise.is_busy() ? "was busy with other things" : "had nothing else to do");
  text += fmt::format("limits: {:.1f} Gflop/s; reading", 1e-9 * report.limits.flops);
  const char* separator = "";
  for (const auto& [store, rate] : report.limits.reading) {
    text += fmt::format("{} {} {:.0f} GB/s", separator, store, 1e-9 * rate);
    separator = ",";
  }
  text += "\n";
  for (const Suite& suite : report.suites) text += suite_text(suite);
  return text;
}

}  // namespace stickslip::bench
