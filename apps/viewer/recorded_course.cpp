#include "apps/viewer/recorded_course.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "apps/viewer/exchange.hpp"
#include "stickslip/io/recording_export.hpp"
#include "stickslip/simulation/contact_report.hpp"

namespace stickslip::viewer {

namespace {

constexpr std::size_t rows_at_once = 1024;

/// A row of a recording; `k` is its place in the details.
struct Moment {
  StepReport report;
  ContactLoad load;
  std::size_t row = 0;
  double push = 0.0;  ///< what decides which moment of a piece stays [N]

  Moment(const Recording& recording, const Recording::Details& details, std::size_t row_number,
         std::size_t k)
      : row(row_number) {
    const std::vector<ContactReport> contacts = contacts_of(details, k);
    for (const ContactReport& contact : contacts) {
      if (contact.force.isZero(0.0)) continue;
      ++load.loaded;
      if (!contact.sticks) ++load.slipping;
      load.normal_force += contact.force.dot(contact.normal);
    }
    report.contacts = static_cast<int>(contacts.size());
    report.iterations = static_cast<int>(details.iterations[k]);
    report.error = details.error[k];
    report.penetration_m = details.penetration[k];
    report.energy = {details.energy[3 * k], details.energy[3 * k + 1], details.energy[3 * k + 2]};
    report.phase_us.back() = details.total_us[k];
    const auto flags = details.flags[k];
    report.is_converged = (flags & not_converged) == 0;
    report.met_deadline = (flags & missed_deadline) == 0;
    report.was_restored = (flags & restored) != 0;
    for (int h = 0; h < recording.hand_count(); ++h) {
      push = std::max(push, recording.hand_input(row, h).rendered.head<3>().norm());
    }
    if (recording.hand_count() == 0) push = load.normal_force;
  }
};

CourseMoment rows_of(const Recording& recording, const Scene& scene, const Moment& moment) {
  CourseMoment rows;
  const double time_s = recording.time(moment.row);
  rows.step = {time_s};
  fill_step_row(moment.report, moment.load, rows.step);
  rows.tick = {time_s, 0.0, 0.0};
  for (int h = 0; h < recording.hand_count(); ++h) {
    const HandInput input = recording.hand_input(moment.row, h);
    const Quat& turn = scene.hands[uz(h)].map.turn;
    const Vec3 force = turn * input.rendered.head<3>();
    const Vec3 torque = turn * input.rendered.tail<3>();
    for (const Vec3* vector : {&force, &torque, &input.pose.position}) {
      rows.tick.insert(rows.tick.end(), vector->begin(), vector->end());
    }
    rows.tick.insert(rows.tick.end(), {input.energy, 0.0, 0.0, 0.0});
  }
  return rows;
}

}  // namespace

void tell_course(const Recording& recording, const Scene& scene, std::size_t most,
                 const std::function<void(const CourseMoment&)>& tell) {
  const std::size_t rows = recording.row_count();
  const std::size_t piece = (rows + most - 1) / most;
  std::optional<Moment> largest;
  double work_in = 0.0;
  double friction = 0.0;
  for (std::size_t first = 0; first < rows; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, rows - first);
    const Recording::Details details = recording.details(first, count);
    for (std::size_t k = 0; k < count; ++k) {
      const Moment moment(recording, details, first + k, k);
      work_in += moment.report.energy.work_in;
      friction += moment.report.energy.friction;
      if (!largest || moment.push > largest->push) largest.emplace(moment);
      if ((first + k + 1) % piece != 0 && first + k + 1 != rows) continue;
      largest->report.energy.work_in = std::exchange(work_in, 0.0);
      largest->report.energy.friction = std::exchange(friction, 0.0);
      tell(rows_of(recording, scene, *largest));
      largest.reset();
    }
  }
}

}  // namespace stickslip::viewer
