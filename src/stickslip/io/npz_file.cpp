#include "stickslip/io/npz_file.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/error.hpp"
#include "stickslip/io/zip_archive.hpp"

namespace stickslip {

namespace {

/// No problem has more of anything.
constexpr std::uint64_t largest_size = 1'000'000'000;

/// Numbers in the order of C: the last index runs fastest.
struct Array {
  std::vector<std::uint64_t> shape;
  std::vector<double> values;
};

/// The header of a .npy file: a Python dictionary, of which NumPy writes only this form.
struct Header {
  std::string type;
  bool is_fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// What follows `'key':` in the dictionary.
std::optional<std::string_view> value_of(std::string_view dictionary, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const auto at = dictionary.find(quoted);
  if (at == dictionary.npos) return std::nullopt;
  std::string_view rest = dictionary.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::optional<Header> parse_header(std::string_view dictionary) {
  const auto type = value_of(dictionary, "descr");
  const auto order = value_of(dictionary, "fortran_order");
  const auto shape = value_of(dictionary, "shape");
  if (!type || !order || !shape || type->empty() || !shape->starts_with('(')) return std::nullopt;
  if (!order->starts_with("True") && !order->starts_with("False")) return std::nullopt;

  Header header;
  header.is_fortran_order = order->starts_with("True");
  // a list in place of a quoted name describes records
  header.type = "records";
  if (type->front() == '\'') {
    const auto end = type->find('\'', 1);
    if (end == type->npos) return std::nullopt;
    header.type = type->substr(1, end - 1);
  }
  std::uint64_t size = 0;
  bool has_digits = false;
  for (const char c : shape->substr(1)) {
    if (c >= '0' && c <= '9') {
      size = std::min(10 * size + static_cast<std::uint64_t>(c - '0'), largest_size);
      has_digits = true;
    } else if (c == ',' || c == ')') {
      if (has_digits) header.shape.push_back(size);
      if (c == ')') return header;
      size = 0;
      has_digits = false;
    } else if (c != ' ') {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

template <class Number, class Bits>
double number_at(const std::uint8_t* bytes, bool is_big_endian) {
  Bits bits = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    const std::size_t at = is_big_endian ? i : sizeof(Bits) - 1 - i;
    bits = bits << 8 | bytes[at];
  }
  return static_cast<double>(std::bit_cast<Number>(bits));
}

class NpzReader {
 public:
  explicit NpzReader(const std::filesystem::path& path) : path_(path), archive_(path) {}

  Array read(const std::string& name) const {
    const std::string file = name + ".npy";
    if (!archive_.has(file)) {
      refuse(name, fmt::format("is missing (there is {}); save it as numpy.savez(file, W=W, q=q, "
                               "mu=mu)",
                               archive_.names().empty()
                                   ? "nothing"
                                   : fmt::format("{}", fmt::join(archive_.names(), ", "))));
    }
    const std::vector<std::uint8_t> bytes = archive_.read(file);

    // magic, version, length of the dictionary, dictionary
    constexpr std::string_view magic = "\x93NUMPY";
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool is_first_version = bytes.size() >= 10 && bytes[6] == 1;
    const std::size_t start = is_first_version ? 10 : 12;
    if (!text.starts_with(magic) || bytes.size() < start) refuse(name, "is not an array of NumPy");
    std::size_t length = bytes[8] | std::size_t{bytes[9]} << 8;
    if (!is_first_version) length |= std::size_t{bytes[10]} << 16 | std::size_t{bytes[11]} << 24;
    if (length > bytes.size() - start) refuse(name, "is cut short; write the file again");
    const std::optional<Header> header = parse_header(text.substr(start, length));
    if (!header) refuse(name, "has a header that NumPy does not write; write the file again");

    const bool is_double = header->type == "<f8" || header->type == ">f8";
    if (!is_double && header->type != "<f4" && header->type != ">f4") {
      refuse(name, fmt::format("is of type {}, must be float64 or float32; save {}.astype(float)",
                               header->type, name));
    }
    std::uint64_t count = 1;
    for (const std::uint64_t size : header->shape) {
      count = size == 0 ? 0 : std::min(count, bytes.size()) * size;
    }
    const std::uint64_t width = is_double ? 8 : 4;
    const std::uint64_t held = bytes.size() - start - length;
    if (held % width != 0 || count != held / width) {
      refuse(name, fmt::format("of shape ({}) holds {} bytes, {} are needed; write the file again",
                               fmt::join(header->shape, ", "), held, count * width));
    }

    Array array{header->shape, std::vector<double>(count)};
    const bool is_big_endian = header->type.front() == '>';
    const std::uint8_t* numbers = bytes.data() + start + length;
    for (std::uint64_t i = 0; i < count; ++i) {
      array.values[i] = is_double ? number_at<double, std::uint64_t>(numbers + 8 * i, is_big_endian)
                                  : number_at<float, std::uint32_t>(numbers + 4 * i, is_big_endian);
    }
    if (header->is_fortran_order && header->shape.size() == 2) {
      const auto rows = static_cast<Eigen::Index>(header->shape[0]);
      const auto columns = static_cast<Eigen::Index>(header->shape[1]);
      const MatX by_rows = Eigen::Map<const MatX>(array.values.data(), rows, columns).transpose();
      std::copy(by_rows.data(), by_rows.data() + by_rows.size(), array.values.begin());
    }
    return array;
  }

  /// An array in one dimension, of that many finite entries.
  VecX read_vector(const std::string& name, std::uint64_t size, const char* per) const {
    const Array array = read(name);
    // a column or a row is as good
    const auto longer_than_one = std::count_if(array.shape.begin(), array.shape.end(),
                                               [](std::uint64_t length) { return length != 1; });
    if (array.values.size() != size || longer_than_one > 1) {
      refuse(name, fmt::format("has shape ({}), must have {} entries, {}",
                               fmt::join(array.shape, ", "), size, per));
    }
    for (std::size_t i = 0; i < array.values.size(); ++i) {
      check_finite(name, fmt::format("[{}]", i), array.values[i]);
    }
    return Eigen::Map<const VecX>(array.values.data(), static_cast<Eigen::Index>(size));
  }

  void check_finite(const std::string& name, const std::string& where, double value) const {
    if (std::isfinite(value)) return;
    refuse(name, fmt::format("{} is {}, must be a finite number; repair the program that wrote it",
                             where, value));
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& what) const {
    const char* space = what.starts_with('[') ? "" : " ";
    throw InputError(fmt::format("{}: {}{}{}", path_.string(), name, space, what));
  }

 private:
  std::filesystem::path path_;
  ZipArchive archive_;
};

}  // namespace

ContactProblem read_npz(const std::filesystem::path& path) {
  const NpzReader reader(path);
  const Array W_array = reader.read("W");
  if (W_array.shape.size() != 2 || W_array.shape[0] != W_array.shape[1] ||
      W_array.shape[0] % 3 != 0) {
    reader.refuse("W", fmt::format("has shape ({}), must be square with three rows per contact",
                                   fmt::join(W_array.shape, ", ")));
  }
  const auto n = static_cast<Eigen::Index>(W_array.shape[0]);
  for (Eigen::Index row = 0; row < n; ++row) {
    for (Eigen::Index column = 0; column < n; ++column) {
      const double value = W_array.values[uz(row * n + column)];
      if (!std::isfinite(value)) {
        reader.check_finite("W", fmt::format("[{}, {}]", row, column), value);
      }
    }
  }

  ContactProblem problem;
  problem.delta_free = reader.read_vector("q", uz(n), "three per contact of W");
  problem.mu = reader.read_vector("mu", uz(n / 3), "one per contact of W");
  const MatX W = Eigen::Map<const MatX>(W_array.values.data(), n, n).transpose();
  const auto filled = static_cast<double>((W.array() != 0.0).count());
  const bool is_dense = filled >= static_cast<double>(n * n) / 3.0;
  problem.W = is_dense ? BlockMatrix::dense(W) : BlockMatrix::sparse(W.sparseView());
  check_contact_problem(problem, path.string());
  return problem;
}

}  // namespace stickslip
