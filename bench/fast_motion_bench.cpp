// Probes thrown at thin sheets: how many pass through, with and without the search along the way.

#include <fmt/core.h>

#include <cstdlib>
#include <map>

#include "tests/support/thin_sheets.hpp"

namespace {

using namespace stickslip;
using namespace stickslip::testing_support;

struct Count {
  int thrown = 0;
  int through = 0;
  int started_inside = 0;
  int held_back = 0;
  double gain = 0.0;
};

void throw_probes(double dt, bool fast_motion, int count) {
  const SheetShelf shelf(dt);
  std::mt19937 random(7);
  std::map<std::string, Count> counts;
  for (int k = 0; k < count; ++k) {
    const auto& item = shelf.items[uz(k) % shelf.items.size()];
    const ProbeKind kind = probe_kinds[uz(k / 10) % probe_kinds.size()];
    Throw thrown = random_throw(shelf, item, kind, dt, random);
    thrown.scene.simulation.fast_motion = fast_motion;
    State state = initial_state(thrown.scene);
    StepData data(thrown.scene);
    CrossingWatch watch(item.sheet, thrown.scene, 0, 1);
    Count& one = counts[probe_names[uz(static_cast<int>(kind))]];
    if (watch.crosses(state, state)) {
      ++one.started_inside;
      continue;
    }
    ++one.thrown;
    bool is_through = false;
    State before = state;
    double energy = 0.5 * thrown.scene.bodies[1].body.frame().mass() * thrown.speed * thrown.speed;
    for (int s = 0; s < thrown.steps; ++s) {
      before = state;
      const StepReport report = step(thrown.scene, state, data);
      if (report.was_held_back) ++one.held_back;
      if (watch.crosses(before, state)) {
        is_through = true;
        if (std::getenv("TELL")) {
          fmt::print("throw {} kind {} sheet {} step {} rounds {} contacts {} pen {:.3g} held {}\n", k,
                     probe_names[uz(static_cast<int>(kind))], static_cast<int>(item.kind), s,
                     report.swept_rounds, report.contacts, report.penetration_m,
                     report.was_held_back);
        }
        if (std::getenv("TELL")) {
          SweptSearch search(proximity_bodies(thrown.scene));
          search.set_accuracy(1e-6);
          std::vector<std::vector<Vec3>> p0(2), p1(2);
          for (int b = 0; b < 2; ++b) {
            const Body& body = thrown.scene.bodies[uz(b)].body;
            p0[uz(b)].resize(body.surface().points.size()); p1[uz(b)] = p0[uz(b)];
            body.deformed_points(before.bodies[uz(b)], p0[uz(b)]);
            body.deformed_points(state.bodies[uz(b)], p1[uz(b)]);
            const auto& f0 = before.bodies[uz(b)].frame; const auto& f1 = state.bodies[uz(b)].frame;
            search.place(b, {f0.orientation.toRotationMatrix(), f0.position, p0[uz(b)]},
                         {f1.orientation.toRotationMatrix(), f1.position, p1[uz(b)]});
            fmt::print("   body {} moved {:.3g} mm turned {:.3g}\n", b, 1e3*(f1.position - f0.position).norm(),
                       turn_between(f0.orientation, f1.orientation).norm());
          }
          std::vector<SweptHit> hits;
          search.find(0, 1, hits);
          for (const auto& hit : hits)
            fmt::print("   hit kind {} {} {} t {:.4f} depth {:.3g} gap {:.3g} n {:.3f} {:.3f} {:.3f}\n", static_cast<int>(hit.where.kind),
                       hit.where.feature_1, hit.where.feature_2, hit.time, hit.depth, hit.where.gap, hit.where.normal.x(), hit.where.normal.y(), hit.where.normal.z());
          for (std::size_t c = 0; c < data.contacts.size(); ++c) {
            const auto& w = data.contacts[c].where;
            fmt::print("   contact kind {} {} {} gap {:.3g} f {:.3g} dfree {:.3g} n {:.3f} {:.3f} {:.3f}\n", static_cast<int>(w.kind), w.feature_1,
                       w.feature_2, w.gap, data.f[3*static_cast<int>(c)], data.contacts[c].delta_free[0], w.normal.x(), w.normal.y(), w.normal.z());
          }
          fmt::print("   alarm {:.3g} iterations {} error {:.3g} conv {}\n", thrown.scene.simulation.alarm_distance, report.iterations, report.error, report.is_converged);
        }
        break;
      }
    }
    static_cast<void>(energy);
    one.through += is_through ? 1 : 0;
  }
  for (const auto& [name, one] : counts) {
    fmt::print("{:>6} ms {:>6} {:<8}{:>7} thrown{:>6} through{:>6} steps held back\n", 1e3 * dt,
               fast_motion ? "swept" : "plain", name, one.thrown, one.through, one.held_back);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  for (const double dt : {1e-3, 3e-3}) {
    if (!std::getenv("TELL")) throw_probes(dt, false, count / 10);
    throw_probes(dt, true, count);
  }
}
