#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

/// Forces r and relative displacements u of a problem, 3m each; u may be empty.
struct FclibSolution {
  VecX r;
  VecX u;
};

/// A local frictional contact problem in the layout of FCLIB (HDF5), with whatever came with it.
struct FclibFile {
  ContactProblem problem;
  std::string title;
  std::string description;
  std::string math_info;
  std::optional<FclibSolution> solution;
  std::vector<FclibSolution> guesses;
};

/// Reads a local problem of three dimensions whose W is stored by rows, by columns or as
/// triplets (nz = -2, -1, or the number of entries). W is kept dense where a third of it is filled.
/// Throws InputError for anything that is not a whole, finite problem of consistent sizes.
FclibFile read_fclib(const std::filesystem::path& path);

/// Writes W by rows. The file appears whole or not at all. Throws InputError when it cannot be
/// written.
void write_fclib(const std::filesystem::path& path, const FclibFile& content);

}  // namespace stickslip
