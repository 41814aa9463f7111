// Loads of eight numbers of 16 bits, for the files that are compiled once per instruction set.
#pragma once

#include "base/half.hpp"
#include "simd/vectors.hpp"

namespace svm::simd {
namespace {

#ifdef __AVX2__
/// Eight float32 as float64.
inline Wide wide(__m256 x) {
#ifdef __AVX512F__
  return {_mm512_maskz_cvtps_pd(0xff, x)};
#else
  return {{_mm256_cvtps_pd(_mm256_castps256_ps128(x))}, {_mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))}};
#endif
}

inline Wide load(const BFloat16* p) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return wide(_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16)));
}

// x86-64-v3 has F16C.
inline Wide load(const Float16* p) {
  return wide(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
#else
template <typename Value>
inline Wide load(const Value* p) {
  float x[lanes];
  for (std::size_t k = 0; k < lanes; ++k) x[k] = widened(p[k]);
  return load(static_cast<const float*>(x));
}
#endif

}  // namespace
}  // namespace svm::simd
