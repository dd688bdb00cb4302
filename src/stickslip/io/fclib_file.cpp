#include "stickslip/io/fclib_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "stickslip/error.hpp"
#include "stickslip/io/hdf5_file.hpp"

namespace stickslip {

namespace {

constexpr int by_rows = -2;

VecX to_vector(const std::vector<double>& values) {
  return Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::vector<double> read_finite(const Hdf5File& file, const std::filesystem::path& path,
                                const std::string& name) {
  std::vector<double> values = file.read_numbers(name);
  const auto bad = std::find_if_not(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad != values.end()) {
    throw InputError(
        path, fmt::format("{}[{}] is {}, must be finite; repair the program that wrote it", name,
                          bad - values.begin(), *bad));
  }
  return values;
}

std::vector<double> read_sized(const Hdf5File& file, const std::filesystem::path& path,
                               const std::string& name, std::size_t size) {
  std::vector<double> values = read_finite(file, path, name);
  if (values.size() != size) {
    throw InputError(path, fmt::format("{} has {} entries, must have {}; its size must fit W", name,
                                       values.size(), size));
  }
  return values;
}

/// The entries of a stored matrix, one (row, column, value) each.
using Triplets = std::vector<Eigen::Triplet<double>>;

// n x n with n known to be backed by data of that size
Triplets read_matrix(const Hdf5File& file, const std::filesystem::path& path, int n) {
  const std::string group = "/fclib_local/W/";
  const int form = file.read_integer(group + "nz");
  const std::vector<int> p = file.read_integers(group + "p");
  const std::vector<int> i = file.read_integers(group + "i");
  const std::vector<double> x = read_finite(file, path, group + "x");
  if (form < by_rows) {
    throw InputError(
        path, fmt::format("{}nz is {}, must be -2 (rows), -1 (columns) or a number of triplets",
                          group, form));
  }
  const auto check_index = [&](const char* name, std::size_t at, int index) {
    if (index < 0 || index >= n) {
      throw InputError(path, fmt::format("{}{}[{}] is {}, must be from 0 to {}; W is damaged",
                                         group, name, at, index, n - 1));
    }
  };

  Triplets entries;
  if (form >= 0) {
    // triplets: p holds columns, i rows
    const auto count = uz(form);
    if (p.size() < count || i.size() < count || x.size() < count) {
      throw InputError(
          path, fmt::format("{}nz is {}, but p, i and x hold {}, {} and {}; W is cut short", group,
                            form, p.size(), i.size(), x.size()));
    }
    entries.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      check_index("i", k, i[k]);
      check_index("p", k, p[k]);
      entries.emplace_back(i[k], p[k], x[k]);
    }
    return entries;
  }

  // compressed rows or columns: p points into i and x
  if (p.size() != uz(n) + 1) {
    throw InputError(path, fmt::format("{}p has {} entries, must have {}; its size must fit W",
                                       group, p.size(), n + 1));
  }
  if (p.front() != 0 || !std::is_sorted(p.begin(), p.end())) {
    throw InputError(path, fmt::format("{}p must start at 0 and not fall; W is damaged", group));
  }
  if (i.size() < uz(p.back()) || x.size() < uz(p.back())) {
    throw InputError(path, fmt::format("{}p ends at {}, but i and x hold {} and {}; W is cut short",
                                       group, p.back(), i.size(), x.size()));
  }
  entries.reserve(uz(p.back()));
  for (int major = 0; major < n; ++major) {
    for (auto k = uz(p[uz(major)]); k < uz(p[uz(major) + 1]); ++k) {
      check_index("i", k, i[k]);
      entries.emplace_back(form == by_rows ? major : i[k], form == by_rows ? i[k] : major, x[k]);
    }
  }
  return entries;
}

FclibSolution read_solution(const Hdf5File& file, const std::filesystem::path& path,
                            const std::string& group, std::size_t size) {
  FclibSolution solution;
  solution.r = to_vector(read_sized(file, path, group + "/r", size));
  if (file.has(group + "/u")) {
    solution.u = to_vector(read_sized(file, path, group + "/u", size));
  }
  return solution;
}

void write_solution(Hdf5File& file, const std::string& group, const FclibSolution& solution) {
  file.make_group(group);
  file.write_numbers(group + "/r", {solution.r.data(), uz(solution.r.size())});
  if (solution.u.size() > 0) {
    file.write_numbers(group + "/u", {solution.u.data(), uz(solution.u.size())});
  }
}

void write_matrix(Hdf5File& file, const BlockMatrix& W) {
  const int m = W.contact_count();
  std::vector<int> p = {0};
  std::vector<int> i;
  std::vector<double> x;
  p.reserve(3 * uz(m) + 1);

  // the blocks of each row of blocks, ascending
  std::vector<std::vector<int>> columns(uz(m));
  for (int j = 0; j < m; ++j) {
    if (W.is_dense()) {
      for (int row = 0; row < m; ++row) columns[uz(row)].push_back(j);
    } else {
      for (const int row : W.column(j).rows) columns[uz(row)].push_back(j);
    }
  }
  std::vector<Mat3> blocks;
  for (int row = 0; row < m; ++row) {
    blocks.clear();
    for (const int j : columns[uz(row)]) blocks.push_back(W.block(row, j));
    for (int component = 0; component < 3; ++component) {
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (int c = 0; c < 3; ++c) {
          const double value = blocks[b](component, c);
          if (value == 0.0) continue;
          i.push_back(3 * columns[uz(row)][b] + c);
          x.push_back(value);
        }
      }
      p.push_back(static_cast<int>(i.size()));
    }
  }

