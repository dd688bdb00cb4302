#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "places.hpp"
#include "stickslip/fem/compliance.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/studies/snap_fit.hpp"
#include "tests/support/calculix.hpp"

namespace stickslip {
namespace {

using testing_support::Displacements;
using testing_support::NodeForces;
using testing_support::solve_by_calculix;

const std::filesystem::path scenes = STICKSLIP_SOURCE_DIR "/scenes";
const Material polyethylene{700e6, 0.35, 950.0};

/// The branches of the clip in the hand of another program.
class ClipOpening : public testing::Test {
 protected:
  void SetUp() override {
    if (!testing_support::calculix_is_present()) {
      GTEST_SKIP() << "CalculiX (ccx) is not installed; on Debian: apt-get install calculix-ccx";
    }
    mesh = read_tet_mesh(scenes / "models" / "clip_500.msh");
    // the narrowest place between the branches
    for (int n = 0; n < mesh.node_count(); ++n) {
      const Vec3& x = mesh.nodes[uz(n)];
      if (std::abs(std::abs(x.x()) - 0.010904077) < 1e-8 && std::abs(x.y() + 0.005913071) < 1e-8) {
        (x.x() > 0.0 ? right : left).push_back(n);
      }
    }
    ASSERT_EQ(right.size(), 3u);
    ASSERT_EQ(left.size(), 3u);
  }

  std::vector<Vec3> by_calculix(const NodeForces& forces, Displacements displacements) const {
    return solve_by_calculix(mesh, polyethylene, held(), forces, displacements);
  }
  const std::vector<int>& held() const { return mesh.find_region("handle")->nodes; }

  /// How much wider the throat is.
  double opening(const std::vector<Vec3>& u) const {
    double sum = 0.0;
    for (const int n : right) sum += u[uz(n)].x() / 3.0;
    for (const int n : left) sum -= u[uz(n)].x() / 3.0;
    return sum;
  }

  TetMesh mesh;
  std::vector<int> right;
  std::vector<int> left;
};

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) largest = std::max(largest, (a[n] - b[n]).norm());
  return largest;
}

double largest(const std::vector<Vec3>& u) {
  return largest_difference(u, std::vector<Vec3>(u.size(), Vec3::Zero()));
}

TEST_F(ClipOpening, BranchesGiveWayToTipForcesAsInCalculix) {
  const DeformationModel model = make_elastic_model(mesh, polyethylene);
  ComplianceOptions options;
  options.precompute = false;
  const Compliance compliance(model, model.K, model.region_nodes("handle"), options);
  // on both branches
  const std::array<std::pair<Vec3, Vec3>, 4> loads = {{{{1, 0, 0}, {-1, 0, 0}},
                                                       {{0, 1, 0}, {0, 1, 0}},
                                                       {{0, 0, 1}, {0, 0, -1}},
                                                       {{0.5, 0.3, 0.2}, {0, 0, 0}}}};
  for (const auto& [on_right, on_left] : loads) {
    NodeForces forces;
    for (const int n : right) forces[n] = on_right / 3.0;
    for (const int n : left) forces[n] = on_left / 3.0;
    const std::vector<Vec3> theirs = by_calculix(forces, Displacements::small);

    MatX f = MatX::Zero(3 * model.node_count(), 1);
    for (int i = 0; i < model.node_count(); ++i) {
      const auto force = forces.find(model.mesh_nodes[uz(i)]);
      if (force != forces.end()) f.middleRows<3>(3 * i) = force->second;
    }
    compliance.solve(f);
    std::vector<Vec3> ours(mesh.nodes.size());
    for (int i = 0; i < model.node_count(); ++i) {
      ours[uz(model.mesh_nodes[uz(i)])] = f.middleRows<3>(3 * i);
    }
    EXPECT_LT(largest_difference(ours, theirs), 1e-5 * largest(theirs)) << on_right.transpose();
  }
}

/// The clip at the moment of a way in or out when it stores most: where its surface is displaced
/// to, in its own axes, and the contact forces that do it, by the nodes of the mesh.
struct OpenClip {
  double stored_J = 0.0;
  std::vector<Vec3> u;
  NodeForces forces;
};

/// Nodes of the mesh that are the points of a body's surface.
std::vector<int> surface_nodes(const TetMesh& mesh, const Body& body) {
  std::vector<int> nodes;
  const Vec3 centre = body.initial_state().frame.position;
  for (const Vec3& point : body.surface().points) {
    const auto is_it = [&](const Vec3& x) { return (x - centre - point).norm() < 1e-9; };
    nodes.push_back(static_cast<int>(std::find_if(mesh.nodes.begin(), mesh.nodes.end(), is_it) -
                                     mesh.nodes.begin()));
  }
  return nodes;
}

