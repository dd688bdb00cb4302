#include "stickslip/mesh/gmsh_program.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "stickslip/error.hpp"
#include "stickslip/mesh/step_faces.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

/// Has gmsh itself write a file, as other programs would.
void run_gmsh(const TestFolder& folder, const std::string& arguments) {
  const std::string command =
      fmt::format("cd {} && gmsh {} >log 2>&1", folder.path().string(), arguments);
  ASSERT_EQ(std::system(command.c_str()), 0) << folder.read("log");
}

class Import : public testing::Test {
 protected:
  void SetUp() override {
    if (!gmsh_is_present()) GTEST_SKIP() << "gmsh is not installed";
    folder.write("box.geo", box_script);
    // the same box in millimetres, as CAD programs write it
    folder.write("millimetres.geo",
                 "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 20, 10, 10};\n");
  }

  /// A box of 20 x 10 x 10 mm that passes the check.
  static void expect_box(const TetMesh& mesh) {
    EXPECT_NEAR(volume(mesh), 2e-6, 1e-13);
    for (const Finding& finding : check_mesh(mesh)) ADD_FAILURE() << finding.message;
  }

  TestFolder folder;
  ImportOptions options;
};

TEST_F(Import, MeshesStepInItsOwnUnitWithTenNodes) {
  run_gmsh(folder, "millimetres.geo -0 -o box.step");
  options.size_m = 0.005;
  std::vector<std::string> stages;
  int percent = -1;
  options.progress = [&](const ImportProgress& progress) {
    stages.push_back(progress.stage);
    percent = std::max(percent, progress.percent);
    EXPECT_GE(progress.elapsed_s, 0.0);
  };
  const TetMesh mesh = import_mesh(folder / "box.step", options).mesh;
  EXPECT_EQ(mesh.type, ElementType::tet10);
  expect_box(mesh);
  EXPECT_NE(std::find(stages.begin(), stages.end(), "Reading box.step"), stages.end());
  EXPECT_NE(std::find(stages.begin(), stages.end(), "Meshing 3D"), stages.end());
  EXPECT_EQ(percent, 100);

  // the size governs the number of elements
  options.size_m = 0.0025;
  options.order = 1;
  const TetMesh finer = import_mesh(folder / "box.step", options).mesh;
  EXPECT_EQ(finer.type, ElementType::tet4);
  EXPECT_GT(finer.element_count(), 4 * mesh.element_count());
  options.unit_m = 0.001;
  EXPECT_THROW(import_mesh(folder / "box.step", options), InputError);
}

TEST_F(Import, FacesOfACadPartBecomeRegions) {
  run_gmsh(folder, "millimetres.geo -0 -o box.step");
  const TetMesh mesh = import_mesh(folder / "box.step", options).mesh;
  ASSERT_EQ(mesh.regions.size(), 6u);
  for (int k = 1; k <= 6; ++k) {
    const Region* face = mesh.find_region(fmt::format("face_{}", k));
    ASSERT_NE(face, nullptr) << k;
    // one side of the box: flat, and without what lies inside
    Vec3 low = Vec3::Constant(1.0);
    Vec3 high = Vec3::Zero();
    for (const int node : face->nodes) {
      low = low.cwiseMin(mesh.nodes[uz(node)]);
      high = high.cwiseMax(mesh.nodes[uz(node)]);
    }
    EXPECT_EQ((high - low).minCoeff(), 0.0);
    EXPECT_GT(face->cells.size(), 0u);
  }
}

