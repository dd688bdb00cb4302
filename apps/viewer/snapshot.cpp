#include "apps/viewer/snapshot.hpp"

#include <algorithm>

#include "apps/viewer/surface_fields.hpp"

namespace stickslip::viewer {

namespace {

constexpr int most_delassus_contacts = 120;

}  // namespace

std::vector<ViewedBody> viewed_bodies(const SceneDescription& description, const Scene& scene) {
  std::vector<ViewedBody> bodies;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const SceneBody& from = scene.bodies[b];
    ViewedBody body;
    body.name = from.name;
    body.kind = description.bodies[b].kind;
    body.surface = from.body.surface();
    // a quasi-rigid body yields by less than can be seen
    body.deforms = from.body.deformation() != nullptr && body.kind != BodyKind::quasi_rigid;
    body.mass = from.body.frame().mass();
    body.areas = point_areas(body.surface);
    const MaterialDescription* material = description.find_material(description.bodies[b].material);
    if (material != nullptr && material->young && material->poisson) {
      body.young = *material->young;
      body.poisson = *material->poisson;
    }
    bodies.push_back(std::move(body));
  }
  return bodies;
}

void take_state(const Scene& scene, const State& state, const StepData& data, Snapshot& to) {
  to.time_s = state.time_s;
  to.frames.resize(state.bodies.size());
  to.u.resize(state.bodies.size());
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const FrameState& frame = state.bodies[b].frame;
    to.frames[b] = {frame.position, frame.orientation};
    if (!to.scene->bodies[b].deforms) continue;
    const VecX& u = state.bodies[b].deformation.u.points();
    to.u[b].resize(3 * scene.bodies[b].body.surface().points.size());
    for (std::size_t i = 0; i < to.u[b].size(); ++i) {
      to.u[b][i] = static_cast<float>(u[static_cast<Eigen::Index>(i)]);
    }
  }

  to.hands.resize(state.hands.size());
  for (std::size_t h = 0; h < state.hands.size(); ++h) {
    const HandInput& input = data.hand_inputs[h];
    const HandState& holding = state.hands[h];
    const Mat3 turn = scene.hands[h].map.turn.toRotationMatrix();
    ViewedHand& hand = to.hands[h];
    hand.device = input.pose;
    hand.body = holding.body;
    hand.grip = input.pose;
    if (holding.body >= 0)
      hand.grip = grip_pose(state.bodies[uz(holding.body)].frame, holding.grip);
    hand.target = holding.body >= 0 ? holding.target : input.pose;
    hand.wrench.head<3>() = turn * input.rendered.head<3>();
    hand.wrench.tail<3>() = turn * input.rendered.tail<3>();
    hand.energy = input.energy;
    hand.is_taken = false;
  }
}

void take_contacts(const Scene& scene, const State& state, const StepData& data,
                   std::vector<ContactReport>& reports, Snapshot& to) {
  report_contacts(scene, state, data, reports);
  to.contacts.resize(reports.size());
  for (std::size_t c = 0; c < reports.size(); ++c) {
    const Contact& contact = data.contacts[c];
    to.contacts[c] = {reports[c], contact.mu, true, contact.where.P, contact.where.Q};
  }
}

void take_delassus(const StepData& data, Snapshot& to) {
  to.has_delassus = true;
  to.delassus_contacts = 0;
  to.delassus.clear();
  const BlockMatrix* largest = nullptr;
  for (int g = 0; g < data.groups.count(); ++g) {
    const StepData::GroupProblem& group = data.problems[uz(g)];
    if (group.is_unbuilt) continue;
    const BlockMatrix& W = group.problem.W;
    if (largest == nullptr || W.contact_count() > largest->contact_count()) largest = &W;
  }
  if (largest == nullptr) return;
  const int m = std::min(largest->contact_count(), most_delassus_contacts);
  to.delassus_contacts = m;
  to.delassus.resize(9 * uz(m) * uz(m));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const Mat3 block = largest->block(i, j);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          to.delassus[3 * uz(m) * uz(3 * i + r) + uz(3 * j + c)] = static_cast<float>(block(r, c));
        }
      }
    }
  }
}

ContactLoad load_of(const StepData& data) {
  ContactLoad load;
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Vec3 force = data.f.segment<3>(static_cast<int>(3 * c));
    if (force.isZero(0.0)) continue;
    ++load.loaded;
    if (!sticks(force, data.contacts[c].mu)) ++load.slipping;
    load.normal_force += force[0];
  }
  return load;
}

void fill_step_row(const StepReport& report, const ContactLoad& load, std::vector<double>& row) {
  const double flags = (report.is_converged ? 1 : 0) + (report.met_deadline ? 2 : 0) +
                       (report.was_restored ? 4 : 0) + (report.was_held_back ? 8 : 0);
  for (const double number : {static_cast<double>(report.contacts),
                              static_cast<double>(report.iterations), report.error}) {
    row.push_back(number);
  }
  row.insert(row.end(), report.phase_us.begin(), report.phase_us.end());
  for (const double number : {report.energy.total, report.energy.work_in, report.energy.friction,
                              report.penetration_m, flags, static_cast<double>(load.loaded),
                              static_cast<double>(load.slipping), load.normal_force}) {
    row.push_back(number);
  }
}

}  // namespace stickslip::viewer
