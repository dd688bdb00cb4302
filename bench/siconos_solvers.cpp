#include "bench/siconos_solvers.hpp"

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string_view>

#include "apps/bench/stopwatch.hpp"
#include "stickslip/problem/contact_error.hpp"

namespace stickslip::bench {

namespace {

using Options = ::SolverOptions;

struct Variant {
  const char* name;
  int solver;
  bool sweeps;  ///< works on rows of blocks rather than on linear systems
  std::function<void(Options&)> set;
};

/// Gauss-Seidel that computes the true error after each sweep, with a local solver.
Variant nsgs(const char* name, int local_solver, int error_evaluation, bool shuffle = false) {
  return {name, SICONOS_FRICTION_3D_NSGS, true, [=](Options& options) {
            options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = error_evaluation;
            options.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = 1;
            if (shuffle) {
              options.iparam[SICONOS_FRICTION_3D_NSGS_SHUFFLE] =
                  SICONOS_FRICTION_3D_NSGS_SHUFFLE_TRUE_EACH_LOOP;
            }
            if (local_solver != 0) solver_options_update_internal(&options, 0, local_solver);
          }};
}

Variant newton(const char* name, int solver, int formulation, int hybrid, int linear_solver) {
  return {name, solver, false, [=](Options& options) {
            if (formulation >= 0) options.iparam[SICONOS_FRICTION_3D_NSN_FORMULATION] = formulation;
            if (hybrid >= 0) options.iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = hybrid;
            options.iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = linear_solver;
            options.iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
          }};
}

Variant admm(const char* name, int rho_strategy, int initial_rho, int symmetry) {
  return {name, SICONOS_FRICTION_3D_ADMM, false, [=](Options& options) {
            options.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = rho_strategy;
            options.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO] = initial_rho;
            options.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_SYMMETRY] = symmetry;
          }};
}

Variant proximal(const char* name, int inner_solver) {
  return {name, SICONOS_FRICTION_3D_PROX, false, [=](Options& options) {
            solver_options_update_internal(&options, 0, inner_solver);
            options.iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
          }};
}

const std::vector<Variant>& variants() {
  constexpr int full = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
  constexpr int light = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL;
  constexpr int adaptive = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_ADAPTIVE;
  constexpr int mumps = SICONOS_FRICTION_3D_NSN_USE_MUMPS;
  constexpr int csparse = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL;
  static const std::vector<Variant> list = {
      nsgs("NSGS-QUARTIC", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, full),
      nsgs("NSGS-POC", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone, full),
      nsgs("NSGS-AC", SICONOS_FRICTION_3D_ONECONTACT_NSN, full),
      nsgs("NSGS-AC-GP", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, full),
      nsgs("NSGS-HYBRID", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, full),
      nsgs("NSGS-POC-LOCAL", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
           full),
      nsgs("NSGS-POC-DIAG", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithDiagonalization,
           full),
      nsgs("NSGS-QUARTIC-SHUFFLED", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, full, true),
      nsgs("NSGS-QUARTIC-ADAPTIVE", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, adaptive),
      {"VI-EG", SICONOS_FRICTION_3D_VI_EG, true, [](Options&) {}},
      {"VI-FPP", SICONOS_FRICTION_3D_VI_FPP, true, [](Options&) {}},
      admm("ADMM", SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_CONSTANT,
           SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_GIVEN, SICONOS_FRICTION_3D_ADMM_CHECK_SYMMETRY),
      admm("ADMM-BALANCED", SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING,
           SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF, SICONOS_FRICTION_3D_ADMM_FORCED_SYMMETRY),
      admm("ADMM-SYMMETRIC", SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_CONSTANT,
           SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_GIVEN, SICONOS_FRICTION_3D_ADMM_FORCED_SYMMETRY),
      proximal("PROX-NSN-AC", SICONOS_FRICTION_3D_NSN_AC),
      proximal("PROX-NSGS", SICONOS_FRICTION_3D_NSGS),
      newton("NSN-AC", SICONOS_FRICTION_3D_NSN_AC, -1, -1, csparse),
      newton("NSN-JM", SICONOS_FRICTION_3D_NSN_AC,
             SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD, -1, csparse),
      newton("NSN-FB", SICONOS_FRICTION_3D_NSN_FB, -1, -1, csparse),
      newton("NSN-NM", SICONOS_FRICTION_3D_NSN_NM, -1, -1, csparse),
      newton("NSN-AC-MUMPS", SICONOS_FRICTION_3D_NSN_AC, -1, -1, mumps),
      newton("NSN-AC-AFTER-EG", SICONOS_FRICTION_3D_NSN_AC, -1,
             SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN, csparse),
      {"NSN-AC-TEST", SICONOS_FRICTION_3D_NSN_AC_TEST, false,
       [](Options& options) { options.iparam[SICONOS_IPARAM_MAX_ITER] = 1000; }},
      nsgs("NSGS-DEFAULT", 0, light),
  };
  return list;
}

