#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/body/skin.hpp"
#include "stickslip/body/surface_answers.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Displacements of the nodes of a body. Either all of them are known; or the loads are that they
/// follow from, and a node is displaced when it is first asked for. Which nodes were asked for, and
/// in which order, does not show in what comes out.
///
/// The points of its surface are its nodes, or where it wears a skin the vertices of that, which
/// follow from the nodes that they are bound to, when they are first asked for.
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

  /// From now on the points of the surface are the vertices of a skin.
  void wear(std::shared_ptr<const Skin> skin);

  Eigen::Index size() const { return values_.size(); }

  /// Of one point of the surface. [m]
  Vec3 operator[](int point) const { return skin_ ? of_vertex(point) : node(point); }
  /// Of all points of the surface, perhaps followed by what is inside.
  const VecX& points() const;
  /// Displaces points together, which takes less than one by one.
  void ask_points(std::span<const int> points) const;

  /// Of one node. [m]
  Vec3 node(int node) const {
    if (!is_complete_ && times_[uz(node)] != time_) ask(node);
    return values_.segment<3>(3 * static_cast<Eigen::Index>(node));
  }
  /// The same of nodes.
  void ask(std::span<const int> nodes) const;
  /// Of all nodes.
  const VecX& all() const {
    if (!is_complete_) ask_all();
    return values_;
  }
  /// The same, to be changed before anything else is asked; they follow from no loads any more.
  VecX& own();

  bool has_loads() const { return has_loads_; }
  const SurfaceLoads& loads() const { return loads_; }
  /// What displacements follow from, now or after take_loads; null where all are known always.
  const SurfaceAnswers* answers() const { return answers_.get(); }
  /// Of the points of the surface that may touch, as SurfaceAnswers has it for nodes; where there
  /// are answers.
  std::span<const float> softness() const;
  double most_softness() const;
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
  Vec3 of_vertex(int vertex) const {
    if (vertex_times_[uz(vertex)] != time_) ask_vertex(vertex);
    return vertices_.segment<3>(3 * static_cast<Eigen::Index>(vertex));
  }
  void reserve();
  void advance_time();
  void forget();
  void take_known(const Displacement& other);
  void ask_vertex(int vertex) const;
  void ask(int node) const;
  void ask_all() const;

  mutable VecX values_;
  mutable bool is_complete_ = true;  ///< all are known
  bool has_loads_ = false;
  std::uint32_t time_ = 1;
  mutable std::vector<std::uint32_t> times_;  ///< a node is known at this time
  SurfaceLoads loads_;
  std::shared_ptr<const SurfaceAnswers> answers_;
  std::shared_ptr<const Skin> skin_;  ///< null: points of the surface are nodes
  mutable VecX vertices_;
  mutable std::vector<std::uint32_t> vertex_times_;
};

}  // namespace stickslip
