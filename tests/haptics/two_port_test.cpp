#include "stickslip/haptics/stability/two_port.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip {
namespace {

TEST(TwoPort, IsAbsolutelyStableWhereDampingCoversWhatASampledCouplingGivesAway) {
  // b > K T/2 + B
  for (const double tick : {0.2e-3, 1e-3}) {
    for (const double b : {0.1, 1.5, 20.0}) {
      for (const double share : {0.0, 0.3, 0.9}) {
        const double B = share * b;
        TwoPort port{0.072, b, tick, 0.0, B};
        const double K = 2.0 * (b - B) / tick;
        port.stiffness = 0.999 * K;
        EXPECT_TRUE(is_absolutely_stable(port)) << tick << " " << b << " " << B;
        port.stiffness = 1.01 * K;
        EXPECT_FALSE(is_absolutely_stable(port)) << tick << " " << b << " " << B;
      }
    }
  }
}

TEST(TwoPort, AWallAtOnePortIsASampledSpringAtTheOther) {
  // h11 - h12 h21 / h22 = b + i w m + the coupling, a tick late
  const TwoPort port{0.5, 1.5, 1e-3, 3000.0, 0.7};
  for (const double angle : {0.01, 0.3, 1.5, 3.0}) {
    const HybridMatrix h = hybrid_matrix(port, angle);
    const std::complex<double> impedance = h.h11 - h.h12 * h.h21 / h.h22;
    const double power = impedance.real();
    EXPECT_NEAR(power, 1.5 + 0.7 * std::cos(angle) - 0.5 * 3000.0 * 1e-3, 1e-9) << angle;
  }
}

TEST(TwoPort, APassiveHandAndBodyCanBeFoundThatShakeWhatIsNotStable) {
  // Llewellyn: where the margin is negative, some body makes the hand feel negative resistance
  const TwoPort port{0.072, 0.1, 1e-3, 3000.0, 3.0};
  for (const double angle : {0.05, 0.5, 2.0}) {
    const HybridMatrix h = hybrid_matrix(port, angle);
    ASSERT_LT(stability_margin(h), 0.0);
    double least = h.h11.real();
    for (int i = -2000; i <= 2000; ++i) {
      const std::complex<double> body(0.0, std::sinh(0.01 * i));
      least = std::min(least, (h.h11 - h.h12 * h.h21 / (h.h22 + body)).real());
    }
    EXPECT_LT(least, 0.0) << angle;
  }
}

}  // namespace
}  // namespace stickslip
