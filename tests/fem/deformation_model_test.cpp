#include "stickslip/fem/deformation_model.hpp"

#include <fmt/core.h>
#include <fmt/os.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "places.hpp"
#include "stickslip/error.hpp"
#include "stickslip/fem/compliance.hpp"
#include "stickslip/fem/rigid_modes.hpp"
#include "stickslip/fem/vibration.hpp"
#include "stickslip/mesh/mesh_check.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

const Material polyethylene{700e6, 0.35, 950.0};
const fs::path models = fs::path(STICKSLIP_SOURCE_DIR) / "scenes" / "models";

std::vector<std::string> shipped_meshes() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(models)) {
    if (entry.path().extension() == ".msh") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ShippedMesh : public testing::TestWithParam<std::string> {
 protected:
  TetMesh mesh() const { return read_tet_mesh(models / (GetParam() + ".msh")); }
};

TEST_P(ShippedMesh, HasSixRigidModesAndNoMore) {
  const DeformationModel model = make_elastic_model(mesh(), polyethylene);
  const MatX R = rigid_modes(model.nodes);
  EXPECT_LT((model.K * R).cwiseAbs().maxCoeff(),
            1e-12 * (model.K.cwiseAbs() * R.cwiseAbs()).maxCoeff());
  const Vibration vibration = lowest_vibrations(model, {}, 7);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(vibration.frequencies_hz[k], 0.0);
  EXPECT_GT(vibration.frequencies_hz[6], 10.0);
}

TEST_P(ShippedMesh, CanBeSimulated) {
  EXPECT_TRUE(check_mesh(mesh(), {}).empty());
}

INSTANTIATE_TEST_SUITE_P(Models, ShippedMesh, testing::ValuesIn(shipped_meshes()),
                         [](const auto& info) { return info.param; });

TEST(Clip, OpensUnderTipForcesAsAnIndependentProgramSays) {
  // CalculiX 2.20, C3D10, linear statics on the same mesh: handle fixed, 1 N apart on the three
  // nodes of each throat row
  const TetMesh mesh = read_tet_mesh(models / "clip_500.msh");
  const DeformationModel model = make_elastic_model(mesh, polyethylene);
  ComplianceOptions options;
  options.precompute = false;
  const Compliance compliance(model, model.K, model.region_nodes("handle"), options);
  MatX f = MatX::Zero(3 * model.node_count(), 1);
  std::vector<int> rows[2];
  for (int node = 0; node < model.node_count(); ++node) {
    const Vec3 x = model.nodes[uz(node)] + model.mass.centre;
    const bool is_on_row = std::abs(std::abs(x.x()) - 0.01090407703720383) < 1e-9 &&
                           std::abs(x.y() + 0.0059130711674974567) < 1e-9;
    if (!is_on_row) continue;
    rows[x.x() > 0.0 ? 0 : 1].push_back(node);
    f(3 * node, 0) = (x.x() > 0.0 ? 1.0 : -1.0) / 3.0;
  }
  ASSERT_EQ(rows[0].size(), 3u);
  ASSERT_EQ(rows[1].size(), 3u);
  compliance.solve(f);
  const auto mean = [&](const std::vector<int>& nodes, int d) {
    double sum = 0.0;
    for (const int node : nodes) sum += f(3 * node + d, 0);
    return sum / static_cast<double>(nodes.size());
  };
  EXPECT_NEAR(mean(rows[0], 0), 1.704009e-4, 1e-5 * 1.704e-4);
  EXPECT_NEAR(mean(rows[0], 1), 2.52496e-5, 1e-5 * 2.525e-5);
  EXPECT_NEAR(mean(rows[0], 0) - mean(rows[1], 0), 3.408017e-4, 1e-5 * 3.408e-4);
}

TEST(ElasticModel, OrdersContactThenSurfaceThenInside) {
  const TetMesh mesh = make_box({0.2, 0.1, 0.1}, {4, 3, 3}, ElementType::tet10);
  const DeformationModel model =
      make_elastic_model(mesh, polyethylene, {.contact_regions = {"z1", "x0"}});
  const Surface boundary = extract_surface(mesh);
  ASSERT_EQ(model.surface_count(), boundary.point_count());
  for (int i = 0; i < model.node_count(); ++i) {
    const Vec3 x = model.nodes[uz(i)] + model.mass.centre;
    EXPECT_LT((x - mesh.nodes[uz(model.mesh_nodes[uz(i)])]).norm(), 1e-15);
    const bool is_contact = x.z() > 0.1 - 1e-9 || x.x() < 1e-9;
    EXPECT_EQ(i < model.contact_count, is_contact) << i;
  }
  EXPECT_THROW(make_elastic_model(mesh, polyethylene, {.contact_regions = {"nowhere"}}),
               InputError);
}

TEST(ElasticModel, TakesATotalMassInsteadOfADensity) {
  const TetMesh mesh = make_box({0.2, 0.1, 0.1}, {2, 1, 1}, ElementType::tet4);
  const DeformationModel model = make_elastic_model(mesh, {1e6, 0.3, 0.0}, {.total_mass = 0.015});
  EXPECT_NEAR(model.mass.mass, 0.015, 1e-15);
  EXPECT_LT((model.mass.centre - Vec3(0.1, 0.05, 0.05)).norm(), 1e-14);
  EXPECT_NEAR(model.mass.inertia(0, 0), 0.015 * (0.01 + 0.01) / 12.0, 1e-15);
}

TEST(RegionLoad, HasTheGivenResultant) {
  for (const ElementType type : {ElementType::tet4, ElementType::tet10}) {
    const TetMesh mesh = make_box({0.2, 0.1, 0.1}, {3, 2, 2}, type);
    const Vec3 force(1.0, -2.0, 3.0);
    const Region& side = *mesh.find_region("x1");
    const VecX load = region_load(mesh.nodes, side, force);
    const Vec6 resultant = rigid_modes(mesh.nodes).transpose() * load;
    EXPECT_LT((resultant.head<3>() - force).norm(), 1e-14);
    const Region everything{"all", 0, {}, {}, 0, side.nodes};
    const Vec6 shared =
        rigid_modes(mesh.nodes).transpose() * region_load(mesh.nodes, everything, force);
    EXPECT_LT((shared.head<3>() - force).norm(), 1e-14);
    // through the middle of the side
    const Vec3 moment = Vec3(0.2, 0.05, 0.05).cross(force);
    EXPECT_LT((resultant.tail<3>() - moment).norm(), 1e-14);
  }
}

class MatrixModelFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("stickslip_matrices_{}", ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const Surface surface = extract_surface(mesh_);
    auto obj = fmt::output_file((folder_ / "surface.obj").string());
    for (const Vec3& x : mesh_.nodes) obj.print("v {} {} {}\n", x.x(), x.y(), x.z());
    for (const auto& t : surface.triangles) {
      obj.print("f {} {} {}\n", surface.mesh_nodes[uz(t[0])] + 1, surface.mesh_nodes[uz(t[1])] + 1,
                surface.mesh_nodes[uz(t[2])] + 1);
    }
    write("K.mtx", assemble_stiffness(mesh_, polyethylene), true);
    write("M.mtx", assemble_mass(mesh_, polyethylene.density, MassKind::lumped), false);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const char* name, const SparseMatrix& A, bool is_symmetric) const {
    auto file = fmt::output_file((folder_ / name).string());
    file.print("%%MatrixMarket matrix coordinate real {}\n% a comment\n",
               is_symmetric ? "symmetric" : "general");
    std::vector<std::string> lines;
    for (int j = 0; j < A.cols(); ++j) {
      for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry) {
        if (is_symmetric && entry.row() < j) continue;
        lines.push_back(fmt::format("{} {} {}\n", entry.row() + 1, j + 1, entry.value()));
      }
    }
    file.print("{} {} {}\n", A.rows(), A.cols(), lines.size());
    for (const std::string& line : lines) file.print("{}", line);
  }
  void overwrite(const char* name, const std::string& text) const {
    fmt::output_file((folder_ / name).string()).print("{}", text);
  }

  TetMesh mesh_ = make_box({0.2, 0.1, 0.1}, {3, 2, 2}, ElementType::tet4);
  fs::path folder_;
};

