#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "stickslip/fem/compliance.hpp"
#include "stickslip/fem/compliance_cache.hpp"

namespace stickslip {

namespace {

using Clock = std::chrono::steady_clock;

/// Raised whenever the same input would give another table.
constexpr int table_version = 1;

/// What reads of four numbers may touch beyond the last one.
constexpr std::size_t read_ahead_bytes = 32;

/// Columns of the inverse that are computed together.
constexpr int columns_at_once = 96;

void add_matrix(CacheKeyMaker& maker, const SparseMatrix& A) {
  const auto size = static_cast<std::int64_t>(A.rows());
  maker.add(&size, sizeof size);
  maker.add(A.outerIndexPtr(), sizeof(int) * uz(A.outerSize() + 1));
  maker.add(A.innerIndexPtr(), sizeof(int) * uz(A.nonZeros()));
  maker.add(A.valuePtr(), sizeof(double) * uz(A.nonZeros()));
}

/// Everything a table depends on.
CacheKey table_key(const DeformationModel& model, const SparseMatrix& K_tilde,
                   std::span<const int> held_nodes, Precision precision) {
  CacheKeyMaker maker;
  const std::array<int, 4> head = {table_version, static_cast<int>(precision),
                                   model.surface_count(), model.contact_count};
  maker.add(head.data(), sizeof head);
  add_matrix(maker, K_tilde);
  maker.add(held_nodes.data(), held_nodes.size_bytes());
  if (held_nodes.empty()) {
    add_matrix(maker, model.M);
    maker.add(model.nodes.data(), sizeof(Vec3) * model.nodes.size());
  }
  return maker.key();
}

/// Extremes of a table and of what rounding did to it.
struct Range {
  double largest = 0.0;
  double largest_error = 0.0;

  void add(double exact, double stored) {
    largest = std::max(largest, std::abs(exact));
    largest_error = std::max(largest_error, std::abs(exact - stored));
  }
  void add(const Range& other) {
    largest = std::max(largest, other.largest);
    largest_error = std::max(largest_error, other.largest_error);
  }
};

/// Completes a square table of which, for every pair of rows, only the entry in the column of
/// the earlier position was computed.
template <class Scalar>
void mirror(Scalar* table, const std::vector<int>& position) {
  constexpr std::int64_t tile = 64;
  const auto size = static_cast<std::int64_t>(position.size());
  for (std::int64_t J = 0; J < size; J += tile) {
    for (std::int64_t I = J; I < size; I += tile) {
      for (std::int64_t j = J; j < std::min(J + tile, size); ++j) {
        for (std::int64_t i = std::max(I, j + 1); i < std::min(I + tile, size); ++i) {
          Scalar& below = table[j * size + i];
          Scalar& above = table[i * size + j];
          if (position[uz(i)] > position[uz(j)]) {
            above = below;
          } else {
            below = above;
          }
        }
      }
    }
  }
}

/// What C = K^-1, or K^-1 - Y R^T - R Y^T of a free body, is computed from.
struct TableSource {
  const SparseCholesky& factor;
  const std::vector<int>& active;  ///< unknown -> unknown of the factorisation, -1 where held
  bool is_free;
  const RigidModes& R;
  const RigidModes& Y;

  /// Place of an unknown in the order of elimination, -1 where held.
  int position_of(int unknown) const {
    const int a = active[uz(unknown)];
    return a < 0 ? -1 : factor.elimination_position()[uz(a)];
  }
};

/// The columns of a table, shared out among threads.
template <class Scalar>
class TableFilling {
 public:
  TableFilling(const TableSource& source, int rows, int columns, Scalar* table);

  /// Fills all of the table; the largest rounding error relative to the largest entry.
  double run(const ComplianceOptions& options);

 private:
  struct Column {
    int position;
    int unknown;
  };

  /// Writes column j from row position `least` on; x is that column of K^-1, if it has one.
  void store(int j, int least, const double* x, VecX& value, Range& range);
  void work_off(const ComplianceOptions& options);
  void share_out(const ComplianceOptions& options);

  TableSource source_;
  int rows_;
  int columns_;
  Scalar* table_;
  bool is_square_;
  std::vector<int> row_position_;
  int first_row_;
  std::vector<Column> order_;  ///< of elimination: those that stand together share most work

