#include "apps/viewer/snapshot_message.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "apps/viewer/exchange.hpp"
#include "apps/viewer/surface_fields.hpp"
#include "stickslip/simulation/contact_report.hpp"

namespace stickslip::viewer {

namespace {

static_assert(std::endian::native == std::endian::little);

enum MessageKind : std::uint32_t { mesh_kind = 1, frame_kind = 2, delassus_kind = 3 };
constexpr std::size_t tick_header = 4;  // numbers of a row before those of the hands
constexpr std::size_t step_header = 2;

class Bytes {
 public:
  void add_u32(std::uint32_t value) { add(&value, sizeof value); }
  void add_f32(double value) {
    const auto single = static_cast<float>(value);
    add(&single, sizeof single);
  }
  void add_f64(double value) { add(&value, sizeof value); }
  void add_floats(std::span<const float> values) { add(values.data(), values.size_bytes()); }
  void add_vector(const Vec3& v) {
    for (const double value : v) add_f32(value);
  }
  void add_pose(const Pose& pose) {
    add_vector(pose.position);
    for (const double value : pose.orientation.coeffs()) add_f32(value);
  }
  std::string take() { return std::move(bytes_); }
  void reserve(std::size_t size) { bytes_.reserve(size); }

 private:
  void add(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

/// The scalars of all bodies that deform.
std::vector<float> field_values(const Snapshot& snapshot, Field field) {
  std::vector<float> all;
  if (field == Field::none) return all;
  const auto& bodies = snapshot.scene->bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].deforms) continue;
    std::vector<float> values(bodies[b].surface.points.size(), 0.0F);
    if (field == Field::displacement) displacement_field(snapshot.u[b], values);
    if (field == Field::stress && bodies[b].young > 0.0) {
      stress_field(bodies[b].surface, bodies[b].young, bodies[b].poisson, snapshot.u[b],
                   bodies[b].areas, values);
    }
    for (const ViewedContact& contact : snapshot.contacts) {
      if (field != Field::pressure || !contact.has_points) continue;
      const double force = contact.report.force.dot(contact.report.normal);
      if (uz(contact.report.body_1) == b) add_pressure(contact.P, force, bodies[b].areas, values);
      if (uz(contact.report.body_2) == b) add_pressure(contact.Q, force, bodies[b].areas, values);
    }
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::uint32_t frame_flags(const Snapshot& snapshot, bool has_gap) {
  return (snapshot.runs ? 1U : 0U) | (snapshot.is_recorded ? 2U : 0U) |
         (snapshot.is_recording_shown ? 4U : 0U) | (snapshot.is_converged ? 0U : 8U) |
         (snapshot.was_restored ? 16U : 0U) | (snapshot.was_repeated ? 0U : 32U) |
         (has_gap ? 64U : 0U);
}

void add_contact(const ViewedContact& contact, Bytes& bytes) {
  const ContactReport& report = contact.report;
  const bool is_loaded = report.force.squaredNorm() > 0.0;
  bytes.add_vector(report.P);
  bytes.add_vector(report.normal);
  bytes.add_vector(report.force);
  bytes.add_f32(contact.mu);
  bytes.add_f32(!is_loaded ? 0 : report.sticks ? 1 : 2);
  bytes.add_f32(report.gap);
  bytes.add_f32(report.body_1);
  bytes.add_f32(report.body_2);
}

/// Numbers of a hand in the last row of ticks, or null.
const double* last_tick(const SnapshotTables& tables, std::size_t hand) {
  if (tables.ticks.is_empty()) return nullptr;
  const auto& row = tables.ticks.row(tables.ticks.end() - 1);
  const std::size_t at = tick_header + hand * tick_hand_numbers;
  return at + tick_hand_numbers <= row.size() ? row.data() + at : nullptr;
}

double largest_force(const SnapshotTables& tables, std::size_t hand) {
  double largest = 0.0;
  const std::size_t at = tick_header + hand * tick_hand_numbers;
  for (std::uint64_t i = tables.ticks_from; i < tables.ticks.end(); ++i) {
    const auto& row = tables.ticks.row(i);
    if (at + 3 > row.size()) continue;
    largest = std::max(largest, Eigen::Map<const Vec3>(row.data() + at).norm());
  }
  return largest;
}

void add_hand(const Snapshot& snapshot, std::size_t h, const SnapshotTables& tables, Bytes& bytes) {
  const ViewedHand& hand = snapshot.hands[h];
  bytes.add_pose(hand.device);
  bytes.add_pose(hand.grip);
  bytes.add_pose(hand.target);
  for (const double value : hand.wrench) bytes.add_f32(value);
  bytes.add_f32(hand.body);
  bytes.add_f32(hand.is_taken ? 1 : 0);
  bytes.add_f32(hand.energy);
  const double* tick = last_tick(tables, h);
  for (std::size_t k = 10; k < tick_hand_numbers; ++k) bytes.add_f32(tick ? tick[k] : 0.0);
  bytes.add_f32(largest_force(tables, h));
  bytes.add_f32(0);
  bytes.add_f32(0);
}

void add_ticks(const SnapshotTables& tables, std::size_t hands, double first_s, Bytes& bytes) {
  for (std::uint64_t i = tables.ticks_from; i < tables.ticks.end(); ++i) {
    const auto& row = tables.ticks.row(i);
    bytes.add_f32(row[1] - first_s);
    for (std::size_t h = 0; h < hands; ++h) {
      const std::size_t at = tick_header + h * tick_hand_numbers;
      for (std::size_t k = 0; k < 10; ++k) bytes.add_f32(at + k < row.size() ? row[at + k] : 0.0);
    }
  }
}

void add_steps(const SnapshotTables& tables, double first_s, Bytes& bytes) {
  for (std::uint64_t i = tables.steps_from; i < tables.steps.end(); ++i) {
    const auto& row = tables.steps.row(i);
    bytes.add_f32(row[1] - first_s);
    for (std::size_t k = step_header; k < row.size(); ++k) bytes.add_f32(row[k]);
  }
}

void add_shapes(const Snapshot& snapshot, Bytes& bytes) {
  for (const Pose& frame : snapshot.frames) bytes.add_pose(frame);
  const auto& bodies = snapshot.scene->bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].deforms) continue;
    const auto& points = bodies[b].surface.points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        bytes.add_f32(points[i][static_cast<int>(d)] +
                      static_cast<double>(snapshot.u[b][3 * i + d]));
      }
    }
  }
}

}  // namespace

