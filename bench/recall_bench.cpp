// How many of the contacts that the exact method finds the stochastic one has, against its number
// of random starts, over the scenes of the shelf; and what a search costs, in the middle of its
// times and at the 99th of 100.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <set>
#include <tuple>

#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/step.hpp"

namespace {

using namespace stickslip;
using Name = std::tuple<int, int, int, int, int>;

constexpr std::array<int, 3> sample_counts = {5, 20, 80};
constexpr int steps = 200;

/// Time of this thread on a processor, so that a busy machine does not show.
double thread_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/// Times of searches. [us]
class Times {
 public:
  void add(double us) { all_.push_back(us); }
  double at(double share) {
    std::sort(all_.begin(), all_.end());
    return all_[static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1))];
  }

 private:
  std::vector<double> all_;
};

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
    scene.simulation.stochastic.samples = samples;
    methods.push_back(mesh_proximity(scene));
  }
  scene.simulation.proximity = ProximityKind::exact;

  std::vector<Proximity> all;
  std::vector<Proximity> found;
  double count = 0.0;
  double loaded_count = 0.0;
  Times exact_us;
  std::array<double, sample_counts.size()> present{};
  std::array<double, sample_counts.size()> loaded_present{};
  std::array<Times, sample_counts.size()> us;
  for (int k = 0; k < steps; ++k) {
    step(scene, state, data);
    const double start = thread_us();
    exact->find(data.surfaces, scene.simulation.alarm_distance, all);
    exact_us.add(thread_us() - start);
    std::set<Name> loaded;
    for (const RememberedContact& contact : state.contacts.contacts()) {
      if (!contact.force.isZero(0.0)) loaded.insert(name_of(contact.where));
    }
    std::set<Name> names;
    for (const Proximity& p : all) names.insert(name_of(p));
    count += static_cast<double>(names.size());
    for (const Name& name : names) loaded_count += loaded.contains(name) ? 1.0 : 0.0;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const double begin = thread_us();
      methods[m]->find(data.surfaces, scene.simulation.alarm_distance, found);
      us[m].add(thread_us() - begin);
      std::set<Name> seen;
      for (const Proximity& p : found) {
        if (names.contains(name_of(p))) seen.insert(name_of(p));
      }
      present[m] += static_cast<double>(seen.size());
      for (const Name& name : seen) loaded_present[m] += loaded.contains(name) ? 1.0 : 0.0;
    }
  }
  fmt::print("| {} | {:.0f} | {:.0f}, {:.0f} us |", path.stem().string(), count / steps,
             exact_us.at(0.5), exact_us.at(0.99));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    fmt::print(" {:.0f}, {:.0f} % ({:.0f}, {:.0f} us) |", 100.0 * present[m] / std::max(1.0, count),
               100.0 * loaded_present[m] / std::max(1.0, loaded_count), us[m].at(0.5),
               us[m].at(0.99));
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
