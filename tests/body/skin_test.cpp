#include "stickslip/body/skin.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "stickslip/body/body.hpp"
#include "stickslip/body/point_compliance.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/round_mesh.hpp"
#include "stickslip/scene/skin_binding.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/curved_ball.hpp"

namespace stickslip {
namespace {

constexpr double dt = 1e-3;
const Material rubber{1e6, 0.4, 1000.0};

enum class Shape { box_of_four_nodes, box_of_ten_nodes, curved_ball };

/// A body of few elements under a finer skin, some of whose vertices are off its boundary.
struct Skinned {
  explicit Skinned(Shape shape, bool is_free = false, double off = 0.03) {
    const bool is_ball = shape == Shape::curved_ball;
    const ElementType type =
        shape == Shape::box_of_four_nodes ? ElementType::tet4 : ElementType::tet10;
    const ExactShape ball{.radius = 0.05};
    const TetMesh mesh =
        is_ball ? curved_ball(ball.radius, 12) : make_box({0.1, 0.08, 0.06}, {2, 2, 1}, type);
    const TetMesh fine = is_ball ? make_round_mesh(ball, 24, ElementType::tet4, 1.0)
                                 : make_box({0.1, 0.08, 0.06}, {7, 5, 4}, ElementType::tet4);
    model = make_elastic_model(mesh, rubber);
    skin = extract_surface(fine);
    skin.mesh_nodes.clear();
    // a third of the vertices is a little outside, a third inside
    for (std::size_t v = 0; v < skin.points.size(); ++v) {
      Vec3& p = skin.points[v];
      p -= model.mass.centre;
      p *= 1.0 + off * (static_cast<double>(v % 3) - 1.0);
    }
    faces = boundary_faces(renumbered(mesh, model.mesh_nodes));
    binding = bind_skin(skin, model.nodes, faces);
    if (!is_free) held = model.region_nodes(is_ball ? "z0" : "x0");
    DeformationOptions options;
    body = std::make_unique<Body>(is_free ? make_corotational_body(model, held, options)
                                          : make_deformable_body(model, held, options));
    body->wear(skin, binding);
  }

  double number() { return std::uniform_real_distribution(-1.0, 1.0)(random); }
  Vec3 vector() { return {number(), number(), number()}; }

  std::vector<SurfacePoint> some_points(int count) {
    std::vector<SurfacePoint> points;
    for (int k = 0; k < count; ++k) {
      Vec3 weight = vector().cwiseAbs();
      weight /= weight.sum();
      const auto t = uz(static_cast<int>(random() % skin.triangles.size()));
      points.push_back({skin.triangles[t], {weight[0], weight[1], weight[2]}});
    }
    return points;
  }
  Vec3 place(const SurfacePoint& point) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) sum += point.weight[c] * skin.points[uz(point.corner[c])];
    return sum;
  }

  DeformationModel model;
  Surface skin;
  std::vector<std::array<int, 6>> faces;
  NodeShares binding;
  std::vector<int> held;
  std::unique_ptr<Body> body;
  std::mt19937 random{7};
};

class EverySkin : public testing::TestWithParam<Shape> {};

TEST_P(EverySkin, GoesAlongWithRigidMotions) {
  Skinned it(GetParam());
  ASSERT_TRUE(it.binding.has_turns());
  const Skin skin(it.skin, it.binding, it.model.contact_count, nullptr);
  const Vec3 shift = it.vector();
  const Vec3 turn = it.vector();
  for (int v = 0; v < skin.vertex_count(); ++v) {
    const Vec3 moved = skin.displacement(
        v, [&](int node) { return Vec3(shift + turn.cross(it.model.nodes[uz(node)])); });
    EXPECT_LT((moved - shift - turn.cross(it.skin.points[uz(v)])).norm(), 1e-12) << v;
  }
}

