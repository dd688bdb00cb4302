#include "stickslip/fem/compliance.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>

#include "stickslip/error.hpp"
#include "stickslip/fem/rigid_modes.hpp"

namespace stickslip {
namespace {

const Material rubber{1e6, 0.4, 1000.0};

DeformationModel box_model(const ModelOptions& options = {}) {
  return make_elastic_model(make_box({0.2, 0.1, 0.1}, {3, 2, 2}, ElementType::tet10), rubber,
                            options);
}

std::vector<SurfacePoint> some_points(const DeformationModel& model, int count) {
  std::vector<SurfacePoint> points;
  for (int i = 0; i < count; ++i) {
    const auto& triangle = model.surface.triangles[uz(17 * i % model.surface.triangle_count())];
    const double a = 0.1 + 0.05 * (i % 7);
    points.push_back({triangle, {a, 0.6 - a, 0.4}});
  }
  return points;
}

/// The compliance by dense algebra alone: K^-1 with held unknowns struck out, or the
/// pseudo-inverse between projections for a free body. (3 ns x 3 ns)
MatX dense_compliance(const DeformationModel& model, const std::vector<int>& held) {
  MatX K = model.K;
  const int n = static_cast<int>(K.rows());
  if (held.empty()) {
    const MatX R = rigid_modes(model.nodes);
    const MatX P = MatX::Identity(n, n) -
                   R * (R.transpose() * model.M * R).inverse() * R.transpose() * model.M;
    const Eigen::SelfAdjointEigenSolver<MatX> eigen(K);
    VecX inverse = eigen.eigenvalues();
    for (int i = 0; i < n; ++i) inverse[i] = i < 6 ? 0.0 : 1.0 / inverse[i];
    const MatX pseudo =
        eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
    const MatX C = P * pseudo * P.transpose();
    return C.topLeftCorner(3 * model.surface_count(), 3 * model.surface_count());
  }
  std::vector<int> kept;
  for (int i = 0; i < n; ++i) {
    if (std::find(held.begin(), held.end(), i / 3) == held.end()) kept.push_back(i);
  }
  const MatX inverse = MatX(K(kept, kept)).inverse();
  MatX C = MatX::Zero(n, n);
  C(kept, kept) = inverse;
  return C.topLeftCorner(3 * model.surface_count(), 3 * model.surface_count());
}

/// u += C H^T f by the table.
void add_answers_of_table(const Compliance& table, std::span<const SurfacePoint> points,
                          std::span<const Vec3> forces, VecX& u) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 force = points[i].weight[c] * forces[i];
      std::vector<Eigen::Array4d> sums(uz(static_cast<int>(u.size() / 3)), Eigen::Array4d::Zero());
      std::vector<int> all(sums.size());
      std::iota(all.begin(), all.end(), 0);
      table.add_answers({&points[i].corner[c], 1}, {&force, 1}, all, sums);
      for (std::size_t a = 0; a < sums.size(); ++a) {
        u.segment<3>(static_cast<int>(3 * a)) += sums[a].head<3>().matrix();
      }
    }
  }
}

MatX table_of(const Compliance& compliance, const DeformationModel& model) {
  MatX C(3 * model.surface_count(), 3 * model.contact_count);
  for (int a = 0; a < model.surface_count(); ++a) {
    for (int b = 0; b < model.contact_count; ++b) {
      C.block<3, 3>(3 * a, 3 * b) = compliance.block(a, b);
    }
  }
  return C;
}

class ComplianceOf : public testing::TestWithParam<bool> {
 protected:
  std::vector<int> held(const DeformationModel& model) const {
    return GetParam() ? std::vector<int>{} : model.region_nodes("x0");
  }
};

TEST_P(ComplianceOf, EqualsTheDenseInverse) {
  const DeformationModel model = box_model();
  const Compliance compliance(model, model.K, held(model), {});
  const MatX expected = dense_compliance(model, held(model));
  const MatX C = table_of(compliance, model);
  EXPECT_LT((C - expected).norm(), 1e-10 * expected.norm());
  EXPECT_EQ((C - C.transpose()).norm(), 0.0);
}

