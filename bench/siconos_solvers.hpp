#pragma once

#include <limits>
#include <string>
#include <vector>

#include "stickslip/problem/contact_problem.hpp"

namespace stickslip::bench {

// Siconos (Debian: libsiconos-numerics-dev) as a rival. Where it is not installed there are no
// variants.

/// How W is handed over.
enum class Storage { dense, blocks, sparse };

const char* storage_name(Storage storage);

/// The names of the variants, those first that are most often the fastest.
const std::vector<std::string>& siconos_variants();

/// The storage a variant is usually fastest with.
Storage usual_storage(int variant, const ContactProblem& problem);

struct SiconosLimits {
  double limit_s = 10.0;   ///< of one solve
  double effort_s = 0.01;  ///< solves are repeated for so long, and the best time counts
};

struct SiconosTime {
  bool is_solved = false;
  double seconds = std::numeric_limits<double>::infinity();
  double error = std::numeric_limits<double>::infinity();  ///< plain, by natural_map_error
};

/// Solves by one variant in a process of its own, without output. Its stopping tolerance, which
/// is relative to something else than ours, is translated from a first solve so that the error of
/// the force by natural_map_error is just at the tolerance; the fastest setting whose force holds
/// it (to 1 %) counts. Only the call of the driver is timed, on a matrix that is ready.
SiconosTime run_siconos(const ContactProblem& problem, int variant, Storage storage,
                        double tolerance, const SiconosLimits& limits);

}  // namespace stickslip::bench
