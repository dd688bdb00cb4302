#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/cli/number_checks.hpp"
#include "apps/cli/progress_teller.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/fclib_file.hpp"
#include "stickslip/io/npz_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/gauss_seidel.hpp"
#include "stickslip/solver/pyramid.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip::cli {

namespace {

struct SolveArguments {
  std::vector<std::string> inputs;
  std::string solver = "auto";
  double tolerance = 1e-8;
  Criterion criterion = Criterion::plain;
  int max_iterations = SolverOptions{}.max_iterations;
  double deadline_us = SolverOptions{}.deadline_us;
  double time_limit_s = SolverOptions{}.deadline_us;
  ContactOrder order = ContactOrder::fixed;
  std::uint32_t seed = 0;
  int repeat = 1;
  int sides = 8;
  double epsilon_1 = GaussSeidelSettings{}.epsilon_1;
  double epsilon_2 = 0.0;
  std::string out;
  bool json = false;
  bool compare = false;
};

const char* status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::max_iterations:
      return "max_iterations";
    case SolveStatus::deadline:
      return "deadline";
    case SolveStatus::failed:
      break;
  }
  return "failed";
}

const char* criterion_name(Criterion criterion) {
  return criterion == Criterion::plain ? "plain" : "rescaled";
}

/// What one solver made of one file.
struct Answer {
  std::string file;
  std::string solver;
  int contacts = 0;
  SolveResult result;
  VecX f;
  NaturalMapError error;
  LawViolations laws;
  std::string message;  ///< why it is not solved, or what to know of it
};

/// The solver's own words, or what the status and the errors mean.
std::string message_of(const Answer& answer, const SolveArguments& arguments) {
  if (!answer.result.message.empty()) return std::string(answer.result.message);
  if (answer.result.status == SolveStatus::deadline) {
    return "the time was over before the tolerance was reached; allow more with --time-limit";
  }
  // both errors, where one says little of the other
  const bool is_plain = arguments.criterion == Criterion::plain;
  const double other = is_plain ? answer.error.rescaled : answer.error.plain;
  const double own = is_plain ? answer.error.plain : answer.error.rescaled;
  constexpr double differs = 10.0;
  if (other <= arguments.tolerance || other <= differs * own) return {};
  return fmt::format(
      "the {} error is {:.1e}, the {} one {:.1e}, above the tolerance: forces beside lengths; "
      "--criterion rescaled compares lengths alone",
      criterion_name(arguments.criterion), own, is_plain ? "rescaled" : "plain", other);
}

nlohmann::ordered_json to_json(const Answer& answer, const SolveArguments& arguments) {
  nlohmann::ordered_json line = {
      {"file", answer.file},
      {"name", std::filesystem::path(answer.file).stem().string()},
      {"contacts", answer.contacts},
      {"solver", answer.solver},
      {"status", status_name(answer.result.status)},
      {"criterion", criterion_name(arguments.criterion)},
      {"tolerance", arguments.tolerance},
      {"error", answer.error.plain},
      {"error_rescaled", answer.error.rescaled},
      {"iterations", answer.result.iterations},
      {"seconds", answer.result.seconds},
      {"message", answer.message},
  };
  if (arguments.compare) {
    line["laws"] = {{"penetration_m", answer.laws.penetration_m},
                    {"adhesion_N", answer.laws.adhesion_N},
                    {"force_across_gap_m", answer.laws.force_across_gap_m},
                    {"cone_excess_N", answer.laws.cone_excess_N},
                    {"unopposed_slip_m", answer.laws.unopposed_slip_m}};
  }
  return line;
}

nlohmann::ordered_json bad_input_json(const std::string& file, const std::string& message,
                                      const SolveArguments& arguments) {
  return {{"file", file},
          {"name", std::filesystem::path(file).stem().string()},
          {"contacts", nullptr},
          {"solver", arguments.solver},
          {"status", "bad_input"},
          {"criterion", criterion_name(arguments.criterion)},
          {"tolerance", arguments.tolerance},
          {"error", nullptr},
          {"error_rescaled", nullptr},
          {"iterations", nullptr},
          {"seconds", nullptr},
          {"message", message}};
}

