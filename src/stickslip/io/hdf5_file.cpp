#include "stickslip/io/hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <limits>
#include <type_traits>
#include <utility>

#include "stickslip/error.hpp"
#include "stickslip/io/deflate_limit.hpp"
#include "stickslip/io/hdf5_handles.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

namespace {

// every object closes what it opened, so HDF5 need not tidy up when the program ends; after a
// damaged file its tidying complains of an endless loop
void start_hdf5() {
  static const herr_t done = H5dont_atexit();
  static_cast<void>(done);
}

constexpr hsize_t longest_text = hsize_t{1} << 26;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& name,
                       const std::string& what) {
  throw InputError(fmt::format("{}: {} {}", path.string(), name, what));
}

[[noreturn]] void fail_to_create(const std::filesystem::path& path) {
  throw InputError(fmt::format(
      "{}: cannot be written; check that the folder exists and may be written to", path.string()));
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path) {
  throw InputError(fmt::format("{}: cannot be written; is there room on the disk?", path.string()));
}

void require_present(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(fmt::format("{}: no such file; check the path", path.string()));
  }
}

/// Whether the superblock says that somebody is writing.
bool is_marked_as_open(const std::filesystem::path& path) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  constexpr std::size_t version_place = 8;
  constexpr std::size_t marks_place = 11;
  std::array<char, 12> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), 8) == signature && start[version_place] >= 3 &&
         start[marks_place] != 0;
}

/// A writer that was killed leaves marks that keep other programs from opening the file. They are
/// taken away if nobody writes any more and the file may be written to.
void clear_marks_of_dead_writer(const std::filesystem::path& path) {
  if (!is_marked_as_open(path)) return;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  const bool is_alone = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  if (!is_alone) return;

  // as the tool h5clear does
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hbool_t yes = 1;
  H5Pset(access.get(), "clear_status_flags", &yes);
  H5Pset(access.get(), "skip_eof_check", &yes);
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
  if (file.is_valid()) H5Fincrement_filesize(file.get(), 0);
}

template <class Number>
std::vector<Number> read_list(const std::filesystem::path& path, hid_t file,
                              const std::string& name, hid_t memory_type) {
  const Silence silence;
  const Id data(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data.is_valid())
    fail(path, name, "is missing; the file is not complete, or of another kind");

  // only numbers of the right kind
  const Id type(H5Dget_type(data.get()), H5Tclose);
  const H5T_class_t kind = type.is_valid() ? H5Tget_class(type.get()) : H5T_NO_CLASS;
  const bool wants_integers = std::is_integral_v<Number>;
  if (kind != H5T_INTEGER && (wants_integers || kind != H5T_FLOAT)) {
    fail(path, name, fmt::format("must hold {}", wants_integers ? "integers" : "numbers"));
  }

  // a size that the file can hold
  const Id space(H5Dget_space(data.get()), H5Sclose);
  const hssize_t count = space.is_valid() ? H5Sget_simple_extent_npoints(space.get()) : -1;
  if (count < 0) fail(path, name, "has no readable size; the file is damaged");
  const auto stored_bytes = H5Dget_storage_size(data.get());
  const auto claimed = static_cast<hsize_t>(count);
  if (claimed > tightest_packing * (stored_bytes / H5Tget_size(type.get()) + 1)) {
    fail(path, name,
         fmt::format("claims {} numbers, {} bytes are stored; the file is damaged", claimed,
                     stored_bytes));
  }

  std::vector<Number> values(claimed);
  if (claimed > 0 &&
      H5Dread(data.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(path, name, "cannot be read; the file is damaged or cut short");
  }
  return values;
}

void write_list(const std::filesystem::path& path, hid_t file, const std::string& name,
                hid_t file_type, hid_t memory_type, hsize_t count, const void* values) {
  const Silence silence;
  const Id space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Id data(
      H5Dcreate2(file, name.c_str(), file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (!data.is_valid() ||
      H5Dwrite(data.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    fail(path, name, "cannot be written; is there room on the disk?");
  }
}

}  // namespace

Hdf5File::Hdf5File(std::filesystem::path path, std::int64_t id) : path_(std::move(path)), id_(id) {}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)) {}

Hdf5File::~Hdf5File() {
  const Silence silence;
  if (id_ >= 0) H5Fclose(id_);
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  start_hdf5();
  const Silence silence;
  require_present(path);
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) {
    throw InputError(fmt::format(
        "{}: not an HDF5 file, or a damaged or unreadable one; give a problem in FCLIB's layout",
        path.string()));
  }
  return {path, id};
}