TEST_P(ComplianceOf, DependsNeitherOnThreadsNorOnChunks) {
  const DeformationModel model = box_model();
  ComplianceOptions one;
  one.threads = 1;
  ComplianceOptions three;
  three.threads = 3;
  EXPECT_EQ(table_of(Compliance(model, model.K, held(model), one), model),
            table_of(Compliance(model, model.K, held(model), three), model));
}

/// The whole of a matrix of which the blocks on and below the diagonal are given.
MatX whole(const MatX& lower) {
  MatX C = lower;
  for (int j = 0; j < C.cols(); j += 3) {
    C.block(j, j + 3, 3, C.cols() - j - 3) = lower.block(j + 3, j, C.cols() - j - 3, 3).transpose();
  }
  return C;
}

TEST_P(ComplianceOf, OnDemandEqualsPrecomputed) {
  const DeformationModel model = box_model();
  ComplianceOptions on_demand;
  on_demand.precompute = false;
  const Compliance table(model, model.K, held(model), {});
  const Compliance solves(model, model.K, held(model), on_demand);
  const auto points = some_points(model, 11);
  NodeShares shares(11);
  for (const SurfacePoint& point : points) shares.add(point);
  std::vector<Vec3> forces;
  for (int i = 0; i < 11; ++i) forces.emplace_back(i - 5.0, 1.0, 0.3 * i);

  MatX W[2];
  VecX u[2];
  const Compliance* both[2] = {&table, &solves};
  for (int k = 0; k < 2; ++k) {
    auto workspace = both[k]->make_workspace(11);
    W[k] = MatX::Zero(33, 33);
    u[k] = VecX::Zero(3 * model.surface_count());
    both[k]->compute_compliance(shares, workspace, W[k]);
    W[k] = whole(W[k]);
    if (both[k]->is_precomputed()) {
      add_answers_of_table(*both[k], points, forces, u[k]);
    } else {
      both[k]->add_surface_displacement(points, forces, workspace, u[k]);
    }
  }
  EXPECT_LT((W[0] - W[1]).norm(), 1e-11 * W[0].norm());
  EXPECT_LT((u[0] - u[1]).norm(), 1e-11 * u[0].norm());

  // what W says of the points is what the surface does there
  VecX f(33);
  for (int i = 0; i < 11; ++i) f.segment<3>(3 * i) = forces[uz(i)];
  const VecX moved = W[0] * f;
  for (int i = 0; i < 11; ++i) {
    Vec3 at = Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) {
      at += points[uz(i)].weight[c] * u[0].segment<3>(3 * points[uz(i)].corner[c]);
    }
    EXPECT_LT((at - moved.segment<3>(3 * i)).norm(), 1e-11 * moved.norm());
  }
}

TEST_P(ComplianceOf, PointsMayBeBoundToAnyNumberOfNodes) {
  const DeformationModel model = box_model();
  ComplianceOptions on_demand;
  on_demand.precompute = false;
  const Compliance table(model, model.K, held(model), {});
  const Compliance solves(model, model.K, held(model), on_demand);
  const MatX expected = dense_compliance(model, held(model));

  constexpr int count = 7;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (const bool has_turns : {false, true}) {
    // one node to seven of them; some share nodes
    NodeShares points(count, count);
    MatX H = MatX::Zero(3 * count, 3 * model.surface_count());
    for (int i = 0; i < count; ++i) {
      std::vector<NodeShares::Share> shares;
      std::vector<Mat3> turns;
      for (int a = 0; a <= i; ++a) {
        const int node = (7 * i + 11 * a) % model.surface_count();
        const bool is_turned = has_turns && i % 3 != 1;
        shares.push_back({node, i == 0 ? 1.0 : number(random)});
        turns.push_back(shares.back().weight * Mat3::Identity());
        if (is_turned) turns.back() = Mat3::NullaryExpr([&] { return number(random); });
        H.block<3, 3>(3 * i, 3 * node) += turns.back();
      }
      has_turns&& i % 3 != 1 ? points.add(shares, turns) : points.add(shares);
    }
    ASSERT_EQ(points.has_turns(), has_turns);
    const MatX by_definition = H * expected * H.transpose();
    for (const Compliance* compliance : {&table, &solves}) {
      auto workspace = compliance->make_workspace(3 * count);
      MatX C = MatX::Constant(3 * count, 3 * count, 1e9);
      compliance->compute_compliance(points, workspace, C);
      EXPECT_LT((whole(C) - by_definition).norm(), 1e-10 * by_definition.norm());
    }
  }
}

