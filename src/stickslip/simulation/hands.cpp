#include "stickslip/simulation/hands.hpp"

#include <algorithm>

namespace stickslip {

namespace {

/// Takes hold of the nearest handle within reach.
void take_hold(const Hand& hand, const Pose& pose, const State& state, HandState& holding) {
  double nearest = hand.reach;
  for (const Handle& handle : hand.handles) {
    const Pose grip = grip_pose(state.bodies[uz(handle.body)].frame, handle.grip);
    const double distance = (grip.position - pose.position).norm();
    if (distance > nearest) continue;
    nearest = distance;
    holding.body = handle.body;
    holding.grip = handle.grip;
    holding.target = grip;
    holding.settle(pose, grip);
  }
}

void update(const Hand& hand, const HandInput& input, const State& state, HandState& holding) {
  const bool is_pressed = input.wants_hold && !holding.wanted_hold;
  holding.wanted_hold = input.wants_hold;
  if (!input.wants_hold) holding.body = -1;
  if (is_pressed) take_hold(hand, input.pose, state, holding);
  if (holding.body < 0) return;
  if (input.restarts) {
    holding.target = grip_pose(state.bodies[uz(holding.body)].frame, holding.grip);
  }
  if (input.restarts || input.is_clutched) holding.settle(input.pose, holding.target);
}

/// How the frame of a free body moved over a step, lifted overlaps apart.
Vec6 displacement_over(const BodyStep& step) {
  return step.frame.displacement + step.frame.compliance * step.contact_wrench;
}

/// The number of a body among the tools, or -1.
int tool_of(const PublishedStep& published, int body) {
  const auto found = std::find_if(published.tools.begin(), published.tools.end(),
                                  [&](const PublishedTool& tool) { return tool.body == body; });
  return found == published.tools.end() ? -1 : static_cast<int>(found - published.tools.begin());
}

/// Along the edge that a point lies on; zero where it lies on none, or at its end.
Vec3 edge_at(const MovingBody& moving, const SurfacePoint& point) {
  if (std::count(point.weight.begin(), point.weight.end(), 0.0) != 1) return Vec3::Zero();
  Vec3 ends = Vec3::Zero();
  double sign = 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (point.weight[k] == 0.0) continue;
    ends += sign * moving.body->position(*moving.state, {{point.corner[k]}, {1.0}});
    sign = -1.0;
  }
  return ends.normalized();
}

/// Of a body that is an exact shape, about a point of it where it is touched along n.
Roundness roundness_at(const Scene& scene, int body, const BodyState& state, const Vec3& point,
                       const Vec3& n) {
  const auto& shape = scene.bodies[uz(body)].exact;
  if (!shape) return {};
  const FrameState& frame = state.frame;
  const Vec3 local = frame.orientation.conjugate() * (point - frame.position);
  const double up = std::clamp(local.z(), -shape->half_length, shape->half_length);
  Roundness round;
  round.radius = frame.orientation * (local - Vec3(0.0, 0.0, up));
  // on a rim or a flat end it is not
  constexpr double same_direction = 1.0 - 1e-6;
  if (std::abs(round.radius.dot(n)) < same_direction * shape->radius) return {};
  if (!shape->has_round_ends) round.axis = frame.orientation * Vec3::UnitZ();
  return round;
}

/// What the normal of a contact turns with.
NormalOf owner_of_normal(const Proximity& where, const PublishedContact& contact) {
  if (where.kind == FeatureKind::face_vertex && contact.tool_1 >= 0) return NormalOf::tool_1;
  if (where.kind == FeatureKind::vertex_face && contact.tool_2 >= 0) return NormalOf::tool_2;
  const bool has_edges = !contact.edge_1.isZero() && !contact.edge_2.isZero();
  return has_edges ? NormalOf::edges : NormalOf::none;
}

void publish_contact(const Scene& scene, const Contact& contact, const StepData& data,
                     const PublishedStep& published, PublishedContact& to) {
  // from the centre of mass at the beginning of the step
  const auto arm = [&](int body, const SurfacePoint& point) {
    const MovingBody& moving = data.moving[uz(body)];
    return Vec3(moving.body->position(*moving.state, point) - moving.state->frame.position);
  };
  to.axes = contact.axes;
  to.tool_1 = tool_of(published, contact.where.body_1);
  to.tool_2 = tool_of(published, contact.where.body_2);
  if (to.tool_1 >= 0) to.arm_1 = arm(contact.where.body_1, contact.where.P);
  if (to.tool_2 >= 0) to.arm_2 = arm(contact.where.body_2, contact.where.Q);
  to.edge_1.setZero();
  to.edge_2.setZero();
  if (contact.where.kind == FeatureKind::edge_edge) {
    to.edge_1 = edge_at(data.moving[uz(contact.where.body_1)], contact.where.P);
    to.edge_2 = edge_at(data.moving[uz(contact.where.body_2)], contact.where.Q);
  }
  to.normal_of = owner_of_normal(contact.where, to);
  const auto round = [&](int body, const SurfacePoint& point) {
    const MovingBody& moving = data.moving[uz(body)];
    return roundness_at(scene, body, *moving.state, moving.body->position(*moving.state, point),
                        contact.axes.row(0));
  };
  to.round_1 = round(contact.where.body_1, contact.where.P);
  to.round_2 = round(contact.where.body_2, contact.where.Q);
}

}  // namespace

