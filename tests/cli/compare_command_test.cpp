#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <numbers>
#include <thread>

#include "places.hpp"
#include "tests/cli/slope_scene.hpp"
#include "tests/cli/started_program.hpp"
#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;

const std::string slope = testing_support::slope_scene("0.1");

class CompareCommand : public testing::Test {
 protected:
  CompareCommand() { folder_.write("slope.toml", slope); }
  Answer run(const std::string& arguments) const {
    return testing_support::run_program(folder_.path(), arguments, "XDG_CACHE_HOME=cache");
  }
  TestFolder folder_;
};

TEST_F(CompareCommand, ReportsInJsonWhatItPromises) {
  const Answer answer = run("compare slope.toml --at 0.05 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  EXPECT_EQ(answer.errors, "");
  const auto json = nlohmann::ordered_json::parse(answer.output);
  EXPECT_EQ(json["scene"], "slope.toml");
  EXPECT_NEAR(json["time_s"].get<double>(), 0.05, 1e-9);
  EXPECT_EQ(json["steps"], 1);
  EXPECT_EQ(json["own_method"], "exact");
  std::vector<std::string> names;
  for (const auto& method : json["methods"]) names.push_back(method["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"exact", "gauss-seidel", "pyramid-4", "pyramid-8",
                                             "pyramid-16", "penalty-explicit", "penalty-implicit",
                                             "imposed-motion", "explicit-friction"}));
  const auto& exact = json["methods"][0];
  for (const char* key :
       {"converged", "contacts", "loaded_contacts", "iterations", "normal_force_N",
        "friction_force_N", "difference_percent", "penetration_m", "error", "adhesion_N",
        "force_across_gap_m", "cone_excess_N", "unopposed_slip_m", "slip_angle_deg",
        "stick_drift_m", "energy_gain_J", "solve_us", "total_us", "solve_ratio"}) {
    EXPECT_TRUE(exact.contains(key)) << key;
  }
  EXPECT_EQ(exact["solve_ratio"], 1.0);
  EXPECT_NEAR(exact["normal_force_N"].get<double>(), 2 * 9.81 * std::cos(std::numbers::pi / 6),
              1e-3);
  EXPECT_NEAR(exact["friction_force_N"].get<double>(),
              0.3 * 2 * 9.81 * std::cos(std::numbers::pi / 6), 1e-3);
}

// pyramids of 16 sides over the 138 contacts of a stack are half a minute's work
TEST_F(CompareCommand, EndsBySignalWithTheMethodsThatAreDone) {
  const std::string stack = STICKSLIP_SOURCE_DIR "/scenes/brick_stack.toml";
  testing_support::StartedProgram program(
      folder_.path(), {"compare", stack, "--at", "0.01", "--limit", "1000", "--json"});
  // the first methods need less than a second, and wherever it is it ends
  std::this_thread::sleep_for(std::chrono::seconds(3));
  program.send(SIGTERM);
  const Answer answer = program.wait(10.0);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_NE(answer.errors.find("ended by SIGTERM"), std::string::npos) << answer.errors;
}

TEST_F(CompareCommand, StopsAMethodAtItsLimit) {
  const std::string stack = STICKSLIP_SOURCE_DIR "/scenes/brick_stack.toml";
  const Answer answer = run("compare '" + stack + "' --at 0.01 --limit 0.02 --json");
  const auto json = nlohmann::json::parse(answer.output);
  ASSERT_EQ(json["methods"].size(), 9U);
  EXPECT_FALSE(json["methods"][4]["in_time"]);
  EXPECT_FALSE(json["methods"][4]["converged"]);
}

TEST_F(CompareCommand, PrintsARowForEachMethod) {
  const Answer answer = run("compare slope.toml");
  EXPECT_EQ(answer.exit_code, 0) << answer.errors;
  for (const char* name : {"exact", "pyramid-16", "penalty-explicit", "imposed-motion"}) {
    EXPECT_NE(answer.output.find(name), std::string::npos) << name;
  }
}

TEST_F(CompareCommand, NothingToCompareIsAMissedAim) {
  const Answer answer = run("compare slope.toml --set body.block.position=[0,0,1]");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_NE(answer.errors.find("nothing touches"), std::string::npos) << answer.errors;
}

TEST_F(CompareCommand, BadUseIsRefused) {
  EXPECT_EQ(run("compare slope.toml --at 0").exit_code, 2);
  EXPECT_EQ(run("compare slope.toml --steps 0").exit_code, 2);
  EXPECT_EQ(run("compare nowhere.toml").exit_code, 2);
  EXPECT_EQ(run("compare slope.toml --set simulation.pyramid_sides=7").exit_code, 2);
  const Answer unbuilt =
      run("run slope.toml --headless --set simulation.delassus=unbuilt "
          "--set simulation.contact_method=imposed-motion");
  EXPECT_EQ(unbuilt.exit_code, 2);
  EXPECT_NE(unbuilt.errors.find("contact_method imposed-motion needs W"), std::string::npos)
      << unbuilt.errors;
}

TEST_F(CompareCommand, ARunTakesTheMethodOfTheScene) {
  const Answer answer =
      run("run slope.toml --headless --json --set simulation.contact_method=penalty-implicit "
          "--set simulation.penalty_stiffness=1e5");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_GT(json["penetration_max_m"].get<double>(), 1e-5);
}

TEST_F(CompareCommand, LeadsTheHandsOfTheScene) {
  // a rigid block over a floor, which a hand presses down
  folder_.write("hand.toml", R"([simulation]
dt = 0.002
duration = 1.0
gravity = [0, 0, 0]
[contact]
friction = 0.3
[[body]]
name = "floor"
kind = "fixed"
shape = "plane"
size = [1, 1]
[[body]]
name = "block"
kind = "rigid"
mass = 0.1
shape = "box"
size = [0.04, 0.04, 0.02]
position = [0, 0, 0.01]
[[hand]]
body = "block"
device = "simulated:phantom"
path = [[0, 0, 0, 0.02], [0.5, 0, 0, 0.0]]
)");
  const Answer answer = run("compare hand.toml --json --at 0.9");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto exact = nlohmann::json::parse(answer.output)["methods"][0];
  EXPECT_EQ(exact["loaded_contacts"], 4);
  EXPECT_GT(exact["normal_force_N"], 1.0);
  EXPECT_LT(exact["slip_angle_deg"], 1e-3);
}

}  // namespace
}  // namespace stickslip