TEST_P(ComplianceOf, SmallTablesAreSymmetricToTheLastBitAndReadThemselves) {
  const DeformationModel model =
      make_elastic_model(make_box({0.03, 0.03, 0.02}, {2, 2, 1}, ElementType::tet4), rubber);
  const Compliance table(model, model.K, held(model), {});
  ASSERT_NE(table.symmetric_table(), nullptr);
  const MatX entries = table_of(table, model);
  EXPECT_EQ(entries, MatX(entries.transpose()));
  EXPECT_EQ(table.symmetric_table()[1], entries(1, 0));

  // vertices, places in triangles, and points that turn with their nodes
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (const bool has_turns : {false, true}) {
    constexpr int count = 12;
    NodeShares points(count);
    MatX H = MatX::Zero(3 * count, 3 * model.surface_count());
    for (int i = 0; i < count; ++i) {
      std::vector<NodeShares::Share> shares;
      std::vector<Mat3> turns;
      for (int a = 0; a < (i % 2 == 0 ? 1 : 3); ++a) {
        const int node = (7 * i + 5 * a) % model.surface_count();
        shares.push_back({node, i % 2 == 0 ? 1.0 : number(random)});
        turns.push_back(shares.back().weight * Mat3::Identity());
        if (has_turns) turns.back() = Mat3::NullaryExpr([&] { return number(random); });
        H.block<3, 3>(3 * i, 3 * node) += turns.back();
      }
      has_turns ? points.add(shares, turns) : points.add(shares);
    }
    const MatX by_definition = H * entries * H.transpose();
    auto workspace = table.make_workspace(count);
    MatX C = MatX::Constant(3 * count, 3 * count, 1e9);
    table.compute_compliance(points, workspace, C);
    EXPECT_LT((whole(C) - by_definition).norm(), 1e-13 * by_definition.norm());
  }
}

