// Kernel values from inner products, for whole rows. With -ffast-math the compiler vectorises exp.
#include "simd/kernel_functions.hpp"

#include <cmath>
#include <cstring>

#include "simd/loops.hpp"

#ifdef __clang__
#define SVM_NOINLINE [[gnu::noinline]]
#else
#define SVM_NOINLINE [[gnu::noipa]]
#endif

namespace svm::simd::SVM_SIMD_NAME {
namespace {

// Keeps -ffast-math from reordering the sum in parentheses, so that K(x, z) and K(z, x) are the same bits. GCC before
// 12 has no such barrier.
inline float assoc_barrier(float sum) {
#if defined(__clang__)
  return __arithmetic_fence(sum);
#elif __GNUC__ >= 12
  return __builtin_assoc_barrier(sum);
#else
  return sum;
#endif
}

// n is a multiple of `group`. The function is not inlined, so the compiler does not specialise it: all n go through one
// loop.
SVM_NOINLINE void gaussians(float* x, const float* norms, float norm, float gamma, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const float distance = assoc_barrier(norm + norms[j]) - 2.0F * x[j];
    x[j] = std::exp(-gamma * (distance > 0.0F ? distance : 0.0F));
  }
}

}  // namespace

// The last values are padded to a whole group: a scalar exp rounds differently from a vector's, and a value must not
// depend on its position.
void gaussian(float* x, const float* norms, float norm, float gamma, std::size_t n) {
  const std::size_t left = n % group;
  const std::size_t whole = n - left;
  gaussians(x, norms, norm, gamma, whole);
  if (left == 0) return;
  float last[group] = {};
  float last_norms[group] = {};
  std::memcpy(last, x + whole, left * sizeof(float));
  std::memcpy(last_norms, norms + whole, left * sizeof(float));
  gaussians(last, last_norms, norm, gamma, group);
  std::memcpy(x + whole, last, left * sizeof(float));
}

void polynomial(float* x, float gamma, float coef0, int degree, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const float base = gamma * x[j] + coef0;
    float power = 1.0F;
    for (int k = 0; k < degree; ++k) power *= base;
    x[j] = power;
  }
}

}  // namespace svm::simd::SVM_SIMD_NAME
