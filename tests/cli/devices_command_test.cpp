#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;

class DevicesCommand : public testing::Test {
 protected:
  Answer run(const std::string& arguments) const {
    return testing_support::run_program(folder_.path(), arguments);
  }
  TestFolder folder_;
};

TEST_F(DevicesCommand, ListsWhatCanBeNamed) {
  const Answer text = run("devices");
  EXPECT_EQ(text.exit_code, 0);
  for (const char* name : {"simulated[:MODEL[:HAND[:FILE]]]", "scripted:FILE.csv", "mouse", "haply",
                           "bridge", "phantom", "clamped", "sigma.7"}) {
    EXPECT_NE(text.output.find(name), std::string::npos) << name;
  }
  const Answer answer = run("devices --json");
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_EQ(json["devices"].size(), 5u);
  EXPECT_EQ(json["models"][1]["mass_kg"], 0.072);
  EXPECT_EQ(json["hands"].size(), 5u);
  EXPECT_EQ(json["known"].size(), 11u);
}

TEST_F(DevicesCommand, DoctorEndsWithOneWhereAStepIsBad) {
  const Answer well = run("devices doctor simulated --seconds 0.2 --json");
  EXPECT_EQ(well.exit_code, 0) << well.output;
  EXPECT_EQ(nlohmann::json::parse(well.output)["ok"], true);
  const Answer unwell = run("devices doctor haply --host 127.0.0.1 --port 1 --json");
  EXPECT_EQ(unwell.exit_code, 1);
  const auto json = nlohmann::json::parse(unwell.output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["steps"].back()["name"], "connect");
  EXPECT_EQ(json["steps"].back()["health"], "bad");
  EXPECT_FALSE(json["steps"].back()["remedy"].get<std::string>().empty());
}

TEST_F(DevicesCommand, MonitorTellsPoseAndRate) {
  folder_.write("poses.csv", "time_s,x_m,buttons\n0,0,0\n0.1,0.01,2\n");
  const Answer answer = run("devices monitor scripted:poses.csv --seconds 0.4 --json");
  EXPECT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_EQ(json["position_m"][0], 0.01);
  EXPECT_EQ(json["buttons"], 2);
  EXPECT_GT(json["rate_hz"], 100.0);
  EXPECT_EQ(json["lost_share"], 0.0);
}

TEST_F(DevicesCommand, BadNamesAreRefusedInOneLine) {
  for (const char* arguments :
       {"devices doctor phantom", "devices monitor simulated:fantom",
        "devices monitor scripted:none.csv", "devices doctor bridge --port 0"}) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(answer.errors.find('\n'), answer.errors.size() - 1) << answer.errors;
  }
  // a device that does not come is no bad use
  EXPECT_EQ(run("devices monitor haply:127.0.0.1:1 --wait 0.1 --seconds 0.1").exit_code, 1);
}

TEST_F(DevicesCommand, OwnDeviceOfTheDocumentationRestsInItsWall) {
  EXPECT_EQ(std::system(STICKSLIP_PROGRAM_DIR "/own_device >/dev/null"), 0);
}

}  // namespace
}  // namespace stickslip
