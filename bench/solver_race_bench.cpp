// Our solvers against Siconos's on the same problems in the same run, one thread: time to a true
// error (plain natural map, measured by contact_error.hpp for all of them), best of repeats.
//
// For each problem every variant of Siconos runs a heat, cut short when it is far slower than the
// best; the five fastest and ours then run the final in turns. Ratios above one mean that
// ours is faster. Without Siconos (Debian: libsiconos-numerics-dev) only ours run.

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>

#include "apps/bench/stopwatch.hpp"
#include "bench/siconos_solvers.hpp"
#include "bench/stacks.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/fclib_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"

namespace {

using namespace stickslip;
using namespace stickslip::bench;

struct Arguments {
  std::vector<std::string> inputs;
  std::vector<double> tolerances = {1e-4, 1e-8};
  std::vector<std::string> solvers = {"auto", "block-gauss-seidel", "gauss-seidel"};
  int perturbed = 0;
  bool stacks = false;
  std::uint32_t seed = 1;
  double limit_s = 10.0;
  double effort_s = 0.3;
  std::string csv;
};

/// A race counts in the means from so many contacts on.
constexpr int least_contacts = 20;
/// A heat is cut short when it takes so many times the best, but not before.
constexpr double hopeless_factor = 6.0;
constexpr double shortest_limit_s = 0.1;
/// W is stored in other ways for variants that take up to so many times the best.
constexpr double promising_factor = 3.0;
constexpr double heat_effort_s = 0.005;
constexpr std::size_t finalists = 5;
constexpr int rounds = 3;

struct Entry {
  std::string solver;
  bool is_solved = false;
  double seconds = std::numeric_limits<double>::infinity();
  double error = std::numeric_limits<double>::infinity();
};

struct Race {
  std::string problem;
  int contacts = 0;
  double tolerance = 0.0;
  std::vector<Entry> ours;
  std::vector<Entry> siconos;  ///< fastest first

  bool has_rival() const { return !siconos.empty() && siconos.front().is_solved; }

  /// Siconos's time over that of our i-th solver; one that did not get there took the limit.
  double ratio(std::size_t i, double limit_s) const {
    const double seconds = ours[i].is_solved ? ours[i].seconds : limit_s;
    return has_rival() ? siconos.front().seconds / seconds
                       : std::numeric_limits<double>::quiet_NaN();
  }
};

/// The same mechanics a little changed: delta_free by up to 5 % in each entry, mu times 0.7 to
/// 1.3, the contacts in another order.
ContactProblem perturb(const ContactProblem& problem, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const int m = problem.contact_count();
  std::vector<int> place(uz(m));
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);

  ContactProblem result;
  result.delta_free.resize(3 * m);
  result.mu.resize(m);
  const double mu_factor = 1.0 + 0.3 * uniform(random);
  for (int i = 0; i < m; ++i) {
    const int to = place[uz(i)];
    result.mu[to] = mu_factor * problem.mu[i];
    for (int c = 0; c < 3; ++c) {
      result.delta_free[3 * to + c] =
          problem.delta_free[3 * i + c] * (1.0 + 0.05 * uniform(random));
    }
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      const Mat3 block = problem.W.block(i, j);
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
          if (block(r, c) == 0.0) continue;
          entries.emplace_back(3 * place[uz(i)] + r, 3 * place[uz(j)] + c, block(r, c));
        }
      }
    }
  }
  SparseMatrix W(3 * m, 3 * m);
  W.setFromTriplets(entries.begin(), entries.end());
  result.W = problem.W.is_dense() ? BlockMatrix::dense(MatX(W)) : BlockMatrix::sparse(W);
  return result;
}

/// Repeats the solve for `effort_s` and keeps the best time. The first one is under the limit;
/// what does not pass that is not repeated.
void run_ours(const ContactProblem& problem, double tolerance, double limit_s, double effort_s,
              Entry& entry) {
  const std::unique_ptr<Solver> solver = make_solver(entry.solver);
  stickslip::SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = std::numeric_limits<int>::max() - 1;
  VecX f;
  if (!entry.is_solved) {
    options.deadline_us = 1e6 * limit_s;
    const Stopwatch watch;
    solver->solve(problem, options, f);
    const double seconds = watch.seconds();
    entry.error = natural_map_error(problem, f).plain;
    entry.is_solved = entry.error <= 1.01 * tolerance;
    if (!entry.is_solved) return;
    entry.seconds = seconds;
    options.deadline_us = stickslip::SolverOptions{}.deadline_us;
  }
  const Stopwatch begin;
  do {
    const Stopwatch watch;
    solver->solve(problem, options, f);
    entry.seconds = std::min(entry.seconds, watch.seconds());
  } while (begin.wall_seconds() < effort_s);
}

struct Finalist {
  int variant = 0;
  Storage storage = Storage::dense;
  SiconosTime time;
};

bool is_faster(const Finalist& a, const Finalist& b) {
  return a.time.seconds < b.time.seconds;
}

