// Vectors of eight float64 or sixteen float32, for the files that are compiled once per instruction set. They are in an
// unnamed namespace: the linker must not merge the versions for different instruction sets.
#pragma once

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstring>

#include "simd/loops.hpp"

namespace svm::simd {
namespace {

using Wide = double __attribute__((vector_size(64)));
using Narrow = float __attribute__((vector_size(32)));
using Wide32 = float __attribute__((vector_size(64)));
using Mask = long long __attribute__((vector_size(64)));

inline Wide load(const double* p) {
  Wide x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline Wide load(const float* p) {
  Narrow x;
  std::memcpy(&x, p, sizeof x);
#ifdef __AVX512F__
  return Wide(_mm512_maskz_cvtps_pd(0xff, __m256(x)));  // gcc 12 splits the line below into two halves
#else
  return __builtin_convertvector(x, Wide);
#endif
}

inline void store(double* p, const Wide& x) { std::memcpy(p, &x, sizeof x); }

inline Wide all(double x) { return Wide{x, x, x, x, x, x, x, x}; }

inline Wide32 load32(const float* p) {
  Wide32 x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline double sum(const Wide& x) { return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])); }

inline double sum(const Wide32& x) {
  float half[lanes];
  for (std::size_t k = 0; k < lanes; ++k) half[k] = x[k] + x[k + lanes];
  return static_cast<double>(((half[0] + half[4]) + (half[2] + half[6])) + ((half[1] + half[5]) + (half[3] + half[7])));
}

}  // namespace
}  // namespace svm::simd
