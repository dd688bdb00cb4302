#include <fmt/core.h>
#include <pybind11/functional.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "docstrings.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/body_view.hpp"
#include "python/bindings/toml_values.hpp"
#include "stickslip/body/relinearised_deformation.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_text.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/state_numbers.hpp"

namespace stickslip::python {

namespace {

using Clock = std::chrono::steady_clock;
using Overrides = std::vector<std::string>;
using SharedRun = std::shared_ptr<SceneRun>;

/// How long the engine runs before Python may look for Ctrl-C.
constexpr std::chrono::milliseconds longest_absence{50};

/// So many steps, without the interpreter's lock. `after_step` is called without it, and `told`
/// with it now and then. Ctrl-C ends them after the step they are in.
template <class AfterStep, class Told>
void advance(SceneRun& run, std::int64_t count, const AfterStep& after_step, const Told& told) {
  const SceneRun::Use use(run);
  run.keep_what_is_lent();
  for (std::int64_t made = 0; made < count;) {
    {
      const py::gil_scoped_release released;
      const Clock::time_point until = Clock::now() + longest_absence;
      do {
        run.step_once();
        after_step(run);
        ++made;
      } while (made < count && Clock::now() < until);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    told(static_cast<double>(made) / static_cast<double>(count));
  }
}

StepReport step_scene(SceneRun& run, std::int64_t count) {
  if (count < 1) throw InputError(fmt::format("step({}): make 1 step or more", count));
  advance(
      run, count, [](const SceneRun&) {}, [](double) {});
  return run.report();
}

py::dict times_of(const TimeHistogram& times) {
  py::dict dict;
  dict["p50"] = times.quantile(0.5);
  dict["p99"] = times.quantile(0.99);
  dict["max"] = times.max();
  return dict;
}

py::dict extent_of(const RunSummary::Extent& extent) {
  py::dict dict;
  dict["mean"] = extent.mean;
  dict["max"] = extent.max;
  return dict;
}

/// The same keys as of `stickslip run --json`.
py::dict summary_of(const SceneRun& run, const RunSummary& summary, const LinearRangeWatch& range,
                    double wall_s) {
  py::dict told;
  told["scene"] = run.scene().name;
  told["steps"] = summary.steps();
  told["dt_s"] = run.scene().simulation.dt;
  told["simulated_s"] = static_cast<double>(summary.steps()) * run.scene().simulation.dt;
  told["wall_s"] = wall_s;
  told["contacts"] = extent_of(summary.contacts());
  told["iterations"] = extent_of(summary.iterations());
  told["error_max"] = summary.error_max();
  told["penetration_max_m"] = summary.penetration_max();
  told["imbalance_max_N"] = summary.imbalance_max();
  py::dict laws;
  laws["adhesion_max_N"] = summary.adhesion_max();
  laws["cone_excess_max_N"] = summary.cone_excess_max();
  laws["stick_drift_m"] = summary.stick_drift();
  told["laws"] = laws;
  py::dict energy;
  energy["initial"] = summary.energy().initial;
  energy["final"] = summary.energy().final;
  energy["work_in"] = summary.energy().work_in;
  energy["friction"] = summary.energy().friction;
  energy["largest_unexplained_gain"] = summary.energy().largest_unexplained_gain;
  told["energy_J"] = energy;
  py::dict phases;
  for (int p = 0; p < phase_count; ++p) {
    const std::string_view name = phase_names[uz(p)];
    phases[py::str(name.data(), name.size())] = times_of(summary.phase(static_cast<Phase>(p)));
  }
  told["phases_us"] = phases;
  py::dict flags;
  flags["not_converged"] = summary.not_converged();
  flags["deadline"] = summary.missed_deadline();
  flags["nan_restored"] = summary.restored();
  told["flags"] = flags;
  py::dict linear_range;
  for (std::size_t b = 0; b < run.scene().bodies.size(); ++b) {
    const Deformation* deformation = run.scene().bodies[b].body.deformation();
    if (deformation == nullptr ||
        dynamic_cast<const RelinearisedDeformation*>(deformation) != nullptr) {
      continue;
    }
    py::dict body;
    body["max_strain"] = range.worst()[b].strain;
    body["max_relative_rotation_rad"] = range.worst()[b].rotation_rad;
    body["is_past"] = is_past_linear_range(range.worst()[b]);
    linear_range[py::str(run.scene().bodies[b].name)] = body;
  }
  told["linear_range"] = linear_range;
  told["warnings"] = linear_range_warnings(run.scene(), range.worst());
  return told;
}

py::dict run_scene(SceneRun& run, std::int64_t count, const std::function<void(double)>& told) {
  run.require_unused();
  RunSummary summary = run.steps() == 0 ? RunSummary(run.scene(), run.state(), run.data())
                                        : RunSummary(run.energy());
  LinearRangeWatch range(run.scene(), LinearRangeWatch::Pace::now_and_then);
  const Clock::time_point start = Clock::now();
  advance(
      run, count,
      [&](const SceneRun& stepped) {
        summary.add(stepped.report());
        range.add(stepped.scene(), stepped.state());
      },
      [&](double share) {
        if (told) told(share);
      });
  return summary_of(run, summary, range,
                    std::chrono::duration<double>(Clock::now() - start).count());
}

/// Rows of ContactReport as they stand in memory.
py::object contacts_of(const SceneRun& run) {
  static const py::dtype* type = [] {
    const ContactReport row;
    const auto field = [&row](const char* name, const char* format, const auto& member) {
      return Field{name, format, offset_in(row, member)};
    };
    return new py::dtype(
        table_type({field("body_1", "i4", row.body_1), field("body_2", "i4", row.body_2),
                    field("P", "3f8", row.P), field("Q", "3f8", row.Q),
                    field("normal", "3f8", row.normal), field("gap", "f8", row.gap),
                    field("force", "3f8", row.force), field("sticks", "?", row.sticks)},
                   sizeof(ContactReport)));
  }();
  run.require_unused();
  std::vector<ContactReport> reports;
  if (run.report().passes > 0) report_contacts(run.scene(), run.state(), run.data(), reports);
  return table_of(std::move(reports), *type);
}

py::list probes_of(const SceneRun& run) {
  run.require_unused();
  py::list list;
  for (std::size_t p = 0; p < run.readings().size(); ++p) {
    const ProbeReading& reading = run.readings()[p];
    list.append(py::make_tuple(run.scene().probes[p].name, copy_of(reading.position),
                               copy_of(reading.velocity), copy_of(reading.angular_velocity),
                               copy_of(reading.force), copy_of(reading.torque)));
  }
  return list;
}

py::list hands_of(const SceneRun& run) {
  run.require_unused();
  py::list list;
  const auto readings = run.hand_readings();
  for (std::size_t h = 0; h < readings.size(); ++h) {
    list.append(py::make_tuple(run.scene().hands[h].name, copy_of(readings[h].position),
                               copy_of(readings[h].wrench.head<3>().eval()),
                               copy_of(readings[h].wrench.tail<3>().eval()), readings[h].energy));
  }
  return list;
}

void take_state(SceneRun& run, const Numbers& numbers) {
  const SceneRun::Use use(run);
  run.take({numbers.data(), uz(numbers.size())});
}

void drive(SceneRun& run, const std::string& name, const std::optional<Numbers>& value) {
  run.require_unused();
  const auto& drives = run.description().drives;
  const auto found =
      std::find_if(drives.begin(), drives.end(), [&](const auto& d) { return d.name == name; });
  if (found == drives.end()) {
    std::string all;
    for (const auto& one : drives) all += (all.empty() ? "" : ", ") + one.name;
    throw InputError(fmt::format("drive {}: is not in this scene; there are: {}", name,
                                 all.empty() ? "none" : all));
  }
  std::optional<Vec6> six;
  if (value) {
    if (value->size() != 3 && value->size() != 6) {
      throw InputError(fmt::format("drive {}: {} numbers; give 3, or 6", name, value->size()));
    }
    six = Vec6::Zero();
    std::copy_n(value->data(), value->size(), six->data());
    if (!six->allFinite()) throw InputError(fmt::format("drive {}: must be finite", name));
  }
  run.give_input(static_cast<std::size_t>(found - drives.begin()), six);
}

std::string text_of(const SceneRun& run, const std::filesystem::path& folder) {
  if (run.document() == nullptr) {
    throw InputError(
        "a scene of a recording has its files in there and cannot be saved beside "
        "them; save the one that was recorded");
  }
  return scene_text(*run.document(), run.description().files, folder);
}

SharedRun make_run(const SceneSource& source, bool resolve_start, int threads, bool use_cache) {
  SceneBuildOptions options;
  options.resolve_start = resolve_start;
  options.threads = threads;
  options.use_cache = use_cache;
  const py::gil_scoped_release released;
  return std::make_shared<SceneRun>(source, options);
}

void bind_sources(py::module_& module) {
  py::class_<SceneSource>(module, "SceneSource")
      .def_static("of_file",
                  [](const std::filesystem::path& path, const Overrides& overrides) {
                    return SceneSource(read_toml(path), path, overrides);
                  })
      .def_static("of_text",
                  [](const std::string& text, const std::filesystem::path& folder,
                     const Overrides& overrides) {
                    return SceneSource(parse_toml(text, "scene"), folder / "scene", overrides);
                  })
      .def_static("of_tables", [](const py::dict& tables, const std::filesystem::path& folder,
                                  const Overrides& overrides) {
        return SceneSource(toml_value(tables, "scene"), folder / "scene", overrides);
      });
}

void bind_reports(py::module_& module) {
  py::class_<StepReport>(module, "StepReport")
      .def_readonly("contacts", &StepReport::contacts)
      .def_readonly("loaded_contacts", &StepReport::loaded_contacts)
      .def_readonly("iterations", &StepReport::iterations)
      .def_readonly("passes", &StepReport::passes)
      .def_readonly("error", &StepReport::error)
      .def_readonly("penetration", &StepReport::penetration_m)
      .def_readonly("adhesion", &StepReport::adhesion_N)
      .def_readonly("cone_excess", &StepReport::cone_excess_N)
      .def_readonly("stick_drift", &StepReport::stick_drift_m)
      .def_readonly("imbalance", &StepReport::imbalance_N)
      .def_readonly("converged", &StepReport::is_converged)
      .def_readonly("met_deadline", &StepReport::met_deadline)
      .def_readonly("restored", &StepReport::was_restored)
      .def_readonly("held_back", &StepReport::was_held_back)
      .def_property_readonly("energy", [](const StepReport& r) { return r.energy.total; })
      .def_property_readonly("work_in", [](const StepReport& r) { return r.energy.work_in; })
      .def_property_readonly("friction_loss", [](const StepReport& r) { return r.energy.friction; })
      .def("__repr__",
           [](const StepReport& r) {
             return fmt::format(
                 "<stickslip.StepReport: {} contacts, {} with force, error {:.1e}{}>", r.contacts,
                 r.loaded_contacts, r.error, r.is_converged ? "" : ", not converged");
           })
      .def_property_readonly("phases_us", [](const StepReport& r) {
        py::dict phases;
        for (std::size_t p = 0; p < r.phase_us.size(); ++p) {
          phases[py::str(phase_names[p].data(), phase_names[p].size())] = r.phase_us[p];
        }
        return phases;
      });
}

}  // namespace

void bind_scenes(py::module_& module) {
  bind_sources(module);
  bind_reports(module);
  py::class_<SceneRun, SharedRun>(module, "SceneRun")
      .def(py::init(&make_run), py::arg("source"), py::kw_only(), py::arg("resolve_start") = false,
           py::arg("threads") = 0, py::arg("use_cache") = true)
      .def(py::init(
               [](const Recording& recording) { return std::make_shared<SceneRun>(recording); }),
           py::arg("recording"))
      .def_property_readonly("name", [](const SceneRun& r) { return r.scene().name; })
      .def_property_readonly("dt", [](const SceneRun& r) { return r.scene().simulation.dt; })
      .def_property_readonly("duration",
                             [](const SceneRun& r) { return r.scene().simulation.duration; })
      .def_property_readonly("time", [](const SceneRun& r) { return r.state().time_s; })
      .def_property_readonly("steps", &SceneRun::steps)
      .def_property_readonly("energy", &SceneRun::energy)
      .def_property_readonly("report", [](const SceneRun& r) { return r.report(); })
      .def("step", &step_scene, py::arg("n") = 1, doc("SceneRun.step"))
      .def("_run", &run_scene)
      .def(
          "reset",
          [](SceneRun& run) {
            const SceneRun::Use use(run);
            run.reset();
          },
          doc("SceneRun.reset"))
      .def_property(
          "state",
          [](const SceneRun& run) {
            run.require_unused();
            return array_of(run.numbers());
          },
          &take_state)
      .def_property_readonly("hash",
                             [](const SceneRun& run) {
                               run.require_unused();
                               return hash_of(run.numbers());
                             })
      .def_property_readonly("contacts", &contacts_of)
      .def_property_readonly("friction",
                             [](const py::object& self) {
                               const MatX& mu = self.cast<const SceneRun&>().scene().friction;
                               return view_of(mu.data(), {mu.rows(), mu.cols()}, self);
                             })
      .def("_probes", &probes_of)
      .def("_hands", &hands_of)
      .def("_bodies",
           [](const SharedRun& run) {
             py::list list;
             for (std::size_t b = 0; b < run->scene().bodies.size(); ++b) {
               list.append(BodyView{run, b});
             }
             return list;
           })
      .def("drive", &drive, py::arg("name"), py::arg("value") = py::none(), doc("SceneRun.drive"))
      .def_property_readonly("drives",
                             [](const SceneRun& run) {
                               std::vector<std::string> names;
                               for (const auto& d : run.description().drives)
                                 names.push_back(d.name);
                               return names;
                             })
      .def(
          "problem",
          [](const SceneRun& run, std::optional<int> group) {
            run.require_unused();
            return std::make_shared<Problem>(run.problem(group));
          },
          py::arg("group") = py::none())
      .def_property_readonly("group_count", &SceneRun::group_count)
      .def("_text", &text_of);
}

}  // namespace stickslip::python
