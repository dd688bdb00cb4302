// Runs that end before their time: what a hand, a recording and a report have of them.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/cli/slope_scene.hpp"
#include "tests/cli/started_program.hpp"
#include "tests/support/pressing_bridge.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;
using testing_support::PressingBridge;
using testing_support::StartedProgram;

/// A cube on a floor, in the hand of a bridge.
std::string held_scene(std::uint16_t port) {
  return R"([simulation]
dt = 0.003
duration = 1000
alarm_distance = 0.005
gravity = [0, 0, 0]
[contact]
friction = 0.5
[[body]]
name = "floor"
kind = "fixed"
shape = "plane"
size = [0.4, 0.4]
[[body]]
name = "tool"
kind = "rigid"
mass = 0.015
shape = "box"
size = [0.02, 0.02, 0.02]
position = [-0.01, -0.01, 0.0005]
[[hand]]
name = "right"
body = "tool"
stiffness = 1000
)" + fmt::format("device = \"bridge:{}\"\n", port);
}

class EndedRun : public testing::Test {
 protected:
  EndedRun() : port_(testing_support::free_port()) {
    folder_.write("held.toml", held_scene(port_));
    folder_.write("slope.toml", testing_support::slope_scene("100000"));
  }

  StartedProgram start(const std::string& scene, const std::string& csv = "run.csv") const {
    return {folder_.path(),
            {"run", scene, "--headless", "--json", "--record", "run.h5", "--csv", csv}};
  }

  /// Until some steps were made.
  void wait_for_recording() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!std::filesystem::exists(folder_ / "run.h5") && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

  /// What was made so far is in the recording, and can be made again.
  void expect_recorded(const nlohmann::json& report) const {
    const Answer replay = testing_support::run_program(folder_.path(), "replay run.h5 --json");
    EXPECT_EQ(replay.exit_code, 0) << replay.errors;
    const auto json = nlohmann::json::parse(replay.output);
    EXPECT_EQ(json["steps"].get<int>() + json["missing"].get<int>(), report["steps"].get<int>());
    EXPECT_EQ(json["equal"], true);
  }

  static void expect_left_in_peace(const PressingBridge& bridge) {
    const std::vector<PressingBridge::Heard> heard = bridge.heard();
    ASSERT_FALSE(heard.empty());
    EXPECT_TRUE(heard.back().wrench.isZero(0.0)) << heard.back().wrench.transpose();
  }

  TestFolder folder_;
  std::uint16_t port_;
};

class SignalledRun : public EndedRun, public testing::WithParamInterface<int> {};

TEST_P(SignalledRun, LeavesTheHandAtZeroAndTellsWhatItMade) {
  PressingBridge bridge(port_);
  StartedProgram program = start("held.toml");
  ASSERT_TRUE(bridge.wait_for_force(0.5));
  program.send(GetParam());
  const Answer answer = program.wait();
  EXPECT_EQ(answer.exit_code, 1) << answer.errors;
  expect_left_in_peace(bridge);
  EXPECT_TRUE(bridge.has_heard_goodbye());

  // a device that is felt has a clock, though nobody asked for --realtime
  EXPECT_NE(answer.errors.find("by the clock"), std::string::npos) << answer.errors;
  const auto heard = bridge.heard();
  const double seconds = std::chrono::duration<double>(heard.back().at - heard.front().at).count();
  EXPECT_LT(static_cast<double>(heard.size()), 3e3 * seconds + 100.0);

  const auto report = nlohmann::json::parse(answer.output);
  const std::string name = std::string("SIG") + sigabbrev_np(GetParam());
  EXPECT_EQ(report["ended_by"], "signal " + name);
  EXPECT_NE(answer.errors.find(name), std::string::npos);
  const int steps = report["steps"];
  EXPECT_GT(steps, 20);
  const std::string table = folder_.read("run.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), steps + 1);
  expect_recorded(report);
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalledRun,
                         testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2,
                                         SIGALRM),
                         [](const auto& info) { return fmt::format("Number{}", info.param); });

