// The inner loops on one row or column and a vector, whichever way it is stored and in float64 or float32.
#pragma once

#include "features.hpp"
#include "simd.hpp"

namespace svm {

/// <x, v>.
inline double dot(const simd::Kernels& kernels, const Slice& x, const double* v) noexcept {
  return x.indices == nullptr ? kernels.dot(x.values, v, x.size) : kernels.sparse_dot(x.indices, x.values, x.size, v);
}
inline double dot(const simd::Kernels& kernels, const Slice& x, const float* v) noexcept {
  return x.indices == nullptr ? kernels.dot32(x.values, v, x.size)
                              : kernels.sparse_dot32(x.indices, x.values, x.size, v);
}

/// v += a x.
inline void add(const simd::Kernels& kernels, double* v, const Slice& x, double a) noexcept {
  if (x.indices == nullptr) return kernels.add(v, x.values, a, x.size);
  kernels.sparse_add(v, x.indices, x.values, x.size, a);
}
inline void add(const simd::Kernels& kernels, float* v, const Slice& x, double a) noexcept {
  if (x.indices == nullptr) return kernels.add32(v, x.values, a, x.size);
  kernels.sparse_add32(v, x.indices, x.values, x.size, a);
}

}  // namespace svm