/// Every variant with its usual storage of W, at first for a short time, then for longer until one
/// has solved the problem; then the promising ones with W stored in other ways. Fastest first.
std::vector<Finalist> run_heats(const ContactProblem& problem, double tolerance, double limit_s) {
  double best_s = std::numeric_limits<double>::infinity();
  const auto heat = [&](Finalist& runner, double longest_s) {
    const SiconosLimits limits{
        std::min(longest_s, std::max(shortest_limit_s, hopeless_factor * best_s)), heat_effort_s};
    runner.time = run_siconos(problem, runner.variant, runner.storage, tolerance, limits);
    best_s = std::min(best_s, runner.time.seconds);
  };

  std::vector<Finalist> field;
  const int variant_count = static_cast<int>(siconos_variants().size());
  for (int variant = 0; variant < variant_count; ++variant) {
    field.push_back({variant, usual_storage(variant, problem), {}});
  }
  double longest_s = shortest_limit_s;
  while (true) {
    for (Finalist& runner : field) {
      if (!runner.time.is_solved) heat(runner, longest_s);
    }
    if (longest_s >= std::min(limit_s, hopeless_factor * best_s)) break;
    longest_s = std::min(10.0 * longest_s, limit_s);
  }

  std::vector<Finalist> otherwise;
  for (const Finalist& runner : field) {
    if (!(runner.time.seconds <= promising_factor * best_s)) continue;
    for (const Storage storage : {Storage::dense, Storage::blocks, Storage::sparse}) {
      if (storage != runner.storage) otherwise.push_back({runner.variant, storage, {}});
    }
  }
  for (Finalist& runner : otherwise) heat(runner, limit_s);
  field.insert(field.end(), otherwise.begin(), otherwise.end());
  std::sort(field.begin(), field.end(), is_faster);
  return field;
}

Race run_race(const std::string& name, const ContactProblem& problem, double tolerance,
              const Arguments& arguments) {
  Race race{name, problem.contact_count(), tolerance, {}, {}};
  for (const std::string& solver : arguments.solvers) race.ours.push_back({solver});
  std::vector<Finalist> field = run_heats(problem, tolerance, arguments.limit_s);

  // the final, in turns so that a busy machine hits all of them
  for (int round = 0; round < rounds; ++round) {
    for (Entry& entry : race.ours) {
      if (round > 0 && !entry.is_solved) continue;
      run_ours(problem, tolerance, arguments.limit_s, arguments.effort_s / rounds, entry);
    }
    for (std::size_t i = 0; i < std::min(finalists, field.size()); ++i) {
      if (!field[i].time.is_solved) continue;
      const SiconosTime time = run_siconos(problem, field[i].variant, field[i].storage, tolerance,
                                           {arguments.limit_s, arguments.effort_s / rounds});
      if (time.seconds < field[i].time.seconds) field[i].time = time;
    }
  }
  std::sort(field.begin(), field.end(), is_faster);
  for (const Finalist& finalist : field) {
    const std::string solver = fmt::format("{} {}", siconos_variants()[uz(finalist.variant)],
                                           storage_name(finalist.storage));
    race.siconos.push_back(
        {solver, finalist.time.is_solved, finalist.time.seconds, finalist.time.error});
  }
  return race;
}

std::string milliseconds(const Entry& entry) {
  return entry.is_solved ? fmt::format("{:.4g}", 1e3 * entry.seconds) : "-";
}

void print_heading(const Arguments& arguments) {
  fmt::print("{:<36} {:>8} {:>7} {:<28} {:>9}", "problem", "contacts", "error",
             "fastest of Siconos", "ms");
  for (const std::string& solver : arguments.solvers) fmt::print(" {:>19} {:>7}", solver, "ratio");
  fmt::print("\n");
}

