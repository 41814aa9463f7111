// The kernels as functions of inner products, whole rows at a time. -ffast-math vectorises exp.
#include "simd/kernel_functions.hpp"

#include <cmath>
#include <cstring>

#include "simd/loops.hpp"

#ifdef __clang__
#define SVM_ALONE [[gnu::noinline]]
#else
#define SVM_ALONE [[gnu::noipa]]
#endif

namespace svm::simd::SVM_SIMD_NAME {
namespace {

// K(x, z) = K(z, x) to the last bit: -ffast-math may not add one of the norms last. (GCC has a way to say so from 12 on.)
inline float together(float sum) {
#if defined(__clang__)
  return __arithmetic_fence(sum);
#elif __GNUC__ >= 12
  return __builtin_assoc_barrier(sum);
#else
  return sum;
#endif
}

// n is a multiple of `group`, and the compiler is not told which: so its loop over vectors leaves nothing to another.
SVM_ALONE void gaussians(float* x, const float* norms, float norm, float gamma, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const float distance = together(norm + norms[j]) - 2.0F * x[j];
    x[j] = std::exp(-gamma * (distance > 0.0F ? distance : 0.0F));
  }
}

}  // namespace

// What is left over is filled up: a scalar exp rounds otherwise than a vector's, and a value must not depend on its place.
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
