#include "apps/cli/commands.hpp"

namespace stickslip::cli {

void add_mesh_command(CLI::App& program) {
  CLI::App* mesh = program.add_subcommand("mesh", "Inspect, check, convert and import meshes");
  mesh->require_subcommand(1);
}

}  // namespace stickslip::cli
