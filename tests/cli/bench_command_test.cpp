#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;
using testing_support::run_program;

/// Names of the rows of each suite, and those that have a value.
struct Rows {
  std::map<std::string, std::set<std::string>> all;
  std::map<std::string, std::set<std::string>> measured;
};

Rows rows_of(const nlohmann::json& json) {
  Rows rows;
  for (const auto& suite : json["suites"]) {
    const auto name = suite["name"].get<std::string>();
    for (const auto& row : suite["rows"]) {
      rows.all[name].insert(row["name"].get<std::string>());
      if (row["value"].is_number()) rows.measured[name].insert(row["name"].get<std::string>());
      // whoever has no value says why
      EXPECT_TRUE(row["value"].is_number() || row.contains("remark")) << row;
      EXPECT_TRUE(row["value"].is_null() || row["value"].get<double>() > 0.0) << row;
    }
  }
  return rows;
}

TEST(BenchCommand, QuickRunHasEveryRowWithMachineNoiseAndLimits) {
  const TestFolder folder;
  const Answer answer = run_program(folder.path(), "bench --quick --json --out figures");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_FALSE(json["machine"]["processor"].get<std::string>().empty());
  EXPECT_FALSE(json["machine"]["compiler"].get<std::string>().empty());
  EXPECT_GT(json["machine"]["cores"].get<int>(), 0);
  EXPECT_GE(json["noise"]["median_stretch"].get<double>(), 1.0);
  EXPECT_GE(json["noise"]["p99_stretch"], json["noise"]["median_stretch"]);
  EXPECT_GE(json["noise"]["mean_stretch"].get<double>(), 1.0);
  EXPECT_GT(json["limits"]["flop_per_s"].get<double>(), 1e8);

  const Rows rows = rows_of(json);
  EXPECT_EQ(rows.all.size(), 6U);
  const auto has = [](const auto& suites, const char* suite, const char* row) {
    return suites.contains(suite) && suites.at(suite).contains(row);
  };
  for (const auto& [suite, row] : std::initializer_list<std::pair<const char*, const char*>>{
           {"snap-in", "20 to 30 contacts"},
           {"snap-in", "all steps of the run"},
           {"snap-in", "seated clip"},
           {"step", "two blocks, 2 x 2025 nodes"},
           {"step", "two blocks, 81 nodes a face"},
           {"step", "100 bodies"},
           {"haptic", "tick, 64 contacts"},
           {"solver", "a sweep of block-gauss-seidel, 100 contacts"},
           {"proximity", "two deforming balls, 2028 triangles"},
           {"fem", "clip of 500 nodes, set up from a warm cache"}}) {
    EXPECT_TRUE(has(rows.measured, suite, row)) << suite << ": " << row;
  }
  // rows that take long to prepare are named
  for (const auto& [suite, row] : std::initializer_list<std::pair<const char*, const char*>>{
           {"step", "two blocks, 2 x 8025 nodes"},
           {"step", "two blocks, 225 nodes a face"},
           {"step", "1000 bodies"},
           {"fem", "clip of 16000 nodes, set up cold"}}) {
    EXPECT_TRUE(has(rows.all, suite, row)) << suite << ": " << row;
    EXPECT_FALSE(has(rows.measured, suite, row)) << suite << ": " << row;
  }

  // the same in files
  std::ifstream file(folder.path() / "figures.json");
  EXPECT_EQ(nlohmann::json::parse(file), json);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "figures.md"));
}

TEST(BenchCommand, SeatedClipHasManyContactsOfWhichFewCarryForce) {
  const TestFolder folder;
  const Answer answer = run_program(folder.path(), "bench --quick --json --suite snap-in");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  ASSERT_EQ(json["suites"].size(), 1U);
  for (const auto& row : json["suites"][0]["rows"]) {
    const auto& columns = row["columns"];
    if (row["name"] == "seated clip") {
      EXPECT_GT(columns["contacts"].get<double>(), 100.0);
      EXPECT_LT(columns["loaded"].get<double>(), 30.0);
    }
    if (row["name"] == "20 to 30 contacts") {
      EXPECT_GE(columns["contacts"].get<double>(), 20.0);
      EXPECT_LE(columns["contacts"].get<double>(), 30.0);
    }
    // what stands beside a figure is part of it
    double phases_us = 0.0;
    for (const char* phase :
         {"free_motion", "proximity", "contact_space", "delassus", "solve", "correct"}) {
      phases_us += columns[phase].get<double>();
    }
    EXPECT_GT(phases_us, 0.0);
    EXPECT_GE(row["p99"], row["value"]);
  }
}

TEST(BenchCommand, NamesTheSuitesThereAre) {
  const TestFolder folder;
  const Answer unknown = run_program(folder.path(), "bench --suite stepp");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(
      unknown.errors,
      "stickslip: bench --suite stepp: no such suite; there are step, snap-in, haptic, solver, "
      "proximity, fem\n");
  EXPECT_TRUE(unknown.output.empty());
  EXPECT_EQ(run_program(folder.path(), "bench --quick --large").exit_code, 2);
}

TEST(BenchCommand, TablesReadAsMarkdown) {
  const TestFolder folder;
  const Answer answer =
      run_program(folder.path(), "bench --quick --suite haptic --suite proximity");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  EXPECT_NE(answer.output.find("\n## haptic\n"), std::string::npos);
  EXPECT_NE(answer.output.find("\n## proximity\n"), std::string::npos);
  EXPECT_EQ(answer.output.find("\n## step\n"), std::string::npos);
  EXPECT_NE(answer.output.find("\n| tick, 64 contacts"), std::string::npos);
  EXPECT_NE(answer.output.find("-: |"), std::string::npos);
}

}  // namespace
}  // namespace stickslip
