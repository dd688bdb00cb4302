#include "stickslip/io/scene_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "places.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_keys.hpp"
#include "stickslip/io/toml_document.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/simulation/step.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

/// A block of rubber on a floor; line 5 is the young of the material.
const std::string block_on_floor = R"([simulation]
dt = 0.002

[material.rubber]
young = 1e6
poisson = 0.45
density = 1000

[contact]
friction = 0.5

[[body]]
name = "floor"
kind = "fixed"
shape = "plane"
size = [2, 2]

[[body]]
name = "block"
kind = "corotational"
shape = "box"
size = [0.1, 0.06, 0.04]
cells = [2, 2, 2]
material = "rubber"
cache = false
)";

class SceneFile : public testing::Test {
 protected:
  Scene read(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return read_scene(folder_.write("scene.toml", text), overrides);
  }

  /// What is said against a scene, without the folder.
  std::string refused(const std::string& text, const std::vector<std::string>& overrides = {}) {
    std::string message = refusal<InputError>([&] { read(text, overrides); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    const std::string prefix = folder_.path().string() + "/";
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
      message.erase(at, prefix.size());
    }
    return message;
  }

  /// The block on the floor with lines added to the block, or after it.
  std::string refused_with(const std::string& lines) { return refused(block_on_floor + lines); }
  std::string refused_set(const std::string& override) {
    return refused(block_on_floor, {override});
  }

  TestFolder folder_;
};

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), with);
}

bool says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

TEST_F(SceneFile, HoldsWhatItSays) {
  const Scene scene = read(block_on_floor);
  EXPECT_EQ(scene.name, "scene");
  EXPECT_EQ(scene.simulation.dt, 0.002);
  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.bodies[1].name, "block");
  EXPECT_NEAR(scene.bodies[1].body.frame().mass(), 0.24, 1e-12);
  EXPECT_TRUE(scene.bodies[0].body.frame().is_held());
  EXPECT_EQ(scene.friction(0, 1), 0.5);
  // the box stands on its origin
  const State state = initial_state(scene);
  EXPECT_NEAR((state.bodies[1].frame.position - Vec3(0.0, 0.0, 0.02)).norm(), 0.0, 1e-15);
  ASSERT_EQ(scene.probes.size(), 1U);
  EXPECT_EQ(scene.probes[0].name, "block");
}

TEST_F(SceneFile, StandsStillOnAFloorWithFriction) {
  const Scene scene = read(block_on_floor, {"simulation.gravity=[2, 0, -9.81]"});
  State state = initial_state(scene);
  StepData data(scene);
  StepReport report;
  for (int k = 0; k < 500; ++k) report = step(scene, state, data);
  EXPECT_TRUE(report.is_converged);
  EXPECT_NEAR(data.body_steps[1].contact_wrench[2], 0.24 * 9.81, 1e-6);
  EXPECT_LT(state.bodies[1].frame.velocity.norm(), 1e-6);
}

/// A nonlinear block that is held from below; line 4 is the poisson of the material.
const std::string held_gel = R"([simulation]
[material.gel]
young = 1e5
poisson = 0.4
density = 1000
[[body]]
name = "block"
kind = "nonlinear"
shape = "box"
size = [0.1, 0.06, 0.04]
material = "gel"
held = ["z0"]
)";

TEST_F(SceneFile, ANonlinearBodyBendsByTheLawOfItsMaterial) {
  const auto energy = [&](const std::string& law) {
    const Scene scene =
        read(held_gel, {"material.gel.law=" + law, "simulation.gravity=[40, 0, 0]"});
    State state = initial_state(scene);
    StepData data(scene);
    for (int k = 0; k < 10; ++k) step(scene, state, data);
    EXPECT_LT(data.report.imbalance_N, 1e-9);
    return data.body_steps[0].deformation->energy;
  };
  const double neo_hooke = energy("neo-hooke");
  EXPECT_GT(neo_hooke, 0.0);
  // the same but for the size of the strains
  EXPECT_NE(energy("corotated"), neo_hooke);
  EXPECT_NEAR(energy("corotated"), neo_hooke, 0.1 * neo_hooke);
  EXPECT_NEAR(energy("st-venant-kirchhoff"), neo_hooke, 0.1 * neo_hooke);
  EXPECT_EQ(read(held_gel).bodies[0].body.frame().is_held(), true);
}

TEST_F(SceneFile, WhatANonlinearBodyCannotBeIsRefused) {
  EXPECT_TRUE(says(refused(held_gel, {"material.gel.poisson=0.5"}),
                   "material.gel.poisson = 0.5: must be above -1 and below 0.5"));
  EXPECT_TRUE(says(refused(held_gel, {"material.gel.law=hooke"}),
                   "must be one of neo-hooke, corotated, st-venant-kirchhoff"));
  EXPECT_TRUE(says(refused(replaced(held_gel, "held = [\"z0\"]", "")), "held nowhere"));
  EXPECT_TRUE(says(refused(held_gel + "cache = false\n"), "means nothing to a nonlinear body"));
  EXPECT_TRUE(says(refused(held_gel + "dynamic = true\nintegration = \"trapezoidal\"\n"),
                   "knows only euler"));
  EXPECT_TRUE(says(refused(held_gel + "dynamic = true\ndamping = { beta = 1e-3 }\n"), "use alpha"));
  EXPECT_TRUE(says(refused_with("newton_steps = 2\n"), "means nothing to a corotational body"));
}

