#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/body/surface_answers.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Displacements of the nodes of a body. Either all of them are known; or the loads are that they
/// follow from, and a node is displaced when it is first asked for. Which nodes were asked for, and
/// in which order, does not show in what comes out.
///
/// Reading remembers: not for two threads at once. Copies take the loads and what is known of the
/// nodes that carry them, and ask again for all else.
class Displacement {
 public:
  Displacement() = default;
  Displacement(VecX all) : values_(std::move(all)) {}
  /// Under no load.
  explicit Displacement(std::shared_ptr<const SurfaceAnswers> answers);

  Displacement(const Displacement& other);
  Displacement& operator=(const Displacement& other);
  Displacement(Displacement&&) = default;
  Displacement& operator=(Displacement&&) = default;
  ~Displacement() = default;
  /// All of them.
  template <class Derived>
  Displacement& operator=(const Eigen::MatrixBase<Derived>& all) {
    own() = all;
    return *this;
  }

  Eigen::Index size() const { return values_.size(); }

  /// Of one node. [m]
  Vec3 operator[](int node) const {
    if (!is_complete_ && times_[uz(node)] != time_) ask(node);
    return values_.segment<3>(3 * static_cast<Eigen::Index>(node));
  }
  /// Displaces nodes together, which takes less than one by one.
  void ask(std::span<const int> nodes) const;
  /// Of all nodes.
  const VecX& all() const {
    if (!is_complete_) ask_all();
    return values_;
  }
  /// The same, to be changed; they follow from no loads any more.
  VecX& own();

  bool has_loads() const { return has_loads_; }
  const SurfaceLoads& loads() const { return loads_; }
  /// What displacements follow from, now or after take_loads; null where all are known always.
  const SurfaceAnswers* answers() const { return answers_.get(); }
  /// Room for new loads, which `set` writes.
  template <class Set>
  void take_loads(Set&& set) {
    set(loads_);
    forget();
  }

  /// Whether these are the same: loads are compared where both have some.
  bool operator==(const Displacement& other) const;
  bool is_finite() const { return has_loads_ ? loads_.is_finite() : values_.allFinite(); }

 private:
  void reserve();
  void forget();
  void take_known(const Displacement& other);
  void ask(int node) const;
  void ask_all() const;

  mutable VecX values_;
  mutable bool is_complete_ = true;  ///< all are known
  bool has_loads_ = false;
  std::uint32_t time_ = 1;
  mutable std::vector<std::uint32_t> times_;  ///< a node is known at this time
  SurfaceLoads loads_;
  std::shared_ptr<const SurfaceAnswers> answers_;
};

}  // namespace stickslip
