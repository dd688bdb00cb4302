#pragma once

#include <memory>

#include "python/bindings/scene_run.hpp"

namespace stickslip::python {

/// One body of a scene, which it keeps alive.
struct BodyView {
  std::shared_ptr<SceneRun> run;
  std::size_t index;

  const SceneBody& scene_body() const { return run->scene().bodies[index]; }
  const Body& body() const { return scene_body().body; }
  const BodyState& state() const { return run->state().bodies[index]; }
};

}  // namespace stickslip::python