TEST_F(SceneFile, OverridesReplaceAndAddValues) {
  const Scene scene = read(
      block_on_floor, {"simulation.dt=0.004", "body.block.position=[0, 0, 0.1]", "body.2.mass=0.5",
                       "simulation.solver=block-gauss-seidel", "contact.friction=0", "name=other",
                       "simulation.duration = 3", "body.block.rotation.axis=[0, 0, 2]",
                       "body.block.rotation.angle_deg=90"});
  EXPECT_EQ(scene.simulation.dt, 0.004);
  EXPECT_EQ(scene.simulation.duration, 3.0);
  EXPECT_EQ(scene.simulation.solver, SolverKind::block_gauss_seidel);
  EXPECT_EQ(scene.bodies[1].position, Vec3(0.0, 0.0, 0.1));
  EXPECT_NEAR((scene.bodies[1].orientation * Vec3::UnitX() - Vec3::UnitY()).norm(), 0.0, 1e-15);
  EXPECT_NEAR(scene.bodies[1].body.frame().mass(), 0.5, 1e-12);
  EXPECT_EQ(scene.friction(0, 1), 0.0);
  EXPECT_EQ(scene.name, "other");
}

TEST_F(SceneFile, OverridesThatLeadNowhereAreRefused) {
  EXPECT_EQ(refused_set("simulation.ddt=1"),
            "--set simulation.ddt=1: simulation.ddt: there is no such key; did you mean \"dt\"?");
  EXPECT_EQ(refused_set("simulaton.dt=1"),
            "--set simulaton.dt=1: there is no section simulaton; did you mean \"simulation\"?");
  EXPECT_EQ(refused_set("body.brick.mass=1"),
            "--set body.brick.mass=1: there is no body \"brick\"; there are: floor, block");
  EXPECT_EQ(refused_set("material.steel.young=1"),
            "--set material.steel.young=1: there is no material \"steel\"; there are: rubber");
  EXPECT_TRUE(says(refused_set("body.block=1"), "names a whole section"));
  EXPECT_TRUE(says(refused_set("simulation.dt"), "write it as path=value"));
  EXPECT_TRUE(says(refused_set("simulation.dt=[1,"), "is no TOML value"));
  EXPECT_TRUE(says(refused_set("simulation.dt=1\ncontact = 3"), "is no TOML value"));
  EXPECT_TRUE(says(refused_set("simulation.dt=-1"),
                   "simulation.dt = -1: must be above 0 and at most 1 [s], e.g. 0.001"));
}

TEST_F(SceneFile, UnknownKeysAreRefusedWithTheNearest) {
  EXPECT_EQ(refused(replaced(block_on_floor, "young =", "yuong =")),
            "scene.toml:5: material.rubber.yuong: there is no such key; did you mean \"young\"?");
  EXPECT_TRUE(says(refused_with("frobnicate = 1\n"), "body.block takes: name, kind, mesh"));
  EXPECT_TRUE(says(refused_with("[[bodies]]\n"), "did you mean \"body\"?"));
}

TEST_F(SceneFile, WrongTypesAreRefused) {
  EXPECT_EQ(refused(replaced(block_on_floor, "young = 1e6", "young = \"soft\"")),
            "scene.toml:5: material.rubber.young = \"soft\": must be a number, e.g. 700e6 for "
            "polyethylene");
  EXPECT_TRUE(says(refused_set("body.block.position=[0, 0]"), "must be three numbers"));
  EXPECT_TRUE(says(refused_set("body.block.cells=[1, 2, 2.5]"), "must be three integers"));
  EXPECT_TRUE(says(refused_set("body.block.dynamic=1"), "must be true or false"));
  EXPECT_TRUE(says(refused_set("simulation.max_iterations=1e3"), "must be an integer"));
  EXPECT_TRUE(says(refused_set("body.block.name=\"a b\""), "letters, digits, _ and -"));
  EXPECT_TRUE(says(refused_set("body.block.rotation=3"), "must be a section"));
  EXPECT_TRUE(says(refused_set("simulation.dt=1979-05-27"), "must be a number"));
  EXPECT_TRUE(says(refused("contact = 3\n[[body]]\nname=\"a\"\nkind=\"rigid\"\n"),
                   "scene.toml:1: contact = 3: must be a section"));
}

