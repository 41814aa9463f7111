// Inner product and addition of a row or column (dense or sparse, float32) and a vector (float64 or float32).
#pragma once

#include "data/features.hpp"
#include "simd/loops.hpp"

namespace svm {

/// <x, v>.
inline double dot(const simd::Loops& loops, const RowView& x, const double* v) noexcept {
  return x.indices == nullptr ? loops.dot(x.values, v, x.size) : loops.sparse_dot(x.indices, x.values, x.size, v);
}
inline double dot(const simd::Loops& loops, const RowView& x, const float* v) noexcept {
  return x.indices == nullptr ? loops.dot32(x.values, v, x.size) : loops.sparse_dot32(x.indices, x.values, x.size, v);
}

/// <x, v>; prefetches the dense row whose values begin at `upcoming`, unless it is null.
inline double dot(const simd::Loops& loops, const RowView& x, const double* v, const float* upcoming) noexcept {
  if (x.indices != nullptr || upcoming == nullptr) return dot(loops, x, v);
  return loops.dot_and_prefetch(x.values, v, x.size, upcoming);
}

/// v += a x.
inline void add(const simd::Loops& loops, double* v, const RowView& x, double a) noexcept {
  if (x.indices == nullptr) return loops.add(v, x.values, a, x.size);
  loops.sparse_add(v, x.indices, x.values, x.size, a);
}
inline void add(const simd::Loops& loops, float* v, const RowView& x, double a) noexcept {
  if (x.indices == nullptr) return loops.add32(v, x.values, a, x.size);
  loops.sparse_add32(v, x.indices, x.values, x.size, a);
}

}  // namespace svm