Hdf5File Hdf5File::create(const std::filesystem::path& path) {
  start_hdf5();
  const Silence silence;
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0) fail_to_create(path);
  return {path, id};
}

Hdf5File Hdf5File::create_growing(const std::filesystem::path& path) {
  start_hdf5();
  const Silence silence;
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
  if (id < 0) fail_to_create(path);
  return {path, id};
}

void Hdf5File::start_growing() {
  const Silence silence;
  if (H5Fflush(id_, H5F_SCOPE_GLOBAL) < 0 || H5Fstart_swmr_write(id_) < 0) fail_to_write(path_);
}

Hdf5File Hdf5File::open_growing(const std::filesystem::path& path, const std::string& what) {
  start_hdf5();
  const Silence silence;
  require_present(path);
  clear_marks_of_dead_writer(path);
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  unsigned how = H5F_ACC_RDONLY;
  if (is_marked_as_open(path)) {
    // what the writer is just changing is read again, after pauses that double from a nanosecond
    constexpr unsigned attempts = 20;
    H5Pset_metadata_read_attempts(access.get(), attempts);
    how |= H5F_ACC_SWMR_READ;
  }
  const hid_t id = H5Fopen(path.c_str(), how, access.get());
  if (id < 0) {
    throw InputError(fmt::format("{}: not {}, or a damaged or unreadable one; give another file",
                                 path.string(), what));
  }
  return {path, id};
}

bool Hdf5File::has(const std::string& name) const {
  const Silence silence;
  // each step of the path must exist before the next is asked for
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    if (H5Lexists(id_, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(id_, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<int> Hdf5File::read_integers(const std::string& name) const {
  return read_list<int>(path_, id_, name, H5T_NATIVE_INT);
}

std::string Hdf5File::read_bytes(const std::string& name) const {
  const std::vector<unsigned char> bytes =
      read_list<unsigned char>(path_, id_, name, H5T_NATIVE_UCHAR);
  return {bytes.begin(), bytes.end()};
}

std::vector<double> Hdf5File::read_numbers(const std::string& name) const {
  return read_list<double>(path_, id_, name, H5T_NATIVE_DOUBLE);
}

int Hdf5File::read_integer(const std::string& name) const {
  const std::vector<int> values = read_integers(name);
  if (values.size() != 1) {
    fail(path_, name, fmt::format("holds {} numbers, must hold 1", values.size()));
  }
  return values.front();
}

std::string Hdf5File::read_text(const std::string& name) const {
  const Silence silence;
  if (!has(name)) return {};
  const Id data(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data.is_valid()) return {};
  const Id type(H5Dget_type(data.get()), H5Tclose);
  const Id space(H5Dget_space(data.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) return {};
  const std::size_t length = H5Tget_size(type.get());
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || length > longest_text) return {};
  std::string text(length, '\0');
  if (H5Dread(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) return {};
  text.resize(text.find('\0') == std::string::npos ? length : text.find('\0'));
  return text;
}

void Hdf5File::make_group(const std::string& name) {
  const Silence silence;
  const Id group(H5Gcreate2(id_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.is_valid()) fail(path_, name, "cannot be written; is there room on the disk?");
}

void Hdf5File::write_integers(const std::string& name, std::span<const int> values) {
  write_list(path_, id_, name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
}

void Hdf5File::write_bytes(const std::string& name, std::string_view bytes) {
  write_list(path_, id_, name, H5T_STD_U8LE, H5T_NATIVE_UCHAR, bytes.size(), bytes.data());
}

void Hdf5File::write_numbers(const std::string& name, std::span<const double> values) {
  write_list(path_, id_, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Hdf5File::write_text(const std::string& name, const std::string& text) {
  const Silence silence;
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id data(
      H5Dcreate2(id_, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (!data.is_valid() ||
      H5Dwrite(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0) {
    fail(path_, name, "cannot be written; is there room on the disk?");
  }
}

void Hdf5File::flush() {
  const Silence silence;
  if (H5Fflush(id_, H5F_SCOPE_GLOBAL) < 0) fail_to_write(path_);
}

}  // namespace stickslip
