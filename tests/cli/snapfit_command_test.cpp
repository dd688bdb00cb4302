#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;

const std::string scenes = STICKSLIP_SOURCE_DIR "/scenes";

class SnapfitCommand : public testing::Test {
 protected:
  Answer run(const std::string& arguments) const {
    return testing_support::run_program(folder_.path(), arguments);
  }
  TestFolder folder_;
};

TEST_F(SnapfitCommand, TellsEachFrictionOfAScene) {
  const Answer answer = run("snapfit '" + scenes + "/snap_in.toml' --mu 0.2,0.8 --json --out fit");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  std::istringstream lines(answer.output);
  std::string line;
  double peak = 0.0;
  for (const double friction : {0.2, 0.8}) {
    ASSERT_TRUE(std::getline(lines, line));
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["friction"], friction);
    EXPECT_GT(json["insertion"]["peak_N"], peak);
    peak = json["insertion"]["peak_N"];
    EXPECT_GT(json["insertion"]["work_J"], 0.01);
    EXPECT_LT(json["insertion"]["peak_at_m"], json["snap"]["at_m"]);
    EXPECT_GT(json["snap"]["duration_s"], 0.001);
    EXPECT_GT(json["retention"]["peak_N"], peak);
    EXPECT_GT(json["max_strain"], 0.005);
    EXPECT_LT(json["max_strain"], 0.02);
    EXPECT_LT(json["max_relative_rotation_rad"], 0.15);
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / std::string(json["curve_csv"])));
  }
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "fit" / "force.svg"));
}

TEST_F(SnapfitCommand, TakesTwoMeshesAsTheyLieInTheirAssembly) {
  const std::string meshes =
      "'" + scenes + "/models/clip_500.msh' '" + scenes + "/models/pipe_500.msh'";
  const Answer answer = run("snapfit " + meshes + " --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_NEAR(json["insertion"]["peak_N"], 5.4, 0.5);
  EXPECT_TRUE(json["snap"]["snaps"]);
  EXPECT_TRUE(json["retention"]["lets_go"]);

  // not far enough
  const Answer shy = run("snapfit " + meshes + " --travel 0.03 --overtravel 0 --speed 0.05 --mu 9");
  EXPECT_EQ(shy.exit_code, 1) << shy.output;

  // held by a box: the lower part of the handle reaches down to its ring
  const Answer boxed = run("snapfit " + meshes + " --json --handle=-1,0.029,-1,1,1,1");
  ASSERT_EQ(boxed.exit_code, 0) << boxed.errors;
  EXPECT_NEAR(nlohmann::json::parse(boxed.output)["insertion"]["peak_N"], 5.4, 0.5);
  for (const char* box : {"0,0,0,1,1", "1,0,0,0,1,1", "0,0,0,1,1,x1"}) {
    EXPECT_EQ(run("snapfit " + meshes + " --handle " + box).exit_code, 2) << box;
  }
  const Answer empty = run("snapfit " + meshes + " --handle 8,8,8,9,9,9");
  EXPECT_EQ(empty.exit_code, 2) << "nothing is in it";

  // no such handle
  const Answer wrong = run("snapfit " + meshes + " --handle grip");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.errors.find("grip"), std::string::npos) << wrong.errors;
}

TEST_F(SnapfitCommand, AJammedPartDoesNotLetGo) {
  const Answer answer =
      run("snapfit '" + scenes + "/snap_in.toml' --tilt-deg 0,0,20 --speed 0.1 --json");
  EXPECT_EQ(answer.exit_code, 1) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_FALSE(json["snap"]["snaps"]);
  EXPECT_FALSE(json["retention"]["holds"]);
  EXPECT_FALSE(json["retention"]["lets_go"]);
}

TEST_F(SnapfitCommand, RefusesWhatLeadsNothingIn) {
  const Answer answer = run("snapfit '" + scenes + "/table.toml'");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_NE(answer.errors.find("hand with a path"), std::string::npos) << answer.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "snapfit"));
}

TEST_F(SnapfitCommand, RunTellsThePhasesAsTheyHappen) {
  const Answer answer = run("run '" + scenes + "/snap_in.toml' --headless --phases");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  std::size_t at = 0;
  for (const char* phase : {"push", "seated", "pull", "free"}) {
    const std::size_t found = answer.errors.find(std::string(" s  ") + phase, at);
    ASSERT_NE(found, std::string::npos) << phase << '\n' << answer.errors;
    at = found;
  }
  // what a person wants to know comes first
  EXPECT_TRUE(std::regex_search(answer.output,
                                std::regex("^5\\.[0-9] N to push in, 6\\.[0-9] N to pull out\n")))
      << answer.output;
  EXPECT_NE(answer.output.find("retention"), std::string::npos);
  EXPECT_EQ(run("run '" + scenes + "/table.toml' --headless --phases").exit_code, 2);

  // a ball that slips off a soft block is not seated in it
  const Answer slip = run("run '" + scenes + "/poke.toml' --headless --phases");
  EXPECT_NE(slip.errors.find(" s  push"), std::string::npos) << slip.errors;
  EXPECT_EQ(slip.errors.find(" s  seated"), std::string::npos) << slip.errors;
  EXPECT_NE(slip.output.find("does not snap in"), std::string::npos) << slip.output;
}

}  // namespace
}  // namespace stickslip
