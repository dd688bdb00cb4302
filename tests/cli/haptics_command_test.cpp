#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;
using testing_support::run_program;

TEST(HapticsCommand, QuickBenchMissesWhatTheDocumentsSayAndWritesItsTables) {
  const TestFolder folder;
  const Answer answer = run_program(folder.path(), "haptics bench --quick --json --out figures");
  const auto json = nlohmann::json::parse(answer.output);
  for (const auto& figure : json["asked"]) {
    // what the system does to memory is no matter of a test
    const auto name = figure["figure"].get<std::string>();
    if (name.find("page faults") != std::string::npos) continue;
    // known to be missed (docs/haptics.md): single moments at 50 Hz, when an edge slides over a
    // dent
    if (name == "motion: force against 1 kHz, largest") {
      EXPECT_LT(figure["measured"].get<double>(), 25.0);
      continue;
    }
    EXPECT_TRUE(figure["met"].get<bool>()) << figure;
  }
  EXPECT_EQ(answer.exit_code, json["ok"].get<bool>() ? 0 : 1);
  EXPECT_EQ(json["asked"].size(), 20U);
  EXPECT_EQ(json["touches"].size(), 14U);
  EXPECT_EQ(json["links"].size(), 8U);
  EXPECT_EQ(json["hands"].size(), 20U);
  EXPECT_GT(json["clock"]["ticks"].get<int>(), 0);
  for (const char* file :
       {"asked.csv", "hands.csv", "fidelity.csv", "springs.csv", "endurance.csv", "touches.csv",
        "links.csv", "stiffness_phantom.svg", "force_steps_large.svg"}) {
    EXPECT_GT(std::filesystem::file_size(folder.path() / "figures" / file), 100U) << file;
  }
}

TEST(HapticsCommand, AsksForWhatToDo) {
  const TestFolder folder;
  EXPECT_EQ(run_program(folder.path(), "haptics").exit_code, 2);
  EXPECT_EQ(run_program(folder.path(), "haptics bench --fast").exit_code, 2);
}

}  // namespace
}  // namespace stickslip
