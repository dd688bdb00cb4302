#include "stickslip/fem/elasticity.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "stickslip/error.hpp"
#include "stickslip/fem/compliance.hpp"
#include "stickslip/fem/rigid_modes.hpp"
#include "stickslip/fem/vibration.hpp"

namespace stickslip {
namespace {

const Material steel{210e9, 0.3, 7800.0};

/// A cube whose inner nodes are moved at random; mid-side nodes stay in the middle.
TetMesh irregular_cube(ElementType type) {
  TetMesh mesh = make_box({1.0, 1.0, 1.0}, {3, 3, 3}, ElementType::tet4);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shake(-0.08, 0.08);
  for (Vec3& node : mesh.nodes) {
    const bool is_inside = (node.array() > 1e-9).all() && (node.array() < 1.0 - 1e-9).all();
    if (is_inside) node += Vec3(shake(random), shake(random), shake(random));
  }
  return type == ElementType::tet4 ? mesh : to_ten_node(mesh);
}

/// The same, with curved elements: a smooth warp of all nodes.
TetMesh curved_cube() {
  TetMesh mesh = irregular_cube(ElementType::tet10);
  for (Vec3& node : mesh.nodes) {
    node += 0.05 * Vec3(std::sin(2 * node.y()), std::sin(2 * node.z()), std::sin(2 * node.x()));
  }
  return mesh;
}

/// Solves K u = load for the unknowns that are not held; the held ones keep their value in u.
void solve_unheld(const SparseMatrix& K, const std::vector<char>& is_held, const VecX& load,
                  VecX& u) {
  std::vector<int> index(is_held.size(), -1);
  int count = 0;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (is_held[k] == 0) index[k] = count++;
  }
  const VecX residual = load - K * u;
  MatX x(count, 1);
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] >= 0) x(index[k], 0) = residual[static_cast<int>(k)];
  }
  SparseCholesky(restricted(K, index)).solve(x);
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] >= 0) u[static_cast<int>(k)] += x(index[k], 0);
  }
}

class Element : public testing::TestWithParam<ElementType> {};

TEST_P(Element, RigidMotionCausesNoForce) {
  for (const TetMesh& mesh : {irregular_cube(GetParam()), curved_cube()}) {
    const SparseMatrix K = assemble_stiffness(mesh, steel);
    const MatX R = rigid_modes(mesh.nodes);
    EXPECT_LT((K * R).cwiseAbs().maxCoeff(), 1e-12 * (K.cwiseAbs() * R.cwiseAbs()).maxCoeff());
  }
}

TEST_P(Element, HasExactlySixRigidModes) {
  const TetMesh mesh = make_box({1.0, 1.0, 1.0}, {2, 2, 2}, GetParam());
  const MatX K = assemble_stiffness(mesh, steel);
  const VecX eigenvalues = Eigen::SelfAdjointEigenSolver<MatX>(K).eigenvalues();
  EXPECT_LT(eigenvalues.head(6).cwiseAbs().maxCoeff(), 1e-12 * eigenvalues.maxCoeff());
  EXPECT_GT(eigenvalues[6], 1e-4 * eigenvalues.maxCoeff());
}

TEST_P(Element, PassesThePatchTest) {
  // a linear displacement of the boundary strains every element alike
  const TetMesh mesh = irregular_cube(GetParam());
  const SparseMatrix K = assemble_stiffness(mesh, steel);
  Mat3 gradient;
  gradient << 1.0, 0.3, -0.2, 0.5, -0.7, 0.1, 0.2, 0.4, 0.6;
  gradient *= 1e-3;

  VecX u = VecX::Zero(K.rows());
  std::vector<char> is_held(uz(K.rows()), 0);
  for (int i = 0; i < mesh.node_count(); ++i) {
    const Vec3& x = mesh.nodes[uz(i)];
    const bool is_inside = (x.array() > 1e-9).all() && (x.array() < 1.0 - 1e-9).all();
    if (is_inside) continue;
    u.segment<3>(3 * i) = gradient * x;
    for (int d = 0; d < 3; ++d) is_held[uz(3 * i + d)] = 1;
  }
  ASSERT_NE(std::find(is_held.begin(), is_held.end(), 0), is_held.end());
  solve_unheld(K, is_held, VecX::Zero(K.rows()), u);
  const Mat3 expected = 0.5 * (gradient + gradient.transpose());
  for (int e = 0; e < mesh.element_count(); ++e) {
    EXPECT_LT((element_strain(mesh, e, u) - expected).norm(), 1e-10 * expected.norm());
  }
}

