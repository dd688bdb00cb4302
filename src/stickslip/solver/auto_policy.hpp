#pragma once

#include <array>

namespace stickslip {

/// Every number that `auto` was tuned by, grouped by the part that reads it. They decide how long
/// a solve takes and never what counts as solved.
///
/// The bench in brackets is the one that chose a number and judges a change of it:
/// [race] `solver_race_bench --perturbed 3 --seed N`, the time to 1e-4 and 1e-8 over changed
/// problems of the world; [warm] `solver_limits_bench warm`, the work of a start near the solution;
/// [deadline] `solver_limits_bench deadline`, solves that end late; [cost] `solver_cost_bench`,
/// what a sweep and a solve cost; [small] `solver_tests --gtest_filter='SmallProblem*'` with
/// STICKSLIP_LONG=1, random problems of up to four contacts. Without unit: a plain number.
struct AutoPolicy {
  /// AutoSolver: sweeps over all contacts in turn with the groups by themselves.
  struct Rounds {
    /// sweeps over all contacts before the first groups [race]
    int first_sweeps = 5;
    /// the same where a warm start has an error of at most near_error [warm]
    int sweeps_when_near = 1;
    double near_error = 0.1;
    /// sweeps between rounds, and those of a dense W with large_round contacts loaded; twice as
    /// many after each round without headway, up to the last [race]
    int sweeps_between = 1;
    int sweeps_between_large = 2;
    int most_sweeps_between = 32;
    /// of the squared tolerance, for the groups; the rest is for the contacts outside them [race]
    double share_of_groups = 0.8;
    /// a round aims at this much of the error, as long as contacts still come and go; the more
    /// there are, the likelier some do [race]
    double aim = 0.01;
    double aim_of_large = 0.1;
    std::size_t large_round = 40;  ///< loaded contacts
    /// below it there is only rounding
    double least_aim = 1e-15;
    /// iterations of a group in its first round; twice as many after each without headway [race]
    int first_effort = 200;
    /// of the longest refresh and error so far, kept back for the last ones: W may have left the
    /// caches by then [deadline]
    double reserve_share = 2.0;
    /// a group is gathered, and its delta computed, in so many refreshes at most [deadline]
    double gather_share = 3.0;
    /// a gap of this many moves of the last sweep may close [race]
    double near_moves = 1.0;
    /// choosing more contacts than this share of all is no use [race]
    double worth_choosing = 0.7;
    /// after so many rounds without headway all contacts are taken, and to the least size that the
    /// error can be relative to [small]
    int most_idle_rounds = 4;
  };

  /// GuardedAnderson: extrapolation after sweeps, and when it is taken back.
  struct Extrapolation {
    /// how much the squared error may grow: more daring, then careful again, whenever `patience`
    /// sweeps have not halved the best error [race]
    std::array<double, 3> tolerated_growth = {1.44, 9.0, 100.0};
    int patience = 60;
    /// delta afresh after so many sweeps, or where the weights sum to more [race]
    int sweeps_per_refresh = 4;
    double large_weights = 20.0;
    /// of the mean compliance: the part of the metric that sees every force [race]
    double force_share = 0.1;
    /// sum of the weights at most; of the largest diagonal entry, added to all [race]
    double largest_weight = 1e3;
    double regularisation = 1e-12;
    /// how long one takes, with its forces moved into their cones and a refresh, in sweeps at most
    /// [deadline]
    double longest_sweeps = 2.5;
    /// sweeps for each extrapolation where sweeps are long, or shorter than an extrapolation:
    /// sparse and dense groups of at least so many contacts [race]
    int large_group = 200;
    int sweeps_of_large_group = 3;
    int large_dense_group = 40;
    int sweeps_of_large_dense_group = 2;
  };

  /// ConvergenceWatch: when sweeps are given up for Newton's method.
  struct Watch {
    /// iterations from which the rate is judged: half of what a Newton step costs, within these
    /// [race]
    int least_window = 4;
    int longest_window = 24;
    double window_share = 0.5;
    /// by which the sweeps must look dearer than one step [race]
    double margin = 2.0;
    double margin_of_large_group = 4.0;
    /// a start near the solution goes to Newton's method at once where a step costs less than so
    /// many sweeps and the squared error is more than so many times the one asked for; else its
    /// sweeps are watched for a shorter time [warm]
    double eager_sweeps = 100.0;
    double eager_distance = 30.0;
    int eager_window = 2;
  };

  /// NewtonLadder, first rung: steps in the states that the sweeps left.
  struct Newton {
    /// unknowns of a dense step at most: a matrix of 4 MB
    int most_unknowns = 720;
    /// that the inverse of W is expected to serve [race]
    double steps_of_inverse = 3.0;
    /// after each step, to put the states right [race]
    int sweeps_after = 4;
    /// a step that is worse is tried again with this much of it, down to the last [race]
    double next_share = 0.3;
    double least_share = 0.02;
    /// of the mean compliance, on the diagonal: at first, at first near the solution, and within
    /// [race]
    double first_regularisation = 1e-4;
    double eager_regularisation = 1e-3;
    double least_regularisation = 1e-12;
    double most_regularisation = 1e3;
    /// what a step that failed starts from, before it is raised tenfold
    double raised_from = 1e-6;
    /// a step that leaves less than this of the squared error lowers the regularisation by as much
    double great_gain = 0.01;
    /// steps in a row that lower the energy and not the best error [race]
    int longest_detour = 6;
    /// the pause after a failure doubles with each, so many times at most
    int most_doublings = 5;
  };

