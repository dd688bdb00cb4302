#pragma once

#include <new>
#include <utility>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// A vector that keeps its room when it shrinks: a change of size allocates only beyond the largest
/// there has been, where VecX would at every one. Takes part in expressions as VecX does.
class CapacityVec : public Eigen::Map<VecX, Eigen::AlignedMax> {
 public:
  using View = Eigen::Map<VecX, Eigen::AlignedMax>;

  CapacityVec() : View(nullptr, 0) {}
  CapacityVec(const CapacityVec& other) : View(nullptr, 0) { *this = other; }
  CapacityVec(CapacityVec&& other) noexcept : View(nullptr, 0) { swap(other); }
  template <class Expression>
  CapacityVec(const Eigen::MatrixBase<Expression>& other) : View(nullptr, 0) {
    *this = other;
  }
  ~CapacityVec() = default;

  CapacityVec& operator=(const CapacityVec& other) {
    if (this != &other) *this = static_cast<const Eigen::MatrixBase<View>&>(other);
    return *this;
  }
  CapacityVec& operator=(CapacityVec&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Takes the size of the expression, which must not look at this vector if that changes it.
  template <class Expression>
  CapacityVec& operator=(const Eigen::MatrixBase<Expression>& other) {
    resize(other.size());
    View::operator=(other.derived());
    return *this;
  }

  void reserve(Eigen::Index capacity) {
    if (capacity <= room_.size()) return;
    VecX larger(capacity);
    larger.head(size()) = *this;
    room_.swap(larger);
    look_at(size());
  }

  /// What the entries are is not told.
  void resize(Eigen::Index size) {
    if (size > room_.size()) room_.resize(size);
    look_at(size);
  }

  using View::setZero;
  void setZero(Eigen::Index size) {
    resize(size);
    View::setZero();
  }

  void swap(CapacityVec& other) noexcept {
    const Eigen::Index mine = size();
    const Eigen::Index others = other.size();
    room_.swap(other.room_);
    look_at(others);
    other.look_at(mine);
  }

 private:
  // how Eigen has a map look elsewhere
  void look_at(Eigen::Index size) { new (static_cast<View*>(this)) View(room_.data(), size); }

  VecX room_;
};

}  // namespace stickslip