NodeForces contact_forces(const StepData& data, int body, const std::vector<int>& nodes,
                          const Quat& axes) {
  NodeForces forces;
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Contact& contact = data.contacts[c];
    const bool is_first = contact.where.body_1 == body;
    if (!is_first && contact.where.body_2 != body) continue;
    const SurfacePoint& point = is_first ? contact.where.P : contact.where.Q;
    const Vec3 force = (is_first ? 1.0 : -1.0) * contact.axes.transpose() *
                       data.f.segment<3>(3 * static_cast<Eigen::Index>(c));
    for (std::size_t k = 0; k < 3; ++k) {
      const int node = nodes[uz(point.corner[k])];
      forces.try_emplace(node, Vec3::Zero()).first->second +=
          point.weight[k] * (axes.conjugate() * force);
    }
  }
  return forces;
}

/// On the way in and on the way out.
std::array<OpenClip, 2> widest_openings(const TetMesh& mesh, double mu) {
  Scene scene = read_scene(scenes / "snap_in.toml", {fmt::format("contact.friction={}", mu)});
  steady_hands(scene);
  const SnapMover mover = find_snap_mover(scene).value();
  const std::vector<int> nodes = surface_nodes(mesh, scene.bodies[uz(mover.body)].body);

  std::array<OpenClip, 2> widest;
  Quat before = Quat::Identity();
  run_snap_fit(scene, mover, {}, [&](double share, const State& state, const StepData& data) {
    const BodyState& clip = state.bodies[uz(mover.body)];
    const Quat axes = std::exchange(before, clip.frame.orientation);
    OpenClip& open = widest[share > 0.5 ? 1 : 0];
    if (data.report.energy.total <= open.stored_J) return;
    open.stored_J = data.report.energy.total;
    open.forces = contact_forces(data, mover.body, nodes, axes);
    open.u.assign(mesh.nodes.size(), Vec3::Zero());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      open.u[uz(nodes[i])] = clip.deformation.u[static_cast<int>(i)];
    }
  });
  return widest;
}

struct Friction {
  double mu;
  std::array<double, 2> departs;  ///< from large displacements, at the most, on both ways
};

class WidestClipOpening : public ClipOpening, public testing::WithParamInterface<Friction> {};

TEST_P(WidestClipOpening, IsThatOfCalculixAndNearThatOfLargeDisplacements) {
  const Friction& friction = GetParam();
  const std::array<OpenClip, 2> ways = widest_openings(mesh, friction.mu);
  for (std::size_t way = 0; way < 2; ++way) {
    const OpenClip& open = ways[way];
    const double ours = opening(open.u);
    const double linear = opening(by_calculix(open.forces, Displacements::small));
    const double nonlinear = opening(by_calculix(open.forces, Displacements::large));
    EXPECT_GT(ours, 2e-3);
    EXPECT_NEAR(ours, linear, 1e-3 * linear);
    EXPECT_NEAR(ours, nonlinear, friction.departs[way] * nonlinear);
    RecordProperty(way == 0 ? "in" : "out",
                   fmt::format("{:.4f}, {:.4f} mm", 1e3 * ours, 1e3 * nonlinear));
  }
}

INSTANTIATE_TEST_SUITE_P(Friction, WidestClipOpening,
                         testing::Values(Friction{0.0, {0.01, 0.01}}, Friction{0.2, {0.02, 0.03}},
                                         Friction{0.8, {0.06, 0.09}}),
                         [](const auto& info) {
                           return fmt::format("{:.0f}", 10 * info.param.mu);
                         });

TEST_F(ClipOpening, DepartsFromLargeDisplacementsAsTheForceGrows) {
  double before = 0.0;
  for (const double force : {5.0, 10.0, 20.0}) {
    NodeForces forces;
    for (const int n : right) forces[n] = Vec3(force / 3.0, 0, 0);
    for (const int n : left) forces[n] = Vec3(-force / 3.0, 0, 0);
    const double linear = opening(by_calculix(forces, Displacements::small));
    const double nonlinear = opening(by_calculix(forces, Displacements::large));
    const double departs = std::abs(linear / nonlinear - 1.0);
    EXPECT_GT(departs, 2.0 * before);
    before = departs;
  }
  EXPECT_LT(before, 0.03);
}

}  // namespace
}  // namespace stickslip
