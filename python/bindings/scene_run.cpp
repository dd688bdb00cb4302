#include "python/bindings/scene_run.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/devices/device_spec.hpp"
#include "stickslip/devices/hand_setup.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_keys.hpp"
#include "stickslip/simulation/state_numbers.hpp"

namespace stickslip::python {

namespace {

// as `stickslip run` has them
constexpr double tick_s = 1e-3;
constexpr RenderingMode rendering = RenderingMode::resolved;

Problem problem_of_group(const StepData& data, int g) {
  const StepData::GroupProblem& group = data.problems[uz(g)];
  Problem made;
  made.content.problem = group.problem;
  VecX u;
  group.problem.W.multiply(group.f, u);
  u += group.problem.delta_free;
  made.content.solution = FclibSolution{group.f, u};
  const auto contacts = data.groups.contacts(g);
  made.contacts.assign(contacts.begin(), contacts.end());
  return made;
}

/// One problem beside the other: contacts of different groups do not feel each other.
Problem side_by_side(const std::vector<Problem>& parts) {
  Problem all;
  ContactProblem& problem = all.content.problem;
  std::vector<int> starts = {0};
  std::vector<int> rows;
  int count = 0;
  for (const Problem& part : parts) {
    const BlockMatrix& W = part.problem().W;
    for (int j = 0; j < W.contact_count(); ++j) {
      if (W.is_dense()) {
        for (int i = 0; i < W.contact_count(); ++i) rows.push_back(count + i);
      } else {
        for (const int i : W.column(j).rows) rows.push_back(count + i);
      }
      starts.push_back(static_cast<int>(rows.size()));
    }
    count += W.contact_count();
  }
  problem.W.resize_sparse(starts, rows);
  problem.resize_vectors(count);
  FclibSolution solution{VecX(3 * count), VecX(3 * count)};
  int first = 0;
  for (const Problem& part : parts) {
    const ContactProblem& one = part.problem();
    const int m = one.contact_count();
    for (int j = 0; j < m; ++j) {
      const int begin = starts[uz(first + j)];
      const int end = starts[uz(first + j) + 1];
      for (int k = begin; k < end; ++k) {
        problem.W.add_block(rows[uz(k)], first + j, one.W.block(rows[uz(k)] - first, j));
      }
    }
    problem.delta_free.segment(3 * first, 3 * m) = one.delta_free;
    problem.mu.segment(first, m) = one.mu;
    solution.r.segment(3 * first, 3 * m) = part.content.solution->r;
    solution.u.segment(3 * first, 3 * m) = part.content.solution->u;
    all.contacts.insert(all.contacts.end(), part.contacts.begin(), part.contacts.end());
    first += m;
  }
  all.content.solution = std::move(solution);
  return all;
}

}  // namespace

SceneSource::SceneSource(TomlValue written, const std::filesystem::path& path,
                         const std::vector<std::string>& overrides)
    : document(std::move(written)) {
  apply_overrides(overrides, document);
  description = describe_scene(document, path);
}

SceneRun::SceneRun(SceneSource source, const SceneBuildOptions& options)
    : document_(std::move(source.document)),
      description_(std::move(source.description)),
      scene_(build_scene(description_, options).scene) {
  refuse_devices();
  begin(initial_state(scene_));
}

SceneRun::SceneRun(const Recording& recording)
    : description_(describe_recorded_scene(recording.scene())), scene_(recording.build_scene()) {
  refuse_devices();
  begin(initial_state(scene_));
  take(recording.state_numbers(0));
}

void SceneRun::refuse_devices() const {
  for (const Hand& hand : scene_.hands) {
    if (!needs_clock(parse_device_spec(hand.device))) continue;
    throw InputError(fmt::format(
        "hand.{}.device = \"{}\": runs by the clock, and a scene in Python does not; choose "
        "simulated, or run it by `stickslip run`",
        hand.name, hand.device));
  }
}

void SceneRun::begin(State state) {
  state_ = std::move(state);
  turns_.reset();
  session_.reset();
  data_ = std::make_unique<StepData>(scene_);
  report_ = {};
  readings_ = initial_readings(scene_, state_);
  energy_ = RunSummary(scene_, state_, *data_).energy().initial;
  steps_ = 0;
  lent_.assign(scene_.bodies.size(), {});
  if (scene_.hands.empty()) return;
  std::vector<HandSetup> devices;
  hand_maps_.clear();
  for (ReadyHand& hand : prepare_hands(scene_, tick_s, rendering)) {
    hand_maps_.push_back(hand.setup.map);
    devices.push_back(std::move(hand.setup));
  }
  LoopOptions options;
  options.tick = tick_s;
  options.rendering.mode = rendering;
  session_ = std::make_unique<HapticSession>(scene_, state_, *data_, std::move(devices), options);
  turns_.emplace(*session_);
}

void SceneRun::step_once() {
  if (turns_) {
    // at most as many ticks as a step takes
    do turns_->tick();
    while (turns_->step_report() == nullptr);
    report_ = *turns_->step_report();
  } else {
    report_ = step(scene_, state_, *data_);
  }
  update_readings(scene_, state_, *data_, readings_);
  // a restored step does not know its energy
  if (!report_.was_restored) energy_ = report_.energy.total;
  ++steps_;
}

void SceneRun::reset() {
  keep_what_is_lent();
  begin(initial_state(scene_));
}

std::vector<double> SceneRun::numbers() const {
  std::vector<double> numbers;
  write_numbers(state_, numbers);
  return numbers;
}

void SceneRun::take(std::span<const double> numbers) {
  State state = initial_state(scene_);
  if (!read_numbers(numbers, scene_, state)) {
    throw InputError(
        fmt::format("state: these {} numbers are none of scene {}; give what its `state` was",
                    numbers.size(), scene_.name));
  }
  keep_what_is_lent();
  // what drives were given from outside is no part of a state
  const std::vector<DriveInput> inputs = data_->inputs;
  begin(std::move(state));
  data_->inputs = inputs;
  steps_ = std::llround(state_.time_s / scene_.simulation.dt);
  if (steps_ > 0) energy_ = std::numeric_limits<double>::quiet_NaN();
}

void SceneRun::give_input(std::size_t d, const std::optional<Vec6>& value) {
  DriveInput& input = data_->inputs[d];
  input.is_given = value.has_value();
  if (value) input.value = *value;
}

void SceneRun::keep_what_is_lent() {
  for (std::size_t b = 0; b < lent_.size(); ++b) {
    const std::shared_ptr<LentDisplacement> lent = lent_[b].lock();
    lent_[b].reset();
    if (!lent) continue;
    Displacement& u = state_.bodies[b].deformation.u;
    lent->kept = std::move(u);
    u = lent->kept;
    lent->engine.reset();
  }
}

std::shared_ptr<LentDisplacement> SceneRun::lend_displacement(
    std::size_t body, const std::shared_ptr<const void>& self) {
  std::shared_ptr<LentDisplacement> lent = lent_[body].lock();
  if (!lent) {
    lent = std::make_shared<LentDisplacement>();
    lent->engine = self;
    lent_[body] = lent;
  }
  return lent;
}

Problem SceneRun::problem(std::optional<int> group) const {
  const int count = group_count();
  if (group && (*group < 0 || *group >= count)) {
    throw InputError(
        fmt::format("group = {}: the last step had {}, counted from 0", *group, count));
  }
  std::vector<Problem> parts;
  for (int g = group.value_or(0); g < (group ? *group + 1 : count); ++g) {
    if (data_->problems[uz(g)].is_unbuilt) {
      throw InputError(
          "simulation.delassus: W of the last step was not built; load the scene with "
          "simulation.delassus = \"built\"");
    }
    parts.push_back(problem_of_group(*data_, g));
  }
  Problem made = parts.size() == 1 ? std::move(parts.front()) : side_by_side(parts);
  made.content.title = fmt::format("{}, step {}", scene_.name, steps_);
  made.content.description = fmt::format("contacts of a scene at {} s", state_.time_s);
  return made;
}

std::vector<SceneRun::HandReading> SceneRun::hand_readings() const {
  std::vector<HandReading> readings;
  if (!session_) return readings;
  const auto records = session_->loop().records();
  for (std::size_t h = 0; h < records.size(); ++h) {
    readings.push_back(
        {hand_maps_[h].to_world(records[h].device).position, records[h].wrench, records[h].energy});
  }
  return readings;
}

void SceneRun::require_unused() const {
  if (is_used_) {
    throw std::runtime_error(
        "this scene is being stepped in another thread; wait until it has returned");
  }
}

SceneRun::Use::Use(SceneRun& run) : run_(run) {
  run.require_unused();
  run.is_used_ = true;
}

}  // namespace stickslip::python