TEST_P(EverySkin, SharesForcesWithTheirResultantTorqueAndVirtualWork) {
  Skinned it(GetParam());
  const Skin skin(it.skin, it.binding, it.model.contact_count, nullptr);
  const auto points = it.some_points(40);
  std::vector<Vec3> forces;
  for (std::size_t k = 0; k < points.size(); ++k) forces.push_back(it.vector());
  NodalForces nodal(skin, 40);
  nodal.gather(skin, it.some_points(40), forces);
  nodal.gather(skin, points, forces);

  std::vector<Vec3> u;
  for (int node = 0; node < it.model.node_count(); ++node) u.push_back(it.vector());
  Vec3 force = Vec3::Zero();
  Vec3 torque = Vec3::Zero();
  double work = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    force += forces[k];
    torque += it.place(points[k]).cross(forces[k]);
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 moved =
          skin.displacement(points[k].corner[c], [&](int node) { return u[uz(node)]; });
      work += points[k].weight[c] * forces[k].dot(moved);
    }
  }
  ASSERT_FALSE(nodal.points().empty());
  for (std::size_t k = 0; k < nodal.points().size(); ++k) {
    const int node = nodal.points()[k].corner[0];
    force -= nodal.forces()[k];
    torque -= it.model.nodes[uz(node)].cross(nodal.forces()[k]);
    work -= nodal.forces()[k].dot(u[uz(node)]);
  }
  EXPECT_LT(force.norm(), 1e-12);
  EXPECT_LT(torque.norm(), 1e-12);
  EXPECT_LT(std::abs(work), 1e-12 * 40);
}

/// C between points by K inverted as a whole, each point by the rows of its vertices.
MatX dense_compliance(const Skinned& it, std::span<const SurfacePoint> points) {
  const int n = 3 * it.model.node_count();
  MatX K = it.model.K;
  for (const int node : it.held) {
    for (int d = 0; d < 3; ++d) {
      K.row(3 * node + d).setZero();
      K.col(3 * node + d).setZero();
      K(3 * node + d, 3 * node + d) = 1e30;
    }
  }
  MatX H = MatX::Zero(3 * static_cast<Eigen::Index>(points.size()), n);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const int v = points[i].corner[c];
      const auto shares = it.binding.of(v);
      for (std::size_t a = 0; a < shares.size(); ++a) {
        H.block<3, 3>(static_cast<Eigen::Index>(3 * i), 3 * shares[a].node) +=
            points[i].weight[c] * it.binding.turns(v)[a];
      }
    }
  }
  return H * K.ldlt().solve(MatX(H.transpose()));
}

TEST_P(EverySkin, HasTheComplianceOfTheDenseProduct) {
  Skinned it(GetParam());
  const auto points = it.some_points(12);
  BodyState state = it.body->initial_state(Vec3(0.1, 0.2, 0.3), rotation_exp({0.3, -0.5, 0.7}));
  BodyStep step = it.body->make_step(12);
  it.body->compute_free_motion(state, {}, dt, step);
  MatX W = MatX::Zero(36, 36);
  add_world_compliance(*it.body, state, points, step, W);
  EXPECT_LT((W - W.transpose()).norm(), 1e-12 * W.norm());

  MatX turned = dense_compliance(it, points);
  const Mat3 R = state.frame.orientation.toRotationMatrix();
  for (int i = 0; i < 36; i += 3) turned.middleRows<3>(i) = R * turned.middleRows<3>(i).eval();
  for (int j = 0; j < 36; j += 3) {
    turned.middleCols<3>(j) = turned.middleCols<3>(j).eval() * R.transpose();
  }
  EXPECT_LT((W - turned).norm(), 1e-12 * W.norm());
}

