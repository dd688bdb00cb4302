#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stickslip/io/hdf5_file.hpp"

namespace stickslip {

/// How the numbers of a series lie in the file.
enum class Stored : std::uint8_t { float64, float32, uint64, uint32, uint8 };

/// What a series looks like in the file.
struct SeriesLayout {
  std::string name;
  Stored stored = Stored::float64;
  std::vector<int> row_shape = {};  ///< of one row; empty: one number
  int rows_at_once = 1024;          ///< of a piece of the file
  bool is_packed = false;           ///< deflated

  std::size_t row_size() const;
};

/// Rows in an HDF5 file to which more are added. In memory they are float64, or uint64 where they
/// are integers. Throws InputError when the file does not hold such a series, or cannot be written.
class Hdf5Series {
 public:
  static Hdf5Series create(Hdf5File& file, const SeriesLayout& layout);
  static Hdf5Series open(const Hdf5File& file, const SeriesLayout& layout);

  ~Hdf5Series();
  Hdf5Series(Hdf5Series&& other) noexcept;
  Hdf5Series& operator=(Hdf5Series&&) = delete;
  Hdf5Series(const Hdf5Series&) = delete;
  Hdf5Series& operator=(const Hdf5Series&) = delete;

  std::uint64_t row_count() const { return row_count_; }

  /// Whole rows.
  void append(std::span<const double> numbers);
  void append(std::span<const std::uint64_t> numbers);

  /// The rows from `first` on; they are there.
  std::vector<double> read_numbers(std::uint64_t first, std::uint64_t count) const;
  std::vector<std::uint64_t> read_integers(std::uint64_t first, std::uint64_t count) const;

 private:
  Hdf5Series(std::filesystem::path path, SeriesLayout layout, std::int64_t id);

  void write(const void* numbers, std::size_t count, std::int64_t memory_type);
  template <class Number>
  std::vector<Number> read(std::uint64_t first, std::uint64_t count,
                           std::int64_t memory_type) const;

  std::filesystem::path path_;
  SeriesLayout layout_;
  std::int64_t id_;
  std::uint64_t row_count_ = 0;
};

}  // namespace stickslip
