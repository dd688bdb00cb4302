// Fixed work whose instructions `bench/instructions` counts:
//   fixed_step compiled                     what it was compiled by and for
//   fixed_step step SCENE WARM_UP COUNTED   so many steps of a scene after so many others
//   fixed_step solve CONTACTS               the punch of that many contacts, solved to 1e-8
// Counted is what happens in stickslip_counted_work.

#include <fmt/core.h>

#include <cstdlib>
#include <functional>
#include <string_view>

#include "apps/bench/punch.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/step.hpp"
#include "stickslip/solver/solvers.hpp"

extern "C" [[gnu::noinline]] void stickslip_counted_work(const std::function<void()>& work) {
  work();
}

namespace {

using namespace stickslip;

void count_steps(const char* path, int warm_up, int counted) {
  const Scene scene = read_scene(path);
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < warm_up; ++k) step(scene, state, data);
  StepReport report;
  stickslip_counted_work([&] {
    for (int k = 0; k < counted; ++k) report = step(scene, state, data);
  });
  fmt::print("{} contacts, {} loaded\n", report.contacts, report.loaded_contacts);
}

void count_solve(int contacts) {
  const ContactProblem problem = bench::make_punch(contacts);
  const auto solver = make_solver("auto");
  SolverOptions options;
  options.tolerance = 1e-8;
  VecX f;
  SolveResult result;
  // once without, so that memory is there
  solver->solve(problem, options, f);
  stickslip_counted_work([&] { result = solver->solve(problem, options, f); });
  fmt::print("{} contacts, {} iterations\n", contacts, result.iterations);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    if (what == "compiled" && argc == 2) {
      fmt::print("{} {}\n", __VERSION__, STICKSLIP_ARCH);
    } else if (what == "step" && argc == 5) {
      count_steps(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
    } else if (what == "solve" && argc == 3) {
      count_solve(std::atoi(argv[2]));
    } else {
      fmt::print(stderr, "fixed_step compiled | step SCENE WARM_UP COUNTED | solve CONTACTS\n");
      return 2;
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