TEST_P(ComplianceOf, Float32ReportsItsError) {
  const DeformationModel model = box_model();
  ComplianceOptions single;
  single.precision = Precision::float32;
  const Compliance rounded(model, model.K, held(model), single);
  const MatX exact = table_of(Compliance(model, model.K, held(model), {}), model);
  const double error = (table_of(rounded, model) - exact).cwiseAbs().maxCoeff();
  EXPECT_GT(error, 0.0);
  EXPECT_NEAR(rounded.report().float32_error, error / exact.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(rounded.report().float32_error, 6e-8);
}

TEST_P(ComplianceOf, LimitedToARegionKeepsTheRowsOfTheWholeSurface) {
  const DeformationModel model = box_model({.contact_regions = {"z1"}});
  ASSERT_EQ(model.contact_count, static_cast<int>(model.region_nodes("z1").size()));
  ASSERT_LT(model.contact_count, model.surface_count());
  const Compliance compliance(model, model.K, held(model), {});
  const MatX expected = dense_compliance(model, held(model)).leftCols(3 * model.contact_count);
  EXPECT_LT((table_of(compliance, model) - expected).norm(), 1e-10 * expected.norm());
}

INSTANTIATE_TEST_SUITE_P(HeldAndFree, ComplianceOf, testing::Bool(),
                         [](const auto& info) { return info.param ? "AFreeBody" : "AHeldBody"; });

TEST(FreeBodyCompliance, IsPositiveSemiDefiniteAndYieldsNoRigidMotion) {
  const DeformationModel model = box_model();
  const Compliance compliance(model, model.K, {}, {});
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(table_of(compliance, model));
  EXPECT_GT(eigen.eigenvalues().minCoeff(), -1e-13 * eigen.eigenvalues().maxCoeff());

  // the answer to any load carries no momentum and no angular momentum
  const MatX R = rigid_modes(model.nodes);
  MatX F = MatX::Random(R.rows(), 5);
  compliance.solve(F);
  const MatX momentum = R.transpose() * (model.M * F);
  const MatX scale = R.cwiseAbs().transpose() * (model.M.cwiseAbs() * F.cwiseAbs());
  EXPECT_LT((momentum.array() / scale.array()).abs().maxCoeff(), 1e-10);

  // an inertial load strains nothing
  MatX inertial = model.M * R;
  const double load = inertial.norm();
  compliance.solve(inertial);
  EXPECT_LT(inertial.norm(), 1e-10 * load * eigen.eigenvalues().maxCoeff());
}

TEST(FreeBodyCompliance, SolvesTheSameInsideAndOutsideOfAStep) {
  const DeformationModel model = box_model();
  const Compliance compliance(model, model.K, {}, {});
  auto workspace = compliance.make_workspace(1);
  MatX F = MatX::Random(model.K.rows(), 1);
  VecX f = F.col(0);
  compliance.solve(F);
  compliance.solve_in_step(f, workspace);
  EXPECT_LT((f - F.col(0)).norm(), 1e-11 * f.norm());
}

TEST(FreeBodyCompliance, WithMassIsTheElasticPartOfTheDynamicOne) {
  // M/dt^2 + K is regular, yet its rigid motion belongs to the frame
  const DeformationModel model = box_model();
  const double dt = 1e-3;
  const SparseMatrix K_tilde = model.M / (dt * dt) + model.K;
  const Compliance compliance(model, K_tilde, {}, {}, Stiffness::with_inertia);
  const MatX R = rigid_modes(model.nodes);
  const MatX rigid = dt * dt * R * (R.transpose() * model.M * R).inverse() * R.transpose();
  const int rows = 3 * model.surface_count();
  const MatX expected = (MatX(K_tilde).inverse() - rigid).topLeftCorner(rows, rows);
  EXPECT_LT((table_of(compliance, model) - expected).norm(), 1e-9 * expected.norm());
}

TEST(Compliance, RefusesMoreThanTheMemoryLimitBeforeItAllocates) {
  const DeformationModel model = box_model();
  ComplianceOptions options;
  options.memory_limit_bytes = compliance_bytes(model, Precision::float64) - 1;
  EXPECT_THROW(Compliance(model, model.K, {}, options), InputError);
  options.precision = Precision::float32;
  EXPECT_NO_THROW(Compliance(model, model.K, {}, options));
}

TEST(Compliance, RefusesBodiesThatCouldStillMove) {
  const DeformationModel model = box_model();
  const auto refuses = [&](const DeformationModel& body, const std::vector<int>& held) {
    EXPECT_THROW(Compliance(body, body.K, held, {}), InputError) << held.size() << " held";
  };
  for (int a = 0; a < model.node_count(); a += 7) {
    refuses(model, {a});
    refuses(model, {a, (a + 11) % model.node_count()});
  }
  std::vector<int> in_line;
  for (int i = 0; i < model.node_count(); ++i) {
    const Vec3 x = model.nodes[uz(i)] + model.mass.centre;
    if (x.y() < 1e-9 && x.z() < 1e-9) in_line.push_back(i);
  }
  ASSERT_GE(in_line.size(), 3u);
  refuses(model, in_line);
  refuses(model, {model.node_count()});
  std::vector<int> all(uz(model.node_count()));
  for (int i = 0; i < model.node_count(); ++i) all[uz(i)] = i;
  refuses(model, all);

  // two boxes side by side, one held, or none
  TetMesh two = make_box({0.1, 0.1, 0.1}, {2, 2, 2}, ElementType::tet4);
  const TetMesh other = two;
  const int offset = two.node_count();
  for (const Vec3& node : other.nodes) two.nodes.emplace_back(node + Vec3(0.3, 0, 0));
  for (const int node : other.connectivity) two.connectivity.push_back(node + offset);
  const DeformationModel parts = make_elastic_model(two, rubber);
  refuses(parts, {});
  refuses(parts, parts.region_nodes("x0"));
}

TEST(Compliance, PassesOnWhatTheProgressCallbackThrows) {
  const DeformationModel model = box_model();
  for (const int threads : {1, 3}) {
    ComplianceOptions options;
    options.threads = threads;
    options.progress = [](double) { throw std::runtime_error("cancelled"); };
    EXPECT_THROW(Compliance(model, model.K, {}, options), std::runtime_error);
  }
}

class ComplianceCache : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("stickslip_cache_test_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    options_.cache = folder_;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path only_file() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      files.push_back(entry.path());
    }
    EXPECT_EQ(files.size(), 1u);
    return files.front();
  }

  std::filesystem::path folder_;
  ComplianceOptions options_;
  DeformationModel model_ = box_model();
};

