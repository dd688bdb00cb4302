#include "stickslip/solver/local_problem.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// a dense column of blocks costs about as much as a sparse one of a third of its blocks
constexpr int dense_up_to = 16;
constexpr int largest_dense_of_sparse = 128;
constexpr int dense_share = 3;

using Vec4 = Eigen::Vector4d;
using AlignedVec = Eigen::Map<VecX, Eigen::Aligned32>;
using AlignedConstVec = Eigen::Map<const VecX, Eigen::Aligned32>;

Eigen::Index round_up(Eigen::Index size) {
  return (size + 3) / 4 * 4;
}

}  // namespace

void LocalProblem::reserve(Eigen::Index contact_count, Eigen::Index values) {
  if (capacity() < 4 * contact_count) {
    delta_free_.setZero(4 * contact_count);
    mu_.resize(contact_count);
    contacts_.reserve(uz(contact_count));
    blocks_.reserve(uz(contact_count));
    column_start_.reserve(uz(contact_count) + 1);
    place_.reserve(uz(contact_count));
  }
  if (values_.size() < values) values_.resize(values);
  row_.reserve(uz(values / 12));
}

void LocalProblem::reserve(const ProblemSize& largest) {
  const Eigen::Index m = largest.contacts;
  reserve(m, std::max(3 * m * round_up(3 * m), largest.is_dense ? 0 : 12 * m * m));
}

void LocalProblem::prepare(const ContactProblem& problem) {
  const Eigen::Index m = problem.contact_count();
  const bool is_dense = problem.W.is_dense();
  const Eigen::Index dense_side = is_dense ? m : std::min<Eigen::Index>(m, largest_dense_of_sparse);
  reserve(m, std::max(3 * dense_side * round_up(3 * dense_side),
                      is_dense ? 0 : 12 * Eigen::Index{problem.W.block_count()}));
  place_.assign(uz(m), -1);
  contacts_.clear();
}

void LocalProblem::gather(const ContactProblem& problem, std::span<const ContactBlock> blocks,
                          std::span<const int> contacts) {
  contacts_.assign(contacts.begin(), contacts.end());
  const int k = contact_count();
  blocks_.resize(uz(k));
  double trace = 0.0;
  for (int i = 0; i < k; ++i) {
    const int contact = contacts_[uz(i)];
    place_[uz(contact)] = i;
    blocks_[uz(i)] = &blocks[uz(contact)];
    mu_[i] = problem.mu[contact];
    trace += blocks_[uz(i)]->matrix().trace();
  }
  mean_compliance_ = trace / (3.0 * k);

  // how W lies here
  is_dense_ = true;
  block_count_ = k * k;
  if (!problem.W.is_dense()) {
    int stored = 0;
    for (const int contact : contacts_) {
      stored += static_cast<int>(problem.W.column(contact).rows.size());
    }
    is_dense_ = k <= dense_up_to || (k <= largest_dense_of_sparse && dense_share * stored > k * k);
  }
  stride_ = is_dense_ ? 3 : 4;
  size_ = round_up(stride_ * k);
  delta_free_.head(size_).setZero();
  for (int i = 0; i < k; ++i) {
    delta_free_.segment<3>(stride_ * i) = problem.delta_free.segment<3>(3 * contacts_[uz(i)]);
  }
  is_dense_ ? gather_dense(problem) : gather_sparse(problem);
  for (const int contact : contacts_) place_[uz(contact)] = -1;
}

