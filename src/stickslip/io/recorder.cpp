#include "stickslip/io/recorder.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <optional>

#include "stickslip/error.hpp"
#include "stickslip/io/recording_layout.hpp"
#include "stickslip/simulation/state_numbers.hpp"

namespace stickslip {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// how long a step may be on its way
constexpr auto flush_period = 400ms;
constexpr auto poll_period = 5ms;
constexpr std::size_t numbers_per_contact = 16;

/// Takes a record apart in the order in which it was packed.
class Unpacking {
 public:
  explicit Unpacking(std::span<const double> record) : left_(record) {}
  double number() { return numbers(1).front(); }
  std::uint64_t integer() { return static_cast<std::uint64_t>(number()); }
  std::uint64_t word() { return std::bit_cast<std::uint64_t>(number()); }
  std::span<const double> numbers(std::size_t count) {
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

 private:
  std::span<const double> left_;
};

}  // namespace

/// The file and what is about to be written to it; lives in the thread that writes.
class Recorder::Writer {
 public:
  Writer(const std::filesystem::path& path, const RecordedScene& recorded, const Scene& scene)
      : path_(path),
        unfinished_(path.string() + ".part"),
        file_(Hdf5File::create_growing(unfinished_)),
        bodies_(scene.bodies.size()),
        drives_(scene.drives.size()),
        hands_(scene.hands.size()) {
    write_head(recorded, scene);
    const auto layout = recording_layout(static_cast<int>(bodies_), static_cast<int>(drives_),
                                         static_cast<int>(hands_));
    columns_.resize(layout.size());
    for (std::size_t s = 0; s < layout.size(); ++s) {
      if (layout[s].row_size() > 0)
        columns_[s].series.emplace(Hdf5Series::create(file_, layout[s]));
    }
  }
  ~Writer() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// From here on the file is whole at any moment.
  void start(std::int64_t step, std::span<const double> state) {
    add_state(static_cast<std::uint64_t>(step), state);
    file_.start_growing();
    flush();
    std::error_code error;
    std::filesystem::rename(unfinished_, path_, error);
    if (error) {
      throw InputError(fmt::format("{}: cannot be written ({}); choose another place",
                                   path_.string(), error.message()));
    }
    // says that somebody writes as long as the process lives
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_SH | LOCK_NB);
  }

  /// Until `is_last` and nothing is left.
  void run(RecordQueue& queue) {
    try {
      std::vector<double> record;
      Clock::time_point flushed = Clock::now();
      for (;;) {
        const bool is_last = must_end.load(std::memory_order_acquire);
        const bool is_busy = queue.pop(record);
        if (is_busy) add(record);
        if (Clock::now() - flushed > flush_period || (is_last && !is_busy)) {
          flush();
          flushed = Clock::now();
        }
        if (is_busy) continue;
        if (is_last) break;
        std::this_thread::sleep_for(poll_period);
      }
    } catch (const std::exception& problem) {
      trouble = problem.what();
      has_failed.store(true, std::memory_order_release);
    }
  }

  std::atomic<bool> must_end = false;
  std::atomic<bool> has_failed = false;
  std::string trouble;  ///< once has_failed

 private:
  struct Column {
    std::optional<Hdf5Series> series;
    std::vector<double> numbers;
    std::vector<std::uint64_t> integers;
  };

  void write_head(const RecordedScene& recorded, const Scene& scene) {
    const std::vector<int> format = {recording_format};
    file_.write_integers("/format", format);
    write_scene(recorded, file_);
    const std::vector<double> dt = {scene.simulation.dt};
    file_.write_numbers("/scene/dt_s", dt);
    const std::vector<int> sizes = {static_cast<int>(bodies_), static_cast<int>(drives_),
                                    static_cast<int>(hands_)};
    file_.write_integers("/scene/sizes", sizes);
    // chosen for the device, which need not be there later
    std::vector<double> gains;
    for (const Hand& hand : scene.hands) {
      gains.insert(gains.end(), {hand.gains.stiffness, hand.gains.damping,
                                 hand.gains.rotational_stiffness, hand.gains.rotational_damping});
    }
    file_.write_numbers("/scene/hand_gains", gains);
    file_.make_group("/scene/body_names");
    for (std::size_t b = 0; b < bodies_; ++b) {
      file_.write_text(fmt::format("/scene/body_names/{}", b), scene.bodies[b].name);
    }
    for (const char* group : {"/steps", "/contacts", "/clock", "/states"}) file_.make_group(group);
  }

