#include "stickslip/io/recording.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "stickslip/error.hpp"
#include "stickslip/io/hdf5_handles.hpp"
#include "stickslip/io/record_queue.hpp"
#include "stickslip/io/recorder.hpp"
#include "stickslip/io/recording_export.hpp"
#include "stickslip/io/replay.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/state_numbers.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using namespace std::chrono_literals;

// a soft pad that is pressed on another and dragged along
const std::string rubbing = R"(
[simulation]
dt = 0.002
duration = 1.0
alarm_distance = 0.001

[material.gel]
young = 5e4
poisson = 0.4
density = 1000

[contact]
friction = 0.5

[[body]]
name = "bed"
kind = "deformable"
shape = "box"
size = [0.1, 0.1, 0.04]
cells = [4, 4, 2]
material = "gel"
held = ["z0"]

[[body]]
name = "pad"
kind = "deformable"
shape = "box"
size = [0.05, 0.05, 0.03]
cells = [3, 3, 2]
material = "gel"
position = [0, 0, 0.0402]
held = ["z1"]

[[drive]]
body = "pad"
kind = "motion"
csv = "rub.csv"
)";

const std::string course = "time_s,x_m,z_m\n0,0,0\n0.1,0,-0.003\n1,0.02,-0.003\n";

class RecordingTest : public testing::Test {
 protected:
  RecordingTest() {
    folder.write("rub.toml", rubbing);
    folder.write("rub.csv", course);
  }

  void prepare(const std::vector<std::string>& overrides) {
    source = collect_scene(folder / "rub.toml", overrides, false);
    scene = build_recorded_scene(source);
  }

  /// Steps from `state` on and records it.
  void record(State& state, int steps, const RecorderOptions& options, const char* name) {
    StepData data(scene);
    Recorder recorder(folder / name, source, scene, state, options);
    for (int k = 0; k < steps; ++k) {
      step(scene, state, data);
      recorder.add(scene, state, data);
    }
    recorder.finish();
    EXPECT_EQ(recorder.lost(), 0);
  }

  TestFolder folder;
  RecordedScene source;
  Scene scene;
};

std::vector<double> numbers_of(const State& state) {
  std::vector<double> numbers;
  write_numbers(state, numbers);
  return numbers;
}

TEST_F(RecordingTest, ReplayLandsOnTheSameBitsThoughTheClockCutsSteps) {
  prepare({"simulation.deadline_us=40"});
  State state = initial_state(scene);
  record(state, 500, {.state_every = 100}, "cut.h5");
  const Recording recording(folder / "cut.h5");
  ASSERT_EQ(recording.row_count(), 500u);
  std::size_t cut = 0;
  for (std::size_t row = 0; row < 500; ++row) cut += recording.refused(row).empty() ? 0 : 1;
  EXPECT_GT(cut, 50u);
  Replay replay(recording, scene);
  while (replay.advance()) ASSERT_TRUE(replay.is_equal()) << replay.step();
  EXPECT_EQ(replay.step(), 500);
  EXPECT_EQ(numbers_of(replay.state()), numbers_of(state));
}

TEST_F(RecordingTest, ResumedRunEqualsTheUninterruptedOne) {
  prepare({});
  State state = initial_state(scene);
  record(state, 300, {.state_every = 70}, "whole.h5");
  const Recording whole(folder / "whole.h5");
  for (const int at : {0, 69, 70, 171, 299}) {
    Replay replay(whole, scene);
    replay.go_to(at);
    ASSERT_EQ(replay.step(), at);
    State resumed = replay.state();
    record(resumed, 300 - at, {.first_step = at, .state_every = 50}, "rest.h5");
    EXPECT_EQ(numbers_of(resumed), numbers_of(state)) << at;
    const Recording rest(folder / "rest.h5");
    ASSERT_EQ(rest.row_count(), uz(300 - at));
    const auto expected = whole.details(uz(at), uz(300 - at));
    const auto found = rest.details(0, uz(300 - at));
    EXPECT_EQ(found.energy, expected.energy) << at;
    EXPECT_EQ(found.force, expected.force) << at;
    for (std::size_t row = 0; row < rest.row_count(); ++row) {
      ASSERT_EQ(rest.hash(row), whole.hash(uz(at) + row));
      ASSERT_EQ(rest.step(row), whole.step(uz(at) + row));
    }
  }
}