void RowHistory::add(const std::vector<double>& row) {
  rows_.push_back(row);
  if (rows_.size() <= room_) return;
  rows_.pop_front();
  ++first_;
}

void RowHistory::clear() {
  first_ = end();
  rows_.clear();
}

std::string mesh_message(const ViewedScene& scene, std::size_t body) {
  const Surface& surface = scene.bodies[body].surface;
  Bytes bytes;
  bytes.add_u32(mesh_kind);
  bytes.add_u32(scene.number);
  bytes.add_u32(static_cast<std::uint32_t>(body));
  bytes.add_u32(static_cast<std::uint32_t>(surface.points.size()));
  bytes.add_u32(static_cast<std::uint32_t>(surface.triangles.size()));
  bytes.add_u32(0);
  for (const Vec3& point : surface.points) bytes.add_vector(point);
  for (const auto& triangle : surface.triangles) {
    for (const int corner : triangle) bytes.add_u32(static_cast<std::uint32_t>(corner));
  }
  return bytes.take();
}

std::string snapshot_message(const Snapshot& snapshot, Field field, const SnapshotTables& from,
                             const SnapshotCounts& counts) {
  // rows that are gone are left out, and it is told
  SnapshotTables tables = from;
  tables.ticks_from = std::max(from.ticks_from, from.ticks.first());
  tables.steps_from = std::max(from.steps_from, from.steps.first());
  const bool has_gap = tables.ticks_from != from.ticks_from || tables.steps_from != from.steps_from;
  const auto rows = [](const RowHistory& table, std::uint64_t first) {
    return static_cast<std::uint32_t>(table.end() - first);
  };
  const auto first_time = [](const RowHistory& table, std::uint64_t first) {
    return first < table.end() ? table.row(first)[1] : 0.0;
  };
  const double first_tick_s = first_time(tables.ticks, tables.ticks_from);
  const double first_step_s = first_time(tables.steps, tables.steps_from);
  const std::vector<float> scalars = field_values(snapshot, field);
  std::size_t vertices = 0;
  for (const ViewedBody& body : snapshot.scene->bodies) {
    if (body.deforms) vertices += body.surface.points.size();
  }
  const double missed = tables.ticks.is_empty() ? 0.0 : tables.ticks.row(tables.ticks.end() - 1)[3];

  Bytes bytes;
  bytes.reserve(65536 + 16 * vertices);
  bytes.add_u32(frame_kind);
  bytes.add_u32(snapshot.scene->number);
  bytes.add_u32(counts.sequence);
  bytes.add_u32(frame_flags(snapshot, has_gap));
  bytes.add_f64(snapshot.time_s);
  bytes.add_f64(first_tick_s);
  bytes.add_f64(first_step_s);
  bytes.add_u32(static_cast<std::uint32_t>(snapshot.step));
  bytes.add_u32(static_cast<std::uint32_t>(snapshot.frames.size()));
  bytes.add_u32(static_cast<std::uint32_t>(vertices));
  bytes.add_u32(static_cast<std::uint32_t>(scalars.size()));
  bytes.add_u32(static_cast<std::uint32_t>(snapshot.contacts.size()));
  bytes.add_u32(static_cast<std::uint32_t>(snapshot.hands.size()));
  bytes.add_u32(rows(tables.ticks, tables.ticks_from));
  bytes.add_u32(rows(tables.steps, tables.steps_from));
  bytes.add_u32(static_cast<std::uint32_t>(field));
  bytes.add_f32(scalars.empty() ? 0.0F : *std::max_element(scalars.begin(), scalars.end()));
  bytes.add_f32(snapshot.speed);
  bytes.add_f32(snapshot.real_time_factor);
  bytes.add_u32(counts.ticks);
  bytes.add_u32(static_cast<std::uint32_t>(missed));
  bytes.add_u32(static_cast<std::uint32_t>(snapshot.late_steps));
  bytes.add_u32(counts.viewers);
  bytes.add_f32(counts.tick_median_us);
  bytes.add_f32(counts.tick_longest_us);

  add_shapes(snapshot, bytes);
  bytes.add_floats(scalars);
  for (const ViewedContact& contact : snapshot.contacts) add_contact(contact, bytes);
  for (std::size_t h = 0; h < snapshot.hands.size(); ++h) add_hand(snapshot, h, tables, bytes);
  add_ticks(tables, snapshot.hands.size(), first_tick_s, bytes);
  add_steps(tables, first_step_s, bytes);
  return bytes.take();
}

std::string delassus_message(const Snapshot& snapshot) {
  Bytes bytes;
  bytes.add_u32(delassus_kind);
  bytes.add_u32(snapshot.scene->number);
  bytes.add_u32(static_cast<std::uint32_t>(snapshot.step));
  bytes.add_u32(static_cast<std::uint32_t>(snapshot.delassus_contacts));
  bytes.add_floats(snapshot.delassus);
  return bytes.take();
}

}  // namespace stickslip::viewer
