#pragma once

#include <array>
#include <cmath>

#include "stickslip/math/types.hpp"

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace stickslip {

/// Four numbers, and the coordinates of four points, in the lanes of the processor. Eigen
/// computes with them in one go but compares them one by one; hence tests are written as margins,
/// which are not negative where the test is passed.
using Lanes = Eigen::Array4d;
using Lanes3 = std::array<Lanes, 3>;
using FloatLanes = Eigen::Array4f;

/// Bit k where number k has the sign of a negative one.
inline unsigned negative_bits(const Lanes& lanes) {
#ifdef __AVX__
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_loadu_pd(lanes.data())));
#else
  return (std::signbit(lanes[0]) ? 1U : 0U) | (std::signbit(lanes[1]) ? 2U : 0U) |
         (std::signbit(lanes[2]) ? 4U : 0U) | (std::signbit(lanes[3]) ? 8U : 0U);
#endif
}

inline unsigned negative_bits(const FloatLanes& lanes) {
#ifdef __AVX__
  return static_cast<unsigned>(_mm_movemask_ps(_mm_loadu_ps(lanes.data())));
#else
  return (std::signbit(lanes[0]) ? 1U : 0U) | (std::signbit(lanes[1]) ? 2U : 0U) |
         (std::signbit(lanes[2]) ? 4U : 0U) | (std::signbit(lanes[3]) ? 8U : 0U);
#endif
}

inline unsigned passed_bits(const Lanes& margin) {
  return negative_bits(margin) ^ 15U;
}

}  // namespace stickslip