TEST_F(RecordingTest, HoldsWhatEachStepReported) {
  prepare({});
  State state = initial_state(scene);
  StepData data(scene);
  std::vector<ContactReport> contacts;
  std::vector<std::vector<ContactReport>> expected;
  std::vector<StepReport> reports;
  std::vector<State> states;
  {
    Recorder recorder(folder / "a.h5", source, scene, state);
    for (int k = 0; k < 120; ++k) {
      reports.push_back(step(scene, state, data));
      recorder.add(scene, state, data);
      report_contacts(scene, state, data, contacts);
      expected.push_back(contacts);
      states.push_back(state);
    }
    recorder.finish();
  }
  const Recording recording(folder / "a.h5");
  EXPECT_EQ(recording.body_names(), (std::vector<std::string>{"bed", "pad"}));
  const Recording::Details details = recording.details(20, 100);
  std::size_t met = 0;
  for (std::size_t k = 0; k < 100; ++k) {
    const StepReport& report = reports[20 + k];
    EXPECT_EQ(recording.time(20 + k), states[20 + k].time_s);
    EXPECT_EQ(details.energy[3 * k], report.energy.total);
    EXPECT_EQ(details.energy[3 * k + 1], report.energy.work_in);
    EXPECT_EQ(details.energy[3 * k + 2], report.energy.friction);
    EXPECT_EQ(details.iterations[k], static_cast<std::uint64_t>(report.iterations));
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(details.frames[7 * (2 * k + 1) + d],
                states[20 + k].bodies[1].frame.position[static_cast<int>(d)]);
      EXPECT_EQ(recording.inputs(20 + k)[d], states[20 + k].inputs[0][static_cast<int>(d)]);
    }
    const auto found = contacts_of(details, k);
    ASSERT_EQ(found.size(), expected[20 + k].size());
    met = std::max(met, found.size());
    for (std::size_t c = 0; c < found.size(); ++c) {
      const ContactReport& contact = expected[20 + k][c];
      EXPECT_EQ(found[c].body_1, contact.body_1);
      EXPECT_EQ(found[c].body_2, contact.body_2);
      EXPECT_EQ(found[c].sticks, contact.sticks);
      EXPECT_TRUE(found[c].P.isApprox(contact.P, 1e-6));
      EXPECT_TRUE(found[c].Q.isApprox(contact.Q, 1e-6));
      EXPECT_TRUE(found[c].normal.isApprox(contact.normal, 1e-6));
      EXPECT_TRUE(found[c].force.isApprox(contact.force, 1e-6));
      EXPECT_FLOAT_EQ(static_cast<float>(found[c].gap), static_cast<float>(contact.gap));
    }
  }
  EXPECT_GT(met, 10u);
}

TEST_F(RecordingTest, SceneIsRebuiltWhenItsFilesAreGone) {
  prepare({"contact.friction=0.3", "body.bed.cells=[3,3,2]"});
  State state = initial_state(scene);
  record(state, 100, {}, "a.h5");
  std::filesystem::remove(folder / "rub.toml");
  folder.write("rub.csv", "time_s,x_m\n0,5\n");
  const Recording recording(folder / "a.h5");
  EXPECT_EQ(recording.scene().files.at("rub.csv"), course);
  const Scene rebuilt = build_recorded_scene(recording.scene());
  EXPECT_EQ(rebuilt.friction(0, 1), 0.3);
  EXPECT_EQ(rebuilt.name, scene.name);
  Replay replay(recording, rebuilt);
  while (replay.advance()) ASSERT_TRUE(replay.is_equal()) << replay.step();
  EXPECT_EQ(numbers_of(replay.state()), numbers_of(state));
}

TEST_F(RecordingTest, AnotherInputIsNoticed) {
  prepare({});
  State state = initial_state(scene);
  record(state, 100, {}, "a.h5");
  const Recording recording(folder / "a.h5");
  Scene other = build_recorded_scene(source);
  other.friction *= 1.0 + 1e-12;
  Replay replay(recording, other);
  bool is_equal = true;
  while (is_equal && replay.advance()) is_equal = replay.is_equal();
  EXPECT_FALSE(is_equal);
}

TEST_F(RecordingTest, StepsAreLostRatherThanWaitedForAndTheRestReplays) {
  prepare({});
  State state = initial_state(scene);
  StepData data(scene);
  RecorderOptions options;
  options.may_wait = false;
  options.queue_numbers = 1;
  Recorder recorder(folder / "slow.h5", source, scene, state, options);
  const auto advance = [&](int steps) {
    for (int k = 0; k < steps; ++k) {
      step(scene, state, data);
      recorder.add(scene, state, data);
    }
  };
  advance(50);
  std::this_thread::sleep_for(500ms);
  {
    // the disk sleeps
    const Silence silence;
    std::this_thread::sleep_for(500ms);
    advance(400);
  }
  std::this_thread::sleep_for(500ms);
  advance(30);
  recorder.finish();
  EXPECT_GT(recorder.lost(), 0);
  const Recording recording(folder / "slow.h5");
  EXPECT_EQ(recording.row_count(), 480u - static_cast<std::size_t>(recorder.lost()));
  EXPECT_EQ(recording.step(recording.row_count() - 1), 480);
  Replay replay(recording, scene);
  while (replay.advance()) ASSERT_TRUE(replay.is_equal()) << replay.step();
  EXPECT_EQ(numbers_of(replay.state()), numbers_of(state));
}