TEST_P(EverySkin, AnswersForcesByItsCompliance) {
  for (const bool is_free : {false, true}) {
    Skinned it(GetParam(), is_free);
    const auto points = it.some_points(12);
    std::vector<Vec3> forces;
    for (std::size_t k = 0; k < points.size(); ++k) forces.push_back(it.vector());
    const BodyState start =
        it.body->initial_state(Vec3(0.1, 0.2, 0.3), rotation_exp({0.3, -0.5, 0.7}));
    BodyStep step = it.body->make_step(12);
    BodyLoad load;
    load.frame.gravity = Vec3(0, 0, -9.81);
    it.body->compute_free_motion(start, load, dt, step);
    MatX W = MatX::Zero(36, 36);
    add_world_compliance(*it.body, start, points, step, W);
    const VecX moved = W * Eigen::Map<const VecX>(forces.front().data(), 36);
    BodyState end = start;
    it.body->correct(points, forces, step, end);
    for (int k = 0; k < 12; ++k) {
      const Vec3 answer = it.body->answer_to_forces(start, step, end, points[uz(k)]);
      EXPECT_LT((answer - moved.segment<3>(3 * k)).norm(), 1e-12 * moved.norm()) << k;
    }
    // what the forces did is what the body stores: half of it, without gravity
    if (is_free) continue;
    BodyState bent = start;
    it.body->compute_free_motion(start, {}, dt, step);
    it.body->correct(points, forces, step, bent);
    const double work = 0.5 * Eigen::Map<const VecX>(forces.front().data(), 36).dot(moved);
    EXPECT_NEAR(step.deformation->energy, work, 1e-12 * work);
  }
}

TEST_P(EverySkin, MovesNoVertexFartherThanItsBound) {
  Skinned it(GetParam());
  Displacement u = it.body->initial_state().deformation.u;
  const int nodes = u.answers()->contact_count();
  double closest = 0.0;
  for (int k = 0; k < 20; ++k) {
    const Displacement before = u;
    u.take_loads([&](SurfaceLoads& loads) {
      loads.nodes.assign(1, static_cast<int>(it.random() % uz(nodes)));
      loads.forces.assign(1, it.vector());
    });
    const double distance = u.answers()->distance(before.loads(), u.loads());
    for (int v = 0; v < it.skin.point_count(); ++v) {
      const double bound = static_cast<double>(u.softness()[uz(v)]) * distance;
      ASSERT_LE((u[v] - before[v]).norm(), bound) << v;
      ASSERT_LE(u.softness()[uz(v)], static_cast<float>(1.001 * u.most_softness()));
      closest = std::max(closest, (u[v] - before[v]).norm() / bound);
    }
  }
  EXPECT_GT(closest, 0.3);
}

TEST_P(EverySkin, IsTheSameWhicheverVerticesAreAskedFor) {
  Skinned it(GetParam());
  Displacement u = it.body->initial_state().deformation.u;
  for (int k = 0; k < 5; ++k) {
    u.take_loads([&](SurfaceLoads& loads) {
      loads.nodes.assign(1, k);
      loads.forces.assign(1, it.vector());
    });
    const Displacement whole = u;
    std::vector<int> order(it.skin.points.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), it.random);
    for (const int v : order) ASSERT_EQ(u[v], Vec3(whole.points().segment<3>(3 * v))) << v;
    // and the same as from all nodes at once
    Displacement known = u;
    known = whole.all();
    EXPECT_EQ(known.points(), whole.points());
  }
}

TEST_P(EverySkin, AllocatesNothingInAStep) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  Skinned it(GetParam());
  BodyState state = it.body->initial_state();
  BodyState other = state;
  BodyStep step = it.body->make_step(10);
  const std::vector<Mat3> axes(10, Mat3::Identity());
  PointCompliance compliance(10, it.body->nodes_a_point());
  MatX W = MatX::Zero(30, 30);
  std::vector<std::vector<SurfacePoint>> points;
  std::vector<Vec3> forces;
  for (int k = 0; k < 20; ++k) points.push_back(it.some_points(10));
  for (int k = 0; k < 10; ++k) forces.push_back(it.vector());
  const std::size_t before = testing_support::allocation_count();
  for (const auto& some : points) {
    it.body->compute_free_motion(state, {}, dt, step);
    compliance.take(*it.body, state, some, axes, Motion::whole, step);
    for (int j = 0; j < 10; ++j) compliance.add_columns(j, W.block(3 * j, 3 * j, 30 - 3 * j, 3));
    it.body->correct(some, forces, step, state);
    other = state;
    static_cast<void>(other.deformation.u.points());
  }
  EXPECT_EQ(testing_support::allocation_count(), before);
}