void LocalProblem::gather_dense(const ContactProblem& problem) {
  const int k = contact_count();
  for (int j = 0; j < k; ++j) {
    double* column = values_.data() + 3 * j * size_;
    if (problem.W.is_dense()) {
      const auto W = problem.W.as_dense();
      for (int c = 0; c < 3; ++c) {
        const double* from = W.data() + (3 * contacts_[uz(j)] + c) * W.rows();
        double* to = column + c * size_;
        for (int i = 0; i < k; ++i) {
          const int row = 3 * contacts_[uz(i)];
          to[3 * i] = from[row];
          to[3 * i + 1] = from[row + 1];
          to[3 * i + 2] = from[row + 2];
        }
        std::fill(to + 3 * k, to + size_, 0.0);
      }
      continue;
    }
    std::fill(column, column + 3 * size_, 0.0);
    const BlockMatrix::Column stored = problem.W.column(contacts_[uz(j)]);
    for (std::size_t b = 0; b < stored.rows.size(); ++b) {
      const int i = place_[uz(stored.rows[b])];
      if (i < 0) continue;
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
          column[c * size_ + 3 * i + r] = stored.values[9 * b + uz(3 * c + r)];
        }
      }
    }
  }
}

void LocalProblem::gather_sparse(const ContactProblem& problem) {
  const int k = contact_count();
  column_start_.resize(uz(k) + 1);
  column_start_[0] = 0;
  row_.clear();
  double* block = values_.data();
  for (int j = 0; j < k; ++j) {
    const BlockMatrix::Column stored = problem.W.column(contacts_[uz(j)]);
    for (std::size_t b = 0; b < stored.rows.size(); ++b) {
      const int i = place_[uz(stored.rows[b])];
      if (i < 0) continue;
      row_.push_back(i);
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t r = 0; r < 3; ++r) block[4 * c + r] = stored.values[9 * b + 3 * c + r];
        block[4 * c + 3] = 0.0;
      }
      block += 12;
    }
    column_start_[uz(j) + 1] = static_cast<int>(row_.size());
  }
  block_count_ = static_cast<int>(row_.size());
}

void LocalProblem::take(const ConstVecView& whole, VecX& local) const {
  local.head(size_).setZero();
  for (int i = 0; i < contact_count(); ++i) {
    local.segment<3>(stride_ * i) = whole.segment<3>(3 * contacts_[uz(i)]);
  }
}

void LocalProblem::give(const VecX& local, VecView whole) const {
  for (int i = 0; i < contact_count(); ++i) {
    whole.segment<3>(3 * contacts_[uz(i)]) = local.segment<3>(stride_ * i);
  }
}

void LocalProblem::add_column(int i, const Vec3& x, VecX& delta) const {
  if (is_dense_) {
    const double* column = values_.data() + 3 * i * size_;
    AlignedVec(delta.data(), size_).noalias() += AlignedConstVec(column, size_) * x[0] +
                                                 AlignedConstVec(column + size_, size_) * x[1] +
                                                 AlignedConstVec(column + 2 * size_, size_) * x[2];
    return;
  }
  const double* block = values_.data() + 12 * Eigen::Index{column_start_[uz(i)]};
  for (int b = column_start_[uz(i)]; b < column_start_[uz(i) + 1]; ++b, block += 12) {
    using Block = Eigen::Map<const Vec4, Eigen::Aligned32>;
    Eigen::Map<Vec4, Eigen::Aligned32>(delta.data() + 4 * row_[uz(b)]) +=
        Block(block) * x[0] + Block(block + 4) * x[1] + Block(block + 8) * x[2];
  }
}

void LocalProblem::refresh(const VecX& f, VecX& delta) const {
  delta.head(size_) = delta_free_.head(size_);
  for (int i = 0; i < contact_count(); ++i) {
    const Vec3 f_i = f.segment<3>(stride_ * i);
    if (f_i != Vec3::Zero()) add_column(i, f_i, delta);
  }
}

LocalProblem::Column LocalProblem::column(int j) const {
  if (is_dense_) return {{}, values_.data() + 3 * j * size_, size_, 3};
  const int first = column_start_[uz(j)];
  return {{row_.data() + first, uz(column_start_[uz(j) + 1] - first)},
          values_.data() + 12 * Eigen::Index{first},
          4,
          12};
}

}  // namespace stickslip
