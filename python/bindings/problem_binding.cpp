#include <fmt/core.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "docstrings.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/problem.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/npz_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip::python {

namespace {

VecX vector_from(const Numbers& numbers, const char* name, py::ssize_t size) {
  if (numbers.ndim() != 1 || numbers.shape(0) != size) {
    throw InputError(fmt::format("{}: must be one row of {} numbers, m = {} contacts by mu", name,
                                 size, size / 3));
  }
  return Eigen::Map<const VecX>(numbers.data(), size);
}

/// The share of W that is filled from which on it is kept dense, as readers of files do.
constexpr double dense_share = 1.0 / 3.0;

BlockMatrix matrix_from(const py::object& W, py::ssize_t size) {
  const bool is_sparse = py::hasattr(W, "tocsc");
  const auto refuse_shape = [&](py::ssize_t rows, py::ssize_t columns) {
    if (rows == size && columns == size) return;
    throw InputError(fmt::format("W: is {} x {}, must be {} x {}, three rows a contact by mu", rows,
                                 columns, size, size));
  };
  const double cells = static_cast<double>(size) * static_cast<double>(size);
  if (!is_sparse) {
    const auto dense = Numbers::ensure(W);
    if (!dense) throw py::error_already_set();
    if (dense.ndim() != 2) throw InputError("W: must have two dimensions");
    refuse_shape(dense.shape(0), dense.shape(1));
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const MatX matrix = Eigen::Map<const RowMajor>(dense.data(), size, size);
    const auto filled = static_cast<double>((matrix.array() != 0.0).count());
    if (filled >= dense_share * cells) return BlockMatrix::dense(matrix);
    return BlockMatrix::sparse(matrix.sparseView());
  }

  // SciPy's, by columns
  const py::object columns = W.attr("tocsc")();
  const auto shape = columns.attr("shape").cast<std::array<py::ssize_t, 2>>();
  refuse_shape(shape[0], shape[1]);
  using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;
  const auto starts = columns.attr("indptr").cast<Indices>();
  const auto rows = columns.attr("indices").cast<Indices>();
  const auto values = columns.attr("data").cast<Numbers>();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(uz(values.size()));
  for (int j = 0; j < static_cast<int>(size); ++j) {
    for (int k = starts.at(j); k < starts.at(j + 1); ++k) {
      entries.emplace_back(rows.at(k), j, values.at(k));
    }
  }
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const auto filled = static_cast<double>(matrix.nonZeros());
  if (filled >= dense_share * cells) return BlockMatrix::dense(MatX(matrix));
  return BlockMatrix::sparse(matrix);
}

std::shared_ptr<Problem> make_problem(const py::object& W, const Numbers& q, const Numbers& mu) {
  if (mu.ndim() != 1) throw InputError("mu: must be one row of numbers, one a contact");
  auto made = std::make_shared<Problem>();
  ContactProblem& problem = made->content.problem;
  const py::ssize_t size = 3 * mu.shape(0);
  problem.W = matrix_from(W, size);
  problem.delta_free = vector_from(q, "q", size);
  problem.mu = Eigen::Map<const VecX>(mu.data(), mu.shape(0));
  check_contact_problem(problem, "problem");
  return made;
}

/// Dense, or scipy.sparse.bsr_matrix of 3 x 3 blocks.
py::object matrix_of(const py::object& owner) {
  const BlockMatrix& W = owner.cast<const Problem&>().problem().W;
  const py::ssize_t size = 3 * W.contact_count();
  if (W.is_dense()) {
    const auto entries = W.as_dense();
    const py::ssize_t bytes = sizeof(double);
    py::array view(py::dtype::of<double>(), Shape{size, size}, Shape{bytes, bytes * size},
                   entries.data(), owner);
    make_read_only(view);
    return view;
  }
  // stored by columns, column after column of a block: that is its transpose by rows
  std::vector<int> starts = {0};
  std::vector<int> rows;
  for (int j = 0; j < W.contact_count(); ++j) {
    const BlockMatrix::Column column = W.column(j);
    rows.insert(rows.end(), column.rows.begin(), column.rows.end());
    starts.push_back(static_cast<int>(rows.size()));
  }
  const double* values = W.contact_count() == 0 ? nullptr : W.column(0).values;
  const py::array blocks = view_of(values, {static_cast<py::ssize_t>(rows.size()), 3, 3}, owner);
  const py::tuple parts =
      py::make_tuple(blocks, array_of(std::move(rows)), array_of(std::move(starts)));
  const py::object transposed =
      py::module_::import("scipy.sparse")
          .attr("bsr_matrix")(parts, py::arg("shape") = py::make_tuple(size, size));
  return transposed.attr("T");
}

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

/// The number of a word among those that are allowed.
std::size_t choice(const char* name, const std::string& word,
                   std::initializer_list<std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (const std::string_view one : words) all += fmt::format("{}{}", all.empty() ? "" : ", ", one);
  throw InputError(fmt::format("{} = \"{}\": choose one of {}", name, word, all));
}

Criterion criterion_of(const std::string& name) {
  return static_cast<Criterion>(choice("criterion", name, {"plain", "rescaled"}));
}

struct Solution {
  std::string solver;
  VecX r;
  VecX u;
  SolveResult result;
  NaturalMapError errors;
  Criterion criterion = Criterion::plain;
  LawViolations laws;
};

struct SolveRequest {
  double tolerance;
  std::string solver;
  std::string criterion;
  int max_iterations;
  std::optional<double> time_limit;
  std::optional<Numbers> start;
  int sides;
  std::string order;
  std::uint32_t seed;
};

Solution solve(const Problem& content, const SolveRequest& request) {
  const ContactProblem& problem = content.problem();
  SolverOptions options;
  if (!(request.tolerance >= 0.0)) {
    throw InputError(fmt::format("tolerance = {}: must not be below 0", request.tolerance));
  }
  if (request.max_iterations < 0) {
    throw InputError(
        fmt::format("max_iterations = {}: must not be below 0", request.max_iterations));
  }
  if (request.time_limit && !(*request.time_limit > 0.0)) {
    throw InputError(fmt::format("time_limit = {}: must be above 0 s", *request.time_limit));
  }
  options.tolerance = request.tolerance;
  options.criterion = criterion_of(request.criterion);
  options.max_iterations = request.max_iterations;
  if (request.time_limit) options.deadline_us = 1e6 * *request.time_limit;
  options.order =
      static_cast<ContactOrder>(choice("order", request.order, {"fixed", "reversed", "shuffled"}));
  options.seed = request.seed;
  Solution solution;
  const auto solver = make_solver(request.solver, request.sides);
  solution.solver = solver->name();
  solution.criterion = options.criterion;
  if (request.start) {
    solution.r = vector_from(*request.start, "start", 3 * problem.contact_count());
    if (!solution.r.allFinite()) throw InputError("start: must be finite");
    options.warm_start = true;
  }

  const py::gil_scoped_release released;
  solution.result = solver->solve(problem, options, solution.r);
  problem.W.multiply(solution.r, solution.u);
  solution.u += problem.delta_free;
  solution.errors = natural_map_error(problem, solution.r);
  solution.laws = law_violations(problem, solution.r);
  return solution;
}

py::dict laws_of(const LawViolations& laws) {
  py::dict dict;
  dict["penetration_m"] = laws.penetration_m;
  dict["adhesion_N"] = laws.adhesion_N;
  dict["force_across_gap_m"] = laws.force_across_gap_m;
  dict["cone_excess_N"] = laws.cone_excess_N;
  dict["unopposed_slip_m"] = laws.unopposed_slip_m;
  return dict;
}

double error_of(const Problem& content, const Numbers& r, const std::string& criterion) {
  const Criterion kind = criterion_of(criterion);
  const VecX f = vector_from(r, "r", 3 * content.problem().contact_count());
  const py::gil_scoped_release released;
  const NaturalMapError error = natural_map_error(content.problem(), f);
  return kind == Criterion::plain ? error.plain : error.rescaled;
}

std::shared_ptr<Problem> read_problem(const std::filesystem::path& path) {
  auto read = std::make_shared<Problem>();
  if (path.extension() == ".npz") {
    read->content.problem = read_npz(path);
  } else {
    read->content = read_fclib(path);
  }
  return read;
}

void write_problem(const Problem& content, const std::filesystem::path& path,
                   const std::optional<Numbers>& r) {
  FclibFile file = content.content;
  if (r) {
    const VecX f = vector_from(*r, "r", 3 * file.problem.contact_count());
    VecX u;
    file.problem.W.multiply(f, u);
    u += file.problem.delta_free;
    file.solution = FclibSolution{f, u};
  }
  write_fclib(path, file);
}

void bind_solution(py::module_& module) {
  const auto numbers = [](VecX Solution::*member) {
    return [member](const py::object& self) {
      const VecX& values = self.cast<const Solution&>().*member;
      return py::array_t<double>(values.size(), values.data(), self);
    };
  };
  py::class_<Solution>(module, "Solution")
      .def_property_readonly("r", numbers(&Solution::r))
      .def_property_readonly("u", numbers(&Solution::u))
      .def_property_readonly("error",
                             [](const Solution& s) {
                               return s.criterion == Criterion::plain ? s.errors.plain
                                                                      : s.errors.rescaled;
                             })
      .def_property_readonly("error_plain", [](const Solution& s) { return s.errors.plain; })
      .def_property_readonly("error_rescaled", [](const Solution& s) { return s.errors.rescaled; })
      .def_property_readonly("status",
                             [](const Solution& s) { return status_name(s.result.status); })
      .def_property_readonly("iterations", [](const Solution& s) { return s.result.iterations; })
      .def_property_readonly("seconds", [](const Solution& s) { return s.result.seconds; })
      .def_property_readonly("message", [](const Solution& s) { return s.result.message; })
      .def_readonly("solver", &Solution::solver)
      .def_property_readonly("laws", [](const Solution& s) { return laws_of(s.laws); });
}

}  // namespace