void print_race(const Race& race, const Arguments& arguments) {
  const Entry none;
  const Entry& rival = race.has_rival() ? race.siconos.front() : none;
  fmt::print("{:<36} {:>8} {:>7.0e} {:<28} {:>9}", race.problem, race.contacts, race.tolerance,
             rival.is_solved ? rival.solver : "none", milliseconds(rival));
  for (std::size_t i = 0; i < race.ours.size(); ++i) {
    const double ratio = race.ratio(i, arguments.limit_s);
    fmt::print(" {:>19} {:>7}", milliseconds(race.ours[i]),
               std::isnan(ratio) ? "" : fmt::format("{:.3g}", ratio));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_summary(const std::vector<Race>& races, double tolerance, const Arguments& arguments) {
  fmt::print("\nerror {:.0e}, {} contacts or more:\n", tolerance, least_contacts);
  for (std::size_t i = 0; i < arguments.solvers.size(); ++i) {
    double log_sum = 0.0;
    int count = 0;
    int slower = 0;
    int solved = 0;
    int total = 0;
    const Race* worst = nullptr;
    for (const Race& race : races) {
      if (race.tolerance != tolerance || race.contacts < least_contacts) continue;
      ++total;
      solved += race.ours[i].is_solved ? 1 : 0;
      if (!race.has_rival()) continue;
      const double ratio = race.ratio(i, arguments.limit_s);
      log_sum += std::log(ratio);
      ++count;
      slower += ratio < 1.0 ? 1 : 0;
      if (worst == nullptr || ratio < worst->ratio(i, arguments.limit_s)) worst = &race;
    }
    fmt::print("  {:<20} solved {} of {}", arguments.solvers[i], solved, total);
    if (count > 0) {
      fmt::print(
          "; {:.2f} times as fast as the fastest of Siconos (geometric mean of {}), "
          "slower on {}, worst {:.2f} on {}",
          std::exp(log_sum / count), count, slower, worst->ratio(i, arguments.limit_s),
          worst->problem);
    }
    fmt::print("\n");
  }
}

void write_csv(const std::string& path, const std::vector<Race>& races) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw InputError(fmt::format("{}: cannot be written", path));
  fmt::print(file, "problem,contacts,tolerance,party,solver,solved,seconds,error\n");
  for (const Race& race : races) {
    const auto rows = [&](const char* party, const std::vector<Entry>& entries) {
      for (const Entry& entry : entries) {
        fmt::print(file, "{},{},{:g},{},{},{},{:.4e},{:.3e}\n", race.problem, race.contacts,
                   race.tolerance, party, entry.solver, entry.is_solved ? 1 : 0, entry.seconds,
                   entry.error);
      }
    };
    rows("ours", race.ours);
    rows("siconos", race.siconos);
  }
  std::fclose(file);
}

std::vector<std::filesystem::path> files_of(const std::vector<std::string>& inputs) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path input : inputs) {
    if (!std::filesystem::is_directory(input)) {
      files.push_back(input);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(input)) {
      if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
    }
  }
  return files;
}

void run(const Arguments& arguments) {
  std::vector<NamedProblem> starters;
  if (arguments.stacks) starters = make_stacks(arguments.seed);
  for (const std::filesystem::path& file : files_of(arguments.inputs)) {
    ContactProblem problem = read_fclib(file).problem;
    const std::string name = file.stem().string();
    for (int i = 1; i <= arguments.perturbed; ++i) {
      const std::uint32_t seed = arguments.seed * 1000 + static_cast<std::uint32_t>(i);
      starters.push_back({fmt::format("{} ~{}", name, i), perturb(problem, seed)});
    }
    if (arguments.perturbed == 0) starters.push_back({name, std::move(problem)});
  }
  std::stable_sort(starters.begin(), starters.end(),
                   [](const NamedProblem& a, const NamedProblem& b) {
                     const auto key = [](const NamedProblem& s) {
                       return std::make_pair(s.problem.contact_count(), s.name);
                     };
                     return key(a) < key(b);
                   });
  if (starters.empty()) {
    fmt::print("no problems: name FCLIB files, or a folder of them in STICKSLIP_FC3D\n");
    return;
  }
  if (siconos_variants().empty()) {
    fmt::print(
        "Siconos is not installed (apt-get install libsiconos-numerics-dev, then configure "
        "again): ours alone\n");
  } else {
    fmt::print("ours against {} variants of Siconos, one thread, times in ms\n",
               siconos_variants().size());
  }

  std::vector<Race> races;
  print_heading(arguments);
  for (const double tolerance : arguments.tolerances) {
    for (const NamedProblem& starter : starters) {
      races.push_back(run_race(starter.name, starter.problem, tolerance, arguments));
      print_race(races.back(), arguments);
      if (!arguments.csv.empty()) write_csv(arguments.csv, races);
    }
  }
  for (const double tolerance : arguments.tolerances) print_summary(races, tolerance, arguments);
}

/// The threads of BLAS are counted when the program starts.
void ask_for_one_thread(char** argv) {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr) return;
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  ask_for_one_thread(argv);
  Arguments arguments;
  CLI::App app("Time to a true error: our solvers against Siconos's");
  app.add_option("FILE", arguments.inputs, "FCLIB files or folders; by default those of tests");
  app.add_option("--tolerance", arguments.tolerances, "on the plain error");
  app.add_option("--solver", arguments.solvers, "ours that take part");
  app.add_option("--perturbed", arguments.perturbed,
                 "race on so many changed copies of each problem instead of the problem");
  app.add_option("--seed", arguments.seed, "of the changes, or of the stacks");
  app.add_flag("--stacks", arguments.stacks,
               "race on arches, walls, towers of flat bricks and clumps, besides files if named");
  app.add_option("--limit-s", arguments.limit_s, "of one solve");
  app.add_option("--effort-s", arguments.effort_s, "repeat the solves of the final for so long");
  app.add_option("--csv", arguments.csv, "write every time, those of the heats included");
  CLI11_PARSE(app, argc, argv);
  if (arguments.inputs.empty() && !arguments.stacks) {
    const char* asked = std::getenv("STICKSLIP_FC3D");
    const std::string folder = asked != nullptr ? asked : STICKSLIP_SOURCE_DIR "/../shared/fc3d";
    if (std::filesystem::is_directory(folder)) arguments.inputs.push_back(folder);
  }
  try {
    run(arguments);
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
