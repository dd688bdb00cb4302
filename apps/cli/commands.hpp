#pragma once

#include <CLI/CLI.hpp>

namespace stickslip::cli {

/// Each adds its subcommand, with options and help, to the program. The subcommand's callback
/// does the work and throws ExitCode where the code is not 0, InputError on bad input.
void add_mesh_command(CLI::App& program);
void add_body_command(CLI::App& program);
void add_solve_command(CLI::App& program);
void add_scene_command(CLI::App& program);
void add_run_command(CLI::App& program);
void add_replay_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_devices_command(CLI::App& program);
void add_haptics_command(CLI::App& program);
void add_bench_command(CLI::App& program);
void add_reproduce_command(CLI::App& program);
void add_snapfit_command(CLI::App& program);

/// How a command ends when it ran to its end but its answer is not plain success.
struct ExitCode {
  int value;
};

}  // namespace stickslip::cli
