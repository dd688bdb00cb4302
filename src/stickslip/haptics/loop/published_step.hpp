#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/haptics/models/coupling.hpp"
#include "stickslip/haptics/models/hand.hpp"
#include "stickslip/math/capacity_vec.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

// What a step of the simulation leaves to the faster haptic loop (multirate rendering): its contact
// problem, reduced to the tools, which are held, and how the tools answer to the hands.

/// A held body over the step.
struct PublishedTool {
  int body = -1;
  FrameState frame;                  ///< at the beginning
  Mat6 compliance = Mat6::Zero();    ///< A_eff^-1
  Vec6 displacement = Vec6::Zero();  ///< of the free motion
  // what the free motion follows from: (A/dt^2 + B_c/dt + K_c) dq = momentum/dt + wrench + hands
  Mat6 inertia = Mat6::Zero();
  Mat6 K_c = Mat6::Zero();  ///< of everything that holds it, the hands included
  Mat6 B_c = Mat6::Zero();
  Vec6 momentum = Vec6::Zero();
  Vec6 wrench = Vec6::Zero();  ///< of gravity and drives
};

/// A hand over the step.
struct PublishedHand {
  int tool = -1;  ///< that it holds; -1: none
  HandState state;
  Pose target_before;  ///< of the grip, at the beginning of the step
  CouplingGains gains;
  Coupling coupling;
};

/// What the normal of a contact turns with.
enum class NormalOf : std::uint8_t {
  none,  ///< of what is no tool, or is not known
  tool_1,
  tool_2,
  edges,  ///< across an edge of either body
};

/// What an exact shape is about a contact: turned under it, it still has its surface there.
struct Roundness {
  Vec3 radius = Vec3::Zero();  ///< from its middle to the contact, world axes; zero: not round [m]
  Vec3 axis = Vec3::Zero();    ///< that it is round about; zero: about all

  /// Turns with its tool. How far the contact is then from where the turn takes its point.
  Vec3 turn(const Mat3& by);
};

/// One contact: which tools it pushes, 1 along its force and 2 against it, and where.
struct PublishedContact {
  Mat3 axes = Mat3::Identity();  ///< rows n, t1, t2
  int tool_1 = -1;
  int tool_2 = -1;
  Vec3 arm_1 = Vec3::Zero();  ///< from the centre of mass of the tool, world axes [m]
  Vec3 arm_2 = Vec3::Zero();
  NormalOf normal_of = NormalOf::none;
  Vec3 edge_1 = Vec3::Zero();  ///< along the edges, world axes
  Vec3 edge_2 = Vec3::Zero();
  Roundness round_1;
  Roundness round_2;
};

/// Of a force on a tool, so far from its centre of mass.
Vec6 wrench_at(const Vec3& force, const Vec3& arm);

/// Adds J^T f to the wrenches of the tools.
void add_force(const PublishedContact& contact, const Vec3& f, std::span<Vec6> wrenches);

/// Contacts of a group that the loop solves for at a tick, at most.
constexpr int most_contacts_of_tick = 64;

/// Contacts that depend on each other, with their problem and its solution.
struct PublishedGroup {
  std::vector<int> chosen;  ///< which contacts of the step's group they are, ascending
  std::vector<PublishedContact> contacts;
  ContactProblem problem;  ///< with a dense W
  CapacityVec f;
  CapacityVec u;  ///< W f + delta_free [m]

  /// Takes over a solved problem. Where it has more contacts than a tick solves for, those with the
  /// largest forces are chosen, then those nearest to touching; the forces of the others stay what
  /// they are, and what they move is part of delta_free.
  void take(const ContactProblem& from, const ConstVecView& from_f);

  /// Room for all that a tick solves for, out of so many contacts of a step.
  void reserve(int contact_count);
  void resize(int m);

 private:
  void choose(const ContactProblem& from, const ConstVecView& from_f);

  // scratch, of each contact of the step's group
  std::vector<int> loaded_;
  std::vector<double> gap_;
};

struct PublishedStep {
  std::uint64_t number = 0;  ///< counts the steps; 0: none yet
  double time_s = 0.0;       ///< of the loop when the hands were read that it used
  double dt = 0.0;
  double supplied = 0.0;  ///< put into the scene by gravity and drives since the start [J]
  std::vector<PublishedTool> tools;
  std::vector<PublishedHand> hands;
  std::vector<PublishedGroup> groups;  ///< those beyond group_count are spare
  int group_count = 0;
};

}  // namespace stickslip