TEST_F(EndedRun, WithoutHandsASignalLeavesAReportToo) {
  StartedProgram program = start("slope.toml");
  wait_for_recording();
  program.send(SIGTERM);
  const Answer answer = program.wait();
  EXPECT_EQ(answer.exit_code, 1) << answer.errors;
  const auto report = nlohmann::json::parse(answer.output);
  EXPECT_EQ(report["ended_by"], "signal SIGTERM");
  EXPECT_GT(report["steps"].get<int>(), 0);
  expect_recorded(report);
}

/// A table that somebody else reads, or does not.
class TableReader {
 public:
  explicit TableReader(const std::filesystem::path& path) {
    ::mkfifo(path.c_str(), 0600);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~TableReader() { leave(); }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  void leave() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_ = -1;
};

TEST_F(EndedRun, SomethingThrownBetweenStepsLeavesTheHandAtZeroToo) {
  TableReader reader(folder_ / "table.csv");
  PressingBridge bridge(port_);
  StartedProgram program = start("held.toml", "table.csv");
  ASSERT_TRUE(bridge.wait_for_force(0.5));
  reader.leave();
  const Answer answer = program.wait();
  EXPECT_EQ(answer.exit_code, 1) << answer.errors;
  expect_left_in_peace(bridge);
  EXPECT_TRUE(bridge.has_heard_goodbye());
  const auto report = nlohmann::json::parse(answer.output);
  EXPECT_EQ(report["ended_by"].get<std::string>().substr(0, 6), "error:");
  EXPECT_NE(answer.errors.find("table.csv"), std::string::npos) << answer.errors;
  expect_recorded(report);
}

TEST_F(EndedRun, ASecondSignalDoesNotWaitForAStuckRunButForTheForce) {
  // nobody reads the table: the thread that steps is stuck in it
  const TableReader reader(folder_ / "table.csv");
  PressingBridge bridge(port_);
  StartedProgram program = start("held.toml", "table.csv");
  ASSERT_TRUE(bridge.wait_for_force(0.5));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (bridge.force() > 0.0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  program.send(SIGINT);
  EXPECT_EQ(program.wait(0.5).exit_code, -1);
  program.send(SIGINT);
  EXPECT_EQ(program.wait(5.0).exit_code, 1);
  expect_left_in_peace(bridge);
}

TEST_F(EndedRun, AClosedTerminalEndsTheRunWithAReport) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal) | ::unlockpt(terminal), 0);
  StartedProgram program(folder_.path(), {"run", "slope.toml", "--json", "--record", "run.h5"},
                         ::ptsname(terminal));
  wait_for_recording();
  ::close(terminal);
  const Answer answer = program.wait();
  EXPECT_EQ(answer.exit_code, 1);
  const auto report = nlohmann::json::parse(answer.output);
  EXPECT_EQ(report["ended_by"], "signal SIGHUP");
  expect_recorded(report);
}

TEST_F(EndedRun, NobodyTakesTheClockFromADeviceThatIsFelt) {
  const PressingBridge bridge(port_);
  const Answer answer = testing_support::run_program(
      folder_.path(), "run held.toml --headless --json --duration 0.3 --realtime=false");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.output, "");
  EXPECT_NE(answer.errors.find("by the clock"), std::string::npos) << answer.errors;
  for (const auto& heard : bridge.heard()) EXPECT_TRUE(heard.wrench.isZero(0.0));
}

TEST_F(EndedRun, NobodyComparesWithADeviceThatIsFelt) {
  for (const std::string device : {"haply", "bridge"}) {
    const Answer answer = testing_support::run_program(
        folder_.path(),
        fmt::format("compare held.toml --set 'hand.right.device=\"{}\"' --at 0.1", device));
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.output, "");
    EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1) << answer.errors;
    EXPECT_NE(answer.errors.find("by the clock"), std::string::npos) << answer.errors;
  }
}

}  // namespace
}  // namespace stickslip
