// Compiled once per instruction set, like simd_kernels.cpp: the inner loops on explicit weights.
#include "simd_linear.hpp"

#include "simd_vectors.hpp"

namespace svm::simd::SVM_SIMD_NAME {

#ifdef __AVX512F__
namespace {

/// Eight products, or those of them that are in `mask`, and zeros.
inline Wide products(const std::int32_t* indices, const float* values, const double* w, __mmask8 mask) {
  const __m256i places = _mm256_maskz_loadu_epi32(mask, indices);
  const __m512d weights = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, places, w, sizeof(double));
  return Wide(weights) * Wide(_mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, values)));
}

}  // namespace
#endif

double dot(const float* x, const double* w, std::size_t d) {
  Wide total{};
  std::size_t k = 0;
  for (; k + lanes <= d; k += lanes) total += load(w + k) * load(x + k);
  double result = sum(total);
  for (; k < d; ++k) result += w[k] * static_cast<double>(x[k]);
  return result;
}

double sparse_dot(const std::int32_t* indices, const float* values, std::size_t stored, const double* w) {
  // Independent sums hide the latency of an addition.
  std::size_t p = 0;
#ifdef __AVX512F__
  Wide a{};
  Wide b{};
  for (; p + 2 * lanes <= stored; p += 2 * lanes) {
    a += products(indices + p, values + p, w, 0xff);
    b += products(indices + p + lanes, values + p + lanes, w, 0xff);
  }
  for (; p < stored; p += lanes) {
    const std::size_t left = stored - p;
    const auto mask = static_cast<__mmask8>(left < lanes ? (1U << left) - 1U : 0xffU);
    a += products(indices + p, values + p, w, mask);
  }
  return sum(a + b);
#else
  double total[4] = {};
  for (; p + 4 <= stored; p += 4) {
    for (std::size_t k = 0; k < 4; ++k) total[k] += w[indices[p + k]] * static_cast<double>(values[p + k]);
  }
  for (; p < stored; ++p) total[0] += w[indices[p]] * static_cast<double>(values[p]);
  return (total[0] + total[1]) + (total[2] + total[3]);
#endif
}

void sparse_add(double* w, const std::int32_t* indices, const float* values, std::size_t stored, double a) {
  for (std::size_t p = 0; p < stored; ++p) w[indices[p]] += a * static_cast<double>(values[p]);
}

void scale_split(double* q, std::size_t n, double level, double above, double others, double* sums) {
  const Wide levels = all(level);
  const Wide more = all(above);
  const Wide less = all(others);
  for (std::size_t j = 0; j < n; j += 2 * lanes) {
    const Wide a = load(q + j);
    const Wide b = load(q + j + lanes);
    const Wide x = a * (a > levels ? more : less);
    const Wide y = b * (b > levels ? more : less);
    store(q + j, x);
    store(q + j + lanes, y);
    *sums++ = sum(x + y);
  }
}

void sum_sixteens(const double* values, const std::size_t* which, std::size_t count, double* sums) {
  for (std::size_t k = 0; k < count; ++k) {
    const double* x = values + which[k] * 2 * lanes;
    sums[which[k]] = sum(load(x) + load(x + lanes));
  }
}

void sum_squared_sixteens(const double* values, const std::size_t* which, std::size_t count, double* sums) {
  for (std::size_t k = 0; k < count; ++k) {
    const Wide a = load(values + which[k] * 2 * lanes);
    const Wide b = load(values + which[k] * 2 * lanes + lanes);
    sums[which[k]] = sum(a * a + b * b);
  }
}

}  // namespace svm::simd::SVM_SIMD_NAME