void bind_problems(py::module_& module) {
  bind_solution(module);
  py::class_<Problem, std::shared_ptr<Problem>>(module, "Problem")
      .def(py::init(&make_problem), py::arg("W"), py::arg("q"), py::arg("mu"))
      .def(py::init([](const std::shared_ptr<Problem>& same) { return same; }), py::arg("same"))
      .def_property_readonly("W", &matrix_of)
      .def_property_readonly("q",
                             [](const py::object& self) {
                               const auto& q = self.cast<const Problem&>().problem().delta_free;
                               return view_of(q.data(), {q.size()}, self);
                             })
      .def_property_readonly("mu",
                             [](const py::object& self) {
                               const auto& mu = self.cast<const Problem&>().problem().mu;
                               return view_of(mu.data(), {mu.size()}, self);
                             })
      .def_property_readonly("contacts",
                             [](const py::object& self) {
                               const auto& contacts = self.cast<const Problem&>().contacts;
                               return view_of(contacts.data(),
                                              {static_cast<py::ssize_t>(contacts.size())}, self);
                             })
      .def_property_readonly("title", [](const Problem& p) { return p.content.title; })
      .def_property_readonly("description", [](const Problem& p) { return p.content.description; })
      .def_property_readonly("r",
                             [](const py::object& self) -> py::object {
                               const auto& solution = self.cast<const Problem&>().content.solution;
                               if (!solution) return py::none();
                               return view_of(solution->r.data(), {solution->r.size()}, self);
                             })
      .def("__len__", [](const Problem& p) { return p.problem().contact_count(); })
      .def("error", &error_of, py::arg("r"), py::arg("criterion") = "plain", doc("Problem.error"))
      .def(
          "laws",
          [](const Problem& p, const Numbers& r) {
            return laws_of(
                law_violations(p.problem(), vector_from(r, "r", 3 * p.problem().contact_count())));
          },
          py::arg("r"), doc("Problem.laws"))
      .def(
          "solve",
          [](const Problem& p, double tolerance, const std::string& solver,
             const std::string& criterion, int max_iterations, std::optional<double> time_limit,
             std::optional<Numbers> start, int sides, const std::string& order,
             std::uint32_t seed) {
            return solve(p, {tolerance, solver, criterion, max_iterations, time_limit,
                             std::move(start), sides, order, seed});
          },
          py::arg("tolerance") = default_tolerance, py::kw_only(), py::arg("solver") = "auto",
          py::arg("criterion") = "plain",
          py::arg("max_iterations") = SolverOptions{}.max_iterations,
          py::arg("time_limit") = py::none(), py::arg("start") = py::none(),
          py::arg("sides") = usual_pyramid_sides, py::arg("order") = "fixed", py::arg("seed") = 0,
          doc("Problem.solve"))
      .def_static("_read", &read_problem, py::arg("path"))
      .def("write_fclib", &write_problem, py::arg("path"), py::arg("r") = py::none(),
           doc("Problem.write_fclib"));
  py::list names;
  for (const std::string_view name : solver_names())
    names.append(py::str(name.data(), name.size()));
  module.attr("solver_names") = py::tuple(names);
}

}  // namespace stickslip::python
