#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/haptics/loop/followed_contacts.hpp"
#include "stickslip/haptics/loop/published_step.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// How the haptic loop answers between two steps of the simulation.
enum class RenderingMode {
  resolved,  ///< the contact problem of the last step is solved again for where the hands are now
  plain,     ///< a coupling to where the last step left the tools (paper, section 7.1)
};

struct RenderingOptions {
  RenderingMode mode = RenderingMode::resolved;
  double tick = 1e-3;       ///< [s]
  double tolerance = 1e-6;  ///< on the rescaled error
  /// Of all solves of a tick [us]; endless where ticks are counted instead of timed.
  double deadline_us = std::numeric_limits<double>::infinity();
  int max_iterations = 1000;
};

/// How long a step of dt is made when it is made again so long after its hands were read. Steps
/// that come later than two ticks after their time are not foreseen. [s]
double foreseen_duration(double dt, double age, double tick);

/// What a tick leaves of the difference between where an old step and a new one have a grip. Where
/// steps come at every tick, or a hand is coupled to where they end, that is the motion itself, and
/// nothing is left.
double bridge_left(RenderingMode mode, double dt, double tick);

/// The haptic side of a scene between its steps. At a tick the free motion of the tools over the
/// last step is computed again, for the hands' poses of now and up to now; a displacement dx of a
/// hand thereby shifts that of the contacts by J A_eff^-1 (K_c + B_c/dt) dx. The forces are found
/// anew, and with them the poses of the tools at this tick, to which the hands are coupled. Slip is
/// counted from tick to tick, so that friction opposes the motion of this tick; contacts that stick
/// keep their place. Contacts turn and slide along with the tools (FollowedContacts).
class ToolRendering {
 public:
  ToolRendering(const RenderingOptions& options, int hand_count, int max_contacts);

  /// Takes over a newly published step.
  void take(const PublishedStep& step);

  /// Before what is rendered at a tick: the time for its solves begins anew.
  void start_tick();

  /// Where the grips of the hands are at this tick, the hands being at these poses, so long after
  /// those were read that the step used. [s] `step` is the one taken last; its scratch is
  /// rewritten.
  void render(PublishedStep& step, double age, std::span<const Pose> hands, std::span<Pose> grips);

  double error() const { return error_; }  ///< worst of the last tick
  bool met_deadline() const { return met_deadline_; }
  int iterations() const { return iterations_; }

 private:
  void move_tools(const PublishedStep& step, double duration, std::span<const Pose> hands);
  void solve(std::size_t tool_count, PublishedGroup& group, std::size_t g);
  void add_contact_motion(const PublishedStep& step);

  RenderingOptions options_;
  std::vector<std::unique_ptr<Solver>> solvers_;
  std::vector<FollowedContacts> contacts_;  ///< of each group
  std::vector<Vec6> wrench_;                ///< on each tool
  std::vector<Mat6> compliance_;            ///< of each tool, over the duration foreseen
  std::vector<Vec6> moved_;                 ///< of each tool since the beginning of the step
  std::vector<Vec6> free_;                  ///< the same by the free motion of the step
  std::vector<Vec6> slid_;                  ///< the same at the last tick
  struct KnownTool {
    int body;
    Pose pose;
  };
  std::vector<KnownTool> known_;  ///< at the last tick
  double error_ = 0.0;
  bool met_deadline_ = true;
  int iterations_ = 0;
  double left_us_ = 0.0;  ///< for the solves of this tick
};

}  // namespace stickslip