  const int size = 3 * m;
  const int count = p.back();
  const std::string group = "/fclib_local/W";
  file.make_group(group);
  file.write_integers(group + "/m", {&size, 1});
  file.write_integers(group + "/n", {&size, 1});
  file.write_integers(group + "/nz", {&by_rows, 1});
  file.write_integers(group + "/nzmax", {&count, 1});
  file.write_integers(group + "/p", p);
  file.write_integers(group + "/i", i);
  file.write_numbers(group + "/x", x);
}

}  // namespace

FclibFile read_fclib(const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path);
  if (!file.has("/fclib_local")) {
    throw InputError(
        path, file.has("/fclib_global")
                  ? "/fclib_global is a global problem; condense it to a local one (W, q, mu)"
                  : "/fclib_local is missing; give a local problem in FCLIB's layout");
  }
  if (file.has("/fclib_local/R") || file.has("/fclib_local/V")) {
    throw InputError(path,
                     "/fclib_local/R, V are equality constraints; condense them into W and q");
  }
  const int dimension = file.read_integer("/fclib_local/spacedim");
  if (dimension != 3) {
    throw InputError(path, fmt::format("/fclib_local/spacedim is {}, must be 3", dimension));
  }

  // sizes come from the data, and what the file says of them must agree
  const std::vector<double> mu = read_finite(file, path, "/fclib_local/vectors/mu");
  const std::size_t size = 3 * mu.size();
  const std::vector<double> q = read_sized(file, path, "/fclib_local/vectors/q", size);
  for (const char* name : {"/fclib_local/W/m", "/fclib_local/W/n"}) {
    const int stated = file.read_integer(name);
    if (stated < 0 || uz(stated) != size) {
      throw InputError(path, fmt::format("{} is {}, must be three times the {} entries of mu", name,
                                         stated, mu.size()));
    }
  }

  const int n = static_cast<int>(size);
  SparseMatrix W(n, n);
  {
    const Triplets entries = read_matrix(file, path, n);
    W.setFromTriplets(entries.begin(), entries.end());
  }
  const double share = static_cast<double>(W.nonZeros()) / std::max(1.0, 1.0 * n * n);

  FclibFile content;
  content.problem.W = share >= 1.0 / 3.0 ? BlockMatrix::dense(MatX(W)) : BlockMatrix::sparse(W);
  content.problem.delta_free = to_vector(q);
  content.problem.mu = to_vector(mu);
  check_contact_problem(content.problem, path.string());

  // whatever else is there
  content.title = file.read_text("/fclib_local/info/title");
  content.description = file.read_text("/fclib_local/info/description");
  content.math_info = file.read_text("/fclib_local/info/math_info");
  if (file.has("/solution")) content.solution = read_solution(file, path, "/solution", size);
  if (file.has("/guesses/number_of_guesses")) {
    const int count = file.read_integer("/guesses/number_of_guesses");
    for (int k = 1; k <= count; ++k) {
      const std::string group = fmt::format("/guesses/{}", k);
      content.guesses.push_back(read_solution(file, path, group, size));
    }
  }
  return content;
}

void write_fclib(const std::filesystem::path& path, const FclibFile& content) {
  std::filesystem::path draft = path;
  draft += fmt::format(".{}.tmp", ::getpid());
  std::error_code error;
  try {
    Hdf5File file = Hdf5File::create(draft);
    const int dimension = 3;
    file.make_group("/fclib_local");
    file.write_integers("/fclib_local/spacedim", {&dimension, 1});
    write_matrix(file, content.problem.W);
    file.make_group("/fclib_local/vectors");
    const VecX& q = content.problem.delta_free;
    const VecX& mu = content.problem.mu;
    file.write_numbers("/fclib_local/vectors/q", {q.data(), uz(q.size())});
    file.write_numbers("/fclib_local/vectors/mu", {mu.data(), uz(mu.size())});
    file.make_group("/fclib_local/info");
    file.write_text("/fclib_local/info/title", content.title);
    file.write_text("/fclib_local/info/description", content.description);
    file.write_text("/fclib_local/info/math_info", content.math_info);
    if (content.solution) write_solution(file, "/solution", *content.solution);
    if (!content.guesses.empty()) {
      const int count = static_cast<int>(content.guesses.size());
      file.make_group("/guesses");
      file.write_integers("/guesses/number_of_guesses", {&count, 1});
      for (int k = 0; k < count; ++k) {
        write_solution(file, fmt::format("/guesses/{}", k + 1), content.guesses[uz(k)]);
      }
    }
    file.flush();
  } catch (...) {
    std::filesystem::remove(draft, error);
    throw;
  }
  std::filesystem::rename(draft, path, error);
  if (error) {
    std::filesystem::remove(draft);
    throw InputError(path, fmt::format("cannot be written ({}); check the path", error.message()));
  }
}

}  // namespace stickslip
