#pragma once

#include <CLI/CLI.hpp>

namespace stickslip::cli {

/// Adds `import` to the subcommand `mesh`.
void add_mesh_import(CLI::App& mesh);

}  // namespace stickslip::cli
