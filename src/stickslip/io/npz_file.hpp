#pragma once

#include <filesystem>

#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

/// Reads a contact problem from an archive of NumPy, as numpy.savez(path, W=W, q=q, mu=mu) or
/// numpy.savez_compressed write it: W 3m x 3m, q of 3m and mu of m entries, float64 or float32, in
/// the order of C or of Fortran. Other arrays are left alone. W is kept dense where a third of it
/// is filled. Throws InputError for anything that is not a whole, finite problem of consistent
/// sizes.
ContactProblem read_npz(const std::filesystem::path& path);

}  // namespace stickslip
