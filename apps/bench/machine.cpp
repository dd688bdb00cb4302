#include "apps/bench/machine.hpp"

#include <fstream>
#include <thread>

#include "stickslip/version.hpp"

namespace stickslip::bench {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

double available_bytes() {
  std::ifstream file("/proc/meminfo");
  double kilobytes = 0.0;
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:" && file >> kilobytes) break;
  }
  return 1024.0 * kilobytes;
}

Machine this_machine() {
  Machine machine;
  machine.processor = processor_name();
  machine.cores = static_cast<int>(std::thread::hardware_concurrency());
  machine.instructions = STICKSLIP_ARCH;
#if defined(__clang__)
  machine.compiler = __VERSION__;
#else
  machine.compiler = "g++ " __VERSION__;
#endif
  machine.version = version;
  return machine;
}

}  // namespace stickslip::bench