TEST_F(SceneFile, BadPhysicsIsRefusedByName) {
  const std::map<std::string, std::string> bad = {
      {"contact.friction=-0.1", "contact.friction = -0.1: must be at least 0"},
      {"contact.friction=nan", "contact.friction = nan: must be at least 0"},
      {"contact.friction=inf", "contact.friction = inf: must be at least 0"},
      {"material.rubber.poisson=0.5", "poisson = 0.5: must be above -1 and below 0.5"},
      {"material.rubber.poisson=-1", "poisson = -1: must be above -1 and below 0.5"},
      {"material.rubber.poisson=nan", "poisson = nan: must be above -1 and below 0.5"},
      {"material.rubber.young=0", "young = 0: must be above 0 [Pa]"},
      {"material.rubber.young=-1e6", "must be above 0 [Pa]"},
      {"material.rubber.density=0", "density = 0: must be above 0 [kg/m^3]"},
      {"body.block.mass=0", "body.block.mass = 0: must be above 0 [kg]"},
      {"body.block.mass=-1", "body.block.mass = -1: must be above 0 [kg]"},
      {"simulation.dt=0", "simulation.dt = 0: must be above 0"},
      {"simulation.gravity=[0, nan, 0]", "each number must be finite [m/s^2]"},
      {"body.block.size=[1, 1, 0]", "each number must be above 0 [m]"},
      {"simulation.contact_budget=0", "must be from 1 to 10000"},
      {"simulation.tolerance=1", "must be above 0 and below 1"},
  };
  for (const auto& [override, message] : bad) {
    EXPECT_TRUE(says(refused_set(override), message)) << override << ": " << refused_set(override);
  }
  EXPECT_EQ(refused_with("[[friction]]\nbetween = [\"rubber\", \"floor\"]\nmu = -1\n"),
            "scene.toml:28: friction.1.mu = -1: must be at least 0, e.g. 0.3; 0 for none");
}

TEST_F(SceneFile, WhatFloatsIsRefused) {
  EXPECT_EQ(refused_set("body.block.kind=deformable"),
            "scene.toml:18: body.block is deformable but held nowhere: it would float, since its "
            "frame stands still; add held = [\"region\"], or make it corotational");
  // held along one edge it could still swing
  const std::string hinge =
      replaced(block_on_floor, "corotational", "deformable") +
      "held = [\"hinge\"]\n[[body.region]]\nname = \"hinge\"\nlow = [-1, -1, 0]\n"
      "high = [-0.05, 1, 0]\n";
  EXPECT_TRUE(says(refused(hinge), "is loose: hold it at three nodes")) << refused(hinge);
}

TEST_F(SceneFile, MissingRegionsAreRefusedWithThoseThereAre) {
  EXPECT_EQ(refused_with("held = [\"z2\"]\n"),
            "scene.toml:26: body.block.held: there is no region \"z2\"; did you mean \"z0\"? the "
            "mesh has: x0, x1, y0, y1, z0, z1; mark others by [[body.region]]");
  EXPECT_TRUE(says(refused_with("contact_regions = [\"bottom\"]\n"),
                   "body.block.contact_regions: there is no region \"bottom\""));
  EXPECT_TRUE(says(refused_with("[[drive]]\nbody=\"block\"\nkind=\"force\"\nregion=\"top\"\n"
                                "value=[0,0,1]\n"),
                   "scene.toml:29: drive.1.region: there is no region \"top\""));
  EXPECT_TRUE(says(refused_with("[[probe]]\nname=\"p\"\nbody=\"block\"\nregion=\"top\"\n"),
                   "probe.p.region: there is no region \"top\""));
  EXPECT_TRUE(says(refused_with("[[body.region]]\nname = \"far\"\nlow = [1, 1, 1]\n"
                                "high = [2, 2, 2]\n"),
                   "body.block.region.far: holds no node of the mesh, which spans [-0.05, -0.03, "
                   "0] to [0.05, 0.03, 0.04] m"));
  EXPECT_TRUE(says(refused_with("[[body.region]]\nname = \"x0\"\nlow = [-1, -1, -1]\n"
                                "high = [2, 2, 2]\n"),
                   "the mesh has a region of that name"));
  EXPECT_TRUE(says(refused_with("[[body.region]]\nname = \"r\"\nlow = [1, 1, 1]\n"
                                "high = [2, 0, 2]\n"),
                   "low is the smaller corner"));
}

TEST_F(SceneFile, NamesThatNothingHasAreRefused) {
  EXPECT_TRUE(says(refused_set("body.block.material=ruber"),
                   "is not a material; did you mean \"rubber\"? there are: rubber"));
  EXPECT_TRUE(says(refused_with("[[probe]]\nname=\"p\"\nbody=\"blok\"\n"),
                   "is not a body; did you mean \"block\"?"));
  EXPECT_TRUE(says(refused_with("[[friction]]\nbetween=[\"block\", \"ice\"]\nmu=0\n"),
                   "\"ice\" is neither a body nor a material"));
  EXPECT_TRUE(says(refused_set("simulation.solver=lcp"), "is not a solver; there are: auto"));
  const std::vector<std::string> without = {"simulation.solver=frictionless-lemke",
                                            "contact.friction=0"};
  const std::vector<std::string> with = {"simulation.solver=frictionless-lemke",
                                         "contact.friction=0.1"};
  EXPECT_NO_THROW(read(block_on_floor, without));
  EXPECT_TRUE(says(refused(block_on_floor, with), "knows no friction, and the scene has some"));
  EXPECT_TRUE(says(refused_set("simulation.pyramid_sides=7"), "must be even; 8 is usual"));
  EXPECT_TRUE(says(refused_set("simulation.pyramid_sides=2"), "must be from 4 to 1000"));
  EXPECT_TRUE(says(refused_set("simulation.contact_method=springs"), "penalty-explicit"));
  EXPECT_TRUE(says(refused_set("simulation.penalty_stiffness=0"), "must be above 0 [N/m]"));
  EXPECT_TRUE(says(refused_set("body.block.kind=rigit"), "did you mean \"rigid\"?"));
  EXPECT_TRUE(says(refused_with("[[body]]\nname=\"block\"\nkind=\"fixed\"\nshape=\"plane\"\n"
                                "size=[1,1]\n"),
                   "two bodies have that name"));
}