TEST_F(Import, NamesThatCadGivesToFacesBecomeRegions) {
  run_gmsh(folder, "millimetres.geo -0 -o box.step");
  // name the first face, and two others alike
  std::string step = folder.read("box.step");
  std::size_t at = 0;
  for (const char* name : {"handle", "", "it''s a grip", "it''s a grip", "", "NONE"}) {
    at = step.find("ADVANCED_FACE(''", at);
    ASSERT_NE(at, std::string::npos);
    at += std::string("ADVANCED_FACE('").size();
    step.insert(at, name);
  }
  folder.write("named.step", step);
  const TetMesh mesh = import_mesh(folder / "named.step", options).mesh;
  const TetMesh plain = import_mesh(folder / "box.step", options).mesh;
  ASSERT_NE(mesh.find_region("handle"), nullptr);
  EXPECT_EQ(mesh.find_region("handle")->nodes, plain.find_region("face_1")->nodes);
  EXPECT_NE(mesh.find_region("face_2"), nullptr);
  EXPECT_NE(mesh.find_region("face_6"), nullptr);
  EXPECT_EQ(mesh.find_region("face_3"), nullptr);
  const Region* grip = mesh.find_region("it's a grip");
  ASSERT_NE(grip, nullptr);
  EXPECT_EQ(grip->cells.size(),
            plain.find_region("face_3")->cells.size() + plain.find_region("face_4")->cells.size());
  EXPECT_EQ(mesh.regions.size(), 5u);
}

TEST(StepFaces, WhatIsNotUnderstoodHasNoNames) {
  EXPECT_TRUE(parse_step_faces("").empty());
  EXPECT_TRUE(parse_step_faces("this is no part").empty());
  EXPECT_TRUE(parse_step_faces("#1 = CLOSED_SHELL('',(#2,#").empty());
  EXPECT_TRUE(parse_step_faces("#").empty());
  // a face that leads in circles
  const auto faces = parse_step_faces(
      "/* it's; */ #1=CLOSED_SHELL('',(#2));#2 = ADVANCED_FACE('a;b',(#3),#9,.T.);"
      "#3=FACE_BOUND('',#4,.T.);#4=EDGE_LOOP('',(#3,#5));#5=VERTEX_POINT('',#6);"
      "#6=CARTESIAN_POINT('',(1.,-2.E0 , 3.));");
  ASSERT_EQ(faces.size(), 1u);
  EXPECT_EQ(faces[0].name, "a;b");
  ASSERT_FALSE(faces[0].vertices.empty());
  EXPECT_EQ(faces[0].vertices[0], Vec3(1.0, -2.0, 3.0));

  // vertices that the mesh does not have: the names belong elsewhere
  TetMesh box = make_box({0.02, 0.01, 0.01}, {2, 2, 2}, ElementType::tet4);
  std::vector<StepFace> six(6, StepFace{"wrong", {Vec3(5.0, 0.0, 0.0)}});
  six[0] = {"right", {Vec3(0.0, 10.0, 10.0)}};
  EXPECT_EQ(name_faces(six, box), 1);
  EXPECT_NE(box.find_region("right"), nullptr);
  EXPECT_NE(box.find_region("x1"), nullptr);
  six.pop_back();
  EXPECT_EQ(name_faces(six, box), 0) << "as many faces as regions, or none";
}

TEST_F(Import, KeepsThePhysicalGroupsOfAScript) {
  const TetMesh mesh = import_mesh(folder / "box.geo", options).mesh;
  expect_box(mesh);
  for (const char* name : {"body", "everything", "ends", "handle", "group_2_7", "edge", "corner"}) {
    const Region* region = mesh.find_region(name);
    ASSERT_NE(region, nullptr) << name;
    EXPECT_FALSE(region->nodes.empty()) << name;
  }
}

TEST_F(Import, FillsSurfacesAndMeshesThemAnewWhenASizeIsGiven) {
  const Surface surface = extract_surface(make_box({20, 10, 10}, {8, 4, 4}, ElementType::tet4));
  write_surface(folder / "box.stl", surface, {true});
  write_surface(folder / "box.obj", surface);
  options.unit_m = 0.001;
  options.order = 1;
  for (const char* name : {"box.stl", "box.obj"}) {
    const TetMesh mesh = import_mesh(folder / name, options).mesh;
    expect_box(mesh);
    EXPECT_EQ(extract_surface(mesh).triangle_count(), surface.triangle_count()) << name;
  }
  options.size_m = 0.005;
  const TetMesh coarse = import_mesh(folder / "box.stl", options).mesh;
  expect_box(coarse);
  EXPECT_LT(extract_surface(coarse).triangle_count(), surface.triangle_count() * 2 / 3);

  // a hole cannot be filled
  Surface open = surface;
  open.triangles.pop_back();
  write_surface(folder / "open.stl", open);
  const std::string message =
      refusal<InputError>([&] { import_mesh(folder / "open.stl", options); });
  EXPECT_NE(message.find("3 edges of one triangle only"), std::string::npos) << message;
}

