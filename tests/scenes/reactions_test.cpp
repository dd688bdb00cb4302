#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "tests/scenes/reordered_proximity.hpp"
#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::ContactOrder;
using testing_support::in_order;
using testing_support::SceneRun;
using testing_support::shelf;

/// Forgets the forces, so that the next solve starts from nothing, but not where contacts stick.
void forget_forces(ContactMemory& memory) {
  std::vector<RememberedContact> contacts(memory.contacts().begin(), memory.contacts().end());
  memory.clear();
  for (RememberedContact& contact : contacts) {
    contact.force.setZero();
    memory.remember(contact);
  }
  memory.sort();
}

/// The forces of all contacts in an order of their own, whatever the order of the solve.
std::vector<Vec3> forces(const SceneRun& run) {
  std::vector<Vec3> all;
  for (const RememberedContact& contact : run.state.contacts.contacts()) {
    all.push_back(contact.force);
  }
  return all;
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    largest = std::max(largest, (a[k] - b[k]).norm());
  }
  return largest;
}

struct Legs {
  const char* name;
  const char* mesh;
};

class HyperstaticTable : public testing::TestWithParam<Legs> {
 protected:
  static std::vector<std::string> overrides(double mu) {
    return {std::string("body.table.mesh=\"models/") + GetParam().mesh + "\"",
            "simulation.tolerance=1e-10", "body.table.cache=false",
            "contact.friction=" + std::to_string(mu)};
  }
};

TEST_P(HyperstaticTable, TheFeetCarryWeightAndLoadWithoutAMoment) {
  SceneRun run("hyperstatic_table", overrides(0.3));
  run.run(1.0);
  const Vec3 load(0.0, 0.0, -5.0);
  const Vec3 down = run.weight("table") + load;
  const Vec3 up = run.force_on("table");
  EXPECT_LT((up + down).norm(), 1e-9 * down.norm());

  // about the centre of mass: the load acts in the middle of its nodes
  Vec3 middle = Vec3::Zero();
  int count = 0;
  for (const Vec3& node : read_tet_mesh(shelf / "models" / GetParam().mesh).nodes) {
    if (node.x() < 0.025 || node.y() < 0.01 || node.z() < 0.0595) continue;
    middle += node;
    ++count;
  }
  middle /= count;
  const FrameState& frame = run.frame("table");
  const Vec3 centre_at_start = run.data.initial_frames[uz(run.body("table"))].position;
  Vec3 moment = (frame.orientation * (middle - centre_at_start)).cross(load);
  for (const ContactReport& contact : run.contacts()) {
    const bool is_first = contact.body_1 == run.body("table");
    const Vec3 place = is_first ? contact.P : contact.Q;
    moment += (place - frame.position).cross(is_first ? contact.force : Vec3(-contact.force));
  }
  EXPECT_LT(moment.norm(), 1e-9 * down.norm() * 0.1);
}

/// Largest difference of reactions, relative to their sum, between a step and the same step with
/// its contacts in other orders or its solve started from nothing, tried on the way.
double reaction_spread(const std::vector<std::string>& overrides) {
  SceneRun run("hyperstatic_table", overrides);
  SceneRun cold("hyperstatic_table", overrides);
  SceneRun reversed("hyperstatic_table", overrides, in_order(ContactOrder::reversed));
  SceneRun shuffled("hyperstatic_table", overrides, in_order(ContactOrder::shuffled));
  double spread = 0.0;
  for (int k = 0; k < 150; ++k) {
    const bool is_tried = k % 15 == 0;
    if (is_tried) {
      for (SceneRun* other : {&cold, &reversed, &shuffled}) other->state = run.state;
      forget_forces(cold.state.contacts);
      for (SceneRun* other : {&cold, &reversed, &shuffled}) {
        EXPECT_TRUE(other->advance().is_converged);
      }
    }
    EXPECT_TRUE(run.advance().is_converged);
    if (!is_tried) continue;
    const double sum = run.force_on("table").norm();
    for (const SceneRun* other : {&cold, &reversed, &shuffled}) {
      spread = std::max(spread, largest_difference(forces(run), forces(*other)) / sum);
    }
  }
  return spread;
}