void apply_hands(const Scene& scene, State& state, StepData& data) {
  data.hands_before = state.hands;
  for (std::size_t h = 0; h < scene.hands.size(); ++h) {
    HandState& holding = state.hands[h];
    update(scene.hands[h], data.hand_inputs[h], state, holding);
    if (holding.body < 0) continue;
    data.targets_before[h] = holding.target;
    const Pose target = holding.target_of(data.hand_inputs[h].pose);
    const auto b = uz(holding.body);
    data.couplings[h] = Coupling(scene.hands[h].gains, state.bodies[b].frame, holding.grip,
                                 holding.target, target, scene.simulation.dt);
    data.couplings[h].add_to(data.loads[b].frame);
    holding.target = target;
  }
}

void render_wrenches(const Scene& scene, const State& state, StepData& data) {
  for (std::size_t h = 0; h < scene.hands.size(); ++h) {
    data.hand_wrenches[h].setZero();
    if (state.hands[h].body < 0 || data.report.was_restored) continue;
    const BodyStep& step = data.body_steps[uz(state.hands[h].body)];
    const Vec6 moved = displacement_over(step);
    const Coupling& coupling = data.couplings[h];
    data.hand_wrenches[h] = -coupling.at_grip(coupling.wrench(moved, step.frame.dt));
  }
}

