// What it takes to make a body ready: assembly, factorisation, surface compliance, and the same
// from a warm cache; beside it Eigen's simplicial factorisation of the same matrix in the same
// run. Arguments: a mesh, and the region that is held.

#include <fmt/core.h>
#include <sys/resource.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "stickslip/error.hpp"
#include "stickslip/fem/compliance.hpp"
#include "stickslip/fem/rigid_modes.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace {

using namespace stickslip;

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The best of three: the machine may be busy with other things.
template <class Work>
double best_seconds(Work&& work) {
  double best = seconds(work);
  for (int i = 0; i < 2; ++i) best = std::min(best, seconds(work));
  return best;
}

double peak_gigabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024e-9;
}

void row(const char* what, double time_s, const std::string& remark = {}) {
  fmt::print("{:<44}{:>9.3f} s   {}\n", what, time_s, remark);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: {} MESH REGION\n", argv[0]);
    return 2;
  }
  try {
    TetMesh mesh;
    const double reading = seconds([&] { mesh = read_tet_mesh(argv[1]); });
    row("read the mesh", reading,
        fmt::format("{} nodes, {} elements", mesh.node_count(), mesh.element_count()));
    DeformationModel model;
    row("assemble K and M", seconds([&] {
          model = make_elastic_model(mesh, {700e6, 0.35, 950.0});
        }));
    const std::vector<int> held = model.region_nodes(argv[2]);

    // the matrix that both factorise
    std::vector<int> active(uz(3 * model.node_count()), 0);
    for (const int node : held) {
      for (int d = 0; d < 3; ++d) active[uz(3 * node + d)] = -1;
    }
    int size = 0;
    for (int& a : active) a = a < 0 ? -1 : size++;
    const SparseMatrix K = restricted(model.K, active);
    SparseCholesky factor;
    const double ours = best_seconds([&] { factor = SparseCholesky(K); });
    row("factorise (supernodal)", ours,
        fmt::format("{} unknowns, {:.1f} million entries, {:.1f} Gflop", size,
                    static_cast<double>(factor.factor_entries()) * 1e-6,
                    factor.factor_flops() * 1e-9));
    row("factorise again, same pattern", best_seconds([&] { factor.refactorize(K); }));
    Eigen::SimplicialLLT<SparseMatrix> simplicial;
    const double theirs = best_seconds([&] { simplicial.compute(K); });
    row("factorise (Eigen, simplicial)", theirs, fmt::format("{:.1f} times ours", theirs / ours));

    const auto cache = std::filesystem::temp_directory_path() / "stickslip_bench_cache";
    std::filesystem::remove_all(cache);
    ComplianceOptions options;
    options.memory_limit_bytes = std::int64_t{16} << 30;
    const auto report = [&] { return Compliance(model, model.K, held, options).report(); };
    const auto fresh = report();
    row("surface compliance, float64", fresh.table_seconds,
        fmt::format("{} surface nodes, {:.1f} MB", model.surface_count(),
                    static_cast<double>(fresh.table_bytes) * 1e-6));
    options.precision = Precision::float32;
    const auto single = report();
    row("surface compliance, float32", single.table_seconds,
        fmt::format("{:.1f} MB, error {:.1e}", static_cast<double>(single.table_bytes) * 1e-6,
                    single.float32_error));
    options.precision = Precision::float64;
    options.cache = cache;
    report();
    const auto cached = report();
    row("surface compliance from a warm cache", cached.table_seconds,
        cached.was_cached ? "" : "NOT CACHED");
    std::filesystem::remove_all(cache);
    fmt::print("{:<44}{:>9.2f} GB\n", "peak memory of this program", peak_gigabytes());
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