TEST_P(HyperstaticTable, ReactionsAreTheSameWhateverTheOrderAndTheStart) {
  for (const double mu : {0.0, 0.15, 0.3}) EXPECT_LT(reaction_spread(overrides(mu)), 1e-6) << mu;
}

TEST_P(HyperstaticTable, BeyondAFrictionOfThreeTenthsTheSpreadIsTold) {
  // Coulomb's solutions need not be unique there
  for (const double mu : {0.6, 1.0}) {
    const double spread = reaction_spread(overrides(mu));
    RecordProperty(fmt::format("spread_at_friction_{}", mu), fmt::format("{:.1e}", spread));
    EXPECT_LT(spread, 0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, HyperstaticTable,
                         testing::Values(Legs{"FourLegs", "table_500.msh"},
                                         Legs{"FiveLegs", "table_five_500.msh"}),
                         [](const auto& info) { return info.param.name; });

/// Sums of the contact forces over the quarters of the block's base, as shares of its weight.
std::vector<double> quarters(const SceneRun& run) {
  std::vector<double> shares(4);
  const double weight = run.weight("block").norm();
  for (const ContactReport& contact : run.contacts()) {
    const Vec3& place = contact.P;
    const double up = std::abs(contact.force.z()) / weight;
    // nodes on a middle line belong to both sides
    for (std::size_t q = 0; q < 4; ++q) {
      const double x = place.x() * (q % 2 == 0 ? 1.0 : -1.0);
      const double y = place.y() * (q < 2 ? 1.0 : -1.0);
      shares[q] += up * (x > 1e-6 ? 1.0 : (x > -1e-6 ? 0.5 : 0.0)) *
                   (y > 1e-6 ? 1.0 : (y > -1e-6 ? 0.5 : 0.0));
    }
  }
  return shares;
}

TEST(QuasiRigidBlock, HasReactionsThatAreUniqueAndEvenWhereARigidOneHasNot) {
  for (const std::string kind : {"quasi-rigid", "rigid"}) {
    const std::vector<std::string> overrides = {"body.block.kind=\"" + kind + "\""};
    SceneRun run("quasi_rigid_block", overrides);
    SceneRun other("quasi_rigid_block", overrides, in_order(ContactOrder::shuffled));
    run.run(0.5);
    for (int k = 0; k < 250; ++k) {
      forget_forces(other.state.contacts);
      other.advance();
    }
    const double weight = run.weight("block").norm();
    EXPECT_NEAR(run.force_on("block").z(), weight, 1e-9 * weight);
    EXPECT_LT((run.frame("block").position - other.frame("block").position).norm(), 1e-9);
    const double difference = largest_difference(forces(run), forces(other)) / weight;
    if (kind == "rigid") {
      EXPECT_GT(difference, 0.1);
      continue;
    }
    EXPECT_LT(difference, 1e-6);
    // the diagonals of its mesh leave a little unevenness
    for (const double share : quarters(run)) EXPECT_NEAR(share, 0.25, 0.01);
  }
}

TEST(QuasiRigidBlock, MovesAsTheRigidOne) {
  // pushed until it slides
  const auto slide = [](const std::string& kind) {
    auto run = std::make_unique<SceneRun>(
        "quasi_rigid_block", std::vector<std::string>{"body.block.kind=\"" + kind + "\"",
                                                      "simulation.gravity=[5, 1, -9.81]"});
    run->run(0.5);
    return run->frame("block");
  };
  const FrameState rigid = slide("rigid");
  const FrameState quasi_rigid = slide("quasi-rigid");
  EXPECT_GT(rigid.position.x(), 0.1);
  EXPECT_LT((rigid.position - quasi_rigid.position).norm(), 1e-6 * rigid.position.x());
  EXPECT_LT(rigid.orientation.angularDistance(quasi_rigid.orientation), 1e-5);
}

}  // namespace
}  // namespace stickslip
