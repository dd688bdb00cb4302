#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "places.hpp"
#include "stickslip/io/recording.hpp"
#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// A block that a spring drags to and fro over a floor.
const std::string dragged = R"([simulation]
dt = 0.002
duration = 0.6
[material.gel]
young = 2e5
poisson = 0.4
density = 1000
[contact]
friction = 0.4
[[body]]
name = "floor"
kind = "fixed"
shape = "plane"
size = [2, 1]
[[body]]
name = "block"
kind = "corotational"
shape = "box"
size = [0.06, 0.04, 0.02]
cells = [3, 2, 1]
material = "gel"
[[drive]]
name = "hand"
body = "block"
kind = "spring"
stiffness = 40
damping = 1
table = [[0, 0, 0, 0], [0.2, 0.03, 0, 0], [0.4, -0.03, 0.01, 0], [0.6, 0, 0, 0.001]]
)";

class RecordingCommands : public testing::Test {
 protected:
  RecordingCommands() { folder_.write("drag.toml", dragged); }

  Answer run(const std::string& arguments) const {
    return testing_support::run_program(folder_.path(), arguments, "XDG_CACHE_HOME=cache");
  }

  TestFolder folder_;
};

TEST_F(RecordingCommands, RecordedRunIsReplayedAndResumed) {
  ASSERT_EQ(run("run drag.toml --record whole.h5 --json").exit_code, 0);
  std::filesystem::rename(folder_ / "drag.toml", folder_ / "moved.toml");
  const Answer replay = run("replay whole.h5 --json");
  ASSERT_EQ(replay.exit_code, 0) << replay.errors;
  const Json json = Json::parse(replay.output);
  EXPECT_EQ(json["steps"], 300);
  EXPECT_EQ(json["compared"], 300);
  EXPECT_TRUE(json["equal"].get<bool>());

  // a run in two parts ends like the whole
  const Answer rest = run("run --resume whole.h5 --at 0.25 --record rest.h5 --json");
  ASSERT_EQ(rest.exit_code, 0) << rest.errors;
  EXPECT_EQ(Json::parse(rest.output)["steps"], 175);
  const Recording whole(folder_ / "whole.h5");
  const Recording second(folder_ / "rest.h5");
  ASSERT_EQ(second.row_count(), 175u);
  EXPECT_EQ(second.step(0), 126);
  EXPECT_EQ(second.hash(174), whole.hash(299));
  EXPECT_EQ(run("replay rest.h5").exit_code, 0);

  // and may go on beyond it
  const Answer longer = run("run --resume rest.h5 --duration 0.7 --record longer.h5 --json");
  ASSERT_EQ(longer.exit_code, 0) << longer.errors;
  EXPECT_EQ(Json::parse(longer.output)["steps"], 50);
}

TEST_F(RecordingCommands, WhatHandsDidIsRepeatedWithoutThem) {
  const Answer poke = run("run '" STICKSLIP_SOURCE_DIR
                          "/scenes/poke.toml' --headless --duration 1.5 --record p.h5");
  ASSERT_EQ(poke.exit_code, 0) << poke.errors;
  const Answer replay = run("replay p.h5 --json");
  EXPECT_EQ(replay.exit_code, 0) << replay.errors;
  const Recording recording(folder_ / "p.h5");
  EXPECT_EQ(recording.hand_count(), 1);
  // the hand held something and moved
  const std::span<const double> hand = recording.hand_inputs(recording.row_count() - 1);
  EXPECT_EQ(hand[7], 1.0);
  EXPECT_NE(hand[2], recording.hand_inputs(0)[2]);
  // felt the block push back, and had put energy in
  double largest_force = 0.0;
  double largest_energy = 0.0;
  for (std::size_t row = 0; row < recording.row_count(); ++row) {
    largest_force = std::max(largest_force, recording.hand_inputs(row)[12]);
    largest_energy = std::max(largest_energy, recording.hand_inputs(row)[16]);
  }
  EXPECT_GT(largest_force, 0.1);
  EXPECT_GT(largest_energy, 1e-5);
}

