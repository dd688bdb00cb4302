#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/cli/commands.hpp"
#include "stickslip/error.hpp"
#include "stickslip/version.hpp"

namespace {

/// On standard error, if anybody is there to read it.
void complain(const std::string& text) {
  std::fputs(("stickslip: " + text + "\n").c_str(), stderr);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program(
      "stickslip: deformable bodies in frictional contact, for the hand to feel.\n"
      "All quantities are in SI units unless an option says otherwise.",
      "stickslip");
  program.set_version_flag("--version", std::string("stickslip ") + stickslip::version);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 done; 1 ran, but missed its aim; 2 bad input or bad use.\n"
      "`stickslip COMMAND --help` explains each command.");
  stickslip::cli::add_mesh_command(program);
  stickslip::cli::add_body_command(program);
  stickslip::cli::add_solve_command(program);
  stickslip::cli::add_scene_command(program);
  stickslip::cli::add_run_command(program);
  stickslip::cli::add_replay_command(program);
  stickslip::cli::add_export_command(program);
  stickslip::cli::add_compare_command(program);
  stickslip::cli::add_devices_command(program);
  stickslip::cli::add_haptics_command(program);
  stickslip::cli::add_bench_command(program);
  stickslip::cli::add_reproduce_command(program);
  stickslip::cli::add_snapfit_command(program);

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::RequiredError& error) {
    if (argc > 1 && argv[1][0] != '-' && program.get_subcommands().empty()) {
      complain(fmt::format("no command {}; `stickslip --help` lists those there are", argv[1]));
    } else {
      complain(fmt::format("{}; --help explains", error.what()));
    }
    return 2;
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{}; --help explains", error.what()));
    return 2;
  } catch (const stickslip::cli::ExitCode& code) {
    return code.value;
  } catch (const stickslip::InputError& error) {
    complain(error.what());
    return 2;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
  return 0;
}
