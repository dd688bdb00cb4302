#pragma once

#include <cstddef>
#include <vector>

namespace stickslip {

/// One object for each size that was met. Where sizes come and go, vectors kept here are allocated
/// once for each size instead of at every change.
template <class T>
class BySize {
 public:
  T& at(std::size_t size) {
    if (size >= items_.size()) items_.resize(size + 1);
    return items_[size];
  }

 private:
  std::vector<T> items_;
};

}  // namespace stickslip
