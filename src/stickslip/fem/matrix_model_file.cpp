#include <fmt/core.h>

#include <cmath>

#include "stickslip/error.hpp"
#include "stickslip/fem/deformation_model.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip {

namespace {

/// A sparse matrix in MatrixMarket's coordinate form, real, general or symmetric.
SparseMatrix read_matrix_market(const std::filesystem::path& path) {
  FileCursor file(path, "a MatrixMarket file");
  std::string_view line;
  file.next_line(line);
  const bool is_symmetric = line.ends_with("symmetric");
  if (!line.starts_with("%%MatrixMarket matrix coordinate real") ||
      !(is_symmetric || line.ends_with("general"))) {
    file.fail(fmt::format("the header is '{}'", printable(line)),
              "write '%%MatrixMarket matrix coordinate real symmetric' (or general)");
  }
  std::size_t behind = file.contents().size() - file.remaining();
  while (file.next_line(line) && line.starts_with('%')) {
    behind = file.contents().size() - file.remaining();
  }
  file.jump_to(behind);

  const int rows = file.integer("the number of rows");
  const int columns = file.integer("the number of columns");
  const int count = file.count("the number of entries", 3);
  if (rows <= 0 || rows != columns) {
    file.fail(fmt::format("the matrix is {} x {}", rows, columns), "give a square matrix");
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(uz(is_symmetric ? 2 * count : count));
  for (int k = 0; k < count; ++k) {
    const int i = file.integer("a row");
    const int j = file.integer("a column");
    const double value = file.real("an entry");
    if (i < 1 || i > rows || j < 1 || j > rows || !std::isfinite(value)) {
      file.fail(fmt::format("entry ({}, {}) = {}", i, j, value),
                fmt::format("indices run from 1 to {}, values are finite", rows));
    }
    entries.emplace_back(i - 1, j - 1, value);
    if (is_symmetric && i != j) entries.emplace_back(j - 1, i - 1, value);
  }
  SparseMatrix A(rows, rows);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

}  // namespace

DeformationModel read_matrix_model(const std::filesystem::path& folder) {
  const Surface surface = read_surface_unchecked(folder / "surface.obj");
  const SparseMatrix D = std::filesystem::exists(folder / "D.mtx")
                             ? read_matrix_market(folder / "D.mtx")
                             : SparseMatrix();
  try {
    return make_matrix_model(surface.points, surface.triangles,
                             read_matrix_market(folder / "M.mtx"), D,
                             read_matrix_market(folder / "K.mtx"));
  } catch (const InputError& error) {
    const std::string text = error.what();
    const bool is_named = text.starts_with(folder.string());
    throw InputError(is_named ? text : fmt::format("{}: {}", folder.string(), text));
  }
}

}  // namespace stickslip