TEST_F(RecordingTest, SteppingThreadAllocatesNothing) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  prepare({});
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < 200; ++k) step(scene, state, data);
  Recorder recorder(folder / "a.h5", source, scene, state, {.state_every = 10});
  recorder.add(scene, state, data);
  // while this is held the other thread stands still, too
  const Silence silence;
  std::this_thread::sleep_for(1s);
  const std::size_t before = testing_support::allocation_count();
  for (int k = 0; k < 30; ++k) recorder.add(scene, state, data);
  EXPECT_EQ(testing_support::allocation_count(), before);
}

TEST_F(RecordingTest, DamagedFilesAreRefusedInOneLine) {
  prepare({});
  State state = initial_state(scene);
  record(state, 60, {.state_every = 20}, "good.h5");
  const std::string good = folder.read("good.h5");
  const auto outcome = [&](const std::string& bytes) -> std::string {
    const auto path = folder.write("bad.h5", bytes);
    try {
      const Recording recording(path);
      static_cast<void>(recording.details(0, recording.row_count()));
      Replay replay(recording, scene);
      for (int k = 0; k < 5; ++k) replay.advance();
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(outcome(good), "");
  EXPECT_NE(outcome("no recording at all").find("not a recording"), std::string::npos);
  EXPECT_NE(outcome("").find("not a recording"), std::string::npos);

  // cut short
  for (std::size_t eighth = 1; eighth < 8; ++eighth) {
    const std::string message = outcome(good.substr(0, good.size() * eighth / 8));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  // some bytes changed
  std::mt19937 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    std::string bad = good;
    for (int k = 0; k < 4; ++k)
      bad[random() % (trial < 30 ? 4096 : bad.size())] ^= static_cast<char>(1 + random() % 255);
    EXPECT_EQ(outcome(bad).find('\n'), std::string::npos);
  }
}

TEST_F(RecordingTest, PicturesShowWhereThingsAre) {
  prepare({});
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 0; k < 100; ++k) step(scene, state, data);
  std::vector<ContactReport> contacts;
  report_contacts(scene, state, data, contacts);
  const std::string surfaces = surfaces_vtu(scene, state);
  int points = 0;
  int triangles = 0;
  for (const SceneBody& body : scene.bodies) {
    points += body.body.surface().point_count();
    triangles += body.body.surface().triangle_count();
  }
  EXPECT_NE(surfaces.find("NumberOfPoints=\"" + std::to_string(points) + "\" NumberOfCells=\"" +
                          std::to_string(triangles) + "\""),
            std::string::npos);
  // the first array is the displacement: that of the pad is its drive where it is held
  const std::size_t start = surfaces.find("\n_") + 2 + sizeof(std::uint64_t);
  double lowest = 0.0;
  for (int i = 0; i < points; ++i) {
    Vec3 displacement;
    std::memcpy(displacement.data(), surfaces.data() + start + 24 * uz(i), 24);
    lowest = std::min(lowest, displacement.z());
  }
  EXPECT_NEAR(lowest, -0.003, 1e-9);
  EXPECT_NE(contacts_vtu(contacts).find("NumberOfPoints=\"" + std::to_string(contacts.size())),
            std::string::npos);
}

TEST(RecordQueue, HandsRowsOverInOrder) {
  RecordQueue queue(64);
  constexpr int rows = 20'000;
  std::thread sender([&] {
    std::vector<double> row;
    for (int k = 0; k < rows; ++k) {
      row.assign(uz(k % 20), k);
      while (!queue.push(row)) std::this_thread::yield();
    }
  });
  std::vector<double> row;
  for (int k = 0; k < rows; ++k) {
    while (!queue.pop(row)) std::this_thread::yield();
    EXPECT_EQ(row, std::vector<double>(uz(k % 20), k));
  }
  sender.join();
  EXPECT_FALSE(queue.pop(row));
  EXPECT_FALSE(queue.push(std::vector<double>(64)));
  EXPECT_TRUE(queue.push(std::vector<double>(63)));
}

}  // namespace
}  // namespace stickslip
