// How many of the contacts that the exact method finds the stochastic one has, against its number
// of random starts, over the scenes of the shelf; and what a search costs.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <set>
#include <tuple>

#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/step.hpp"

namespace {

using namespace stickslip;
using Name = std::tuple<int, int, int, int, int>;
using Clock = std::chrono::steady_clock;

constexpr std::array<int, 5> sample_counts = {1, 5, 20, 80, 320};

Name name_of(const Proximity& p) {
  return {p.body_1, p.body_2, static_cast<int>(p.kind), p.feature_1, p.feature_2};
}

void measure(const std::filesystem::path& path) {
  Scene scene = read_scene(path);
  State state = initial_state(scene);
  StepData data(scene);
  const auto exact = mesh_proximity(scene);
  std::vector<std::unique_ptr<ProximityMethod>> methods;
  for (const int samples : sample_counts) {
    scene.simulation.proximity = ProximityKind::stochastic;
    scene.simulation.stochastic = {1000, samples, 1};
    methods.push_back(mesh_proximity(scene));
  }
  scene.simulation.proximity = ProximityKind::exact;

  std::vector<Proximity> all;
  std::vector<Proximity> found;
  double count = 0.0;
  double loaded_count = 0.0;
  double exact_us = 0.0;
  std::array<double, sample_counts.size()> present{};
  std::array<double, sample_counts.size()> loaded_present{};
  std::array<double, sample_counts.size()> us{};
  constexpr int steps = 200;
  for (int k = 0; k < steps; ++k) {
    step(scene, state, data);
    const auto start = Clock::now();
    exact->find(data.surfaces, scene.simulation.alarm_distance, all);
    exact_us += std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    std::set<Name> loaded;
    for (const RememberedContact& contact : state.contacts.contacts()) {
      if (!contact.force.isZero(0.0)) loaded.insert(name_of(contact.where));
    }
    std::set<Name> names;
    for (const Proximity& p : all) names.insert(name_of(p));
    count += static_cast<double>(names.size());
    for (const Name& name : names) loaded_count += loaded.contains(name) ? 1.0 : 0.0;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const auto begin = Clock::now();
      methods[m]->find(data.surfaces, scene.simulation.alarm_distance, found);
      us[m] += std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      std::set<Name> seen;
      for (const Proximity& p : found) {
        if (names.contains(name_of(p))) seen.insert(name_of(p));
      }
      present[m] += static_cast<double>(seen.size());
      for (const Name& name : seen) loaded_present[m] += loaded.contains(name) ? 1.0 : 0.0;
    }
  }
  fmt::print("| {} | {:.0f} | {:.0f} us |", path.stem().string(), count / steps, exact_us / steps);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    fmt::print(" {:.0f}, {:.0f} % ({:.0f} us) |", 100.0 * present[m] / std::max(1.0, count),
               100.0 * loaded_present[m] / std::max(1.0, loaded_count), us[m] / steps);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path shelf = argc > 1 ? argv[1] : "scenes";
  fmt::print("| scene | contacts | exact |");
  for (const int samples : sample_counts) fmt::print(" {} starts |", samples);
  fmt::print("\n");
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(shelf)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) measure(path);
}
