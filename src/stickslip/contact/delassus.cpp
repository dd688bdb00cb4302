#include "stickslip/contact/delassus.hpp"

#include <algorithm>
#include <limits>

#include "stickslip/contact/body_groups.hpp"

namespace stickslip {

namespace {

// fuller than that, W is kept dense
constexpr double dense_share = 0.4;

}  // namespace

DelassusBuilder::DelassusBuilder(int body_count, int max_contacts, int nodes_a_point)
    : points_(uz(body_count)),
      ends_(uz(body_count)),
      compliance_(max_contacts, nodes_a_point),
      mean_compliance_(uz(body_count)),
      columns_(3 * max_contacts, 3) {
  touched_.reserve(uz(body_count));
  axes_.reserve(uz(max_contacts));
  met_.reserve(uz(max_contacts));
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
                                     std::span<const int> masters, BlockMatrix& W) {
  // contacts feel each other where they share a body
  std::size_t most_blocks = 0;
  for (const int body : touched_) most_blocks += ends_[uz(body)].size() * ends_[uz(body)].size();
  if (static_cast<double>(most_blocks) >
      dense_share * static_cast<double>(group.size() * group.size())) {
    // what the first body fills need not be cleared
    W.resize_dense_unset(static_cast<int>(group.size()));
    if (touched_.empty() || !fills(touched_.front(), W)) {
      W.resize_dense(static_cast<int>(group.size()));
    }
    return;
  }
  column_start_.assign(1, 0);
  rows_.clear();
  for (std::size_t k = 0; k < group.size(); ++k) {
    const auto ends_at = [&](int body) -> std::span<const End> {
      if (!masters.empty() && masters[k] == body) return {};
      return ends_[uz(body)];
    };
    const std::span<const End> one = ends_at(contacts[uz(group[k])].where.body_1);
    const std::span<const End> two = ends_at(contacts[uz(group[k])].where.body_2);
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

void DelassusBuilder::add_body(int body, std::span<const Contact> contacts,
                               std::span<const int> group, const MovingBody& moving, Motion motion,
                               BlockMatrix& W) {
  const auto& points = points_[uz(body)];
  axes_.clear();
  met_.clear();
  for (const End& end : ends_[uz(body)]) {
    axes_.emplace_back(end.sign * contacts[uz(group[uz(end.contact)])].axes);
    met_.push_back(end.contact);
  }
  compliance_.take(*moving.body, *moving.state, points, axes_, motion, *moving.step);
  const auto count = static_cast<int>(points.size());
  for (int j = 0; j < count; ++j) {
    const int rows = 3 * (count - j);
    if (fills(body, W)) {
      // straight into W
      auto columns = W.as_dense().block(3 * j, 3 * j, rows, 3);
      body == touched_.front() ? compliance_.write_columns(j, columns)
                               : compliance_.add_columns(j, columns);
    } else {
      auto columns = columns_.topRows(rows);
      compliance_.write_columns(j, columns);
      W.add_blocks(std::span(met_).subspan(uz(j)), met_[uz(j)], columns);
    }
  }
  mean_compliance_[uz(body)] = compliance_.mean();
}

void DelassusBuilder::build(std::span<const Contact> contacts, std::span<const int> group,
                            std::span<const MovingBody> bodies, Motion motion, BlockMatrix& W,
                            std::span<const int> masters) {
  list_ends(contacts, group, bodies, masters);
  choose_storage(contacts, group, masters, W);
  // the lower half, body by body
  for (const int body : touched_) add_body(body, contacts, group, bodies[uz(body)], motion, W);
  W.mirror();
}

}  // namespace stickslip