  /// NewtonLadder, second rung: InteriorPoint.
  struct Interior {
    /// contacts of a group at least: with fewer a proximal step costs less than one of these [race]
    int least_contacts = 32;
    /// |delta_t| is rounded off by so much of the barrier over the mean of mu f_n [race]
    double rounding = 0.1;
    /// the next barrier aimed at, over that of now, at least [race]
    double least_aim = 0.1;
    /// of the way to the border of the cones, at most
    double inside = 0.99;
    /// after a step of less than this share |delta_t| is held for one [race]
    double short_share = 0.3;
    /// steps at most, and in a row that leave more than headway of the squared error, or far from
    /// the solution of the barrier [race]
    int most_steps = 40;
    int most_idle = 4;
    double headway = 0.25;
    /// of |delta_free|: an error that is less is near the solution, where the proximal steps are
    /// shorter; what does not come so near is given up [race]
    double near_error = 1e-4;
  };

  /// NewtonLadder, third rung: proximal steps.
  struct Proximal {
    /// how one try after the other starts [race]
    struct Try {
      double alpha;       ///< of the mean compliance
      double rho_share;   ///< of the inverse compliance of each contact
      bool is_from_zero;  ///< or from the force of now
    };
    std::array<Try, 6> tries = {{{1e-5, 10.0, false},
                                 {1e-5, 10.0, true},
                                 {1e-3, 1.0, false},
                                 {1e-7, 100.0, true},
                                 {1e-2, 10.0, false},
                                 {1e-6, 1.0, true}}};
    /// steps of a try, and of one proximal problem, at most [race]
    int most_steps = 60;
    int most_inner = 12;
    /// a proximal problem is solved when this much of its residual is left [race]
    double inner_share = 1e-3;
    /// alpha shrinks to the first where a proximal problem took at most `quick_inner` steps, to the
    /// second where it took more, and grows by the third where it was not solved [race]
    int quick_inner = 3;
    double shrink_when_quick = 0.1;
    double shrink = 0.3;
    double grow = 10.0;
    double least_alpha = 1e-12;
    double most_alpha = 1.0;
    /// a step is halved, so many times at most, until the residual has fallen by this share of it
    /// [race]
    double enough_decrease = 0.1;
    int most_halvings = 8;
    /// proximal problems in a row that leave more than headway of the squared error [race]
    int most_idle = 4;
    double headway = 0.25;
    /// the pause after a try doubles with each, so many times at most
    int most_doublings = 8;
  };

  /// NewtonLadder, fourth rung: PyramidSearch; and Squeeze.
  struct Search {
    /// groups of more are left to the rungs below
    int most_contacts = 8;
    /// tries of the third rung, and rounds, that were of no use before [small]
    int tries_before = 2;
    /// pyramids of one choice, each crowded closer around the friction than the last by this much
    /// [small]
    int levels = 4;
    double shrink = 0.25;
    /// from each pyramid at most [small]
    int newton_steps = 20;
    /// of the mean compliance, on the diagonal of Newton's steps, one choice after the other
    /// [small]
    std::array<double, 3> regularisations = {1e-10, 1e-6, 1e-4};
    /// decades up and down by which the covering vector changes from choice to choice [small]
    double spread = 1.0;
    /// pivots of Lemke's method at most, over its unknowns; it takes about one
    int pivot_share = 20;
    /// contacts that a proof that there is no solution may need: a matrix of 0.5 MB
    int most_squeezed = 256;
    /// cases of a proof that friction jams contacts at most; three contacts take some hundred
    int most_cases = 5'000;
    /// sweeps after which a solver that only sweeps looks for such a proof
    int sweeps_before_proof = 1000;
    /// choices at a time: 1, then twice as many each time, so many times at most
    int most_doublings = 5;
  };

  /// LocalTask: costs on a usual machine. They decide what is shorter, so they are not measured;
  /// where there is a deadline the slowest sweep seen scales them up.
  struct Cost {
    double contact_ns = 110.0;      ///< of a sweep, for each contact [cost]
    double prepare_ns = 60.0;       ///< of taking a problem, for each contact [deadline]
    double new_contact_ns = 250.0;  ///< of room for each contact that was never used [deadline]
    double dense_block_ns = 0.45;   ///< of a sweep, for each block [cost]
    double sparse_block_ns = 2.0;   ///< the same of a sparse W [cost]
    double flop_ns = 0.065;         ///< of a dense factorisation [cost]
    double inverse_flop_ns = 0.02;  ///< of an inverse in single precision [cost]
    double sparse_flop_ns = 0.15;   ///< of a sparse one [race]
    double number_ns = 0.6;         ///< of W, copied when a group is gathered [cost]
    double order_ns = 2.0;          ///< of finding the order of elimination, for each pair [race]
    double us_per_ns = 1e-3;        ///< of all these, at first
    double slowest_share = 2.0;     ///< work may take this much longer than it costs [deadline]
  };

  Rounds rounds;
  Extrapolation extrapolation;
  Watch watch;
  Newton newton;
  Interior interior;
  Proximal proximal;
  Search search;
  Cost cost;
};

inline constexpr AutoPolicy auto_policy;

}  // namespace stickslip
