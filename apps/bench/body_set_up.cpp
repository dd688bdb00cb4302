#include "apps/bench/body_set_up.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <Eigen/SparseCholesky>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/bench/shared.hpp"
#include "stickslip/body/body.hpp"
#include "stickslip/error.hpp"
#include "stickslip/fem/compliance.hpp"
#include "stickslip/mesh/child_process.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip::bench {

namespace {

namespace fs = std::filesystem;

const Material polyethylene{700e6, 0.35, 950.0};

/// A folder of our own that is gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(fs::temp_directory_path() / fmt::format("stickslip_bench_{}", ::getpid())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Figure figure_of_seconds(double seconds) {
  Figure figure;
  figure.value = seconds;
  figure.unit = "s";
  return figure;
}

/// What all threads of the program have computed so far. [s]
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The least of some repeats by the clock on the wall, since several threads may work; beside it
/// what they computed, which a busy machine does not change much.
template <class Work>
Figure time_repeats(int count, Work&& work) {
  Times seconds;
  Times computed;
  for (int k = 0; k < count; ++k) {
    const double before = processor_seconds();
    const Stopwatch watch;
    work();
    seconds.add(watch.wall_seconds());
    computed.add(processor_seconds() - before);
  }
  Figure figure = figure_of_seconds(seconds.quantile(0.0));
  figure.columns = {{"processor s", computed.quantile(0.0)}};
  return figure;
}

/// A solid block held at its bottom.
struct HeldBlock {
  explicit HeldBlock(int cells)
      : mesh(make_box({0.05, 0.05, 0.05}, {cells, cells, cells}, ElementType::tet10)),
        model(make_elastic_model(mesh, polyethylene)) {
    std::vector<int> active(uz(3 * model.node_count()), 0);
    for (const int node : model.region_nodes("z0")) {
      for (int d = 0; d < 3; ++d) active[uz(3 * node + d)] = -1;
    }
    int size = 0;
    for (int& a : active) a = a < 0 ? -1 : size++;
    K = restricted(model.K, active);
  }

  TetMesh mesh;
  DeformationModel model;
  SparseMatrix K;  ///< of the nodes that are not held
};

Figure measure_factorisation(const HeldBlock& block, Setting& setting) {
  SparseCholesky factor;
  Figure figure = time_repeats(3, [&] { factor = SparseCholesky(block.K); });
  figure.limit = 1e-6 * setting.limits.compute_us(factor.factor_flops());
  figure.columns.insert(figure.columns.end(),
                        {{"unknowns", static_cast<double>(block.K.rows())},
                         {"million entries", 1e-6 * static_cast<double>(factor.factor_entries())},
                         {"Gflop", 1e-9 * factor.factor_flops()}});
  return figure;
}

Figure measure_table(const HeldBlock& block, Precision precision) {
  ComplianceOptions options;
  options.precision = precision;
  options.threads = 1;
  const Compliance compliance(block.model, block.model.K, block.model.region_nodes("z0"), options);
  Figure figure = figure_of_seconds(compliance.report().table_seconds);
  figure.columns = {{"surface nodes", block.model.surface_count()},
                    {"MB", 1e-6 * static_cast<double>(compliance.report().table_bytes)}};
  return figure;
}

/// The mesh of the clip, from the shelf or by gmsh. Throws InputError in one line.
fs::path clip_mesh(int nodes, const fs::path& models, const fs::path& folder) {
  const std::string name = fmt::format("clip_{}.msh", nodes);
  if (fs::exists(models / name)) return models / name;
  std::string last_line = "scenes/models/generate cannot be run";
  const ChildResult child = run_program(
      {(models / "generate").string(), "clip", std::to_string(nodes), "--out", folder.string()},
      [&](std::string_view line) { last_line = line; }, [] {});
  if (!child.started || child.exit_code != 0) throw InputError(last_line);
  return folder / name;
}

/// From the mesh to a body in the hand.
Body make_held_clip(const fs::path& path, const fs::path& cache) {
  const DeformationModel model = make_elastic_model(read_tet_mesh(path), polyethylene);
  DeformationOptions options;
  options.compliance.memory_limit_bytes = std::int64_t{16} << 30;
  options.compliance.cache = cache;
  return make_corotational_body(model, model.region_nodes("handle"), options);
}

/// Both rows of a clip, measured together.
struct ClipSetUp {
  Figure cold;
  Figure warm;
};

ClipSetUp measure_clip(int nodes, Setting& setting) {
  ClipSetUp set_up;
  try {
    const ScratchFolder folder;
    const fs::path mesh = clip_mesh(nodes, setting.scenes / "models", folder.path());
    std::optional<Body> body;
    set_up.cold = time_repeats(1, [&] { body.emplace(make_held_clip(mesh, folder.path())); });
    const double points = body->surface().point_count();
    body.reset();
    set_up.warm = time_repeats(3, [&] { body.emplace(make_held_clip(mesh, folder.path())); });
    const double bytes = 72.0 * points * points;
    for (Figure* figure : {&set_up.cold, &set_up.warm}) {
      figure->limit = 1e-6 * setting.limits.memory_us(bytes);
      figure->columns.insert(figure->columns.end(),
                             {{"surface nodes", points}, {"MB", 1e-6 * bytes}});
    }
  } catch (const InputError& error) {
    set_up.cold.remark = set_up.warm.remark = error.what();
  }
  return set_up;
}

}  // namespace

void plan_block_set_up(std::vector<PlannedRow>& rows) {
  constexpr int cells = 8;
  const auto shared = std::make_shared<Shared<HeldBlock>>();
  const auto block = [shared]() -> const HeldBlock& {
    return shared->get([] { return HeldBlock(cells); });
  };
  const auto plan = [&](const char* what, std::function<Figure(Setting&)> measure) {
    rows.push_back({fmt::format("block of 4913 nodes, {}", what), Cost::usual, std::move(measure)});
  };
  plan("assemble K and M", [=](Setting&) {
    return time_repeats(3, [&] { make_elastic_model(block().mesh, polyethylene); });
  });
  plan("factorise", [=](Setting& setting) { return measure_factorisation(block(), setting); });
  plan("factorise again, same pattern", [=](Setting&) {
    SparseCholesky factor(block().K);
    return time_repeats(3, [&] { factor.refactorize(block().K); });
  });
  plan("factorise by Eigen's simplicial LL^T", [=](Setting&) {
    Eigen::SimplicialLLT<SparseMatrix> simplicial;
    return time_repeats(1, [&] { simplicial.compute(block().K); });
  });
  plan("surface compliance, float64",
       [=](Setting&) { return measure_table(block(), Precision::float64); });
  plan("surface compliance, float32",
       [=](Setting&) { return measure_table(block(), Precision::float32); });
}

void plan_clip_set_up(int nodes, std::vector<PlannedRow>& rows) {
  const auto shared = std::make_shared<Shared<ClipSetUp>>();
  const auto plan = [&](const char* what, Figure ClipSetUp::*figure) {
    rows.push_back({fmt::format("clip of {} nodes, {}", nodes, what),
                    nodes > 500 ? Cost::large : Cost::quick, [=](Setting& setting) {
                      return shared->get([&] { return measure_clip(nodes, setting); }).*figure;
                    }});
  };
  plan("set up cold", &ClipSetUp::cold);
  plan("set up from a warm cache", &ClipSetUp::warm);
}

}  // namespace stickslip::bench
