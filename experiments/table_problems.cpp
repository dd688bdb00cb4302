#include "experiments/table_problems.hpp"

#include <fmt/core.h>

#include <cmath>

#include "stickslip/io/fclib_file.hpp"

namespace stickslip::experiments {

int write_table_problems(const TableOnFloor& table, const std::filesystem::path& folder,
                         const TableProblemSettings& settings) {
  const std::filesystem::path target = folder / "table_problems";
  std::filesystem::create_directories(target);
  int count = 0;
  for (const int contacts : settings.contacts) {
    if (contacts > table.contact_count()) continue;
    for (const double mu : settings.mu) {
      for (const double motion : settings.motions) {
        FclibFile content;
        content.title = "a deformable table pressed on a floor and moved along it";
        content.problem = table.make_problem(contacts, mu);
        ContactProblem& problem = content.problem;
        table.load(problem, motion, static_cast<std::uint32_t>(++count));
        problem.delta_free *= 1e3;
        problem.W.as_dense() /= problem.W.mean_diagonal();
        write_fclib(target / fmt::format("table_m{}_mu{:02}_motion{:g}.hdf5", contacts,
                                         std::lround(10.0 * mu), motion),
                    content);
      }
    }
  }
  return count;
}

}  // namespace stickslip::experiments
