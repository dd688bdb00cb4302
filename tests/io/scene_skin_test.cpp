#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "stickslip/io/scene_file.hpp"
#include "stickslip/mesh/curved_surface.hpp"
#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/mesh/round_mesh.hpp"
#include "stickslip/simulation/step.hpp"
#include "tests/support/curved_ball.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

/// A ball of few curved elements, 20 mm in radius.
TetMesh coarse_ball() {
  return curved_ball(0.02, 12);
}

class SceneSkin : public testing::Test {
 protected:
  SceneSkin() {
    write_tet_mesh(folder_ / "ball.msh", coarse_ball());
    const TetMesh fine = make_round_mesh({.radius = 0.02}, 48, ElementType::tet4, 1.0);
    skin_ = extract_surface(fine);
    write_surface(folder_ / "skin.stl", skin_, {.binary = true});
    write_surface(folder_ / "skin.obj", skin_);
    write_tet_mesh(folder_ / "skin.msh", fine);
  }

  static std::string ball(const std::string& kind, const std::string& lines) {
    return "[material.rubber]\nyoung = 1e6\npoisson = 0.4\ndensity = 1000\n[[body]]\n"
           "name = \"ball\"\nmesh = \"ball.msh\"\nmaterial = \"rubber\"\nkind = \"" +
           kind + "\"\n" + (kind == "fixed" || kind == "rigid" ? "" : "cache = false\n") + lines;
  }
  Scene read(const std::string& text) { return read_scene(folder_.write("scene.toml", text)); }
  std::string refused(const std::string& text) {
    const std::string message = refusal<InputError>([&] { read(text); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  void expect_refused(const std::string& text, const std::string& part) {
    const std::string message = refused(text);
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find("scene.toml:"), std::string::npos) << message;
    EXPECT_NE(message.find("body.ball"), std::string::npos) << message;
  }
  std::string with_file(const Surface& skin) {
    write_surface(folder_ / "bad.obj", skin);
    return ball("corotational", "skin = \"bad.obj\"\n");
  }

  TestFolder folder_;
  Surface skin_;
};

TEST_F(SceneSkin, IsWhatEveryKindOfBodyTouchesWith) {
  const Vec3 none = Vec3::Zero();
  for (const char* kind : {"fixed", "rigid", "corotational", "quasi-rigid"}) {
    for (const char* file : {"skin.stl", "skin.obj", "skin.msh"}) {
      const Scene scene = read(ball(kind, "skin = \"" + std::string(file) + "\"\n"));
      const Surface& surface = scene.bodies[0].body.surface();
      EXPECT_EQ(surface.point_count(), skin_.point_count()) << kind << file;
      EXPECT_EQ(surface.triangle_count(), skin_.triangle_count()) << kind << file;
      std::vector<Vec3> positions(surface.points.size());
      const State state = initial_state(scene);
      scene.bodies[0].body.surface_positions(state.bodies[0], positions);
      for (const Vec3& p : positions) EXPECT_NEAR((p - none).norm(), 0.02, 1e-8) << kind << file;
    }
  }
}

TEST_F(SceneSkin, OfARigidBodyHasTheMassOfWhatItEncloses) {
  const Scene scene = read(ball("rigid", "skin = \"skin.obj\"\n"));
  const MassProperties mass = mass_properties(skin_, 1000.0);
  const RigidFrame& frame = scene.bodies[0].body.frame();
  EXPECT_NEAR(frame.mass(), mass.mass, 1e-12);
  EXPECT_LT((frame.inertia() - mass.inertia).norm(), 1e-12 * mass.inertia.norm());
}

TEST_F(SceneSkin, IsScaledWithItsMesh) {
  const Scene scene = read(ball("corotational", "skin = \"skin.obj\"\nscale = 0.5\n"));
  for (const Vec3& p : scene.bodies[0].body.surface().points) EXPECT_NEAR(p.norm(), 0.01, 1e-8);
}

TEST_F(SceneSkin, CurvedKeepsToItsChord) {
  const TetMesh mesh = coarse_ball();
  const auto off_the_ball = [](const Surface& surface) {
    double most = 0.0;
    for (const auto& corners : surface.triangles) {
      Vec3 middle = Vec3::Zero();
      for (const int corner : corners) middle += surface.points[uz(corner)] / 3.0;
      most = std::max(most, std::abs(middle.norm() - 0.02));
    }
    return most;
  };
  // the curved faces themselves are not quite on the ball
  const double faces = off_the_ball(curved_surface(mesh, 1e-6));
  EXPECT_LT(faces, 2e-4);
  for (const double chord : {1e-3, 1e-4, 1e-5}) {
    const Surface surface = curved_surface(mesh, chord);
    EXPECT_TRUE(check_surface(surface).empty()) << check_surface(surface).front().message;
    EXPECT_LT(off_the_ball(surface), 1.4 * chord + faces) << chord;
    EXPECT_GT(off_the_ball(surface), 0.1 * chord) << chord;
  }
  const Surface fine = curved_surface(mesh, 1e-6);
  EXPECT_NEAR(enclosed_volume(fine), mass_properties(mesh, 1.0).mass, 1e-4 * enclosed_volume(fine));

  const Scene scene = read(ball("corotational", "skin = \"curved\"\nskin_chord = 1e-5\n"));
  EXPECT_EQ(scene.bodies[0].body.surface().triangle_count(),
            curved_surface(mesh, 1e-5).triangle_count());
  EXPECT_EQ(scene.bodies[0].body.nodes_a_point(), 6);
}

TEST_F(SceneSkin, ThatCannotBeIsRefusedInOneLine) {
  Surface far = skin_;
  for (Vec3& p : far.points) p.x() += 0.05;
  expect_refused(with_file(far), "a vertex at (");
  // nearest to its mesh everywhere, but not around all of it
  const ExactShape small{.radius = 0.002};
  Surface part = extract_surface(make_round_mesh(small, 12, ElementType::tet4, 1.0));
  for (Vec3& p : part.points) p.x() += 0.02;
  expect_refused(with_file(part), "from the skin");
  Surface open = skin_;
  open.triangles.pop_back();
  expect_refused(with_file(open), "a skin needs a volume");
  Surface inside_out = skin_;
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  expect_refused(with_file(inside_out), "a skin needs a volume");
  Surface not_a_number = skin_;
  not_a_number.points[5].y() = std::numeric_limits<double>::quiet_NaN();
  expect_refused(with_file(not_a_number), "bad.obj");
  expect_refused(ball("corotational", "skin = \"none.stl\"\n"), "none.stl");
  expect_refused(ball("corotational", "skin = \"curved\"\n"), "skin_chord");
  expect_refused(ball("corotational", "skin = \"skin.obj\"\nskin_chord = 1e-5\n"), "skin_chord");
  expect_refused(ball("corotational", "skin = \"curved\"\nskin_chord = -1\n"), "skin_chord");
  expect_refused(ball("corotational", "skin = \"skin.obj\"\nprecompute = false\n"), "precompute");
  expect_refused(ball("nonlinear", "skin = \"skin.obj\"\n"), "may bend far");
  write_tet_mesh(folder_ / "ball.msh",
                 make_round_mesh({.radius = 0.02}, 12, ElementType::tet4, 1.0));
  expect_refused(ball("corotational", "skin = \"curved\"\nskin_chord = 1e-5\n"), "ten-node");
  expect_refused(
      "[[body]]\nname = \"ball\"\nkind = \"rigid\"\nmass = 1\nshape = \"sphere\"\nradius = 0.02\n"
      "skin = \"skin.obj\"\n",
      "exact");
}

}  // namespace
}  // namespace stickslip
