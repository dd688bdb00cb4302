#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "places.hpp"
#include "stickslip/io/fclib_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "tests/cli/slope_scene.hpp"
#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;

const std::string slope = testing_support::slope_scene("0.4") + R"([[probe]]
name = "middle"
body = "block"
[[probe]]
name = "edge"
body = "block"
point = [0.05, 0, 0]
)";

class RunCommand : public testing::Test {
 protected:
  RunCommand() { folder_.write("slope.toml", slope); }

  Answer run(const std::string& arguments, const std::string& environment = "") const {
    return testing_support::run_program(folder_.path(), arguments,
                                        "XDG_CACHE_HOME=cache " + environment);
  }

  std::vector<std::string> lines(const std::string& file) const {
    std::istringstream text(folder_.read(file));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }

  TestFolder folder_;
};

std::vector<std::string> names_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  return names;
}

std::vector<double> numbers_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<double> numbers;
  for (std::string cell; std::getline(text, cell, ',');) numbers.push_back(std::stod(cell));
  return numbers;
}

using Names = std::vector<std::string>;

TEST_F(RunCommand, ReportsInJsonWhatItPromises) {
  const Answer answer = run("run slope.toml --headless --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  EXPECT_EQ(answer.errors, "");
  const auto json = nlohmann::ordered_json::parse(answer.output);
  EXPECT_EQ(names_of(json),
            (Names{"scene", "version", "steps", "dt_s", "simulated_s", "wall_s", "contacts",
                   "iterations", "error_max", "penetration_max_m", "imbalance_max_N", "laws",
                   "energy_J", "phases_us", "flags", "linear_range", "probes"}));
  EXPECT_EQ(names_of(json["contacts"]), (Names{"mean", "max"}));
  EXPECT_EQ(names_of(json["iterations"]), (Names{"mean", "max"}));
  EXPECT_EQ(names_of(json["laws"]),
            (Names{"adhesion_max_N", "cone_excess_max_N", "stick_drift_m"}));
  EXPECT_EQ(names_of(json["energy_J"]),
            (Names{"initial", "final", "work_in", "friction", "largest_unexplained_gain"}));
  EXPECT_EQ(names_of(json["phases_us"]), (Names{"free_motion", "proximity", "contact_space",
                                                "delassus", "solve", "correct", "total"}));
  for (const auto& phase : json["phases_us"]) {
    EXPECT_EQ(names_of(phase), (Names{"p50", "p99", "max"}));
    EXPECT_LE(phase["p50"].get<double>(), phase["p99"].get<double>());
    EXPECT_LE(phase["p99"].get<double>(), phase["max"].get<double>());
  }
  EXPECT_EQ(names_of(json["flags"]), (Names{"not_converged", "deadline", "nan_restored"}));
  EXPECT_EQ(names_of(json["probes"]), (Names{"middle", "edge"}));
  EXPECT_EQ(
      names_of(json["probes"]["middle"]),
      (Names{"position_m", "velocity_m_s", "angular_velocity_rad_s", "force_N", "torque_N_m"}));
  EXPECT_EQ(json["scene"], "slope.toml");
  EXPECT_EQ(json["steps"], 200);
  EXPECT_EQ(json["dt_s"], 0.002);
  EXPECT_NEAR(json["simulated_s"].get<double>(), 0.4, 1e-12);
  EXPECT_GE(json["contacts"]["max"].get<int>(), 4);
  EXPECT_EQ(json["flags"]["not_converged"], 0);
}

TEST_F(RunCommand, BlockSlidesAsCoulombSays) {
  const Answer answer = run("run slope.toml --headless --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  const double angle = std::numbers::pi / 6.0;
  const double expected = 9.81 * (std::sin(angle) - 0.3 * std::cos(angle)) * 0.4;
  const auto velocity = json["probes"]["middle"]["velocity_m_s"].get<std::vector<double>>();
  EXPECT_NEAR(std::hypot(velocity[0], velocity[2]), expected, 1e-3 * expected);
  const auto force = json["probes"]["edge"]["force_N"].get<std::vector<double>>();
  EXPECT_NEAR(std::hypot(force[0], force[2]), 2.0 * 9.81 * std::cos(angle) * std::hypot(1.0, 0.3),
              1e-3);
  // what it lost in height and not in speed, friction took
  const auto& energy = json["energy_J"];
  EXPECT_NEAR(energy["initial"].get<double>() - energy["final"].get<double>(),
              energy["friction"].get<double>(), 0.02 * energy["friction"].get<double>());
  EXPECT_LT(energy["largest_unexplained_gain"].get<double>(), 1e-6);
}

TEST_F(RunCommand, SaysWhereTheLinearModelEnds) {
  const std::string arm =
      "run '" STICKSLIP_SOURCE_DIR "/tests/scenes/overbent_arm.toml' --headless ";
  const Answer over = run(arm + "--json");
  EXPECT_EQ(over.exit_code, 0);
  const std::string told = "stickslip: body arm: strain ";
  const std::size_t place = over.errors.find(told);
  ASSERT_NE(place, std::string::npos) << over.errors;
  EXPECT_EQ(over.errors.find(told, place + 1), std::string::npos) << "once";
  EXPECT_NE(over.errors.find("past the range of the linear model"), std::string::npos);
  EXPECT_NE(over.errors.find("bend it less"), std::string::npos);
  const auto range = nlohmann::json::parse(over.output)["linear_range"]["arm"];
  EXPECT_EQ(range["is_past"], true);
  // P L^2 / 2 EI
  EXPECT_NEAR(range["max_relative_rotation_rad"].get<double>(), 5.0, 0.25);
  EXPECT_GT(range["max_strain"].get<double>(), 0.3);
  EXPECT_NE(run(arm).errors.find(told), std::string::npos);

  const Answer under = run(arm + "--json --set 'drive.load.value=[0, 0, 0.08]'");
  EXPECT_EQ(under.errors, "");
  EXPECT_EQ(nlohmann::json::parse(under.output)["linear_range"]["arm"]["is_past"], false);
}

TEST_F(RunCommand, SceneCheckNamesElementsThatLock) {
  const std::string arm = "scene check '" STICKSLIP_SOURCE_DIR "/tests/scenes/overbent_arm.toml' ";
  const std::string soft = "--set material.soft.poisson=0.49 ";
  const std::string coarse = "--set body.arm.element=tet4 ";
  const Answer locks = run(arm + soft + coarse);
  EXPECT_EQ(locks.exit_code, 0);
  EXPECT_NE(locks.errors.find("warning: body.arm: four-node elements lock"), std::string::npos)
      << locks.errors;
  const auto json = nlohmann::json::parse(run(arm + soft + coarse + "--json").output);
  EXPECT_EQ(json["warnings"].size(), 1U);
  EXPECT_EQ(run(arm + soft).errors.find("warning"), std::string::npos);
  EXPECT_EQ(run(arm + coarse + "--set material.soft.poisson=0.45").errors.find("warning"),
            std::string::npos);
}

TEST_F(RunCommand, SetAndDurationChangeTheRun) {
  const Answer answer =
      run("run slope.toml --headless --json --set contact.friction=0.7 "
          "--set simulation.dt=0.001 --duration 0.1");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_EQ(json["steps"], 100);
  const auto velocity = json["probes"]["middle"]["velocity_m_s"].get<std::vector<double>>();
  EXPECT_LT(std::hypot(velocity[0], velocity[2]), 1e-4);
}

TEST_F(RunCommand, CsvHasARowForEachStepAndEndsAsTheReport) {
  const Answer answer = run("run slope.toml --headless --json --csv out.csv");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  const std::vector<std::string> rows = lines("out.csv");
  ASSERT_EQ(rows.size(), 201U);
  EXPECT_EQ(
      rows[0],
      "time_s,middle.position_x_m,middle.position_y_m,middle.position_z_m,"
      "middle.velocity_x_m_s,middle.velocity_y_m_s,middle.velocity_z_m_s,"
      "middle.angular_velocity_x_rad_s,middle.angular_velocity_y_rad_s,middle.angular_velocity_z_"
      "rad_s,"
      "middle.force_x_N,middle.force_y_N,middle.force_z_N,"
      "middle.torque_x_N_m,middle.torque_y_N_m,middle.torque_z_N_m,"
      "edge.position_x_m,edge.position_y_m,edge.position_z_m,"
      "edge.velocity_x_m_s,edge.velocity_y_m_s,edge.velocity_z_m_s,"
      "edge.angular_velocity_x_rad_s,edge.angular_velocity_y_rad_s,edge.angular_velocity_z_rad_s,"
      "edge.force_x_N,edge.force_y_N,edge.force_z_N,"
      "edge.torque_x_N_m,edge.torque_y_N_m,edge.torque_z_N_m,"
      "penetration_m,energy_J,work_in_J,friction_J,contacts,iterations,error,total_us");
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const std::vector<double> numbers = numbers_of(rows[k]);
    ASSERT_EQ(numbers.size(), 39U) << rows[k];
    EXPECT_NEAR(numbers[0], 0.002 * static_cast<double>(k), 1e-12);
  }
  const std::vector<double> last = numbers_of(rows.back());
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(last[1 + d], json["probes"]["middle"]["position_m"][d].get<double>());
    EXPECT_EQ(last[25 + d], json["probes"]["edge"]["force_N"][d].get<double>());
  }
  EXPECT_EQ(last[32], json["energy_J"]["final"].get<double>());
}

