#include "experiments/table_on_floor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "stickslip/body/body.hpp"
#include "stickslip/body/point_compliance.hpp"
#include "stickslip/error.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/solver/gauss_seidel.hpp"

namespace stickslip::experiments {

namespace {

const Material soft_plastic{10e6, 0.4, 1000.0};
constexpr double press_m = 1e-3;
/// Of the pressing, from one edge of the table to the middle.
constexpr double tilt = 0.3;
/// Of the table's edge, over the length of the translation.
constexpr double turning = 0.5;

/// The nodes of a foot, each as far as can be from those before it: the first few cover the foot.
std::vector<int> spread(const std::vector<Vec3>& points, std::vector<int> nodes) {
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    double farthest = -1.0;
    std::size_t best = k;
    for (std::size_t i = k; i < nodes.size(); ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < k; ++j) {
        const Vec3 apart = points[uz(nodes[i])] - points[uz(nodes[j])];
        nearest = std::min(nearest, apart.squaredNorm());
      }
      if (nearest > farthest * (1.0 + 1e-9)) {
        farthest = nearest;
        best = i;
      }
    }
    std::swap(nodes[k], nodes[best]);
  }
  return nodes;
}

/// A node as a point of the surface.
SurfacePoint corner_point(const Surface& surface, const Body& body, int node) {
  for (const std::array<int, 3>& triangle : surface.triangles) {
    if (!body.may_touch(triangle)) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      if (triangle[c] != node) continue;
      SurfacePoint point{triangle, {0.0, 0.0, 0.0}};
      point.weight[c] = 1.0;
      return point;
    }
  }
  throw InputError(fmt::format("node {} of the feet lies in no triangle of them", node));
}

}  // namespace

TableOnFloor::TableOnFloor(const std::filesystem::path& mesh) {
  ModelOptions model_options;
  model_options.contact_regions = {"feet"};
  const DeformationModel model =
      make_elastic_model(read_tet_mesh(mesh), soft_plastic, model_options);
  const Body body = make_deformable_body(model, model.region_nodes("top"), {});

  // foot by foot
  std::array<std::vector<int>, 4> feet;
  for (const int node : model.region_nodes("feet")) {
    const Vec3& p = model.nodes[uz(node)];
    feet[(p.x() > 0.0 ? 1U : 0U) + (p.y() > 0.0 ? 2U : 0U)].push_back(node);
  }
  for (std::vector<int>& foot : feet) {
    if (foot.empty() || foot.size() != feet[0].size()) {
      throw InputError(fmt::format("{}: the region feet is not four equal feet", mesh.string()));
    }
    foot = spread(model.nodes, foot);
  }
  std::vector<SurfacePoint> contacts;
  for (std::size_t k = 0; k < feet[0].size(); ++k) {
    for (const std::vector<int>& foot : feet) {
      contacts.push_back(corner_point(model.surface, body, foot[k]));
      points_.push_back(model.nodes[uz(foot[k])]);
    }
  }

  // the compliance between them, turned into the axes of the contacts
  const int m = static_cast<int>(contacts.size());
  const BodyState state = body.initial_state();
  BodyStep step = body.make_step(m);
  body.compute_free_motion(state, {}, 1e-3, step);
  MatX W_world = MatX::Zero(3 * m, 3 * m);
  add_world_compliance(body, state, contacts, step, W_world);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
  for (int i = 0; i < m; ++i) {
    const double turned = angle(random);
    const Vec3 tangent(std::cos(turned), std::sin(turned), 0.0);
    Mat3 axes;
    axes << Vec3::UnitZ().transpose(), tangent.transpose(),
        Vec3::UnitZ().cross(tangent).transpose();
    axes_.push_back(axes);
  }
  W_.resize(3 * m, 3 * m);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      W_.block<3, 3>(3 * i, 3 * j) =
          axes_[uz(i)] * W_world.block<3, 3>(3 * i, 3 * j) * axes_[uz(j)].transpose();
    }
  }
}

ContactProblem TableOnFloor::make_problem(int contacts, double mu) const {
  assert(contacts >= 1 && contacts <= contact_count());
  return {BlockMatrix::dense(W_.topLeftCorner(3 * contacts, 3 * contacts)),
          VecX::Zero(3 * contacts), VecX::Constant(contacts, mu)};
}

MatX TableOnFloor::delassus_by_feet() const {
  // what contact takes its turn where, and the permutation z, x, y
  const int m = contact_count();
  const int per_foot = m / 4;
  Mat3 cyclic;
  cyclic << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  const auto taken = [&](int place) { return 4 * (place % per_foot) + place / per_foot; };
  MatX W(3 * m, 3 * m);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const int a = taken(i);
      const int b = taken(j);
      W.block<3, 3>(3 * i, 3 * j) = cyclic * axes_[uz(a)].transpose() *
                                    W_.block<3, 3>(3 * a, 3 * b) * axes_[uz(b)] *
                                    cyclic.transpose();
    }
  }
  return W;
}

void TableOnFloor::load(ContactProblem& problem, double motion, std::uint32_t seed) const {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const int m = problem.contact_count();
  const double half_length = points_[0].head<2>().norm();
  const double direction = std::numbers::pi * uniform(random);
  const double turn = turning * uniform(random);
  const Eigen::Vector2d tilts(tilt * uniform(random), tilt * uniform(random));

  const auto set = [&](double length) {
    for (int i = 0; i < m; ++i) {
      const Eigen::Vector2d arm = points_[uz(i)].head<2>() / half_length;
      const Vec3 moved(length * (std::cos(direction) - turn * arm.y()),
                       length * (std::sin(direction) + turn * arm.x()),
                       -press_m * (1.0 + tilts.dot(arm)));
      problem.delta_free.segment<3>(3 * i) = axes_[uz(i)] * moved;
    }
  };

  // sliding far, the feet show what the legs bend at most
  set(1e3 * press_m);
  SolverOptions options;
  options.tolerance = 1e-6;
  options.criterion = Criterion::rescaled;
  VecX f;
  GaussSeidel().solve(problem, options, f);
  VecX bent;
  problem.W.multiply(f, bent);
  double sum = 0.0;
  for (int i = 0; i < m; ++i) sum += bent.segment<2>(3 * i + 1).norm();
  set(motion * sum / m);
}

}  // namespace stickslip::experiments
