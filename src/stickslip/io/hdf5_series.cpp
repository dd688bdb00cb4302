#include "stickslip/io/hdf5_series.hpp"

#include <fmt/core.h>

#include <numeric>
#include <utility>

#include "stickslip/error.hpp"
#include "stickslip/io/deflate_limit.hpp"
#include "stickslip/io/hdf5_handles.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

namespace {

hid_t file_type(Stored stored) {
  switch (stored) {
    case Stored::float64:
      return H5T_IEEE_F64LE;
    case Stored::float32:
      return H5T_IEEE_F32LE;
    case Stored::uint64:
      return H5T_STD_U64LE;
    case Stored::uint32:
      return H5T_STD_U32LE;
    case Stored::uint8:
      break;
  }
  return H5T_STD_U8LE;
}

bool is_integral(Stored stored) {
  return stored != Stored::float64 && stored != Stored::float32;
}

/// The extents of so many rows.
std::vector<hsize_t> extents(const SeriesLayout& layout, hsize_t rows) {
  std::vector<hsize_t> sizes = {rows};
  sizes.insert(sizes.end(), layout.row_shape.begin(), layout.row_shape.end());
  return sizes;
}

[[noreturn]] void fail(const std::filesystem::path& path, const SeriesLayout& layout,
                       const char* what) {
  throw InputError(fmt::format("{}: {} {}", path.string(), layout.name, what));
}

}  // namespace

std::size_t SeriesLayout::row_size() const {
  return std::accumulate(row_shape.begin(), row_shape.end(), std::size_t{1},
                         [](std::size_t product, int size) { return product * uz(size); });
}

Hdf5Series::Hdf5Series(std::filesystem::path path, SeriesLayout layout, std::int64_t id)
    : path_(std::move(path)), layout_(std::move(layout)), id_(id) {}

Hdf5Series::Hdf5Series(Hdf5Series&& other) noexcept
    : path_(std::move(other.path_)),
      layout_(std::move(other.layout_)),
      id_(std::exchange(other.id_, -1)),
      row_count_(other.row_count_) {}

Hdf5Series::~Hdf5Series() {
  const Silence silence;
  if (id_ >= 0) H5Dclose(id_);
}

Hdf5Series Hdf5Series::create(Hdf5File& file, const SeriesLayout& layout) {
  const Silence silence;
  const std::vector<hsize_t> none = extents(layout, 0);
  const std::vector<hsize_t> most = extents(layout, H5S_UNLIMITED);
  const std::vector<hsize_t> piece = extents(layout, static_cast<hsize_t>(layout.rows_at_once));
  const Id space(H5Screate_simple(static_cast<int>(none.size()), none.data(), most.data()),
                 H5Sclose);
  const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.get(), static_cast<int>(piece.size()), piece.data());
  if (layout.is_packed) {
    H5Pset_shuffle(creation.get());
    H5Pset_deflate(creation.get(), 1);
  }
  const hid_t id = H5Dcreate2(file.id_, layout.name.c_str(), file_type(layout.stored), space.get(),
                              H5P_DEFAULT, creation.get(), H5P_DEFAULT);
  if (id < 0) fail(file.path(), layout, "cannot be written; is there room on the disk?");
  return {file.path(), layout, id};
}

Hdf5Series Hdf5Series::open(const Hdf5File& file, const SeriesLayout& layout) {
  const Silence silence;
  Hdf5Series series(file.path(), layout, H5Dopen2(file.id_, layout.name.c_str(), H5P_DEFAULT));
  if (series.id_ < 0)
    fail(file.path(), layout, "is missing; this is no recording, or a damaged one");
  const Id type(H5Dget_type(series.id_), H5Tclose);
  if (H5Tget_class(type.get()) != (is_integral(layout.stored) ? H5T_INTEGER : H5T_FLOAT)) {
    fail(file.path(), layout, "holds numbers of another type; this is no recording of ours");
  }
  const Id space(H5Dget_space(series.id_), H5Sclose);
  std::vector<hsize_t> found(layout.row_shape.size() + 1);
  if (H5Sget_simple_extent_ndims(space.get()) != static_cast<int>(found.size()) ||
      H5Sget_simple_extent_dims(space.get(), found.data(), nullptr) < 0 ||
      found != extents(layout, found[0])) {
    fail(file.path(), layout, "has another shape than the scene asks for; the file is damaged");
  }
  // what was never written takes no place: a count beyond what can be packed there is damage
  const hsize_t stored = H5Dget_storage_size(series.id_);
  const hsize_t row_bytes = H5Tget_size(type.get()) * layout.row_size();
  if (found[0] > 0 && found[0] > tightest_packing * (stored / row_bytes + 1)) {
    fail(file.path(), layout, "claims more rows than are stored; the file is damaged");
  }
  series.row_count_ = found[0];
  return series;
}

void Hdf5Series::write(const void* numbers, std::size_t count, std::int64_t memory_type) {
  const hsize_t rows = count / layout_.row_size();
  if (rows == 0) return;
  const Silence silence;
  const std::vector<hsize_t> size = extents(layout_, row_count_ + rows);
  bool is_done = H5Dset_extent(id_, size.data()) >= 0;
  const Id space(H5Dget_space(id_), H5Sclose);
  std::vector<hsize_t> start(size.size(), 0);
  start[0] = row_count_;
  const std::vector<hsize_t> part = extents(layout_, rows);
  const Id memory(H5Screate_simple(static_cast<int>(part.size()), part.data(), nullptr), H5Sclose);
  is_done = is_done &&
            H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(),
                                nullptr) >= 0 &&
            H5Dwrite(id_, memory_type, memory.get(), space.get(), H5P_DEFAULT, numbers) >= 0;
  if (!is_done) fail(path_, layout_, "cannot be written; is there room on the disk?");
  row_count_ += rows;
}

void Hdf5Series::append(std::span<const double> numbers) {
  write(numbers.data(), numbers.size(), H5T_NATIVE_DOUBLE);
}

void Hdf5Series::append(std::span<const std::uint64_t> numbers) {
  write(numbers.data(), numbers.size(), H5T_NATIVE_UINT64);
}

template <class Number>
std::vector<Number> Hdf5Series::read(std::uint64_t first, std::uint64_t count,
                                     std::int64_t memory_type) const {
  const Silence silence;
  if (first > row_count_ || count > row_count_ - first) {
    fail(path_, layout_, "ends too early; the file is damaged or cut short");
  }
  std::vector<Number> numbers(count * layout_.row_size());
  if (numbers.empty()) return numbers;
  const Id space(H5Dget_space(id_), H5Sclose);
  const std::vector<hsize_t> part = extents(layout_, count);
  std::vector<hsize_t> start(part.size(), 0);
  start[0] = first;
  const Id memory(H5Screate_simple(static_cast<int>(part.size()), part.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(),
                          nullptr) < 0 ||
      H5Dread(id_, memory_type, memory.get(), space.get(), H5P_DEFAULT, numbers.data()) < 0) {
    fail(path_, layout_, "cannot be read; the file is damaged or cut short");
  }
  return numbers;
}

std::vector<double> Hdf5Series::read_numbers(std::uint64_t first, std::uint64_t count) const {
  return read<double>(first, count, H5T_NATIVE_DOUBLE);
}

std::vector<std::uint64_t> Hdf5Series::read_integers(std::uint64_t first,
                                                     std::uint64_t count) const {
  return read<std::uint64_t>(first, count, H5T_NATIVE_UINT64);
}

}  // namespace stickslip