TEST_F(RunCommand, KilledRunLeavesWholeLines) {
  const Answer answer = run("run slope.toml --headless --realtime --duration 100 --csv out.csv",
                            "timeout -s KILL 1.5");
  EXPECT_NE(answer.exit_code, 0);
  const std::string text = folder_.read("out.csv");
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n');
  const std::vector<std::string> rows = lines("out.csv");
  EXPECT_GT(rows.size(), 50U);
  for (std::size_t k = 1; k < rows.size(); ++k) ASSERT_EQ(numbers_of(rows[k]).size(), 39U);
}

TEST_F(RunCommand, RealtimeIsNoFasterThanTheClock) {
  const auto start = std::chrono::steady_clock::now();
  const Answer answer = run("run slope.toml --headless --realtime --json");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(answer.exit_code, 0) << answer.errors;
  EXPECT_GE(taken.count(), 0.4);
  EXPECT_GE(nlohmann::json::parse(answer.output)["wall_s"].get<double>(), 0.4);
}

TEST_F(RunCommand, DumpedProblemsAreThoseThatWereSolved) {
  const Answer answer =
      run("run slope.toml --headless --json --dump-problems problems --dump-every 50");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "problems")) {
    const FclibFile file = read_fclib(entry.path());
    ++count;
    EXPECT_GE(file.problem.contact_count(), 4);
    ASSERT_TRUE(file.solution.has_value());
    EXPECT_LT(natural_map_error(file.problem, file.solution->r).rescaled, 1e-7);
    EXPECT_GT(file.solution->r.norm(), 1.0);
    EXPECT_EQ(file.problem.mu[0], 0.3);
  }
  EXPECT_EQ(count, 4);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "problems/step_000050_group_0.hdf5"));
  EXPECT_EQ(run("solve problems/step_000200_group_0.hdf5 --criterion rescaled").exit_code, 0);
}