TEST_F(MatrixModelFile, GivesBackTheModelThatWasWritten) {
  const DeformationModel model = read_matrix_model(folder_);
  const DeformationModel expected =
      make_elastic_model(mesh_, polyethylene, {.mass_kind = MassKind::lumped});
  EXPECT_EQ(model.surface_count(), expected.surface_count());
  EXPECT_LT(model.surface_count(), model.node_count());
  EXPECT_LT((MatX(model.K) - MatX(expected.K)).norm(), 1e-14 * expected.K.norm());
  EXPECT_LT((MatX(model.M) - MatX(expected.M)).norm(), 1e-14 * expected.M.norm());
  EXPECT_NEAR(model.mass.mass, expected.mass.mass, 1e-12);
  EXPECT_EQ(model.D.nonZeros(), 0);
}

TEST_F(MatrixModelFile, RefusesWhatIsBroken) {
  EXPECT_THROW(read_matrix_model(folder_ / "nowhere"), InputError);
  for (const char* text :
       {"", "hello\n", "%%MatrixMarket matrix array real general\n1 1\n1\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1.0\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 1\n0 1 1.0\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 nan\n",
        "%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 1.0\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 2000000000\n1 1 1.0\n",
        "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1.0\n"}) {
    overwrite("K.mtx", text);
    EXPECT_THROW(read_matrix_model(folder_), InputError) << text;
  }
}

}  // namespace
}  // namespace stickslip
