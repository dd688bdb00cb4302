#pragma once

#include <span>
#include <vector>

#include "stickslip/body/body.hpp"
#include "stickslip/contact/contact_memory.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/proximity/proximity.hpp"

namespace stickslip {

/// A body in the middle of a step: its state at the beginning, its free motion computed.
struct MovingBody {
  const Body* body = nullptr;
  const BodyState* state = nullptr;
  BodyStep* step = nullptr;
};

/// One contact of a step.
struct Contact {
  Proximity where;
  Mat3 axes;           ///< rows n, t1, t2 (contact_axes)
  double mu = 0.0;     ///< friction coefficient
  bool is_new = true;  ///< it was not there at the last step
  Vec3 delta_free;     ///< (Eq. 20) gap and slip at the end of the free motion [m]
  Vec3 initial_force;  ///< warm start of the solver, along the axes [N]
  // what explicit laws go by, along the axes
  Vec3 velocity;          ///< of P against Q over the last step [m/s]
  Vec3 initial_spring;    ///< initial_force less what dampers had in its friction [N]
  Vec3 viscous_friction;  ///< what a law's dampers have in the friction that it finds [N]
  // where it would stick: see RememberedContact
  SurfacePoint anchor_P;
  SurfacePoint anchor_Q;
  Vec3 anchor_offset;
};

/// Makes the contact of a proximity that was found at the beginning of the step. The gap is
/// measured along n at the end of the free motion, (Eqs. 13, 14) delta_n_free = n . (P - Q).
/// Slip is counted over the step, plus what a sticking contact has already drifted from its
/// anchor, so that stick means standing where it stuck (stabilisation, of positions).
Contact make_contact(const Proximity& where, std::span<const MovingBody> bodies, double mu,
                     const ContactMemory& memory);

/// Whether a contact with this force, along its axes, is held by friction.
bool sticks(const Vec3& force, double mu);

/// How far P goes against Q from the beginning of the step to the given states of all bodies, world
/// axes. Exact shapes roll: the points that touch change all the time, and what they go is linear
/// in the turn, not the arc on which a single point leaves. [m]
Vec3 relative_motion(const Contact& contact, std::span<const MovingBody> bodies,
                     std::span<const BodyState> states);

/// (Eq. 5) The gap of a contact in the given states of all bodies, as the solve measures it. [m]
double gap(const Contact& contact, std::span<const MovingBody> bodies,
           std::span<const BodyState> states);

/// What the contact leaves to the next step under this force, along its axes, after it moved with
/// this velocity, world axes.
RememberedContact remembered(const Contact& contact, const Vec3& force,
                             const Vec3& velocity = Vec3::Zero());

}  // namespace stickslip