TEST_F(RunCommand, MissedToleranceIsExitCodeOneWithTheReport) {
  const Answer answer =
      run("run slope.toml --headless --json --set simulation.tolerance=1e-15 "
          "--set simulation.max_iterations=1 --set simulation.solver=gauss-seidel");
  EXPECT_EQ(answer.exit_code, 1);
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_GT(json["flags"]["not_converged"].get<int>(), 0);
  EXPECT_NE(answer.errors.find("did not reach simulation.tolerance"), std::string::npos);
}

TEST_F(RunCommand, BadInputIsExitCodeTwoAndOneLine) {
  for (const std::string arguments :
       {"run none.toml --headless --json", "run slope.toml --headless --set body.block.mass=-1",
        "run slope.toml --headless --csv no/such/folder.csv", "run slope.toml --duration -1",
        "run slope.toml --dump-every 5", "run", "run slope.toml --set contact.friction=nan",
        "run slope.toml --dump-problems slope.toml", "run slope.toml --headless --tick nan"}) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(answer.output, "") << arguments;
    EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1) << answer.errors;
  }
}

TEST_F(RunCommand, TellsInWordsWhatHappened) {
  const Answer answer = run("run slope.toml --headless");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  for (const char* part : {"slope: 200 steps of 0.002 s", "contacts", "penetration", "energy",
                           "proximity", "middle"}) {
    EXPECT_NE(answer.output.find(part), std::string::npos) << part;
  }
}