void print_line(const nlohmann::ordered_json& line) {
  // names of files need not be UTF-8
  using Json = nlohmann::ordered_json;
  fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void print_heading(const SolveArguments& arguments) {
  fmt::print("{:<32} {:>8} {:<26} {:<14} {:>9} {:>9} {:>10} {:>11}", "problem", "contacts",
             "solver", "status", "error", "rescaled", "iterations", "time");
  if (arguments.compare) {
    fmt::print(" {:>11} {:>9} {:>9} {:>9} {:>9}", "penetration", "adhesion", "over gap", "cone",
               "slip");
  }
  fmt::print("\n");
}

void print_row(const Answer& answer, const SolveArguments& arguments) {
  fmt::print("{:<32} {:>8} {:<26} {:<14} {:>9.2e} {:>9.2e} {:>10} {:>8.4g} ms",
             std::filesystem::path(answer.file).stem().string(), answer.contacts, answer.solver,
             status_name(answer.result.status), answer.error.plain, answer.error.rescaled,
             answer.result.iterations, 1e3 * answer.result.seconds);
  if (arguments.compare) {
    const LawViolations& laws = answer.laws;
    fmt::print(" {:>9.1e} m {:>7.1e} N {:>7.1e} m {:>7.1e} N {:>7.1e} m", laws.penetration_m,
               laws.adhesion_N, laws.force_across_gap_m, laws.cone_excess_N, laws.unopposed_slip_m);
  }
  fmt::print("\n");
  std::fflush(stdout);
  if (!answer.message.empty()) fmt::print(stderr, "  {}\n", answer.message);
}

/// Folders replaced by the problems in them, by name.
std::vector<std::string> files_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (!std::filesystem::is_directory(input, error)) {
      files.push_back(input);
      continue;
    }
    const std::size_t first = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(input, error)) {
      const auto extension = entry.path().extension();
      if (extension == ".hdf5" || extension == ".h5" || extension == ".npz") {
        files.push_back(entry.path().string());
      }
    }
    if (error || files.size() == first) {
      throw InputError(fmt::format("{}: holds no .hdf5 or .npz file that can be listed", input));
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

/// A problem by the extension of its file, with whatever came with it.
FclibFile read_problem(const std::filesystem::path& path) {
  if (path.extension() != ".npz") return read_fclib(path);
  FclibFile content;
  content.problem = read_npz(path);
  return content;
}

/// Where the solution of a file goes; empty for nowhere.
std::filesystem::path output_of(const std::string& file, const SolveArguments& arguments,
                                bool is_only_one) {
  if (arguments.out.empty()) return {};
  std::filesystem::path out = arguments.out;
  const bool is_folder = out.filename().empty() || std::filesystem::is_directory(out);
  if (is_only_one && !is_folder) return out;
  return out / (std::filesystem::path(file).stem().string() + ".hdf5");
}

void check_output(const std::vector<std::string>& files, const SolveArguments& arguments) {
  if (arguments.out.empty()) return;
  if (arguments.compare) throw InputError("--out writes one solution; leave out --compare");
  const std::filesystem::path out = arguments.out;
  if (out.extension() == ".npz") {
    throw InputError(
        fmt::format("--out {}: solutions are written as HDF5; name it X.hdf5", arguments.out));
  }
  if (files.size() > 1 && (out.extension() == ".hdf5" || out.extension() == ".h5")) {
    throw InputError(fmt::format("--out {}: {} files need a folder; write it as DIR/",
                                 arguments.out, files.size()));
  }
  std::set<std::filesystem::path> targets;
  for (const std::string& file : files) {
    const std::filesystem::path target = output_of(file, arguments, files.size() == 1);
    if (!targets.insert(target).second) {
      throw InputError(fmt::format("--out {}: two inputs would both be written to {}; rename one",
                                   arguments.out, target.string()));
    }
  }
  std::error_code error;
  const std::filesystem::path folder = targets.begin()->parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(fmt::format("--out {}: cannot make the folder ({}); choose another",
                                 arguments.out, error.message()));
  }
}

std::unique_ptr<Solver> make(const std::string& name, const SolveArguments& arguments) {
  if (name == "pyramid") return std::make_unique<Pyramid>(arguments.sides);
  if (name == "gauss-seidel") {
    GaussSeidelSettings settings;
    settings.epsilon_1 = arguments.epsilon_1;
    if (arguments.epsilon_2 > 0.0) settings.epsilon_2 = arguments.epsilon_2;
    return std::make_unique<GaussSeidel>(settings);
  }
  return make_solver(name);
}

Answer solve(const std::string& file, const ContactProblem& problem, Solver& solver,
             const SolveArguments& arguments) {
  SolverOptions options;
  options.tolerance = arguments.tolerance;
  options.criterion = arguments.criterion;
  options.max_iterations = arguments.max_iterations;
  options.deadline_us = std::min(arguments.deadline_us, 1e6 * arguments.time_limit_s);
  options.order = arguments.order;
  options.seed = arguments.seed;
  // Algorithm 1 stops by its own rule when that is asked for
  if (solver.name() == "gauss-seidel" && arguments.epsilon_2 > 0.0) options.tolerance.reset();

  ProgressTeller teller(std::filesystem::path(file).stem().string());
  options.progress = &teller.progress();
  Answer answer;
  answer.file = file;
  answer.solver = solver.name();
  answer.contacts = problem.contact_count();
  for (int repetition = 0; repetition < arguments.repeat; ++repetition) {
    const double best = answer.result.seconds;
    answer.result = solver.solve(problem, options, answer.f);
    if (repetition > 0) answer.result.seconds = std::min(best, answer.result.seconds);
  }
  answer.error = natural_map_error(problem, answer.f);
  answer.laws = law_violations(problem, answer.f);
  answer.message = message_of(answer, arguments);
  return answer;
}

