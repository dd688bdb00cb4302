#pragma once

#include <filesystem>
#include <vector>

#include "experiments/table_on_floor.hpp"

namespace stickslip::experiments {

// The table's problems as files for others, and for solvers to be tried on: strong coupling between
// normal and tangential directions, on which sweeps with exact blocks can cycle.

struct TableProblemSettings {
  std::vector<int> contacts = {12, 24, 36};
  std::vector<double> mu = {0.1, 0.3, 0.5};
  std::vector<double> motions = {0.3, 1.0, 5.0};  ///< times what the legs bend at most
};

/// folder/table_problems/table_m<contacts>_mu<tenths>_motion<motion>.hdf5, in the layout of FCLIB.
/// Lengths are millimetres; the unit of force is what moves a contact by one, in the mean, so that
/// the plain and the rescaled error agree. Gives the number of files. Throws InputError.
int write_table_problems(const TableOnFloor& table, const std::filesystem::path& folder,
                         const TableProblemSettings& settings = {});

}  // namespace stickslip::experiments
