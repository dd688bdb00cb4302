// Stands in for siconos_solvers.cpp where Siconos is not installed.

#include "bench/siconos_solvers.hpp"

namespace stickslip::bench {

const char* storage_name(Storage /*storage*/) {
  return "";
}

const std::vector<std::string>& siconos_variants() {
  static const std::vector<std::string> none;
  return none;
}

Storage usual_storage(int /*variant*/, const ContactProblem& /*problem*/) {
  return Storage::dense;
}

SiconosTime run_siconos(const ContactProblem& /*problem*/, int /*variant*/, Storage /*storage*/,
                        double /*tolerance*/, const SiconosLimits& /*limits*/) {
  return {};
}

}  // namespace stickslip::bench
