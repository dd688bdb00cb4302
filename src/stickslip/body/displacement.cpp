#include "stickslip/body/displacement.hpp"

#include <algorithm>
#include <array>

namespace stickslip {

Displacement::Displacement(std::shared_ptr<const SurfaceAnswers> answers)
    : answers_(std::move(answers)) {
  values_.setZero(3 * answers_->node_count());
  loads_.weights.setZero(answers_->case_count());
  reserve();
  has_loads_ = true;
}

Displacement::Displacement(const Displacement& other) : answers_(other.answers_) {
  if (answers_) reserve();
  *this = other;
}

void Displacement::wear(std::shared_ptr<const Skin> skin) {
  skin_ = std::move(skin);
  const int count = skin_ ? skin_->vertex_count() : 0;
  vertices_.setZero(3 * count);
  vertex_times_.assign(uz(count), 0);
}

Displacement& Displacement::operator=(const Displacement& other) {
  if (this == &other) return *this;
  if (answers_ != other.answers_) {
    answers_ = other.answers_;
    if (answers_) reserve();
  }
  if (skin_ != other.skin_) wear(other.skin_);
  if (other.has_loads_) {
    loads_ = other.loads_;
    values_.resize(other.values_.size());
    forget();
    take_known(other);
  } else {
    has_loads_ = false;
    is_complete_ = true;
    values_ = other.values_;
    advance_time();
  }
  return *this;
}

void Displacement::reserve() {
  times_.assign(uz(answers_->node_count()), 0);
  loads_.nodes.reserve(uz(answers_->contact_count()));
  loads_.forces.reserve(uz(answers_->contact_count()));
}

VecX& Displacement::own() {
  if (!is_complete_) ask_all();
  has_loads_ = false;
  advance_time();
  return values_;
}

void Displacement::forget() {
  has_loads_ = true;
  is_complete_ = false;
  advance_time();
}

void Displacement::advance_time() {
  if (++time_ != 0) return;
  // once in four thousand million loads
  std::fill(times_.begin(), times_.end(), 0);
  std::fill(vertex_times_.begin(), vertex_times_.end(), 0);
  time_ = 1;
}

void Displacement::take_known(const Displacement& other) {
  for (const int node : loads_.nodes) {
    if (!other.is_complete_ && other.times_[uz(node)] != other.time_) continue;
    times_[uz(node)] = time_;
    values_.segment<3>(3 * node) = other.values_.segment<3>(3 * node);
  }
}

void Displacement::ask_vertex(int vertex) const {
  vertex_times_[uz(vertex)] = time_;
  vertices_.segment<3>(3 * static_cast<Eigen::Index>(vertex)) =
      skin_->displacement(vertex, [&](int i) { return node(i); });
}

const VecX& Displacement::points() const {
  if (!skin_) return all();
  for (int v = 0; v < skin_->vertex_count(); ++v) static_cast<void>(of_vertex(v));
  return vertices_;
}

void Displacement::ask_points(std::span<const int> points) const {
  if (!skin_) return ask(points);
  for (const int vertex : points) static_cast<void>(of_vertex(vertex));
}

std::span<const float> Displacement::softness() const {
  return skin_ ? skin_->softness() : answers_->softness();
}

double Displacement::most_softness() const {
  return skin_ ? skin_->most_softness() : answers_->most_softness();
}

void Displacement::ask(int node) const {
  times_[uz(node)] = time_;
  answers_->displace(loads_, node, values_.data());
}

void Displacement::ask(std::span<const int> nodes) const {
  std::array<int, 64> missing{};
  std::size_t count = 0;
  const auto displace_missing = [&] {
    if (count > 0) answers_->displace(loads_, std::span(missing).first(count), values_.data());
    count = 0;
  };
  for (const int node : nodes) {
    if (is_complete_ || times_[uz(node)] == time_) continue;
    times_[uz(node)] = time_;
    missing[count++] = node;
    if (count == missing.size()) displace_missing();
  }
  displace_missing();
}

void Displacement::ask_all() const {
  std::array<int, 64> nodes{};
  for (int node = 0; node < answers_->node_count();) {
    std::size_t count = 0;
    while (count < nodes.size() && node < answers_->node_count()) nodes[count++] = node++;
    ask(std::span(nodes).first(count));
  }
  is_complete_ = true;
}

bool Displacement::operator==(const Displacement& other) const {
  if (has_loads_ && other.has_loads_ && answers_ == other.answers_) return loads_ == other.loads_;
  return size() == other.size() && all() == other.all();
}

}  // namespace stickslip
