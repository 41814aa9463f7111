// The inner product of two float64 arrays.
#pragma once

#include <cstddef>

namespace svm {

inline double dot(const double* a, const double* b, std::size_t size) noexcept {
  double total[4] = {};  // independent sums, so that additions overlap
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) total[lane] += a[k + lane] * b[k + lane];
  }
  for (; k < size; ++k) total[0] += a[k] * b[k];
  return (total[0] + total[1]) + (total[2] + total[3]);
}

}  // namespace svm