TEST_F(ComplianceCache, GivesBackTheSameTable) {
  const Compliance first(model_, model_.K, {}, options_);
  const Compliance second(model_, model_.K, {}, options_);
  EXPECT_FALSE(first.report().was_cached);
  EXPECT_TRUE(second.report().was_cached);
  EXPECT_EQ(table_of(first, model_), table_of(second, model_));
}

TEST_F(ComplianceCache, IsKeyedByEverythingTheTableDependsOn) {
  const Compliance first(model_, model_.K, {}, options_);
  const auto was_cached = [&](const DeformationModel& model, const SparseMatrix& K,
                              const std::vector<int>& held, const ComplianceOptions& options) {
    return Compliance(model, K, held, options).report().was_cached;
  };
  ComplianceOptions single = options_;
  single.precision = Precision::float32;
  DeformationModel moved = model_;
  moved.nodes[0].x() += 1e-6;
  DeformationModel heavier = model_;
  heavier.M.coeffRef(0, 0) *= 1.001;
  EXPECT_TRUE(was_cached(model_, model_.K, {}, options_));
  EXPECT_FALSE(was_cached(model_, model_.K * 1.001, {}, options_));
  EXPECT_FALSE(was_cached(model_, model_.K, model_.region_nodes("x0"), options_));
  EXPECT_FALSE(was_cached(model_, model_.K, model_.region_nodes("x1"), options_));
  EXPECT_FALSE(was_cached(model_, model_.K, {}, single));
  EXPECT_FALSE(was_cached(heavier, model_.K, {}, options_));
  EXPECT_FALSE(was_cached(moved, model_.K, {}, options_));
  const DeformationModel limited = box_model({.contact_regions = {"z1"}});
  EXPECT_FALSE(was_cached(limited, limited.K, {}, options_));
}

TEST_F(ComplianceCache, IgnoresAndReplacesADamagedFile) {
  const MatX expected = table_of(Compliance(model_, model_.K, {}, options_), model_);
  const auto file = only_file();
  const auto size = std::filesystem::file_size(file);
  const auto damages = std::vector<std::function<void()>>{
      [&] { std::filesystem::resize_file(file, size / 2); },
      [&] { std::filesystem::resize_file(file, 0); },
      [&] { std::filesystem::resize_file(file, size + 1); },
      [&] {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(size / 3));
        stream.put('\x5a');
        stream.put('\xa5');
      },
      [&] {
        std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
        stream.put('x');
      },
  };
  for (const auto& damage : damages) {
    damage();
    const Compliance rebuilt(model_, model_.K, {}, options_);
    EXPECT_FALSE(rebuilt.report().was_cached);
    EXPECT_EQ(table_of(rebuilt, model_), expected);
    EXPECT_TRUE(Compliance(model_, model_.K, {}, options_).report().was_cached);
  }
}

}  // namespace
}  // namespace stickslip