TEST_F(Import, ConvertsTetrahedraWithoutMeshingThemAnew) {
  run_gmsh(folder, "box.geo -3 -o box.msh");
  run_gmsh(folder, "box.geo -3 -o box.mesh");
  run_gmsh(folder, "box.geo -3 -o box.vtk");
  run_gmsh(folder, "box.geo -3 -format msh40 -o old.msh");
  const TetMesh reference = read_tet_mesh(folder / "box.msh");
  for (const char* name : {"box.mesh", "box.vtk", "old.msh"}) {
    const TetMesh mesh = import_mesh(folder / name, options).mesh;
    EXPECT_EQ(mesh.node_count(), reference.node_count()) << name;
    EXPECT_EQ(mesh.element_count(), reference.element_count()) << name;
    EXPECT_EQ(mesh.type, ElementType::tet4) << name;
    expect_box(mesh);
  }
  options.order = 2;
  EXPECT_EQ(import_mesh(folder / "box.mesh", options).mesh.type, ElementType::tet10);
}

TEST_F(Import, ReadsAbaqusFilesWithTheirSets) {
  for (const int order : {1, 2}) {
    run_gmsh(folder, fmt::format("box.geo -3 -order {} -o box.msh", order));
    run_gmsh(folder, fmt::format("box.geo -3 -order {} -o box.inp -setnumber "
                                 "Mesh.SaveGroupsOfNodes 1",
                                 order));
    const TetMesh reference = read_tet_mesh(folder / "box.msh");
    options.program = "no-such-mesher";
    const TetMesh mesh = import_mesh(folder / "box.inp", options).mesh;
    EXPECT_EQ(mesh.type, reference.type);
    EXPECT_EQ(mesh.node_count(), reference.node_count());
    EXPECT_EQ(mesh.element_count(), reference.element_count());
    EXPECT_NEAR(volume(mesh), 2e-6, 1e-13);
    // wrong mid-side nodes would fold the elements
    EXPECT_TRUE(check_elements(mesh).empty());
    const auto region = [](const TetMesh& owner, const std::string& name, int dimension) {
      for (const Region& r : owner.regions) {
        if (r.name == name && r.dimension == dimension) return r;
      }
      ADD_FAILURE() << name;
      return Region{};
    };
    EXPECT_EQ(region(mesh, "body", 3).elements, region(reference, "body", 3).elements);
    EXPECT_EQ(region(mesh, "ends", 2).nodes, region(reference, "ends", 2).nodes);
    EXPECT_EQ(region(mesh, "handle", 0).nodes, region(reference, "handle", 2).nodes);
    EXPECT_EQ(region(mesh, "corner", 0).nodes, region(reference, "corner", 0).nodes);
  }
}

