#include "stickslip/studies/comparison.hpp"
#include "stickslip/simulation/contact_report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip {

namespace {

struct Method {
  std::string_view name;
  SolverKind solver;
  int pyramid_sides;
  ContactMethod method;
};

constexpr std::array<Method, compared_methods> methods = {{
    {"exact", SolverKind::automatic, 8, ContactMethod::exact},
    {"gauss-seidel", SolverKind::gauss_seidel, 8, ContactMethod::exact},
    {"pyramid-4", SolverKind::pyramid, 4, ContactMethod::exact},
    {"pyramid-8", SolverKind::pyramid, 8, ContactMethod::exact},
    {"pyramid-16", SolverKind::pyramid, 16, ContactMethod::exact},
    {"penalty-explicit", SolverKind::automatic, 8, ContactMethod::penalty_explicit},
    {"penalty-implicit", SolverKind::automatic, 8, ContactMethod::penalty_implicit},
    {"imposed-motion", SolverKind::automatic, 8, ContactMethod::imposed_motion},
    {"explicit-friction", SolverKind::automatic, 8, ContactMethod::explicit_friction},
}};

// slip below this share of the alarm distance has no direction worth comparing
constexpr double noticed_slip = 1e-6;

/// (Eq. 26) contacts are matched by their features; those that only one of the two has count whole.
double difference_percent(const ContactMemory& contacts, const ContactMemory& reference) {
  double squared = 0.0;
  double squared_reference = 0.0;
  for (const RememberedContact& contact : contacts.contacts()) {
    const RememberedContact* other = reference.find(contact.where);
    squared += (contact.force - (other ? other->force : Vec3::Zero())).squaredNorm();
  }
  for (const RememberedContact& contact : reference.contacts()) {
    squared_reference += contact.force.squaredNorm();
    if (contacts.find(contact.where) == nullptr) squared += contact.force.squaredNorm();
  }
  return squared > 0.0 ? 100.0 * std::sqrt(squared / squared_reference) : 0.0;
}

/// Largest between the friction of a sliding contact and the direction against its slip. The slip
/// is that of the problem the forces solve: where contacts are lost or found at the end of a step,
/// the bodies may move otherwise.
double slip_angle_deg(const ContactProblem& problem, const ConstVecView& f, double least_slip) {
  VecX delta;
  problem.W.multiply(f, delta);
  delta += problem.delta_free;
  double largest = 0.0;
  for (int c = 0; c < problem.contact_count(); ++c) {
    const Vec3 force = f.segment<3>(3 * c);
    const Eigen::Vector2d f_t = force.tail<2>();
    const Eigen::Vector2d slip = delta.segment<2>(3 * c + 1);
    if (f_t.isZero(0.0) || sticks(force, problem.mu[c]) || slip.norm() < least_slip) continue;
    const double across = f_t[0] * slip[1] - f_t[1] * slip[0];
    largest = std::max(largest, std::atan2(std::abs(across), -f_t.dot(slip)));
  }
  return largest * 180.0 / std::numbers::pi;
}

void judge(const Scene& scene, const State& state, const StepData& data, ComparedMethod& result) {
  const StepReport& report = data.report;
  result.is_converged = report.is_converged && !report.was_restored;
  result.contacts = report.contacts;
  result.loaded_contacts = report.loaded_contacts;
  result.iterations = report.iterations;
  result.error = report.error;
  result.stick_drift_m = report.stick_drift_m;

  const double least_slip = noticed_slip * scene.simulation.alarm_distance;
  for (int g = 0; g < data.groups.count(); ++g) {
    const auto& slot = data.problems[uz(g)];
    result.slip_angle_deg =
        std::max(result.slip_angle_deg, slip_angle_deg(slot.problem, slot.f, least_slip));
    const LawViolations laws = law_violations(slot.problem, slot.f);
    for (const auto member : {&LawViolations::penetration_m, &LawViolations::adhesion_N,
                              &LawViolations::force_across_gap_m, &LawViolations::cone_excess_N,
                              &LawViolations::unopposed_slip_m}) {
      result.laws.*member = std::max(result.laws.*member, laws.*member);
    }
  }

  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Vec3 force = data.f.segment<3>(static_cast<int>(3 * c));
    result.normal_force_N += force[0];
    result.friction_force_N += force.tail<2>().norm();
  }
  std::vector<ContactReport> contacts;
  report_contacts(scene, state, data, contacts);
  for (const ContactReport& contact : contacts) {
    result.penetration_m = std::max(result.penetration_m, -contact.gap);
  }
}

/// By one method as often as asked for and as time allows; the last time is judged.
ComparedMethod take_steps(const Scene& variant, const Moment& moment,
                          const ComparisonOptions& options, State& state) {
  using Clock = std::chrono::steady_clock;
  const double limit_us = 1e6 * options.limit_s;
  ComparedMethod result;
  result.solve_us = result.total_us = std::numeric_limits<double>::infinity();
  StepData data(variant);
  data.clock_answers.refuse_once(options.ends);
  const auto is_ended = [&] { return options.ends != nullptr && options.ends->load(); };
  const Clock::time_point start = Clock::now();
  for (int repeat = 1; repeat <= options.repeats && !is_ended(); ++repeat) {
    state = moment.state;
    state.contacts.reserve(variant.simulation.contact_budget);
    data.hand_inputs = moment.hand_inputs;
    result.energy_gain_J = -moment.energy_J;
    for (int k = 0; k < options.steps && result.is_in_time && !is_ended(); ++k) {
      const StepReport& report = step(variant, state, data);
      result.energy_gain_J += report.energy.friction - report.energy.work_in;
      // a scene's own deadline, below the limit, ends no comparison
      result.is_in_time = report.met_deadline || variant.simulation.deadline_us < limit_us;
    }
    result.energy_gain_J += data.report.energy.total;
    const auto& phase_us = data.report.phase_us;
    result.solve_us = std::min(result.solve_us, phase_us[static_cast<std::size_t>(Phase::solve)]);
    result.total_us = std::min(result.total_us, phase_us[static_cast<std::size_t>(Phase::total)]);
    // another time must fit
    const double spent_s = std::chrono::duration<double>(Clock::now() - start).count();
    if (!result.is_in_time || spent_s * (repeat + 1) / repeat > options.limit_s) break;
  }
  judge(variant, state, data, result);
  return result;
}

}  // namespace

Moment freeze(const State& state, const StepData& data) {
  return {state, data.report.energy.total, data.hand_inputs};
}

std::vector<ComparedMethod> compare_methods(const Scene& scene, const Moment& moment,
                                            const ComparisonOptions& options) {
  std::vector<ComparedMethod> results;
  Scene variant = scene;
  // each is judged by its W
  variant.simulation.delassus = DelassusForm::built;
  variant.simulation.deadline_us = std::min(scene.simulation.deadline_us, 1e6 * options.limit_s);
  ContactMemory reference;
  for (const Method& method : methods) {
    if (options.progress) options.progress(results, method.name);
    variant.simulation.solver = method.solver;
    variant.simulation.pyramid_sides = method.pyramid_sides;
    variant.simulation.contact_method = method.method;
    State state;
    ComparedMethod result = take_steps(variant, moment, options, state);
    if (options.ends != nullptr && *options.ends) break;
    result.name = method.name;
    if (results.empty()) reference = state.contacts;
    result.difference_percent = difference_percent(state.contacts, reference);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace stickslip