TEST_F(SceneFile, KeysThatMeanNothingToABodyAreRefused) {
  EXPECT_TRUE(says(refused_with("young_ratio = 0.1\n"),
                   "young_ratio = 0.1: means nothing to a corotational body; remove it"));
  EXPECT_TRUE(says(refused_with("integration = \"trapezoidal\"\n"), "add dynamic = true"));
  EXPECT_TRUE(says(refused_with("scale = 2\n"), "a shape has a size"));
  EXPECT_TRUE(says(refused_with("mesh = \"a.msh\"\n"), "either a mesh or a shape"));
  EXPECT_TRUE(says(refused_set("body.floor.kind=rigid"), "has no volume and can only be fixed"));
  EXPECT_TRUE(says(refused_set("body.floor.velocity=[1, 0, 0]"), "move it by a drive"));
  EXPECT_TRUE(says(refused(replaced(block_on_floor, "density = 1000", "")), "has no mass"));
  EXPECT_TRUE(says(refused(replaced(block_on_floor, "young = 1e6", "")),
                   "needs a material with young and poisson"));
  EXPECT_TRUE(says(refused(replaced(block_on_floor, "name = \"block\"", "")),
                   "scene.toml:18: body.2 lacks name"));
}

TEST_F(SceneFile, RoundShapesAreReadOrRefusedByName) {
  const auto with = [](const std::string& lines) {
    return "[[body]]\nname = \"ball\"\nkind = \"rigid\"\nmass = 0.1\n" + lines;
  };
  EXPECT_EQ(refused(with("shape = \"sphere\"\n")),
            "scene.toml:1: body.ball is a sphere without radius; add radius = ... in metres");
  EXPECT_TRUE(says(refused(with("shape = \"capsule\"\nradius = 0.01\n")),
                   "is a capsule without length; add length = ... in metres"));
  EXPECT_EQ(
      refused(with("shape = \"sphere\"\nradius = 0.01\nlength = 0.1\n")),
      "scene.toml:7: body.ball.length = 0.1: a sphere has no length, a capsule has; remove it");
  EXPECT_TRUE(says(refused(with("shape = \"cylinder\"\nradius = -1\nlength = 0.1\n")),
                   "must be above 0 [m]"));
  EXPECT_TRUE(says(refused(with("shape = \"cylinder\"\nradius = 1\nlength = 0.1\nsegments = 4\n")),
                   "must be from 6 to 600"));
  EXPECT_TRUE(says(refused(with("shape = \"sphere\"\nradius = 0.01\nsize = [1, 1, 1]\n")),
                   "a sphere has a radius and segments; remove it"));
  EXPECT_TRUE(says(refused_with("radius = 0.1\n"), "belongs to a sphere, cylinder or capsule"));
  EXPECT_TRUE(says(refused(with("shape = \"spere\"\nradius = 0.01\n")), "sphere"));

  const Scene scene = read(with("shape = \"capsule\"\nradius = 0.01\nlength = 0.04\n"));
  ASSERT_TRUE(scene.bodies[0].exact.has_value());
  EXPECT_EQ(scene.bodies[0].exact->half_length, 0.02);
  const MassProperties mass = mass_properties(*scene.bodies[0].exact, 1.0);
  const Mat3 inertia = 0.1 / mass.mass * mass.inertia;
  EXPECT_LT((scene.bodies[0].body.frame().inertia() - inertia).norm(), 1e-18);
  // of elements it is what they are
  const Scene soft = read(with("shape = \"capsule\"\nradius = 0.01\nlength = 0.04\n"
                               "cache = false\n"),
                          {"body.ball.kind=quasi-rigid"});
  EXPECT_FALSE(soft.bodies[0].exact.has_value());
}

TEST_F(SceneFile, DrivesThatCannotWorkAreRefused) {
  const auto drive = [&](const std::string& lines) { return refused_with("[[drive]]\n" + lines); };
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"motion\"\nvalue=[0,0,1]\n"),
                   "a motion drives fixed and deformable ones"));
  EXPECT_TRUE(says(drive("body=\"floor\"\nkind=\"force\"\nvalue=[0,0,1]\n"), "use a motion"));
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"spring\"\nvalue=[0,0,1]\n"),
                   "a spring without stiffness"));
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\n"), "add value, ramp, table or csv"));
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\nvalue=[0,0,1]\ncsv=\"a\"\n"),
                   "more than one of value, ramp, table and csv"));
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\ntable=[[1,0,0,1],[1,0,0,2]]\n"),
                   "let times ascend"));
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\nregion=\"x0\"\nvalue=[0,0,1,1,0,0]\n"),
                   "has no torque"));
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\ncsv=\"none.csv\"\n"), "no such file"));
  const std::string named = "name=\"d\"\nbody=\"block\"\nkind=\"force\"\nvalue=[0,0,1]\n";
  EXPECT_TRUE(says(drive(named + "[[drive]]\n" + named), "two drives have that name"));
  folder_.write("push.csv", "time_s,fx_N,f_y\n0,1,2\n");
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\ncsv=\"push.csv\"\n"),
                   "push.csv:1: column 'f_y' is not known; the header takes time_s, fx_N"));
  folder_.write("push.csv", "time_s,fx_N\n0,1\n0,2\n");
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\ncsv=\"push.csv\"\n"),
                   "push.csv:3: time_s = 0 does not come after 0"));
  folder_.write("push.csv", "time_s,fx_N\n0,one\n");
  EXPECT_TRUE(says(drive("body=\"block\"\nkind=\"force\"\ncsv=\"push.csv\"\n"),
                   "push.csv:2: 'one' is not a finite number"));
}