/// W in Siconos's form. Lives until the process ends, as everything here does.
NumericsMatrix* make_matrix(const BlockMatrix& W, Storage storage) {
  const int m = W.contact_count();
  const int n = 3 * m;
  if (storage == Storage::dense) {
    auto* values = new MatX(W.to_dense());
    return NM_create_from_data(NM_DENSE, n, n, values->data());
  }
  if (storage == Storage::sparse) {
    NumericsMatrix* matrix = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(matrix, 9 * W.block_count());
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < m; ++i) {
        const Mat3 block = W.block(i, j);
        for (int c = 0; c < 3; ++c) {
          for (int r = 0; r < 3; ++r) {
            if (block(r, c) != 0.0) NM_entry(matrix, 3 * i + r, 3 * j + c, block(r, c));
          }
        }
      }
    }
    return matrix;
  }

  // rows of blocks, each block by columns
  SparseBlockStructuredMatrix* blocks = SBM_new();
  auto* values = new std::vector<Mat3>();
  auto* columns = new std::vector<std::size_t>();
  auto* row_starts = new std::vector<std::size_t>{0};
  auto* sizes = new std::vector<unsigned int>();
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const Mat3 block = W.block(i, j);
      if (i != j && block == Mat3::Zero()) continue;
      values->push_back(block);
      columns->push_back(uz(j));
    }
    row_starts->push_back(columns->size());
    sizes->push_back(3 * static_cast<unsigned int>(i + 1));
  }
  auto* pointers = new std::vector<double*>();
  for (Mat3& block : *values) pointers->push_back(block.data());
  blocks->nbblocks = static_cast<unsigned int>(values->size());
  blocks->block = pointers->data();
  blocks->blocknumber0 = blocks->blocknumber1 = static_cast<unsigned int>(m);
  blocks->blocksize0 = blocks->blocksize1 = sizes->data();
  blocks->filled1 = row_starts->size();
  blocks->filled2 = columns->size();
  blocks->index1_data = row_starts->data();
  blocks->index2_data = columns->data();
  return NM_new_SBM(n, n, blocks);
}

/// One solve.
struct Try {
  double seconds = 0.0;
  double reported_error = 0.0;
  double error = 0.0;
};

/// Runs in the child; what it finds goes to `result`, which the parent reads.
class Runner {
 public:
  Runner(const ContactProblem& problem, const Variant& variant, Storage storage, double tolerance,
         const SiconosLimits& limits, SiconosTime& result)
      : problem_(problem),
        variant_(variant),
        tolerance_(tolerance),
        limits_(limits),
        q_(problem.delta_free),
        mu_(problem.mu),
        result_(result) {
    siconos_.dimension = 3;
    siconos_.numberOfContacts = problem.contact_count();
    siconos_.M = make_matrix(problem.W, storage);
    siconos_.q = q_.data();
    siconos_.mu = mu_.data();
  }

  void run() {
    // as it is; then with its measure translated into ours; then stricter
    attempt(tolerance_);
    double given = tolerance_;
    const double translated = given * last_.reported_error / last_.error;
    const bool measures_differ = std::abs(translated / given - 1.0) > 0.02;
    if (std::isfinite(translated) && translated > 0.0 && measures_differ) {
      given = 0.998 * std::clamp(translated, 1e-6 * tolerance_, 1e6 * tolerance_);
      attempt(given);
    }
    if (!result_.is_solved) attempt(0.5 * given);
    if (!result_.is_solved) return;

    const Stopwatch watch;
    while (watch.wall_seconds() < limits_.effort_s) attempt(best_given_);
  }

 private:
  void attempt(double given) {
    last_ = solve(given);
    const bool is_solved = last_.error <= 1.01 * tolerance_;
    if (!is_solved || last_.seconds >= result_.seconds) return;
    result_ = {true, last_.seconds, last_.error};
    best_given_ = given;
  }

  Try solve(double given) {
    Options* options = solver_options_create(variant_.solver);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 10'000'000;
    variant_.set(*options);
    options->dparam[SICONOS_DPARAM_TOL] = given;
    VecX r = VecX::Zero(q_.size());
    VecX u = VecX::Zero(q_.size());
    q_ = problem_.delta_free;

    set_alarm(limits_.limit_s);
    Try result;
    const Stopwatch watch;
    fc3d_driver(&siconos_, r.data(), u.data(), options);
    result.seconds = watch.seconds();
    set_alarm(0.0);

    result.reported_error = options->dparam[SICONOS_DPARAM_RESIDU];
    result.error = r.allFinite() ? natural_map_error(problem_, r).plain
                                 : std::numeric_limits<double>::infinity();
    solver_options_delete(options);
    return result;
  }

  /// The process ends when it has worked for so long.
  static void set_alarm(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
    ::setitimer(ITIMER_PROF, &timer, nullptr);
  }

  const ContactProblem& problem_;
  const Variant& variant_;
  double tolerance_;
  SiconosLimits limits_;
  VecX q_;
  VecX mu_;
  FrictionContactProblem siconos_{};
  SiconosTime& result_;
  Try last_;
  double best_given_ = 0.0;
};

}  // namespace

const char* storage_name(Storage storage) {
  if (storage == Storage::dense) return "dense";
  return storage == Storage::blocks ? "blocks" : "sparse";
}

const std::vector<std::string>& siconos_variants() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Variant& variant : variants()) list.emplace_back(variant.name);
    return list;
  }();
  return names;
}

Storage usual_storage(int variant, const ContactProblem& problem) {
  // the quartic local solver of version 4.4 crashes on dense matrices
  const std::string_view name = variants()[uz(variant)].name;
  if (problem.W.is_dense() && name.find("QUARTIC") == name.npos) return Storage::dense;
  return variants()[uz(variant)].sweeps ? Storage::blocks : Storage::sparse;
}

SiconosTime run_siconos(const ContactProblem& problem, int variant, Storage storage,
                        double tolerance, const SiconosLimits& limits) {
  // memory that both processes see
  void* shared = ::mmap(nullptr, sizeof(SiconosTime), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return {};
  auto* result = new (shared) SiconosTime();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    // a solver may print, abort or run forever: none of it reaches the race
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(1);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(1);
    numerics_set_verbose(0);
    Runner(problem, variants()[uz(variant)], storage, tolerance, limits, *result).run();
    ::_exit(0);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
  const SiconosTime copy = *result;
  ::munmap(shared, sizeof(SiconosTime));
  return copy;
}

}  // namespace stickslip::bench