TEST_P(Element, MassIsConservedHoweverItIsShared) {
  const TetMesh mesh = curved_cube();
  const MassProperties exact = mass_properties(mesh, 7800.0);
  for (const MassKind kind : {MassKind::consistent, MassKind::lumped}) {
    const SparseMatrix M = assemble_mass(mesh, 7800.0, kind);
    const MassProperties found = mass_properties(mesh.nodes, M);
    EXPECT_NEAR(found.mass, exact.mass, 1e-12 * exact.mass);
    EXPECT_GT(M.diagonal().minCoeff(), 0.0);
    if (kind == MassKind::lumped) continue;
    EXPECT_LT((found.centre - exact.centre).norm(), 1e-12);
    EXPECT_LT((found.inertia - exact.inertia).norm(), 1e-12 * exact.inertia.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Element, testing::Values(ElementType::tet4, ElementType::tet10),
                         [](const auto& info) {
                           return info.param == ElementType::tet4 ? "FourNodes" : "TenNodes";
                         });

/// Displacements of a bar clamped at x0.
VecX loaded_bar(const TetMesh& mesh, const Material& material, const VecX& load) {
  const SparseMatrix K = assemble_stiffness(mesh, material);
  std::vector<char> is_held(uz(K.rows()), 0);
  for (const int node : mesh.find_region("x0")->nodes) {
    for (int d = 0; d < 3; ++d) is_held[uz(3 * node + d)] = 1;
  }
  VecX u = VecX::Zero(K.rows());
  solve_unheld(K, is_held, load, u);
  return u;
}

Vec3 mean_displacement(const TetMesh& mesh, const char* region, const VecX& u) {
  // weighted as an even load would be, so that it is the work of that load per newton
  Vec3 mean;
  for (int d = 0; d < 3; ++d) {
    mean[d] = region_load(mesh.nodes, *mesh.find_region(region), Vec3::Unit(d)).dot(u);
  }
  return mean;
}

/// Tip deflection of a cantilever of slenderness 10, divided by Timoshenko's.
double cantilever_ratio(ElementType type, int through_thickness) {
  const double h = 0.01;
  const double L = 10.0 * h;
  const int n = through_thickness;
  const TetMesh mesh = make_box({L, h, h}, {10 * n, n, n}, type);
  const double P = 100.0;
  const double E = steel.young;
  const double nu = steel.poisson;
  const double I = h * h * h * h / 12.0;
  const double kappa = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
  const double G = E / (2.0 * (1.0 + nu));
  const double expected = P * L * L * L / (3.0 * E * I) + P * L / (kappa * G * h * h);
  const VecX load = region_load(mesh.nodes, *mesh.find_region("x1"), Vec3(0.0, 0.0, P));
  return mean_displacement(mesh, "x1", loaded_bar(mesh, steel, load)).z() / expected;
}

TEST(Cantilever, TenNodeElementsBendAsTimoshenkoSays) {
  EXPECT_NEAR(cantilever_ratio(ElementType::tet10, 1), 1.0, 0.03);
  EXPECT_NEAR(cantilever_ratio(ElementType::tet10, 2), 1.0, 0.015);
}

TEST(Cantilever, FourNodeElementsLockUntilThereAreEightThroughTheThickness) {
  EXPECT_LT(cantilever_ratio(ElementType::tet4, 1), 0.5);
  EXPECT_NEAR(cantilever_ratio(ElementType::tet4, 8), 1.0, 0.08);
}

TEST(Cantilever, ErrorFallsWithTheOrderOfTheElement) {
  // deflection converges like h^2 for linear elements; quadratic ones soon reach the model's
  // own difference from Timoshenko, so they are compared with their finest
  const double coarse = 1.0 / cantilever_ratio(ElementType::tet4, 2);
  const double middle = 1.0 / cantilever_ratio(ElementType::tet4, 4);
  const double fine = 1.0 / cantilever_ratio(ElementType::tet4, 8);
  const double order4 = std::log2((coarse - middle) / (middle - fine));
  EXPECT_NEAR(order4, 2.0, 0.25);

  const double one = cantilever_ratio(ElementType::tet10, 1);
  const double two = cantilever_ratio(ElementType::tet10, 2);
  const double four = cantilever_ratio(ElementType::tet10, 4);
  EXPECT_GT(std::log2((two - one) / (four - two)), 1.5);
  EXPECT_LT(four - two, 0.005);
}

/// Torque per twist of a square bar, divided by the closed form.
double torsion_ratio(ElementType type, int across) {
  const double a = 0.01;
  const double L = 5.0 * a;
  const TetMesh mesh = make_box({L, a, a}, {5 * across, across, across}, type);
  // both ends turn as rigid sections in their plane and warp freely along the axis
  const SparseMatrix K = assemble_stiffness(mesh, steel);
  const double theta = 1e-3;
  VecX u = VecX::Zero(K.rows());
  VecX unit = VecX::Zero(K.rows());
  std::vector<char> is_held(uz(K.rows()), 0);
  for (const char* name : {"x0", "x1"}) {
    for (const int node : mesh.find_region(name)->nodes) {
      is_held[uz(3 * node + 1)] = is_held[uz(3 * node + 2)] = 1;
    }
  }
  is_held[0] = 1;  // one node along the axis
  for (const int node : mesh.find_region("x1")->nodes) {
    const Vec3 arm = mesh.nodes[uz(node)] - Vec3(L, 0.5 * a, 0.5 * a);
    unit.segment<3>(3 * node) = Vec3::UnitX().cross(arm);
  }
  u = theta * unit;
  solve_unheld(K, is_held, VecX::Zero(K.rows()), u);
  const double moment = unit.dot(K * u);
  const double G = steel.young / (2.0 * (1.0 + steel.poisson));
  return moment / (0.1406 * G * a * a * a * a * theta / L);
}

TEST(Torsion, OfASquareBarFollowsSaintVenant) {
  EXPECT_NEAR(torsion_ratio(ElementType::tet4, 8), 1.0, 0.10);
  EXPECT_NEAR(torsion_ratio(ElementType::tet10, 2), 1.0, 0.04);
  EXPECT_NEAR(torsion_ratio(ElementType::tet10, 4), 1.0, 0.01);
}

TEST(Vibration, OfACantileverFollowsTheBeamEquation) {
  const double h = 0.01;
  const double L = 0.2;
  const DeformationModel model =
      make_elastic_model(make_box({L, h, h}, {20, 1, 1}, ElementType::tet10), steel);
  const Vibration found = lowest_vibrations(model, model.region_nodes("x0"), 4);
  const double I = h * h * h * h / 12.0;
  const auto euler = [&](double beta) {
    return beta * beta / (2.0 * std::numbers::pi * L * L) *
           std::sqrt(steel.young * I / (steel.density * h * h));
  };
  // bending in two planes each; shear and rotary inertia lower them a little
  for (const auto& [k, beta, tolerance] :
       {std::tuple(0, 1.8751, 0.01), std::tuple(1, 1.8751, 0.01), std::tuple(2, 4.6941, 0.03),
        std::tuple(3, 4.6941, 0.03)}) {
    EXPECT_NEAR(found.frequencies_hz[k] / euler(beta), 1.0, tolerance) << k;
  }
}

TEST(Vibration, OfAFreeBodyBeginsWithSixRigidModes) {
  const DeformationModel model =
      make_elastic_model(make_box({0.2, 0.03, 0.02}, {8, 2, 2}, ElementType::tet10), steel);
  const Vibration found = lowest_vibrations(model, {}, 8);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(found.frequencies_hz[k], 0.0);
  // first bending of a free-free beam about its thin axis
  const double expected = 4.7300 * 4.7300 / (2.0 * std::numbers::pi * 0.2 * 0.2) *
                          std::sqrt(steel.young * 0.02 * 0.02 / 12.0 / steel.density);
  EXPECT_NEAR(found.frequencies_hz[6] / expected, 1.0, 0.04);
  const MatX modal_mass = found.modes.transpose() * (model.M * found.modes);
  EXPECT_LT((modal_mass - MatX::Identity(8, 8)).norm(), 1e-8);
}

TEST(Material, RefusesWhatNoSolidHas) {
  const double nan = std::nan("");
  for (const Material& bad :
       {Material{0.0, 0.3, 1.0}, Material{-1.0, 0.3, 1.0}, Material{nan, 0.3, 1.0},
        Material{1.0, 0.5, 1.0}, Material{1.0, -1.0, 1.0}, Material{1.0, nan, 1.0},
        Material{1.0, 0.3, 0.0}, Material{1.0, 0.3, nan}}) {
    EXPECT_THROW(validate(bad), InputError);
  }
  EXPECT_NO_THROW(validate({1.0, 0.49, 1.0}));
  EXPECT_NO_THROW(validate({1.0, -0.9, 1.0}));
}

}  // namespace
}  // namespace stickslip