TEST_F(SceneFile, FilesThatAreNoScenesAreRefused) {
  EXPECT_TRUE(says(refused("a = [1\n[[body]\n"), "scene.toml:2: not TOML:"));
  EXPECT_TRUE(says(refused(""), "lacks body"));
  EXPECT_TRUE(says(refused("body = []\n"), "has no body"));
  EXPECT_TRUE(
      says(refusal<InputError>([&] { read_scene(folder_ / "none.toml"); }), "no such file"));
  EXPECT_TRUE(says(refused_set("body.block.mesh=none.msh"), "either a mesh or a shape"));
  const std::string with_mesh = "[[body]]\nname=\"a\"\nkind=\"rigid\"\nmass=1\nmesh=\"none.msh\"\n";
  EXPECT_EQ(refused(with_mesh),
            "scene.toml:5: body.a.mesh: none.msh: no such file; check the path");
}

TEST_F(SceneFile, DamagedFilesAreReadOrRefused) {
  const std::string damages = "\"[]{}=.,-0#\n\\x\xff";
  for (std::size_t at = 0; at < block_on_floor.size(); ++at) {
    std::string text = block_on_floor;
    text[at] = damages[at % damages.size()];
    for (const std::string& damaged :
         {text, block_on_floor.substr(0, at),
          block_on_floor.substr(0, at) + block_on_floor.substr(at + 1)}) {
      try {
        read_scene_description(folder_.write("scene.toml", damaged));
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        EXPECT_TRUE(says(error.what(), "scene.toml")) << error.what();
      }
    }
  }
}

TEST_F(SceneFile, BodiesThatStartDeepInEachOtherAreRefusedOrPulledApart) {
  const std::string message = refused_with("position = [0, 0, -0.015]\n");
  EXPECT_EQ(message,
            "scene.toml:26: body.block starts 0.015 m deep in body.floor: at most "
            "simulation.alarm_distance = 0.001 m; move one of them, or let --resolve-start pull "
            "them apart");
  SceneBuildOptions resolving;
  resolving.resolve_start = true;
  const auto path = folder_.write("scene.toml", block_on_floor + "position = [0, 0, -0.015]\n");
  const Scene scene = read_scene(path, {}, resolving);
  EXPECT_NEAR(scene.bodies[1].position.z(), 0.0, 1e-5);

  // body in body, turned, neither with a corner in the other
  const std::string bars = R"(
[[body]]
name = "one"
kind = "rigid"
mass = 1
shape = "box"
size = [1, 0.1, 0.1]
[[body]]
name = "two"
kind = "rigid"
mass = 1
shape = "box"
size = [0.1, 1, 0.1]
position = [0, 0, 0.06]
)";
  EXPECT_TRUE(says(refused(bars), "body.one starts 0.04 m deep in body.two")) << refused(bars);
  const Scene apart = read_scene(folder_.write("scene.toml", bars), {}, resolving);
  EXPECT_NEAR(apart.bodies[1].position.z() - apart.bodies[0].position.z(), 0.1, 1e-5);

  // those that never touch need no room
  EXPECT_NO_THROW(read("[contact]\nexcluded = [[\"two\", \"one\"]]\n" + bars));
  EXPECT_TRUE(
      says(refused("[contact]\nexcluded = [[\"two\", \"three\"]]\n" + bars),
           "scene.toml:2: contact.excluded = [\"two\", \"three\"]: \"three\" is not a body"));

  // touching is no overlap
  EXPECT_NO_THROW(read(replaced(bars, "0.06", "0.1")));
}

TEST_F(SceneFile, FrictionOfBodiesCountsMoreThanThatOfMaterials) {
  const std::string text = R"(
[material.steel]
density = 7800
[material.wood]
density = 700
[contact]
friction = 0.1
[[friction]]
between = ["steel", "wood"]
mu = 0.2
[[friction]]
between = ["wood", "a"]
mu = 0.3
[[friction]]
between = ["b", "a"]
mu = 0.4
[[friction]]
between = ["wood", "wood"]
mu = 0.5
[[body]]
name = "a"
kind = "rigid"
shape = "box"
size = [1, 1, 1]
material = "steel"
[[body]]
name = "b"
kind = "rigid"
shape = "box"
size = [1, 1, 1]
material = "wood"
position = [2, 0, 0]
[[body]]
name = "c"
kind = "rigid"
shape = "box"
size = [1, 1, 1]
material = "wood"
position = [4, 0, 0]
[[body]]
name = "d"
kind = "rigid"
shape = "box"
size = [1, 1, 1]
material = "steel"
position = [6, 0, 0]
)";
  const MatX mu = read(text).friction;
  EXPECT_EQ(mu(0, 1), 0.4);
  EXPECT_EQ(mu(0, 2), 0.3);
  EXPECT_EQ(mu(0, 3), 0.1);
  EXPECT_EQ(mu(1, 2), 0.5);
  EXPECT_EQ(mu(1, 3), 0.2);
  EXPECT_EQ(mu, MatX(mu.transpose()));
}