std::string name_of(const testing::TestParamInfo<Shape>& info) {
  const std::array<const char*, 3> names = {"FourNodes", "TenNodes", "CurvedBall"};
  return names[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Shapes, EverySkin,
                         testing::Values(Shape::box_of_four_nodes, Shape::box_of_ten_nodes,
                                         Shape::curved_ball),
                         name_of);

TEST(Skin, FollowsLinearAndTenNodeFacesAlsoQuadraticDisplacements) {
  for (const Shape shape : {Shape::box_of_four_nodes, Shape::box_of_ten_nodes}) {
    Skinned it(shape, false, 0.0);
    ASSERT_FALSE(it.binding.has_turns());
    const Skin skin(it.skin, it.binding, it.model.contact_count, nullptr);
    const Mat3 A = Mat3::Random();
    const Mat3 B = shape == Shape::box_of_ten_nodes ? Mat3::Random().eval() : Mat3::Zero().eval();
    const auto field = [&](const Vec3& x) { return Vec3(A * x + B * x * x.sum()); };
    for (int v = 0; v < skin.vertex_count(); ++v) {
      const Vec3 moved =
          skin.displacement(v, [&](int node) { return field(it.model.nodes[uz(node)]); });
      EXPECT_LT((moved - field(it.skin.points[uz(v)])).norm(), 1e-12) << v;
    }
  }
}

TEST(Skin, TurnsOffsetsAsABentPlateTurns) {
  // pure bending about y of a thin plate by ten-node elements, w = x^2 / 2: what stands a distance
  // off its middle plane moves by -z x along x
  const TetMesh mesh = make_box({0.1, 0.02, 1e-4}, {4, 1, 1}, ElementType::tet10);
  Surface skin = extract_surface(make_box({0.1, 0.02, 2.1e-3}, {20, 3, 1}, ElementType::tet4));
  for (Vec3& p : skin.points) p.z() -= 1e-3;
  const NodeShares binding = bind_skin(skin, mesh.nodes, boundary_faces(mesh));
  const Skin made(skin, binding, mesh.node_count(), nullptr);
  const auto field = [](const Vec3& x) { return Vec3(-x.z() * x.x(), 0.0, 0.5 * x.x() * x.x()); };
  int looked_at = 0;
  for (int v = 0; v < made.vertex_count(); ++v) {
    const Vec3& p = skin.points[uz(v)];
    if (p.z() < 1e-3) continue;
    ++looked_at;
    const Vec3 moved = made.displacement(v, [&](int node) { return field(mesh.nodes[uz(node)]); });
    EXPECT_LT((moved - field(p)).norm(), 1e-12) << p.transpose();
  }
  EXPECT_EQ(looked_at, 84);
}

TEST(Skin, ThatIsTheBoundaryChangesNothing) {
  const DeformationModel model =
      make_elastic_model(make_box({0.1, 0.08, 0.06}, {2, 2, 1}, ElementType::tet4), rubber);
  const std::vector<int> held = {0, 1, 2, 3};
  const Body plain = make_corotational_body(model, held, {});
  Body skinned = make_corotational_body(model, held, {});
  Surface skin = model.surface;
  const TetMesh mesh =
      renumbered(make_box({0.1, 0.08, 0.06}, {2, 2, 1}, ElementType::tet4), model.mesh_nodes);
  const NodeShares binding = bind_skin(skin, model.nodes, boundary_faces(mesh));
  skinned.wear(skin, binding);
  std::vector<SurfacePoint> points;
  std::vector<Vec3> forces;
  for (std::size_t t = 0; t < 20; ++t) {
    points.push_back({model.surface.triangles[t], {0.2, 0.3, 0.5}});
    forces.emplace_back(Vec3::Random());
  }
  const auto end = [&](const Body& body) {
    BodyState state = body.initial_state();
    BodyStep step = body.make_step(20);
    body.compute_free_motion(state, {}, dt, step);
    body.correct(points, forces, step, state);
    return state;
  };
  const BodyState a = end(plain);
  const BodyState b = end(skinned);
  EXPECT_EQ(a.frame.position, b.frame.position);
  EXPECT_EQ(a.frame.orientation.coeffs(), b.frame.orientation.coeffs());
  EXPECT_LT((a.deformation.u.all() - b.deformation.u.points()).norm(),
            1e-14 * a.deformation.u.all().norm());
}

}  // namespace
}  // namespace stickslip
