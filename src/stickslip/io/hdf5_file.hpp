#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// An HDF5 file, open while the object lives. Names are paths inside the file, `/group/data`.
/// Whatever is wrong with the file becomes one InputError; HDF5 itself stays silent. One object
/// serves one thread at a time.
class Hdf5File {
 public:
  static Hdf5File open(const std::filesystem::path& path);
  /// Replaces what stood there.
  static Hdf5File create(const std::filesystem::path& path);

  /// A file that can be read at any moment while it is written, and after its writer was killed:
  /// all groups and series are made first, then start_growing is called, then series grow.
  static Hdf5File create_growing(const std::filesystem::path& path);
  void start_growing();
  /// `what` it should be, for the message where it is not.
  static Hdf5File open_growing(const std::filesystem::path& path, const std::string& what);

  ~Hdf5File();
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&&) = delete;
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// Whether a group or data of that name is there.
  bool has(const std::string& name) const;

  /// The numbers of a list or of a single value. Data that claim to be larger than what the file
  /// can hold are refused before memory is taken.
  std::vector<int> read_integers(const std::string& name) const;
  std::vector<double> read_numbers(const std::string& name) const;
  int read_integer(const std::string& name) const;
  std::string read_bytes(const std::string& name) const;

  /// Empty where there is none, or none of a sensible length.
  std::string read_text(const std::string& name) const;

  void make_group(const std::string& name);
  void write_integers(const std::string& name, std::span<const int> values);
  void write_numbers(const std::string& name, std::span<const double> values);
  void write_bytes(const std::string& name, std::string_view bytes);
  void write_text(const std::string& name, const std::string& text);

  /// Writes everything out; throws where that fails, which the destructor cannot.
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  friend class Hdf5Series;
  Hdf5File(std::filesystem::path path, std::int64_t id);

  std::filesystem::path path_;
  std::int64_t id_;
};

}  // namespace stickslip
