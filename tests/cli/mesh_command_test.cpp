#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "stickslip/mesh/mesh_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::Answer;

class MeshCommand : public testing::Test {
 protected:
  MeshCommand() {
    write_tet_mesh(folder / "box.msh", make_box({0.02, 0.01, 0.01}, {2, 2, 2}, ElementType::tet4));
  }

  /// Runs `stickslip mesh ARGUMENTS` inside the folder.
  Answer run(const std::string& arguments, const std::string& environment = "") {
    return testing_support::run_program(folder.path(), "mesh " + arguments, environment);
  }

  TestFolder folder;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(MeshCommand, InfoKeepsItsJsonPromise) {
  const Answer answer = run("info box.msh --json --density 1000");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  EXPECT_EQ(answer.errors, "");
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_EQ(json["file"], "box.msh");
  EXPECT_EQ(json["nodes"], 27);
  EXPECT_EQ(json["elements"], 48);
  EXPECT_EQ(json["element_type"], "tet4");
  EXPECT_NEAR(json["volume_m3"].get<double>(), 2e-6, 1e-18);
  EXPECT_NEAR(json["mass_kg"].get<double>(), 2e-3, 1e-15);
  EXPECT_EQ(json["bounding_box_m"]["min"], (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(json["bounding_box_m"]["max"], (std::vector<double>{0.02, 0.01, 0.01}));
  ASSERT_EQ(json["regions"].size(), 6u);
  EXPECT_EQ(json["regions"][0]["name"], "x0");
  EXPECT_EQ(json["regions"][0]["nodes"], 9);
  EXPECT_GT(json["quality"]["min"].get<double>(), 0.3);
  EXPECT_LE(json["quality"]["min"].get<double>(), json["quality"]["mean"].get<double>());
  int sum = 0;
  for (const auto& count : json["quality"]["histogram"]) sum += count.get<int>();
  EXPECT_EQ(sum, 48);
}

TEST_F(MeshCommand, InfoTellsPeopleTheSame) {
  const Answer answer = run("info box.msh --density 1000");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  for (const char* part :
       {"27", "48 tet4", "2e-06 m^3", "0.002 kg", "0.02 x 0.01 x 0.01 m", "###", "x0", "surface"}) {
    EXPECT_TRUE(has(answer.output, part)) << part << "\n" << answer.output;
  }
}

TEST_F(MeshCommand, InfoAndCheckTakeSurfaces) {
  ASSERT_EQ(run("convert box.msh box.stl").exit_code, 0);
  const auto json = nlohmann::json::parse(run("info box.stl --json").output);
  EXPECT_EQ(json["element_type"], "triangle");
  EXPECT_EQ(json["nodes"], 26);
  EXPECT_NEAR(json["area_m2"].get<double>(), 1e-3, 1e-9);
  EXPECT_NEAR(json["volume_m3"].get<double>(), 2e-6, 1e-12);
  EXPECT_EQ(run("check box.stl").exit_code, 0);
  folder.write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const Answer answer = run("check sheet.obj");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(has(answer.output, "open_surface")) << answer.output;
  EXPECT_TRUE(nlohmann::json::parse(run("info sheet.obj --json").output)["volume_m3"].is_null());
}

TEST_F(MeshCommand, CheckExitsByTheWorstFinding) {
  const Answer good = run("check box.msh --json");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(good.output),
            nlohmann::json::parse(R"({"file":"box.msh","ok":true,"findings":[]})"));

  ASSERT_EQ(run("convert box.msh large.msh --scale 1000").exit_code, 0);
  const Answer large = run("check large.msh --json");
  EXPECT_EQ(large.exit_code, 1);
  const auto warning = nlohmann::json::parse(large.output);
  EXPECT_EQ(warning["ok"], true);
  EXPECT_EQ(warning["findings"][0]["code"], "suspicious_size");
  EXPECT_EQ(warning["findings"][0]["severity"], "warning");

  TetMesh mesh = make_box({0.02, 0.01, 0.01}, {1, 1, 1}, ElementType::tet4);
  std::swap(mesh.connectivity[0], mesh.connectivity[1]);
  write_tet_mesh(folder / "inverted.msh", mesh);
  const Answer inverted = run("check inverted.msh");
  EXPECT_EQ(inverted.exit_code, 2);
  EXPECT_TRUE(has(inverted.output, "error: 1 element of negative volume (element 1, nodes 2 1"))
      << inverted.output;
}

TEST_F(MeshCommand, CheckReportsWrongContentsThatBodiesRefuse) {
  std::string text = folder.read("box.msh");
  text.replace(text.find("\n0.02 0.01 0.01\n"), 16, "\n0.02 nan 0.01\n");
  folder.write("nan.msh", text);
  const Answer answer = run("check nan.msh --json");
  EXPECT_EQ(answer.exit_code, 2);
  const auto json = nlohmann::json::parse(answer.output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["findings"][0]["code"], "not_finite");
  EXPECT_EQ(json["findings"][0]["where"], "node 27 at 0.02 nan 0.01");
  EXPECT_EQ(run("info nan.msh").exit_code, 2);
  EXPECT_EQ(run("convert nan.msh out.msh").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.msh"));
}

TEST_F(MeshCommand, CheckReportsUnreadableFilesToProgramsToo) {
  folder.write("page.msh", "<html></html>");
  const Answer json = run("check page.msh --json");
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(nlohmann::json::parse(json.output)["findings"][0]["code"], "unreadable_file");
  for (const char* file : {"page.msh", "missing.msh", ".", "missing.obj"}) {
    const Answer answer = run(fmt::format("check {}", file));
    EXPECT_EQ(answer.exit_code, 2) << file;
    EXPECT_EQ(answer.output, "") << file;
    EXPECT_EQ(std::count(answer.errors.begin(), answer.errors.end(), '\n'), 1) << answer.errors;
    EXPECT_TRUE(has(answer.errors, file)) << answer.errors;
  }
}

TEST_F(MeshCommand, ConvertScalesPromotesAndWritesEveryFormat) {
  ASSERT_EQ(run("convert box.msh ten.msh --to-order 2 --scale 2 --binary").exit_code, 0);
  const TetMesh ten = read_tet_mesh(folder / "ten.msh");
  EXPECT_EQ(ten.type, ElementType::tet10);
  EXPECT_NEAR(volume(ten), 8 * 2e-6, 1e-17);
  EXPECT_TRUE(folder.read("ten.msh").starts_with("$MeshFormat\n4.1 1 8"));
  EXPECT_EQ(ten.find_region("x1")->nodes.size(), 25u);
  for (const char* name : {"a.vtu", "a.obj", "a.stl", "A.MSH"}) {
    EXPECT_EQ(run(fmt::format("convert ten.msh {}", name)).exit_code, 0) << name;
    EXPECT_FALSE(folder.read(name).empty()) << name;
  }
  EXPECT_EQ(run("convert a.obj b.stl --scale 0.5").exit_code, 0);
  EXPECT_NEAR(enclosed_volume(read_surface(folder / "b.stl")), 2e-6, 1e-12);
}

TEST_F(MeshCommand, ConvertRefusesWhatMakesNoSense) {
  ASSERT_EQ(run("convert box.msh box.obj").exit_code, 0);
  for (const char* arguments :
       {"convert box.obj out.msh", "convert box.msh out.xyz", "convert box.msh out.msh --scale -1",
        "convert box.msh out.msh --to-order 3", "convert box.msh missing/out.msh",
        "info box.msh --density nothing", "import box.msh", "convert box.msh"}) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_FALSE(answer.errors.empty()) << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out.msh"));
}

TEST_F(MeshCommand, ImportMeshesASurfaceAndNamesItsStages) {
  if (!gmsh_is_present()) GTEST_SKIP() << "gmsh is not installed";
  ASSERT_EQ(run("convert box.msh box.stl --scale 1000").exit_code, 0);
  const Answer answer = run("import box.stl --unit mm --size 4mm -o part.msh");
  ASSERT_EQ(answer.exit_code, 0) << answer.errors;
  EXPECT_TRUE(has(answer.errors, "gmsh: Meshing 3D\n")) << answer.errors;
  EXPECT_FALSE(has(answer.errors, "\r")) << "no terminal, no rewriting";
  EXPECT_TRUE(has(answer.output, "tet10")) << answer.output;
  EXPECT_NEAR(volume(read_tet_mesh(folder / "part.msh")), 2e-6, 1e-12);
  // in metres it is twenty metres long
  const Answer large = run("import box.stl -o large.msh");
  EXPECT_EQ(large.exit_code, 0);
  EXPECT_TRUE(has(large.errors, "suspicious_size")) << large.errors;
}

TEST_F(MeshCommand, ImportFailsWithoutTracesInOneLine) {
  folder.write("bad.step", "no part\n");
  for (const char* arguments :
       {"import bad.step -o out.msh", "import missing.step -o out.msh",
        "import bad.step --size 2furlongs -o out.msh", "import bad.step --size -2mm -o out.msh",
        "import bad.step --unit mm -o out.msh", "import bad.step --size 2 -o out.msh"}) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(answer.output, "") << arguments;
    EXPECT_TRUE(has(answer.errors, "stickslip: ")) << answer.errors;
  }
  // millimetres were thought of, and metres would be taken
  EXPECT_TRUE(has(run("import bad.step --size 2 -o out.msh").errors, "write 2mm, or 2m"));
  const Answer absent = run("import bad.step -o out.msh", "PATH=/nonexistent");
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_TRUE(has(absent.errors, "'gmsh'")) << absent.errors;
  EXPECT_TRUE(has(absent.errors, "apt install gmsh")) << absent.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "out.msh"));
}

}  // namespace
}  // namespace stickslip
