#include "stickslip/fem/nonlinear_elements.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

constexpr std::array laws = {ElasticLaw::neo_hooke, ElasticLaw::corotated,
                             ElasticLaw::st_venant_kirchhoff};
constexpr std::array types = {ElementType::tet4, ElementType::tet10};
const Material gel{1000.0, 0.4, 1000.0};

/// A small block whose nodes are moved at random, curved where there are mid-side nodes.
TetMesh irregular_block(ElementType type) {
  TetMesh mesh = make_box({1.0, 1.2, 0.8}, {2, 2, 2}, type);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shake(-0.02, 0.02);
  for (Vec3& node : mesh.nodes) node += Vec3(shake(random), shake(random), shake(random));
  return mesh;
}

VecX random_displacements(const TetMesh& mesh, double size, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> shake(-size, size);
  return VecX::NullaryExpr(3 * mesh.node_count(), [&] { return shake(random); });
}

/// Displacements by which every node goes from X to F X.
VecX homogeneous(const TetMesh& mesh, const Mat3& F) {
  VecX u(3 * mesh.node_count());
  for (int n = 0; n < mesh.node_count(); ++n) {
    u.segment<3>(3 * n) = F * mesh.nodes[uz(n)] - mesh.nodes[uz(n)];
  }
  return u;
}

TEST(NonlinearElements, SlopeAtRestIsTheLinearStiffness) {
  for (const ElementType type : types) {
    const TetMesh mesh = irregular_block(type);
    const SparseMatrix K = assemble_stiffness(mesh, gel);
    for (const ElasticLaw law : laws) {
      const NonlinearElements elements(mesh, gel, law);
      SparseMatrix slope = elements.make_slope();
      VecX forces(elements.unknown_count());
      elements.linearise(VecX::Zero(elements.unknown_count()), forces, slope);
      EXPECT_LT((slope - K).norm(), 1e-12 * K.norm()) << to_string(law);
      EXPECT_LT(forces.norm(), 1e-12 * K.norm());
    }
  }
}

TEST(NonlinearElements, SlopeEqualsDifferencesOfForcesAndForcesThoseOfEnergy) {
  for (const ElementType type : types) {
    const TetMesh mesh = irregular_block(type);
    for (const ElasticLaw law : laws) {
      const NonlinearElements elements(mesh, gel, law);
      const VecX u = random_displacements(mesh, 0.05, 7);
      const VecX direction = random_displacements(mesh, 1.0, 8);
      SparseMatrix slope = elements.make_slope();
      VecX forces(u.size());
      const double energy = elements.linearise(u, forces, slope);
      EXPECT_NEAR(energy, elements.energy(u), 1e-12 * energy);
      VecX plus(u.size());
      VecX minus(u.size());
      elements.forces(u, plus);
      EXPECT_LT((plus - forces).norm(), 1e-12 * forces.norm());
      constexpr double h = 1e-6;
      elements.forces(u + h * direction, plus);
      elements.forces(u - h * direction, minus);
      const VecX expected = (plus - minus) / (2.0 * h);
      EXPECT_LT((slope * direction - expected).norm(), 1e-7 * expected.norm()) << to_string(law);
      const double by_energy =
          (elements.energy(u + h * direction) - elements.energy(u - h * direction)) / (2.0 * h);
      EXPECT_NEAR(forces.dot(direction), by_energy, 1e-6 * forces.norm() * direction.norm());
    }
  }
}

TEST(NonlinearElements, ABodyTurnedByAnyAngleFeelsNothing) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  for (const ElementType type : types) {
    const TetMesh mesh = irregular_block(type);
    for (const ElasticLaw law : laws) {
      const NonlinearElements elements(mesh, gel, law);
      const VecX stretched = homogeneous(mesh, Vec3(1.1, 1.0, 1.0).asDiagonal());
      VecX scale(stretched.size());
      elements.forces(stretched, scale);
      for (int k = 0; k < 20; ++k) {
        const Quat q(normal(random), normal(random), normal(random), normal(random));
        VecX forces(stretched.size());
        elements.forces(homogeneous(mesh, q.normalized().toRotationMatrix()), forces);
        EXPECT_LT(forces.norm(), 1e-10 * scale.norm()) << to_string(law);
      }
    }
  }
}

