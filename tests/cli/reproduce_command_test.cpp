#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;

TEST(ReproduceCommand, UnknownFigureIsRefusedInOneLineThatNamesThoseThereAre) {
  const TestFolder folder;
  const Answer answer = testing_support::run_program(folder.path(), "reproduce fig7 fig99");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.output, "");
  EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1);
  EXPECT_NE(answer.errors.find("fig99"), answer.errors.npos);
  EXPECT_NE(answer.errors.find("fig8"), answer.errors.npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "reproduction"));
}

TEST(ReproduceCommand, FolderThatCannotBeWrittenIsRefused) {
  const TestFolder folder;
  folder.write("file", "");
  const Answer answer =
      testing_support::run_program(folder.path(), "reproduce fig7 --quick --out file/inside");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_NE(answer.errors.find("--out file/inside"), answer.errors.npos);
}

TEST(ReproduceCommand, MissingScenesAreRefused) {
  const TestFolder folder;
  const Answer answer =
      testing_support::run_program(folder.path(), "reproduce fig7 --quick --scenes nowhere");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1);
}

TEST(ReproduceCommand, LeavesAPageWithThePictureAndATable) {
  const TestFolder folder;
  const Answer answer =
      testing_support::run_program(folder.path(), "reproduce fig7 --quick --json --out here");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["name"], "fig7");
  EXPECT_EQ(json[0]["verdict"], "corrected");
  EXPECT_GT(json[0]["numbers"].size(), 3U);
  const std::string page = folder.read("here/index.html");
  EXPECT_NE(page.find("id=\"fig7\""), page.npos);
  EXPECT_NE(page.find("sides k of the pyramids"), page.npos);  // the picture is in it
  EXPECT_NE(folder.read("here/figure_07_gap.csv").find("sides,motion,gap_percent"),
            std::string::npos);
}

}  // namespace
}  // namespace stickslip