TEST_F(RunCommand, OverlapAtTheStartIsRefusedOrResolved) {
  const std::string sunk = " --headless --json --set body.block.position=[0,0,-0.01]";
  const Answer refused = run("run slope.toml" + sunk);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("body.block starts 0.00866 m deep in body.slope"),
            std::string::npos)
      << refused.errors;
  const Answer resolved = run("run slope.toml --resolve-start" + sunk);
  ASSERT_EQ(resolved.exit_code, 0) << resolved.errors;
  EXPECT_LT(nlohmann::json::parse(resolved.output)["penetration_max_m"].get<double>(), 1e-5);
}

TEST_F(RunCommand, SceneCheckTellsWhatIsInTheScene) {
  const Answer answer = run("scene check slope.toml --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_EQ(json["ok"], true);
  ASSERT_EQ(json["bodies"].size(), 2U);
  EXPECT_EQ(json["bodies"][1]["name"], "block");
  EXPECT_EQ(json["bodies"][1]["kind"], "rigid");
  EXPECT_NEAR(json["bodies"][1]["mass_kg"].get<double>(), 2.0, 1e-12);
  EXPECT_EQ(json["bodies"][1]["nodes"], 8);
  EXPECT_EQ(json["friction"][0]["mu"], 0.3);
  EXPECT_EQ(json["probes"].size(), 2U);

  const Answer words = run("scene check slope.toml");
  EXPECT_EQ(words.exit_code, 0);
  EXPECT_NE(words.output.find("block: rigid"), std::string::npos);

  // a part drawn in millimetres is 70 m long
  folder_.write("large.toml",
                "[[body]]\nname = \"clip\"\nkind = \"fixed\"\nscale = 1000\nmesh = \"" +
                    std::string(STICKSLIP_SOURCE_DIR) + "/scenes/models/clip_500.msh\"\n");
  const Answer large = run("scene check large.toml --json");
  EXPECT_EQ(large.exit_code, 0) << large.errors;
  EXPECT_EQ(nlohmann::json::parse(large.output)["warnings"].size(), 1U);
  EXPECT_NE(large.errors.find("body.clip: the size smells of millimetres"), std::string::npos)
      << large.errors;
  EXPECT_EQ(run("scene check large.toml --set body.clip.scale=1").errors, "");

  // so is one that is written as such, but a floor may be large
  const std::string box = "shape = \"box\"\nsize = [32, 10, 5]\n";
  folder_.write("box.toml", "[[body]]\nname = \"floor\"\nkind = \"fixed\"\n" + box +
                                "[[body]]\nname = \"part\"\nkind = \"rigid\"\nmass = 1\n"
                                "position = [0, 0, 5]\n" +
                                box);
  const Answer shape = run("scene check box.toml");
  EXPECT_NE(shape.errors.find("body.part: the size smells of millimetres"), std::string::npos)
      << shape.errors;
  EXPECT_EQ(shape.errors.find("body.floor"), std::string::npos) << shape.errors;

  const Answer bad = run("scene check slope.toml --json --set simulation.dt=0");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(nlohmann::json::parse(bad.output)["ok"], false);
  EXPECT_NE(nlohmann::json::parse(bad.output)["message"].get<std::string>().find("simulation.dt"),
            std::string::npos);
}

}  // namespace
}  // namespace stickslip
