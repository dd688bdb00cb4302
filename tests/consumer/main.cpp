// Another project that uses the installed library: a box falls for a millisecond.

#include <cmath>

#include "stickslip/body/body.hpp"
#include "stickslip/version.hpp"

int main() {
  using namespace stickslip;
  const TetMesh mesh = make_box({0.1, 0.1, 0.1}, {2, 2, 2}, ElementType::tet10);
  const DeformationModel model = make_elastic_model(mesh, {1e6, 0.3, 1000.0});
  const Body body = make_corotational_body(model, {}, {});
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  BodyLoad load;
  load.frame.gravity = Vec3(0.0, 0.0, -9.81);
  body.compute_free_motion(state, load, 1e-3, step);
  body.correct({}, {}, step, state);
  return std::abs(state.frame.velocity.z() + 9.81e-3) < 1e-12 ? 0 : 1;
}