void write_answer(const std::filesystem::path& path, FclibFile& content, const Answer& answer) {
  VecX u;
  content.problem.W.multiply(answer.f, u);
  u += content.problem.delta_free;
  content.solution = FclibSolution{answer.f, u};
  write_fclib(path, content);
}

void run(const SolveArguments& arguments) {
  const std::vector<std::string> files = files_of(arguments.inputs);
  check_output(files, arguments);
  std::vector<std::unique_ptr<Solver>> solvers;
  if (arguments.compare) {
    for (const std::string_view name : solver_names()) {
      solvers.push_back(make(std::string(name), arguments));
    }
  } else {
    solvers.push_back(make(arguments.solver, arguments));
  }

  bool is_input_bad = false;
  bool is_aim_missed = false;
  if (!arguments.json) print_heading(arguments);
  for (const std::string& file : files) {
    try {
      FclibFile content = read_problem(file);
      for (const std::unique_ptr<Solver>& solver : solvers) {
        const Answer answer = solve(file, content.problem, *solver, arguments);
        const std::filesystem::path out = output_of(file, arguments, files.size() == 1);
        if (!out.empty()) write_answer(out, content, answer);
        arguments.json ? print_line(to_json(answer, arguments)) : print_row(answer, arguments);
        is_aim_missed = is_aim_missed || answer.result.status != SolveStatus::converged;
      }
    } catch (const InputError& error) {
      is_input_bad = true;
      if (arguments.json) print_line(bad_input_json(file, error.what(), arguments));
      fmt::print(stderr, "stickslip: {}\n", error.what());
    }
    std::fflush(stdout);
  }
  if (is_input_bad) throw ExitCode{2};
  if (is_aim_missed && !arguments.compare) throw ExitCode{1};
}

}  // namespace

void add_solve_command(CLI::App& program) {
  CLI::App* solve = program.add_subcommand(
      "solve", "Solve frictional contact problems: FCLIB or NumPy files, u = W r + q");
  const auto arguments = std::make_shared<SolveArguments>();
  solve
      ->add_option("FILE", arguments->inputs,
                   "FCLIB files (HDF5), NumPy files (.npz with W, q, mu), or folders of them")
      ->required();
  solve
      ->add_option("--solver", arguments->solver,
                   fmt::format("one of {}", fmt::join(solver_names(), ", ")))
      ->capture_default_str();
  solve->add_option("--tolerance", arguments->tolerance, "on the natural-map error")
      ->check(zero_or_more())
      ->capture_default_str();
  const std::map<std::string, Criterion> criteria = {{"plain", Criterion::plain},
                                                     {"rescaled", Criterion::rescaled}};
  solve->add_option("--criterion", arguments->criterion, "the error the tolerance is meant on")
      ->transform(CLI::CheckedTransformer(criteria).description("plain|rescaled"));
  solve->add_option("--max-iterations", arguments->max_iterations, "sweeps or pivots")
      ->check(zero_or_more())
      ->capture_default_str();
  solve->add_option("--deadline-us", arguments->deadline_us, "time limit of a solve [us]")
      ->check(above_zero());
  solve->add_option("--time-limit", arguments->time_limit_s, "the same in seconds")
      ->check(above_zero());
  const std::map<std::string, ContactOrder> orders = {{"fixed", ContactOrder::fixed},
                                                      {"reversed", ContactOrder::reversed},
                                                      {"shuffled", ContactOrder::shuffled}};
  solve->add_option("--order", arguments->order, "order of the contacts in a sweep")
      ->transform(CLI::CheckedTransformer(orders).description("fixed|reversed|shuffled"));
  solve->add_option("--seed", arguments->seed, "of the shuffled order");
  solve->add_option("--repeat", arguments->repeat, "solve so often, report the best time")
      ->check(above_zero());
  solve->add_option("--sides", arguments->sides, "of the pyramids, even, 4 or more")
      ->capture_default_str();
  solve->add_option("--epsilon-1", arguments->epsilon_1,
                    "gauss-seidel: a normal force up to this is none [N]");
  solve
      ->add_option("--epsilon-2", arguments->epsilon_2,
                   "gauss-seidel: stop on the paper's relative change instead of --tolerance")
      ->check(above_zero());
  solve->add_option("--out", arguments->out,
                    "write the problem with /solution/r, /solution/u: F.hdf5, or DIR/ for several");
  solve->add_flag("--json", arguments->json, "one JSON line per file");
  solve->add_flag("--compare", arguments->compare,
                  "run every solver, and show how far each law is violated");
  solve->callback([arguments] { run(*arguments); });
}

}  // namespace stickslip::cli
