#pragma once

#include "apps/bench/figures.hpp"
#include "apps/bench/times.hpp"

namespace stickslip::bench {

/// Spins of known length in between the measurements: what stretches them stretches those as well.
class Noise {
 public:
  void spin();
  NoiseReport report() const;

 private:
  Times us_;
};

}  // namespace stickslip::bench