TEST(Abaqus, ReadsGeneratedAndNestedSetsAndContinuedLines) {
  const TestFolder folder;
  const auto path = folder.write(
      "a.inp",
      "** made by hand\n*Heading\n a title\n*Node, nset=all\n 1, 0., 0., 0.\n2, 1, 0, 0\n"
      "3, 0, 1, 0\n4, 0, 0, 1\n9, 5, 5, 5\n*Element, type=C3D4\n7, 1, 2,\n 3, 4\n"
      "*Nset, nset=Low, generate\n1, 3, 2\n*Nset, nset=both\nLOW, 4\n*Elset, elset=Body\n7\n"
      "*Step\n*Static\n1., 1.\n");
  ImportOptions options;
  options.unit_m = 0.1;
  const TetMesh mesh = import_mesh(path, options).mesh;
  EXPECT_EQ(mesh.node_count(), 4);
  EXPECT_NEAR(volume(mesh), 1e-3 / 6, 1e-18);
  EXPECT_EQ(mesh.find_region("Low")->nodes, (std::vector<int>{0, 2}));
  EXPECT_EQ(mesh.find_region("both")->nodes, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(mesh.find_region("Body")->elements, (std::vector<int>{0}));
}

TEST(Abaqus, RefusesWithTheLine) {
  const TestFolder folder;
  const auto message = [&](const std::string& contents) {
    const auto path = folder.write("a.inp", contents);
    return refusal<InputError>([&] { import_mesh(path, {}); });
  };
  EXPECT_NE(message("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D8\n").find("'C3D8'"), std::string::npos);
  EXPECT_NE(message("*NODE\n1, 0, 0\n").find("a.inp:"), std::string::npos);
  EXPECT_NE(message("hello\n").find("'hello'"), std::string::npos);
  EXPECT_NE(message("*NODE\n1, 0, 0, 0\n").find("0 elements"), std::string::npos);
  const std::string lonely = "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n5, 1, 2, 3, 4\n";
  EXPECT_NE(message(lonely).find("element 5, node 2"), std::string::npos) << message(lonely);
}

TEST_F(Import, LeavesNoFoldedElements) {
  folder.write("tube.geo",
               "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0, 0, 0, 0, 0, 20, 4, 2*Pi};\n"
               "Cylinder(2) = {0, 0, -1, 0, 0, 30, 1, 2*Pi};\n"
               "BooleanDifference(3) = {Volume{1}; Delete;}{Volume{2}; Delete;};\n");
  run_gmsh(folder, "tube.geo -0 -o tube.step");
  options.size_m = 0.003;
  const ImportedMesh imported = import_mesh(folder / "tube.step", options);
  EXPECT_GT(imported.straightened_nodes, 0);
  EXPECT_TRUE(can_be_simulated(check_mesh(imported.mesh)));
  EXPECT_NEAR(volume(imported.mesh), M_PI * (16 - 1) * 20 * 1e-9, 0.02 * 942e-9);
}

TEST_F(Import, QuotesGmshWhereItFails) {
  folder.write("bad.step", "this is no part\n");
  const std::string message =
      refusal<InputError>([&] { import_mesh(folder / "bad.step", options); });
  EXPECT_NE(message.find("gmsh failed: "), std::string::npos) << message;
  EXPECT_NE(message.find("yntax"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  // a script without a volume
  folder.write("flat.geo", "Point(1) = {0, 0, 0};\n");
  EXPECT_NE(refusal<InputError>([&] {
              import_mesh(folder / "flat.geo", options);
            }).find("flat.geo: gmsh's mesh of it holds no tetrahedra"),
            std::string::npos);
}

TEST(ImportWithoutGmsh, SaysWhatIsMissingAndHowToGetIt) {
  const TestFolder folder;
  folder.write("part.step", "ISO-10303-21;\n");
  ImportOptions options;
  options.program = "no-such-mesher";
  const std::string message =
      refusal<InputError>([&] { import_mesh(folder / "part.step", options); });
  EXPECT_NE(message.find("part.step"), std::string::npos);
  EXPECT_NE(message.find("'no-such-mesher'"), std::string::npos);
  EXPECT_NE(message.find("apt install gmsh"), std::string::npos);
  EXPECT_THROW(import_mesh(folder / "missing.step", options), InputError);
  EXPECT_THROW(import_mesh(folder.path(), options), InputError);
  // never hand an unknown file to gmsh, which would run it as a script
  folder.write("notes.txt", "SystemCall \"true\";\n");
  EXPECT_NE(refusal<InputError>([&] { import_mesh(folder / "notes.txt", options); }).find("'.txt'"),
            std::string::npos);
}

}  // namespace
}  // namespace stickslip