namespace {

PublishedTool publish_tool(const Scene& scene, const StepData& data, int body) {
  const auto b = uz(body);
  const RigidFrame& rigid = scene.bodies[b].body.frame();
  const FrameStep& step = data.body_steps[b].frame;
  const FrameLoad& load = data.loads[b].frame;
  PublishedTool tool;
  tool.body = body;
  tool.frame = data.before[b].frame;
  tool.compliance = step.compliance;
  tool.displacement = step.displacement;
  tool.inertia = step.inertia;
  tool.K_c = load.K_c;
  tool.B_c = load.B_c;
  tool.momentum = step.inertia * step.inertial_displacement / step.dt;
  tool.wrench = load.wrench + load.spring_wrench;
  tool.wrench.head<3>() += rigid.mass() * load.gravity;
  tool.wrench.tail<3>() += step.sag_torque;
  return tool;
}

void publish_tools(const Scene& scene, const State& state, const StepData& data,
                   PublishedStep& published) {
  published.tools.clear();
  for (std::size_t h = 0; h < scene.hands.size(); ++h) {
    PublishedHand& hand = published.hands[h];
    hand.state = state.hands[h];
    hand.gains = scene.hands[h].gains;
    hand.coupling = data.couplings[h];
    hand.target_before = data.targets_before[h];
    hand.tool = hand.state.body < 0 ? -1 : tool_of(published, hand.state.body);
    if (hand.state.body < 0 || hand.tool >= 0) continue;
    hand.tool = static_cast<int>(published.tools.size());
    published.tools.push_back(publish_tool(scene, data, hand.state.body));
  }
  // the hands' own part is known by where they are
  for (const PublishedHand& hand : published.hands) {
    if (hand.tool >= 0) published.tools[uz(hand.tool)].wrench -= hand.coupling.wrench_at_rest;
  }
}

/// A force that stays while the tools move.
void add_load(const PublishedContact& contact, const Vec3& f, std::span<PublishedTool> tools) {
  const auto add = [&](int tool, const Vec6& wrench) {
    if (tool < 0) return;
    tools[uz(tool)].wrench += wrench;
    tools[uz(tool)].displacement += tools[uz(tool)].compliance * wrench;
  };
  const Vec3 force = contact.axes.transpose() * f;
  add(contact.tool_1, wrench_at(force, contact.arm_1));
  add(contact.tool_2, wrench_at(-force, contact.arm_2));
}

void publish_group(const Scene& scene, std::span<const int> members,
                   const StepData::GroupProblem& from, const StepData& data,
                   PublishedStep& published) {
  PublishedGroup& group = published.groups[uz(published.group_count++)];
  group.take(from.problem, from.f);
  auto next = group.chosen.begin();
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Contact& contact = data.contacts[uz(members[k])];
    if (next != group.chosen.end() && uz(*next) == k) {
      const auto c = next++ - group.chosen.begin();
      publish_contact(scene, contact, data, published, group.contacts[uz(c)]);
      // what turning adds is found by the loop itself
      group.problem.delta_free[3 * c] -= contact.where.turning;
      continue;
    }
    // the forces of the others are loads of the tools
    const Vec3 f = from.f.segment<3>(static_cast<int>(3 * k));
    if (f.isZero(0.0)) continue;
    PublishedContact other;
    publish_contact(scene, contact, data, published, other);
    add_load(other, f, published.tools);
  }
}

/// What gravity and drives put into the scene over the step, apart from the hands. [J]
double supplied_by_others(const Scene& scene, const State& state, const StepData& data) {
  double supplied = data.report.energy.work_in;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const RigidFrame& frame = scene.bodies[b].body.frame();
    supplied += frame.mass() * scene.simulation.gravity.dot(state.bodies[b].frame.position -
                                                            data.before[b].frame.position);
  }
  for (std::size_t h = 0; h < scene.hands.size(); ++h) {
    if (state.hands[h].body < 0) continue;
    const BodyStep& step = data.body_steps[uz(state.hands[h].body)];
    const Vec6 moved = displacement_over(step);
    supplied -= data.couplings[h].wrench(moved, step.frame.dt).dot(moved);
  }
  return supplied;
}

}  // namespace

PublishedStep make_published_step(const Scene& scene) {
  PublishedStep published;
  published.hands.resize(scene.hands.size());
  published.tools.reserve(scene.hands.size());
  published.groups.resize(scene.hands.size());
  for (PublishedGroup& group : published.groups) group.reserve(scene.simulation.contact_budget);
  return published;
}

void publish_step(const Scene& scene, const State& state, const StepData& data,
                  double supplied_before, PublishedStep& published) {
  published.dt = scene.simulation.dt;
  published.supplied = supplied_before + supplied_by_others(scene, state, data);
  publish_tools(scene, state, data, published);

  // the groups of contacts that the tools are in
  published.group_count = 0;
  for (int g = 0; g < data.groups.count(); ++g) {
    const auto members = data.groups.contacts(g);
    const auto pushes_tool = [&](int c) {
      const Proximity& where = data.contacts[uz(c)].where;
      return tool_of(published, where.body_1) >= 0 || tool_of(published, where.body_2) >= 0;
    };
    if (std::none_of(members.begin(), members.end(), pushes_tool)) continue;
    publish_group(scene, members, data.problems[uz(g)], data, published);
  }
}

}  // namespace stickslip