  int chunk_count_;
  std::atomic<int> next_{0};
  std::mutex mutex_;  ///< of what follows
  int done_ = 0;
  Range range_;
  std::exception_ptr failure_;
};

template <class Scalar>
TableFilling<Scalar>::TableFilling(const TableSource& source, int rows, int columns, Scalar* table)
    : source_(source),
      rows_(rows),
      columns_(columns),
      table_(table),
      is_square_(rows == columns),
      row_position_(uz(rows)),
      first_row_(source.factor.size()) {
  for (int i = 0; i < rows; ++i) {
    row_position_[uz(i)] = source.position_of(i);
    if (row_position_[uz(i)] >= 0) first_row_ = std::min(first_row_, row_position_[uz(i)]);
  }
  for (int j = 0; j < columns; ++j) {
    if (source.position_of(j) >= 0) order_.push_back({source.position_of(j), j});
  }
  std::sort(order_.begin(), order_.end(),
            [](const Column& a, const Column& b) { return a.position < b.position; });
  chunk_count_ = (static_cast<int>(order_.size()) + columns_at_once - 1) / columns_at_once;
}

template <class Scalar>
double TableFilling<Scalar>::run(const ComplianceOptions& options) {
  // columns of unknowns that the factorisation does not have
  VecX value;
  for (int j = 0; j < columns_; ++j) {
    if (source_.position_of(j) < 0) store(j, -1, nullptr, value, range_);
  }
  share_out(options);
  if (is_square_) mirror(table_, row_position_);
  return range_.largest > 0.0 ? range_.largest_error / range_.largest : 0.0;
}

template <class Scalar>
void TableFilling<Scalar>::store(int j, int least, const double* x, VecX& value, Range& range) {
  value.setZero(rows_);
  if (source_.is_free) {
    value.noalias() -= source_.Y.topRows(rows_) * source_.R.row(j).transpose();
    value.noalias() -= source_.R.topRows(rows_) * source_.Y.row(j).transpose();
  }
  Scalar* column = table_ + std::int64_t{j} * rows_;
  for (int i = 0; i < rows_; ++i) {
    const int at = row_position_[uz(i)];
    if (at < least) continue;
    const double entry = at < 0 || x == nullptr ? value[i] : value[i] + x[at];
    column[i] = static_cast<Scalar>(entry);
    range.add(entry, static_cast<double>(column[i]));
  }
}

template <class Scalar>
void TableFilling<Scalar>::work_off(const ComplianceOptions& options) {
  MatX X;
  VecX value;
  Range range;
  std::vector<int> positions;
  for (int chunk = next_++; chunk < chunk_count_; chunk = next_++) {
    const auto begin = uz(chunk) * columns_at_once;
    const auto end = std::min(begin + columns_at_once, order_.size());
    positions.clear();
    for (std::size_t k = begin; k < end; ++k) positions.push_back(order_[k].position);
    source_.factor.inverse_columns(positions, is_square_ ? positions.front() : first_row_, X);
    for (std::size_t k = begin; k < end; ++k) {
      store(order_[k].unknown, is_square_ ? order_[k].position : -1,
            &X(0, static_cast<int>(k - begin)), value, range);
    }
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options.progress) options.progress(static_cast<double>(done_) / chunk_count_);
  }
  const std::lock_guard lock(mutex_);
  range_.add(range);
}

template <class Scalar>
void TableFilling<Scalar>::share_out(const ComplianceOptions& options) {
  // each thread takes the next few columns; the first failure ends the work of all
  const auto work = [&] {
    try {
      work_off(options);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      next_ = chunk_count_;
    }
  };
  const int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> pool;
    for (int t = 1; t < (options.threads > 0 ? options.threads : processors); ++t) {
      pool.emplace_back(work);
    }
    work();
  }
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace

void Compliance::make_table(const DeformationModel& model, const SparseMatrix& K_tilde,
                            std::span<const int> held_nodes, const ComplianceOptions& options) {
  const auto start = Clock::now();
  table_ = LargeArray(uz(report_.table_bytes) + read_ahead_bytes);
  const auto table_bytes = table_.bytes().first(uz(report_.table_bytes));

  // a table from the cache, or a new one
  CacheKey key{};
  if (!options.cache.empty()) {
    key = table_key(model, K_tilde, held_nodes, precision_);
    report_.was_cached = load_cached(options.cache, key, table_bytes, report_.float32_error);
  }
  if (!report_.was_cached) {
    const TableSource source{factor_, active_, is_free_, R_, Y_};
    const auto fill = [&](auto* table) {
      TableFilling filling(source, 3 * surface_count_, 3 * contact_count_, table);
      report_.float32_error = filling.run(options);
    };
    if (precision_ == Precision::float64) {
      fill(reinterpret_cast<double*>(table_.bytes().data()));
    } else {
      fill(reinterpret_cast<float*>(table_.bytes().data()));
    }
    if (!options.cache.empty()) {
      store_cached(options.cache, key, table_bytes, report_.float32_error);
    }
  }
  report_.table_seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace stickslip
