#include "stickslip/simulation/step_memory.hpp"

#include <gtest/gtest.h>

#include "stickslip/simulation/step.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/held_tool.hpp"

namespace stickslip {
namespace {

using testing_support::tool_scene;

/// The cube of a tool over a floor that gives way.
Scene elastic_scene(bool has_table) {
  Scene scene = tool_scene(1e-3, 0.0, 0.5);
  const TetMesh mesh = make_box({0.1, 0.1, 0.02}, {6, 6, 2}, ElementType::tet4);
  const DeformationModel model = make_elastic_model(mesh, {1e6, 0.4, 1000.0});
  DeformationOptions options;
  options.compliance.precompute = has_table;
  scene.bodies[0].body = make_deformable_body(model, model.region_nodes("z0"), options);
  return scene;
}

/// Bodies of which some may touch while others do not: W may be sparse.
Scene three_cubes() {
  Scene scene = tool_scene(1e-3, 0.0, 0.5);
  for (int k = 0; k < 2; ++k) scene.bodies.push_back(scene.bodies[1]);
  return scene;
}

double bytes_asked(Scene scene, int budget) {
  scene.simulation.contact_budget = budget;
  const std::size_t before = testing_support::allocated_bytes();
  const StepData data(scene);
  return static_cast<double>(testing_support::allocated_bytes() - before);
}

TEST(StepMemory, WhatContactsNeedIsForetold) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  for (Scene scene : {tool_scene(1e-3, 0.0, 0.5), tool_scene(1e-3, 0.0, 0.5, 2), three_cubes(),
                      elastic_scene(true), elastic_scene(false)}) {
    for (const int budget : {300, 1000, 2500}) {
      scene.simulation.contact_budget = budget;
      const double told = bytes_for_contacts(scene);
      const double asked = bytes_asked(scene, budget) - bytes_asked(scene, 1);
      EXPECT_GT(told, asked / 1.3) << budget;
      EXPECT_LT(told, 1.3 * asked) << budget;
    }
  }
  // the budget that once locked all there was
  Scene scene = tool_scene(1e-3, 0.0, 0.5);
  scene.simulation.contact_budget = 10'000;
  EXPECT_NEAR(bytes_for_contacts(scene), 29e9, 1e9);
}

}  // namespace
}  // namespace stickslip