TEST_F(SceneFile, DrivesFollowTheirCourse) {
  folder_.write("push.csv", "fz_N,time_s\n1, 0\n3,2\n");
  const Scene scene = read(block_on_floor + R"(
[[drive]]
body = "block"
kind = "force"
ramp = { from = [1, 0, 0], to = [3, 0, 0, 0, 0, 1], start = 1, duration = 2 }
[[drive]]
body = "block"
kind = "force"
csv = "push.csv"
[[drive]]
body = "floor"
kind = "motion"
table = [[0, 0, 0, 0], [1, 0, 0, -1]]
pivot = [1, 2, 3]
[[drive]]
body = "block"
kind = "spring"
stiffness = 100
value = [0, 0, 0.1]
)");
  ASSERT_EQ(scene.drives.size(), 4U);
  EXPECT_EQ(scene.drives[0].table.at(0.5)[0], 1.0);
  EXPECT_EQ(scene.drives[0].table.at(2.0)[0], 2.0);
  EXPECT_EQ(scene.drives[0].table.at(9.0)[5], 1.0);
  EXPECT_EQ(scene.drives[1].table.at(1.0)[2], 2.0);
  EXPECT_EQ(scene.drives[2].table.at(0.25)[2], -0.25);
  EXPECT_EQ(scene.drives[2].pivot, Vec3(1.0, 2.0, 3.0));
  EXPECT_EQ(scene.drives[3].stiffness, 100.0);
  // a spring turns its body about the centre of mass
  EXPECT_NEAR((scene.drives[3].pivot - Vec3(0.0, 0.0, 0.02)).norm(), 0.0, 1e-15);
}

/// A body that nothing touches, pushed at its end x1 by a force along y.
Scene pushed_bar(const TestFolder& folder, const std::string& kind) {
  const std::string text = R"(
[simulation]
gravity = [0, 0, 0]
[material.m]
young = 1e9
poisson = 0.3
density = 1000
[[body]]
name = "bar"
kind = "KIND"
shape = "box"
size = [0.2, 0.02, 0.02]
cells = [8, 1, 1]
material = "m"
position = [1, 2, 3]
[[drive]]
body = "bar"
kind = "force"
region = "x1"
value = [0, 2, 0]
)";
  return read_scene(folder.write("bar.toml", replaced(text, "KIND", kind)));
}

TEST_F(SceneFile, ForceOnARegionTurnsARigidBodyAsItShould) {
  const Scene scene = pushed_bar(folder_, "rigid");
  State state = initial_state(scene);
  StepData data(scene);
  step(scene, state, data);
  const double mass = 1000.0 * 0.2 * 0.02 * 0.02;
  const double inertia = mass * (0.2 * 0.2 + 0.02 * 0.02) / 12.0;
  const FrameState& frame = state.bodies[0].frame;
  EXPECT_NEAR(frame.velocity.y(), 2.0 / mass * 1e-3, 1e-9);
  EXPECT_NEAR(frame.angular_velocity.z(), 0.1 * 2.0 / inertia * 1e-3, 1e-6);
}

TEST_F(SceneFile, ForceOnARegionMovesADeformableBodyAsAWholeAlike) {
  const Scene rigid = pushed_bar(folder_, "rigid");
  const Scene soft = pushed_bar(folder_, "corotational");
  State rigid_state = initial_state(rigid);
  State soft_state = initial_state(soft);
  StepData rigid_data(rigid);
  StepData soft_data(soft);
  step(rigid, rigid_state, rigid_data);
  step(soft, soft_state, soft_data);
  EXPECT_NEAR((rigid_state.bodies[0].frame.velocity - soft_state.bodies[0].frame.velocity).norm(),
              0.0, 1e-12);
  EXPECT_NEAR(
      (rigid_state.bodies[0].frame.angular_velocity - soft_state.bodies[0].frame.angular_velocity)
          .norm(),
      0.0, 1e-9);
  EXPECT_GT(soft_state.bodies[0].deformation.u.all().norm(), 0.0);
}

