#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "places.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/state_numbers.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

const std::filesystem::path shelf = STICKSLIP_SOURCE_DIR "/scenes";
const std::filesystem::path golden_file =
    STICKSLIP_SOURCE_DIR "/tests/determinism/golden_hashes.txt";

struct Golden {
  int steps = 1000;
  std::string hash;
};

std::map<std::string, Golden> golden_hashes() {
  std::map<std::string, Golden> golden;
  std::ifstream file(golden_file);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string scene;
    Golden value;
    words >> scene >> value.steps >> value.hash;
    golden[scene] = value;
  }
  return golden;
}

/// Why the hashes of this program need not be the golden ones; empty where they must be.
std::string excuse() {
#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ != 12 || !defined(NDEBUG) || \
    !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "golden hashes are those of gcc 12 and the preset release";
#else
  const char* core = std::getenv("OPENBLAS_CORETYPE");
  if (core == nullptr || std::string(core) != "Haswell") {
    return "golden hashes need OPENBLAS_CORETYPE=Haswell, as ctest sets it";
  }
  return "";
#endif
}

std::vector<std::string> shelf_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(shelf)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Scene build(const std::string& name, int threads) {
  SceneBuildOptions options;
  options.threads = threads;
  options.use_cache = false;
  Scene scene = read_scene(shelf / (name + ".toml"), {}, options);
  for (Hand& hand : scene.hands) hand.gains = {2000.0, 2.0, 2.0, 0.002};
  return scene;
}

/// Steps with hands that are exactly where their operators want them.
void advance(const Scene& scene, State& state, StepData& data, int steps) {
  for (int k = 0; k < steps; ++k) {
    for (std::size_t h = 0; h < scene.hands.size(); ++h) {
      const Hand& hand = scene.hands[h];
      data.hand_inputs[h] = {.pose = hand.map.to_world(hand.intention.pose(state.time_s)),
                             .wants_hold = true};
    }
    step(scene, state, data);
  }
}

void run(const Scene& scene, State& state, int steps) {
  StepData data(scene);
  advance(scene, state, data, steps);
}

std::vector<double> numbers_of(const State& state) {
  std::vector<double> numbers;
  write_numbers(state, numbers);
  return numbers;
}

class ShelfScene : public testing::TestWithParam<std::string> {};

TEST_P(ShelfScene, EndsOnTheSameBits) {
  const auto golden = golden_hashes();
  const auto known = golden.find(GetParam());
  ASSERT_NE(known, golden.end()) << "add a line for the scene to " << golden_file;
  const int steps = known->second.steps;

  // precomputed by one thread, uninterrupted
  const Scene scene = build(GetParam(), 1);
  State state = initial_state(scene);
  StepData data(scene);
  advance(scene, state, data, steps / 2);
  const std::vector<double> middle = numbers_of(state);
  advance(scene, state, data, steps - steps / 2);
  const std::string hash = fmt::format("{:016x}", hash_of(numbers_of(state)));

  // precomputed by two, saved in the middle and resumed
  const Scene again = build(GetParam(), 2);
  State other = initial_state(again);
  run(again, other, steps / 2);
  EXPECT_EQ(numbers_of(other), middle);
  State resumed = initial_state(again);
  ASSERT_TRUE(read_numbers(middle, again, resumed));
  run(again, resumed, steps - steps / 2);
  EXPECT_EQ(fmt::format("{:016x}", hash_of(numbers_of(resumed))), hash);

  const std::string why_not = excuse();
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  EXPECT_EQ(hash, known->second.hash)
      << "the physics of the scene came out differently; if that was meant, write\n"
      << GetParam() << " " << steps << " " << hash;
}

INSTANTIATE_TEST_SUITE_P(Scenes, ShelfScene, testing::ValuesIn(shelf_scenes()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stickslip