  Column& column(RecordSeries series) { return columns_[static_cast<std::size_t>(series)]; }
  void put(RecordSeries series, double value) { column(series).numbers.push_back(value); }
  void put(RecordSeries series, std::span<const double> values) {
    auto& numbers = column(series).numbers;
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  void put_integer(RecordSeries series, std::uint64_t value) {
    column(series).integers.push_back(value);
  }

  void add(std::span<const double> record) {
    Unpacking unpacking(record);
    const std::uint64_t step = unpacking.integer();
    const std::uint64_t contacts = unpacking.integer();
    const std::uint64_t refusals = unpacking.integer();
    const std::uint64_t state_size = unpacking.integer();
    put_integer(RecordSeries::step, step);
    put(RecordSeries::time, unpacking.number());
    put_integer(RecordSeries::hash, unpacking.word());
    put_integer(RecordSeries::contact_end, contact_end_ += contacts);
    put_integer(RecordSeries::refusal_end, refusal_end_ += refusals);
    put_integer(RecordSeries::iterations, unpacking.integer());
    put(RecordSeries::error, unpacking.number());
    put(RecordSeries::penetration, unpacking.number());
    put(RecordSeries::energy, unpacking.numbers(3));
    put_integer(RecordSeries::flags, unpacking.integer());
    put(RecordSeries::total_us, unpacking.number());
    put(RecordSeries::inputs, unpacking.numbers(6 * drives_));
    put(RecordSeries::hand_inputs, unpacking.numbers(numbers_per_hand * hands_));
    put(RecordSeries::frames, unpacking.numbers(7 * bodies_));
    for (std::uint64_t r = 0; r < refusals; ++r) {
      put_integer(RecordSeries::refused, unpacking.integer());
    }
    for (std::uint64_t c = 0; c < contacts; ++c) {
      put_integer(RecordSeries::contact_bodies, unpacking.integer());
      put_integer(RecordSeries::contact_bodies, unpacking.integer());
      put(RecordSeries::contact_P, unpacking.numbers(3));
      put(RecordSeries::contact_Q, unpacking.numbers(3));
      put(RecordSeries::contact_normal, unpacking.numbers(3));
      put(RecordSeries::contact_gap, unpacking.number());
      put(RecordSeries::contact_force, unpacking.numbers(3));
      put_integer(RecordSeries::contact_sticks, unpacking.integer());
    }
    if (state_size > 0) add_state(step, unpacking.numbers(state_size));
  }

  void add_state(std::uint64_t step, std::span<const double> numbers) {
    put_integer(RecordSeries::state_step, step);
    put_integer(RecordSeries::state_end, state_end_ += numbers.size());
    put(RecordSeries::state_numbers, numbers);
  }

  void flush() {
    for (Column& column : columns_) {
      if (!column.series) continue;
      column.series->append(column.numbers);
      column.series->append(column.integers);
      column.numbers.clear();
      column.integers.clear();
    }
    file_.flush();
  }

  std::filesystem::path path_;
  std::filesystem::path unfinished_;
  Hdf5File file_;
  std::size_t bodies_;
  std::size_t drives_;
  std::size_t hands_;
  std::vector<Column> columns_;
  std::uint64_t contact_end_ = 0;
  std::uint64_t refusal_end_ = 0;
  std::uint64_t state_end_ = 0;
  int descriptor_ = -1;
};

Recorder::Recorder(const std::filesystem::path& path, const RecordedScene& recorded,
                   const Scene& scene, const State& start, const RecorderOptions& options)
    : step_(options.first_step),
      state_every_(options.state_every > 0
                       ? options.state_every
                       : std::max<std::int64_t>(1, std::llround(1.0 / scene.simulation.dt))),
      next_state_(step_ + state_every_),
      may_wait_(options.may_wait),
      queue_([&] {
        // two full states, and everything else of a step
        write_numbers(start, state_numbers_);
        const std::size_t contacts = uz(scene.simulation.contact_budget);
        const std::size_t state = state_numbers_.size() + 64 * contacts;
        contacts_.reserve(contacts);
        state_numbers_.reserve(state);
        record_.reserve(state + numbers_per_contact * contacts + 7 * scene.bodies.size() +
                        6 * scene.drives.size() + numbers_per_hand * scene.hands.size() + 512);
        return std::max(options.queue_numbers, 2 * record_.capacity());
      }()),
      writer_(std::make_unique<Writer>(path, recorded, scene)) {
  writer_->start(step_, state_numbers_);
  thread_ = std::thread([this] { writer_->run(queue_); });
}

Recorder::~Recorder() {
  writer_->must_end.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
}

void Recorder::pack(const Scene& scene, const State& state, const StepData& data) {
  write_numbers(state, state_numbers_);
  report_contacts(scene, state, data, contacts_);
  const auto refused = data.clock_answers.refused();
  const bool has_state = step_ >= next_state_;
  const StepReport& report = data.report;
  const int flags = (report.is_converged ? 0 : not_converged) |
                    (report.met_deadline ? 0 : missed_deadline) |
                    (report.was_restored ? restored : 0);
  record_.clear();
  const auto put = [&](auto... values) { (record_.push_back(static_cast<double>(values)), ...); };
  const auto put_vector = [&](const auto& values) {
    record_.insert(record_.end(), values.data(), values.data() + values.size());
  };
  put(step_, contacts_.size(), refused.size(), has_state ? state_numbers_.size() : 0, state.time_s,
      std::bit_cast<double>(hash_of(state_numbers_)), report.iterations, report.error,
      report.penetration_m, report.energy.total, report.energy.work_in, report.energy.friction,
      flags, report.phase_us[static_cast<std::size_t>(Phase::total)]);
  for (const DriveInput& input : data.inputs) put_vector(input.value);
  for (const HandInput& hand : data.hand_inputs) {
    put_vector(hand.pose.position);
    put_vector(hand.pose.orientation.coeffs());
    put(hand.wants_hold, hand.is_clutched, hand.restarts);
    put_vector(hand.rendered);
    put(hand.energy);
  }
  for (const BodyState& body : state.bodies) {
    put_vector(body.frame.position);
    put_vector(body.frame.orientation.coeffs());
  }
  for (const std::uint32_t question : refused) put(question);
  for (const ContactReport& contact : contacts_) {
    put(contact.body_1, contact.body_2);
    for (const Vec3* vector : {&contact.P, &contact.Q, &contact.normal}) put_vector(*vector);
    put(contact.gap);
    put_vector(contact.force);
    put(contact.sticks);
  }
  if (has_state) put_vector(state_numbers_);
}

void Recorder::add(const Scene& scene, const State& state, const StepData& data) {
  ++step_;
  pack(scene, state, data);
  bool is_sent = queue_.push(record_);
  while (!is_sent && may_wait_ && !writer_->has_failed.load(std::memory_order_acquire)) {
    std::this_thread::sleep_for(poll_period);
    is_sent = queue_.push(record_);
  }
  if (!is_sent) {
    // what comes after a gap can be stepped again only from a full state
    ++lost_;
    next_state_ = step_ + 1;
  } else if (step_ >= next_state_) {
    next_state_ = step_ + state_every_;
  }
}

void Recorder::finish() {
  writer_->must_end.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
  if (writer_->has_failed.load(std::memory_order_acquire)) throw InputError(writer_->trouble);
}

}  // namespace stickslip
