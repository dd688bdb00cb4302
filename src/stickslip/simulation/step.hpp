#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "stickslip/contact/body_forces.hpp"
#include "stickslip/contact/body_groups.hpp"
#include "stickslip/contact/contact_law.hpp"
#include "stickslip/contact/contact_space.hpp"
#include "stickslip/contact/delassus.hpp"
#include "stickslip/contact/unbuilt_gauss_seidel.hpp"
#include "stickslip/math/capacity_vec.hpp"
#include "stickslip/motion/fast_motion.hpp"
#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/proximity/contact_choice.hpp"
#include "stickslip/proximity/proximity.hpp"
#include "stickslip/scene/scene.hpp"
#include "stickslip/scene/state.hpp"
#include "stickslip/solver/clock_answers.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// The stages of a step whose cost is told apart.
enum class Phase : std::uint8_t {
  free_motion,
  proximity,
  contact_space,
  delassus,
  solve,
  correct,
  total,
};
inline constexpr int phase_count = 7;
inline constexpr std::array<std::string_view, phase_count> phase_names = {
    "free_motion", "proximity", "contact_space", "delassus", "solve", "correct", "total"};

/// Energies of a step. [J]
struct EnergyReport {
  double total = 0.0;     ///< kinetic, elastic and potential, at the end of the step
  double work_in = 0.0;   ///< by the drives, over the step
  double friction = 0.0;  ///< lost to friction, over the step
};

struct StepReport {
  int contacts = 0;
  int loaded_contacts = 0;     ///< those that carry force
  int iterations = 0;          ///< of all solves
  int passes = 0;              ///< rounds of detection and solve
  int meeting_rounds = 0;      ///< rounds because of what bodies met on their way
  double error = 0.0;          ///< rescaled, of the forces at the end, the worst group's
  double penetration_m = 0.0;  ///< deepest overlap found at the beginning of the step
  double adhesion_N = 0.0;     ///< strongest pull of a contact
  double cone_excess_N = 0.0;  ///< of friction over its limit, the worst
  double stick_drift_m = 0.0;  ///< slip over the step of contacts below that limit, the largest
  double imbalance_N = 0.0;    ///< largest force left unbalanced on a node of a nonlinear body
  bool is_converged = true;
  bool met_deadline = true;
  bool was_restored = false;   ///< a number was not finite: bodies stand where they were, at rest
  bool was_held_back = false;  ///< bodies that no forces kept apart were stopped where they met
  EnergyReport energy;
  std::array<double, phase_count> phase_us = {};
};

/// What a drive is told for the end of a step: the value of its table, unless the caller gives one.
struct DriveInput {
  Vec6 value = Vec6::Zero();
  bool is_given = false;
};

/// What the frames of bodies that contacts link have gained over a step by nothing but those.
struct GroupGain {
  bool was_left_behind = false;  ///< one of them, on its way
  double kinetic = 0.0;          ///< energy at the end [J]
  double gain = 0.0;             ///< beyond that of the beginning and work from outside [J]
};

/// Scratch that a step rewrites; each field stands under the stage that writes it.
struct StepData {
  explicit StepData(const Scene& scene);

  std::unique_ptr<ProximityMethod> proximity;
  std::vector<FrameState> initial_frames;  ///< what motions and springs are relative to
  ClockAnswers clock_answers;              ///< of the last step; or given for the next
  std::vector<HandInput> hand_inputs;      ///< of the coming step, given from outside

  // compute_free_motion
  std::vector<DriveInput> inputs;  ///< one a drive
  std::vector<BodyStep> body_steps;
  std::vector<BodyLoad> loads;
  std::vector<std::vector<double>> load_cases;  ///< weights, of each body
  std::vector<MovingBody> moving;
  std::vector<Coupling> couplings;   ///< of each hand that holds something
  std::vector<Pose> targets_before;  ///< of their grips
  std::vector<HandState> hands_before;

  // find_proximities
  std::vector<std::vector<Vec3>> points;  ///< deformed, in the frame of each body
  std::vector<PlacedSurface> surfaces;
  std::vector<Proximity> found;
  std::vector<Proximity> found_again;  ///< on the corrected positions
  /// What was found last on corrected positions, those, and how far was looked: the next step may
  /// begin there.
  std::vector<Proximity> found_at_end;
  std::vector<BodyState> states_at_end;
  double alarm_distance_at_end = 0.0;
  ContactIndex index;          ///< of contacts to be found again
  std::vector<char> is_known;  ///< which of the remembered contacts were found
  ContactChoice choice;
  std::vector<char> carried_force;
  std::vector<Vec3> places;
  std::vector<int> chosen;

  // build_contact_space
  std::vector<Contact> contacts;
  bool has_overlap = false;
  std::vector<char> is_needed;    ///< which of them the solve takes
  std::vector<double> gaps_left;  ///< of the others, under its forces [m]
  BodyGroups groups;              ///< of those

  // build_delassus
  DelassusBuilder delassus;
  struct GroupProblem {
    ContactProblem problem;
    CapacityVec f;
    bool is_unbuilt = false;

    void reserve(const ProblemSize& largest);
    void resize(int contact_count);
  };
  std::vector<GroupProblem> problems;  ///< one a group; those beyond the groups are spare

  // solve_contacts
  std::unique_ptr<Solver> solver;
  std::unique_ptr<ContactLaw> law;  ///< in place of the solver where the method is not exact
  UnbuiltGaussSeidel unbuilt;
  VecX f;                  ///< along the axes of the contacts, 3m [N]
  double solved_us = 0.0;  ///< what all solves of the step have taken so far
  double round_us = 0.0;   ///< and those of its last round

  // apply_correction
  std::vector<BodyState> next;  ///< at the end of the step, until the state takes it over
  BodyForces body_forces;

  // finish
  std::vector<Vec3> ways;         ///< of P against Q over the step, of each contact, world axes [m]
  std::vector<BodyState> before;  ///< at the beginning of the step that was made

  // render_wrenches
  /// On each hand, about its grip, world axes; zero after a step that was restored. [N, N m]
  std::vector<Vec6> hand_wrenches;

  // prepare_another_round
  std::unique_ptr<FastMotion> fast_motion;  ///< none where the scene does not want it

  // end_rounds
  std::vector<GroupGain> group_gains;

  // lift_overlaps
  GroupProblem lift;
  std::vector<int> lift_contacts;
  VecX lift_f;

  StepReport report;
};

/// Distances between the surfaces of the bodies, the method that finds contacts unless the scene
/// brings its own.
std::unique_ptr<ProximityMethod> mesh_proximity(const Scene& scene);

/// The scene at its start.
State initial_state(const Scene& scene);

/// One step of the whole scene. Nothing in it allocates, locks, throws or prints; the clock is
/// read to report and to keep the solver's deadline. The same state, inputs and answers of the
/// clock give the same state, bit by bit, whatever else the data served for before.
StepReport step(const Scene& scene, State& state, StepData& data);

}  // namespace stickslip