TEST(NonlinearElements, AHomogeneousStretchIsHeldByTheLawsStressAtTheSides) {
  // nodes within feel nothing, and the virial of the others is stress times volume at rest
  for (const ElementType type : types) {
    const TetMesh mesh = make_box({1.0, 1.2, 0.8}, {3, 3, 3}, type);
    Mat3 F;
    F << 1.3, 0.2, 0.0, -0.1, 0.8, 0.1, 0.05, 0.0, 0.9;
    for (const ElasticLaw law : laws) {
      const NonlinearElements elements(mesh, gel, law);
      VecX forces(elements.unknown_count());
      elements.forces(homogeneous(mesh, F), forces);
      const Mat3 stress = elements.response().answer(F).stress;
      Mat3 virial = Mat3::Zero();
      for (int n = 0; n < mesh.node_count(); ++n) {
        const Vec3& X = mesh.nodes[uz(n)];
        virial += forces.segment<3>(3 * n) * X.transpose();
        const bool is_inside = (X.array() > 1e-9).all() && X.x() < 1.0 - 1e-9 &&
                               X.y() < 1.2 - 1e-9 && X.z() < 0.8 - 1e-9;
        if (is_inside) {
          EXPECT_LT(forces.segment<3>(3 * n).norm(), 1e-10 * stress.norm());
        }
      }
      EXPECT_LT((virial / (1.0 * 1.2 * 0.8) - stress).norm(), 1e-10 * stress.norm());
    }
  }
}

TEST(NonlinearElements, TenThousandRandomPosesGiveNoNaN) {
  for (const ElementType type : types) {
    const TetMesh mesh = make_box({1.0, 1.0, 1.0}, {1, 1, 1}, type);
    for (const ElasticLaw law : laws) {
      const NonlinearElements elements(mesh, gel, law);
      SparseMatrix slope = elements.make_slope();
      VecX forces(elements.unknown_count());
      int inverted = 0;
      for (int pose = 0; pose < 10000 / 6; ++pose) {
        const VecX u = random_displacements(mesh, pose % 2 == 0 ? 0.5 : 3.0, pose);
        inverted += elements.least_volume_ratio(u) < 0.0 ? 1 : 0;
        const double energy = elements.linearise(u, forces, slope);
        const Eigen::Map<const VecX> values(slope.valuePtr(), slope.nonZeros());
        ASSERT_TRUE(std::isfinite(energy) && forces.allFinite() && values.allFinite());
      }
      EXPECT_GT(inverted, 500);
    }
  }
}

TEST(NonlinearElements, AllocateNothingOnceMade) {
  for (const ElementType type : types) {
    const TetMesh mesh = irregular_block(type);
    for (const ElasticLaw law : laws) {
      const NonlinearElements elements(mesh, gel, law);
      SparseMatrix slope = elements.make_slope();
      VecX forces(elements.unknown_count());
      const VecX u = random_displacements(mesh, 0.5, 1);
      const std::size_t before = testing_support::allocation_count();
      elements.linearise(u, forces, slope);
      elements.forces(u, forces);
      elements.energy(u);
      EXPECT_EQ(testing_support::allocation_count(), before);
    }
  }
}

TEST(NonlinearElements, RefuseAnElementInvertedAtRestWithItsPlace) {
  TetMesh mesh = make_box({1.0, 1.0, 1.0}, {1, 1, 1}, ElementType::tet4);
  std::swap(mesh.connectivity[4], mesh.connectivity[5]);
  try {
    NonlinearElements(mesh, gel, ElasticLaw::neo_hooke);
    FAIL() << "an inverted element was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("element 1 "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace stickslip
