#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/body/body.hpp"
#include "stickslip/contact/contact_law.hpp"
#include "stickslip/haptics/models/hand.hpp"
#include "stickslip/mesh/exact_shape.hpp"
#include "stickslip/proximity/proximity.hpp"
#include "stickslip/proximity/stochastic_proximity.hpp"
#include "stickslip/scene/time_table.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {

struct Scene;

/// Whether W is built. Unbuilt, forces are found by the sweeps of block-gauss-seidel, whatever the
/// solver of the scene; automatic leaves it unbuilt where that is the scene's solver and cheaper.
/// Scenes with hands have it built.
enum class DelassusForm { automatic, built, unbuilt };

/// How distances between surfaces are found: all of them, or those that random starts lead to.
enum class ProximityKind { exact, stochastic };

/// How a scene is stepped.
struct SimulationOptions {
  double dt = 1e-3;                  ///< [s]
  double duration = 1.0;             ///< of a run [s]
  Vec3 gravity = {0.0, 0.0, -9.81};  ///< [m/s^2]
  SolverKind solver = SolverKind::automatic;
  int pyramid_sides = usual_pyramid_sides;  ///< of SolverKind::pyramid, even, 4 or more
  ContactMethod contact_method = ContactMethod::exact;
  LawOptions law = {};  ///< of methods that are not exact
  DelassusForm delassus = DelassusForm::automatic;
  bool all_contacts = false;  ///< solve with all that are near, not only with those that are needed
  double tolerance = 1e-7;    ///< on the rescaled error
  int max_iterations = 10'000;                                   ///< of a solve
  double deadline_us = std::numeric_limits<double>::infinity();  ///< of all solves of a step [us]
  int contact_budget = 300;                                      ///< contacts a step takes at most
  double alarm_distance = 1e-3;      ///< points this near may touch within a step [m]
  int passes = 1;                    ///< rounds of detection and solve within a step
  bool interpolate_normals = false;  ///< of curved surfaces instead of those of their facets
  double recovery_per_step = 0.25;   ///< of a missed overlap, in alarm distances
  bool fast_motion = true;           ///< contacts met on the way by more than the alarm distance
  ProximityKind proximity = ProximityKind::exact;
  StochasticOptions stochastic = {};  ///< of ProximityKind::stochastic
};

struct SceneBody {
  std::string name;
  Body body;
  Vec3 position = Vec3::Zero();  ///< of the origin of its mesh at the start [m]
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();  ///< at the start [m/s]
  Vec3 angular_velocity = Vec3::Zero();
  /// What the triangles of a fixed or rigid body stand for, about its centre of mass; none where
  /// they are all there is.
  std::optional<ExactShape> exact = {};
};

enum class DriveKind {
  motion,  ///< translation [m] and rotation vector [rad] of a body whose frame is held
  force,   ///< force [N] and torque [N m] on a body, world axes
  spring,  ///< translation and rotation of a target that a spring ties the body to
};

/// What moves or pushes a body, as a function of time.
struct Drive {
  int body = 0;
  DriveKind kind = DriveKind::force;
  TimeTable table;
  /// motion, spring: rotation is about this point of the body, given at the start, world axes [m]
  Vec3 pivot = Vec3::Zero();
  /// force: the first of three load cases x, y, z of the body that take it; -1: it acts on the
  /// centre of mass
  int load_case = -1;
  // spring
  double stiffness = 0.0;             ///< [N/m]
  double damping = 0.0;               ///< [N s/m]
  double rotational_stiffness = 0.0;  ///< [N m/rad]
  double rotational_damping = 0.0;    ///< [N m s/rad]
};

/// A point whose motion and the contact force on whose body are recorded.
struct Probe {
  std::string name;
  int body = 0;
  bool is_on_surface = false;  ///< else it is the centre of mass
  SurfacePoint point = {};
};

/// Everything that does not change during a run.
struct Scene {
  std::string name;
  SimulationOptions simulation;
  std::vector<SceneBody> bodies;
  MatX friction;  ///< coefficient of each pair of bodies, symmetric
  std::vector<std::pair<int, int>> excluded_pairs;  ///< of bodies that never touch
  std::vector<Drive> drives;
  std::vector<Hand> hands;
  std::vector<Probe> probes;
  /// Makes the method that finds contacts; empty: distances between the surfaces.
  std::function<std::unique_ptr<ProximityMethod>(const Scene&)> make_proximity;
};

}  // namespace stickslip
