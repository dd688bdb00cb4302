#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "stickslip/mesh/mesh_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;

class BodyCommand : public testing::Test {
 protected:
  BodyCommand() {
    write_tet_mesh(folder_ / "bar.msh",
                   make_box({0.1, 0.01, 0.01}, {10, 1, 1}, ElementType::tet10));
  }

  /// Runs `stickslip body bar.msh ARGUMENTS` with a cache of its own.
  Answer run(const std::string& arguments) const {
    return testing_support::run_program(folder_.path(), "body bar.msh " + arguments,
                                        "XDG_CACHE_HOME=cache");
  }

  const std::string steel_ = "--young 210e9 --poisson 0.3 --density 7800 ";
  TestFolder folder_;
};

TEST_F(BodyCommand, TellsMassVibrationComplianceAndDeflection) {
  const Answer answer = run(steel_ + "--clamp x0 --load x1:0,0,-100 --frequencies 3 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_EQ(json["file"], "bar.msh");
  EXPECT_NEAR(json["mass_kg"].get<double>(), 0.078, 1e-12);
  EXPECT_NEAR(json["centre_m"][0].get<double>(), 0.05, 1e-12);
  EXPECT_NEAR(json["inertia_kg_m2"][0][0].get<double>(), 0.078 * 2e-4 / 12.0, 1e-12);
  ASSERT_EQ(json["frequencies_Hz"].size(), 3u);
  EXPECT_NEAR(json["frequencies_Hz"][0].get<double>(), 838.0, 10.0);  // Euler's beam
  // P L^3 / 3 E I
  const double bending = 100.0 * 1e-3 / (3.0 * 210e9 * 1e-8 / 12.0);
  ASSERT_EQ(json["loads"].size(), 1u);
  EXPECT_EQ(json["loads"][0]["region"], "x1");
  EXPECT_NEAR(json["loads"][0]["mean_displacement_m"][2].get<double>(), -bending, 0.03 * bending);
  EXPECT_GE(json["largest_displacement_m"].get<double>(), 0.97 * bending);
  const auto& compliance = json["compliance"];
  EXPECT_EQ(compliance["table_bytes"].get<std::int64_t>(),
            72 * compliance["surface_nodes"].get<std::int64_t>() *
                compliance["contact_nodes"].get<std::int64_t>());
  EXPECT_EQ(compliance["cached"], false);

  // people read the same figures
  const Answer text = run(steel_ + "--clamp x0 --load x1:0,0,-100");
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.output.find("mass                0.078 kg"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("loaded in"), std::string::npos) << "the cache was not used";
}

TEST_F(BodyCommand, WithoutAClampStudiesAFreeBody) {
  const Answer answer = run(steel_ + "--load x1:100,0,0 --frequencies 2 --no-cache --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_NEAR(json["frequencies_Hz"][0].get<double>(), 5280.0, 150.0);  // free-free beam
  // accelerated by its end: strain falls linearly, the end leads the centre of mass by F L / 3 E A
  const double lead = 100.0 * 0.1 / (3.0 * 210e9 * 1e-4);
  EXPECT_NEAR(json["loads"][0]["mean_displacement_m"][0].get<double>(), lead, 0.03 * lead);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
}

TEST_F(BodyCommand, LimitsContactPrecisionAndMemory) {
  const auto compliance = [&](const std::string& more) {
    const Answer answer = run(steel_ + "--frequencies 0 --no-cache --json " + more);
    EXPECT_EQ(answer.exit_code, 0) << answer.errors;
    return nlohmann::json::parse(answer.output)["compliance"];
  };
  const auto whole = compliance("");
  const auto limited = compliance("--contact z1");
  EXPECT_LT(limited["contact_nodes"], whole["contact_nodes"]);
  EXPECT_EQ(limited["surface_nodes"], whole["surface_nodes"]);
  const auto single = compliance("--float32");
  EXPECT_EQ(single["table_bytes"].get<int>() * 2, whole["table_bytes"].get<int>());
  EXPECT_GT(single["float32_error"].get<double>(), 0.0);
  EXPECT_EQ(compliance("--on-demand")["table_bytes"], 0);

  const Answer refused = run(steel_ + "--memory-limit 1kB");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.output, "");
  EXPECT_NE(refused.errors.find("the limit is"), std::string::npos) << refused.errors;
}

TEST_F(BodyCommand, WritesTheDeformedShape) {
  const Answer answer =
      run(steel_ + "--clamp x0 --load x1:0,0,-100 --deformed bent.msh --magnify 10 --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  const double largest =
      nlohmann::json::parse(answer.output)["largest_displacement_m"].get<double>();
  const TetMesh rest = read_tet_mesh(folder_ / "bar.msh");
  const TetMesh bent = read_tet_mesh(folder_ / "bent.msh");
  double moved = 0.0;
  for (std::size_t i = 0; i < rest.nodes.size(); ++i) {
    moved = std::max(moved, (bent.nodes[i] - rest.nodes[i]).norm());
  }
  EXPECT_NEAR(moved, 10.0 * largest, 1e-9 * largest);
}

TEST_F(BodyCommand, RefusesBadUseInOneLine) {
  for (const std::string arguments :
       {"--young 1e9 --poisson 0.3", "--young -1 --poisson 0.3 --density 1000",
        "--young 1e9 --poisson 0.5 --density 1000", "--young 1e9 --poisson 0.3 --density 0",
        "--young 1e9 --poisson 0.3 --density 1000 --clamp handle",
        "--young 1e9 --poisson 0.3 --mass inf", "--young 1e9 --poisson 0.3 --mass -1",
        "--young 1e9 --frobnicate", "--young much --poisson 0.3 --density 1000",
        "--young 1e9 --poisson 0.3 --density 1000 --load x1:1,2",
        "--young 1e9 --poisson 0.3 --density 1000 --load x1:1,2,nan",
        "--young 1e9 --poisson 0.3 --density 1000 --load nowhere:1,2,3",
        "--young 1e9 --poisson 0.3 --density 1000 --memory-limit lots",
        "--young 1e9 --poisson 0.3 --density 1000 --deformed x.vtu"}) {
    const Answer answer = run(arguments + " --no-cache");
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(answer.output, "") << arguments;
    EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1) << answer.errors;
  }
  const Answer missing = testing_support::run_program(folder_.path(), "body nowhere.msh " + steel_);
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.errors.find("nowhere.msh"), std::string::npos);
}

}  // namespace
}  // namespace stickslip