TEST_F(SceneFile, HeldRegionsAndProbesLieWhereTheSceneSays) {
  const std::string text = R"(
[simulation]
gravity = [0, 0, 0]
[material.m]
young = 1e6
poisson = 0.3
density = 1000
[[body]]
name = "arm"
kind = "deformable"
shape = "box"
size = [0.2, 0.02, 0.02]
cells = [10, 2, 2]
element = "tet10"
material = "m"
position = [1, 0, 0]
held = ["root"]
cache = false
[[body.region]]
name = "root"
low = [-0.1, -1, -1]
high = [-0.1, 1, 1]
[[body.region]]
name = "tip"
low = [0.1, -1, -1]
high = [0.1, 1, 1]
[[drive]]
body = "arm"
kind = "force"
region = "tip"
value = [0, 0, -0.01]
[[probe]]
name = "tip"
body = "arm"
region = "tip"
[[probe]]
name = "top"
body = "arm"
point = [0.03, 0.001, 0.5]
[[probe]]
name = "root"
body = "arm"
region = "root"
)";
  const Scene scene = read(text);
  State state = initial_state(scene);
  StepData data(scene);
  const auto at = [&](int probe) {
    return scene.bodies[0].body.position(state.bodies[0], scene.probes[uz(probe)].point);
  };
  EXPECT_NEAR((at(0) - Vec3(1.1, 0.0, 0.01)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((at(1) - Vec3(1.03, 0.001, 0.02)).norm(), 0.0, 1e-12);
  step(scene, state, data);
  // F l^3 / 3 E I, and shear
  const double bending = 0.01 * std::pow(0.2, 3) / (3.0 * 1e6 * std::pow(0.02, 4) / 12.0);
  EXPECT_NEAR(0.01 - at(0).z(), bending, 0.03 * bending);
  EXPECT_NEAR(at(2).x(), 0.9, 1e-15);
}

TEST_F(SceneFile, MeshesOfEveryFormatBecomeBodies) {
  const TetMesh box = make_box({2.0, 1.0, 1.0}, {2, 1, 1}, ElementType::tet4);
  write_tet_mesh(folder_ / "box.msh", box);
  write_surface(folder_ / "box.obj", extract_surface(box));
  write_surface(folder_ / "box.stl", extract_surface(box));
  for (const char* name : {"box.msh", "box.obj", "box.stl"}) {
    const Scene scene = read("[[body]]\nname=\"b\"\nkind=\"rigid\"\nmass=3\nscale=0.1\nmesh=\"" +
                             std::string(name) + "\"\n");
    const RigidFrame& frame = scene.bodies[0].body.frame();
    EXPECT_NEAR(frame.mass(), 3.0, 1e-9) << name;
    EXPECT_NEAR(frame.inertia()(0, 0), 3.0 * (0.01 + 0.01) / 12.0, 1e-8) << name;
    EXPECT_NEAR((initial_state(scene).bodies[0].frame.position - Vec3(0.1, 0.05, 0.05)).norm(), 0.0,
                1e-8)
        << name;
  }
  EXPECT_TRUE(says(refused("[material.m]\nyoung=1e6\npoisson=0\n[[body]]\nname=\"b\"\n"
                           "kind=\"corotational\"\nmass=3\nmaterial=\"m\"\nmesh=\"box.obj\"\n"),
                   "holds a surface, not tetrahedra"));
  Surface open = extract_surface(box);
  open.triangles.pop_back();
  write_surface(folder_ / "open.obj", open);
  EXPECT_TRUE(says(refused("[[body]]\nname=\"b\"\nkind=\"rigid\"\nmass=3\nmesh=\"open.obj\"\n"),
                   "a rigid body needs a volume"));
}

using KeyName = std::pair<std::string, std::string>;

/// Every key of a document with its section, as scene_keys names it.
void collect_keys(const TomlValue& table, const std::string& section, std::set<KeyName>& keys) {
  for (const auto& [key, value] : table.entries) {
    keys.insert({section, key});
    const std::string inner = section.empty() ? key : section + "." + key;
    if (inner == "material") {
      for (const auto& [name, material] : value.entries) collect_keys(material, inner, keys);
    } else if (value.kind == TomlKind::table) {
      collect_keys(value, inner, keys);
    } else {
      for (const TomlValue& item : value.items) collect_keys(item, inner, keys);
    }
  }
}

TEST_F(SceneFile, TakesEveryKeyThereIs) {
  write_tet_mesh(folder_ / "box.msh", make_box({10.0, 10.0, 10.0}, {1, 1, 1}, ElementType::tet10));
  folder_.write("push.csv", "time_s,fx_N\n0,1\n");
  const auto path = folder_.write("scene.toml", R"(
name = "everything"
[simulation]
dt = 0.001
duration = 2
gravity = [0, 0, -9.81]
solver = "auto"
pyramid_sides = 16
contact_method = "exact"
penalty_stiffness = 1e4
penalty_damping = 5
friction_velocity = 0.001
tolerance = 1e-7
max_iterations = 100
deadline_us = 1000
contact_budget = 50
alarm_distance = 0.001
delassus = "unbuilt"
passes = 2
fast_motion = true
all_contacts = true
proximity = "stochastic"
proximity_distances = 20
proximity_samples = 10
proximity_seed = 1
interpolate_normals = true
recovery_per_step = 0.5
[material.rubber]
young = 1e6
poisson = 0.45
density = 1000
law = "corotated"
[contact]
friction = 0.3
excluded = [["b", "a"]]
[[friction]]
between = ["rubber", "rubber"]
mu = 0.8
[[body]]
name = "a"
kind = "corotational"
shape = "box"
size = [0.1, 0.1, 0.1]
cells = [2, 2, 2]
element = "tet10"
material = "rubber"
mass = 0.5
position = [0, 0, 1]
rotation = { axis = [1, 0, 0], angle_deg = 10 }
velocity = [0, 0, 1]
angular_velocity = [0, 1, 0]
held = ["z1"]
contact_regions = ["z0", "corner"]
dynamic = true
integration = "trapezoidal"
damping = { alpha = 1, beta = 1e-4 }
precompute = false
float32 = false
cache = false
[[body.region]]
name = "corner"
low = [-1, -1, -1]
high = [0, 0, 0]
[[body]]
name = "b"
kind = "quasi-rigid"
mesh = "box.msh"
scale = 0.01
skin = "curved"
skin_chord = 1e-4
material = "rubber"
young_ratio = 0.02
[[body]]
name = "d"
kind = "nonlinear"
shape = "box"
size = [0.1, 0.1, 0.1]
material = "rubber"
position = [0, 0, -5]
held = ["z0"]
newton_steps = 3
[[body]]
name = "c"
kind = "fixed"
shape = "capsule"
radius = 0.01
length = 0.02
segments = 12
position = [0, 0, 5]
[[drive]]
name = "pull"
body = "a"
kind = "spring"
value = [0, 0, 0.1]
pivot = [0, 0, 0]
stiffness = 1
damping = 1
rotational_stiffness = 1
rotational_damping = 1
[[drive]]
body = "a"
kind = "force"
region = "corner"
ramp = { from = [0, 0, 0], to = [0, 0, 1], start = 1, duration = 1 }
[[drive]]
body = "a"
kind = "force"
csv = "push.csv"
[[drive]]
body = "b"
kind = "force"
table = [[0, 0, 0, 0, 1, 1, 1]]
[[probe]]
name = "p"
body = "a"
point = [0, 0, 0]
[[probe]]
name = "q"
body = "a"
region = "corner"
[[hand]]
name = "right"
body = "a"
point = [0, 0, 0]
reach = 1
device = "simulated:large:firm"
starts_holding = true
grab_at = 0.5
release_at = 1
path = [[0, 0, 0, 0.1], [1, 0, 0, 0]]
path_kind = "straight"
centre = [0, 0, 0.1]
turn = [0, 0, 1]
motion_scale = 2
force_scale = 1
stiffness = 100
damping = 1
rotational_stiffness = 1
rotational_damping = 0.1
max_force = 10
max_torque = 1
[[hand]]
body = "a"
region = "corner"
[[hand]]
device = "mouse"
)");
  const Scene scene = read_scene(path);
  EXPECT_EQ(scene.bodies.size(), 4U);
  EXPECT_EQ(scene.drives.size(), 4U);
  ASSERT_EQ(scene.hands.size(), 3U);
  EXPECT_EQ(scene.hands[1].handles.size(), 1U);
  EXPECT_EQ(scene.hands[2].handles.size(), 2U) << "whatever moves freely";
  EXPECT_EQ(scene.simulation.delassus, DelassusForm::unbuilt);
  EXPECT_EQ(scene.simulation.passes, 2);
  std::set<KeyName> used;
  collect_keys(read_toml(path), "", used);
  for (const SceneKey& key : scene_keys()) {
    EXPECT_TRUE(used.contains({std::string(key.section), std::string(key.key)}))
        << key.section << "." << key.key;
  }
}

TEST_F(SceneFile, EveryKeyIsDocumentedAndEveryDocumentedKeyExists) {
  struct Row {
    std::string type, unit, range;
  };
  std::map<KeyName, Row> rows;
  std::ifstream file(STICKSLIP_SOURCE_DIR "/docs/scene_format.md");
  ASSERT_TRUE(file.good());
  const std::regex heading(R"(#+ `\[*([a-z._]+?)(\.NAME)?\]*`)");
  const std::regex cell(R"(\s*\|\s*([^|]*?)\s*(?=\|))");
  std::string section;
  bool has_keys = false;
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (line.starts_with("#")) {
      section = std::regex_match(line, found, heading) ? found[1].str() : "";
    }
    if (line.starts_with("| ") && line.find("---") == std::string::npos) {
      std::vector<std::string> cells;
      for (auto at = std::sregex_iterator(line.begin(), line.end(), cell);
           at != std::sregex_iterator(); ++at) {
        cells.push_back((*at)[1]);
      }
      if (cells[0] == "key" || cells[0] == "kind") has_keys = cells[0] == "key";
      if (!has_keys || !cells[0].starts_with("`")) continue;
      ASSERT_EQ(cells.size(), 6U) << line;
      const std::string key = cells[0].substr(1, cells[0].size() - 2);
      EXPECT_TRUE(rows.insert({{section, key}, {cells[1], cells[2], cells[4]}}).second) << line;
    }
  }
  for (const SceneKey& key : scene_keys()) {
    const KeyName name{key.section, key.key};
    ASSERT_TRUE(rows.contains(name)) << key.section << "." << key.key;
    EXPECT_EQ(rows[name].type, key.type_text()) << key.section << "." << key.key;
    EXPECT_EQ(rows[name].unit, key.unit) << key.section << "." << key.key;
    EXPECT_EQ(rows[name].range, key.range_text()) << key.section << "." << key.key;
    rows.erase(name);
  }
  for (const auto& [name, row] : rows) ADD_FAILURE() << name.first << "." << name.second;
}

TEST_F(SceneFile, ScenesOfTheShelfAreSound) {
  const std::filesystem::path shelf = STICKSLIP_SOURCE_DIR "/scenes";
  for (const auto& entry : std::filesystem::directory_iterator(shelf)) {
    if (entry.path().extension() != ".toml") continue;
    EXPECT_NO_THROW(read_scene_description(entry.path())) << entry.path();
  }
}

}  // namespace
}  // namespace stickslip