TEST_F(RecordingCommands, AnotherProgramOrMachineIsNoticed) {
  ASSERT_EQ(run("run drag.toml --record a.h5").exit_code, 0);
  // as if the run had been made with another friction
  std::string bytes = folder_.read("a.h5");
  const std::size_t place = bytes.find("friction = 0.4");
  ASSERT_NE(place, std::string::npos);
  bytes[place + 13] = '3';
  folder_.write("b.h5", bytes);
  const Answer answer = run("replay b.h5 --json");
  EXPECT_EQ(answer.exit_code, 1);
  const Json json = Json::parse(answer.output);
  EXPECT_FALSE(json["equal"].get<bool>());
  EXPECT_GT(json["first_difference"].get<int>(), 0);
  EXPECT_NE(answer.errors.find("differs"), std::string::npos);
}

TEST_F(RecordingCommands, ExportsPicturesAndATable) {
  ASSERT_EQ(run("run drag.toml --record a.h5 --record-states-every 0.2").exit_code, 0);
  const Answer states = run("export a.h5 --vtu states --csv a.csv --json");
  ASSERT_EQ(states.exit_code, 0) << states.errors;
  EXPECT_EQ(Json::parse(states.output)["vtu_moments"], 4);
  EXPECT_EQ(Json::parse(states.output)["csv_rows"], 300);
  const std::string table = folder_.read("a.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 301);
  EXPECT_EQ(table.substr(0, 27), "step,time_s,floor.position_");

  const Answer steps = run("export a.h5 --vtu steps --every 50");
  ASSERT_EQ(steps.exit_code, 0) << steps.errors;
  const std::string index = folder_.read("steps/recording.pvd");
  EXPECT_NE(index.find("timestep=\"0.1"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "steps/surfaces_000000150.vtu"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "steps/contacts_000000300.vtu"));
}

TEST_F(RecordingCommands, BadUseIsRefusedInOneLine) {
  ASSERT_EQ(run("run drag.toml --record a.h5 --duration 0.1").exit_code, 0);
  folder_.write("text.h5", "hello");
  for (const char* arguments :
       {"replay nothing.h5", "replay text.h5", "run --resume text.h5", "export text.h5 --csv x.csv",
        "export a.h5", "run", "run drag.toml --resume a.h5", "run --resume a.h5 --at 7",
        "run --resume a.h5 --at-step -1", "run drag.toml --record no/such/folder/a.h5",
        "run drag.toml --at-step 3"}) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1) << arguments << "\n"
                                                                               << answer.errors;
  }
}

/// A recording program, at the pace of the clock, and when it is killed.
struct Victim {
  std::filesystem::path file;
  pid_t process = 0;
  Clock::time_point start = {};  ///< of its first step, or a little before
  double life_s = 0.0;
  bool is_dead = false;
};

Victim start_victim(const std::filesystem::path& scene, const std::filesystem::path& file) {
  Victim victim;
  victim.file = file;
  victim.process = ::fork();
  if (victim.process == 0) {
    // nobody reads its report
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(1);
    ::execl(STICKSLIP_PROGRAM, "stickslip", "run", scene.c_str(), "--realtime", "--duration", "60",
            "--record", file.c_str(), static_cast<char*>(nullptr));
    ::_exit(1);
  }
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  victim.start = Clock::now();
  return victim;
}

TEST_F(RecordingCommands, KilledAtAnyMomentLeavesAllButTheLastSecond) {
  std::mt19937 random(7);
  std::vector<Victim> victims;
  for (int k = 0; k < 20; ++k) {
    victims.push_back(start_victim(folder_ / "drag.toml", folder_ / (std::to_string(k) + ".h5")));
    victims.back().life_s = 0.002 * static_cast<double>(random() % 1500);
  }
  const auto age = [](const Victim& victim) {
    return std::chrono::duration<double>(Clock::now() - victim.start).count();
  };
  for (std::size_t dead = 0; dead < victims.size();) {
    for (Victim& victim : victims) {
      if (victim.is_dead || age(victim) < victim.life_s) continue;
      ::kill(victim.process, SIGKILL);
      victim.life_s = age(victim);
      ::waitpid(victim.process, nullptr, 0);
      victim.is_dead = true;
      ++dead;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const Victim& victim : victims) {
    const Recording recording(victim.file);
    const double recorded_s = recording.dt() * static_cast<double>(recording.row_count());
    EXPECT_GE(recorded_s, victim.life_s - 1.0) << victim.file;
    const Answer replay = run("replay --json " + victim.file.string());
    EXPECT_EQ(replay.exit_code, 0) << replay.errors;
  }
}

}  // namespace
}  // namespace stickslip
