#include "stickslip/contact/delassus.hpp"

#include <algorithm>
#include <limits>

#include "stickslip/contact/body_groups.hpp"

namespace stickslip {

namespace {

// fuller than that, W is kept dense
constexpr double dense_share = 0.4;

}  // namespace

DelassusBuilder::DelassusBuilder(int body_count, int max_contacts)
    : points_(uz(body_count)),
      ends_(uz(body_count)),
      body_W_(3 * max_contacts, 3 * max_contacts),
      mean_compliance_(uz(body_count)),
      columns_(3 * max_contacts, 3) {
  touched_.reserve(uz(body_count));
  column_start_.reserve(uz(max_contacts) + 1);
  rows_.reserve(static_cast<std::size_t>(dense_share * max_contacts * max_contacts));
  for (auto& points : points_) points.reserve(uz(max_contacts));
  for (auto& ends : ends_) ends.reserve(uz(max_contacts));
}

void DelassusBuilder::list_ends(std::span<const Contact> contacts, std::span<const int> group,
                                std::span<const MovingBody> bodies, std::span<const int> masters) {
  for (const int body : touched_) {
    points_[uz(body)].clear();
    ends_[uz(body)].clear();
  }
  touched_.clear();
  for (int k = 0; k < static_cast<int>(group.size()); ++k) {
    const Contact& contact = contacts[uz(group[uz(k)])];
    const auto add_end = [&](int body, const SurfacePoint& point, double sign) {
      if (!yields(*bodies[uz(body)].body)) return;
      if (!masters.empty() && masters[uz(k)] == body) return;
      if (points_[uz(body)].empty()) touched_.push_back(body);
      points_[uz(body)].push_back(point);
      ends_[uz(body)].push_back({k, sign});
    };
    add_end(contact.where.body_1, contact.where.P, 1.0);
    add_end(contact.where.body_2, contact.where.Q, -1.0);
  }
}

void DelassusBuilder::choose_storage(std::span<const Contact> contacts, std::span<const int> group,
                                     BlockMatrix& W) {
  // contacts feel each other where they share a body
  std::size_t most_blocks = 0;
  for (const int body : touched_) most_blocks += ends_[uz(body)].size() * ends_[uz(body)].size();
  if (static_cast<double>(most_blocks) >
      dense_share * static_cast<double>(group.size() * group.size())) {
    W.resize_dense(static_cast<int>(group.size()));
    return;
  }
  column_start_.assign(1, 0);
  rows_.clear();
  for (const int c : group) {
    const auto& one = ends_[uz(contacts[uz(c)].where.body_1)];
    const auto& two = ends_[uz(contacts[uz(c)].where.body_2)];
    // merge the two ascending lists
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < one.size() || b < two.size()) {
      const int next_one = a < one.size() ? one[a].contact : std::numeric_limits<int>::max();
      const int next_two = b < two.size() ? two[b].contact : std::numeric_limits<int>::max();
      rows_.push_back(std::min(next_one, next_two));
      if (next_one <= next_two) ++a;
      if (next_two <= next_one) ++b;
    }
    column_start_.push_back(static_cast<int>(rows_.size()));
  }
  W.resize_sparse(column_start_, rows_);
}

void DelassusBuilder::build(std::span<const Contact> contacts, std::span<const int> group,
                            std::span<const MovingBody> bodies, Motion motion, BlockMatrix& W,
                            std::span<const int> masters) {
  list_ends(contacts, group, bodies, masters);
  choose_storage(contacts, group, W);

  // each body's compliance between its points, turned into the axes of their contacts; the lower
  // half of it
  for (const int body : touched_) {
    const auto& points = points_[uz(body)];
    const auto& ends = ends_[uz(body)];
    const int count = 3 * static_cast<int>(points.size());
    auto body_W = body_W_.topLeftCorner(count, count);
    body_W.setZero();
    const MovingBody& moving = bodies[uz(body)];
    if (motion == Motion::whole) {
      moving.body->add_compliance(*moving.state, points, *moving.step, body_W);
    } else {
      moving.body->add_frame_compliance(*moving.state, points, *moving.step, body_W);
    }
    mean_compliance_[uz(body)] = body_W.trace() / count;
    for (std::size_t b = 0; b < ends.size(); ++b) {
      // the three columns along the axes of one contact, then their rows along the others'
      const int j = ends[b].contact;
      const auto first = static_cast<int>(3 * b);
      const Mat3 axes = ends[b].sign * contacts[uz(group[uz(j)])].frame.transpose();
      auto columns = columns_.topRows(count - first);
      columns.noalias() = body_W.block(first, first, count - first, 3).lazyProduct(axes);
      for (std::size_t a = b; a < ends.size(); ++a) {
        const int i = ends[a].contact;
        Mat3 block = (ends[a].sign * contacts[uz(group[uz(i)])].frame) *
                     columns.middleRows<3>(static_cast<int>(3 * a) - first);
        if (a == b) block = 0.5 * (block + block.transpose()).eval();
        W.add_block(i, j, block);
      }
    }
  }
  W.mirror();
}

void gather_body_forces(std::span<const Contact> contacts, const ConstVecView& f, int body,
                        std::vector<SurfacePoint>& points, std::vector<Vec3>& forces) {
  points.clear();
  forces.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    const Vec3 along = f.segment<3>(static_cast<int>(3 * c));
    if (along.isZero(0.0)) continue;
    if (contact.where.body_1 == body) {
      points.push_back(contact.where.P);
      forces.emplace_back(contact.frame.transpose() * along);
    } else if (contact.where.body_2 == body) {
      points.push_back(contact.where.Q);
      forces.emplace_back(-contact.frame.transpose() * along);
    }
  }
}

}  // namespace stickslip
