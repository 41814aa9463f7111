// Compiled once per instruction set, like loops.cpp: the inner loops on explicit weights.
#include <algorithm>
#include <cstring>

#include "simd/vectors.hpp"

namespace svm::simd::SVM_SIMD_NAME {
namespace {

#ifdef __AVX512F__

/// Eight products; zero outside `mask`.
inline Wide products(const std::int32_t* indices, const float* values, const double* w, __mmask8 mask) {
  const __m256i places = _mm256_maskz_loadu_epi32(mask, indices);
  const __m512d weights = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, places, w, sizeof(double));
  return Wide{weights} * Wide{_mm512_maskz_cvtps_pd(mask, _mm256_maskz_loadu_ps(mask, values))};
}

/// Sixteen products with float32 weights; zero outside `mask`.
inline Wide32 products(const std::int32_t* indices, const float* values, const float* w, __mmask16 mask) {
  const __m512i places = _mm512_maskz_loadu_epi32(mask, indices);
  const __m512 weights = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, places, w, sizeof(float));
  return Wide32{weights} * Wide32{_mm512_maskz_loadu_ps(mask, values)};
}

#else

/// Stops the compiler from making vectors of the products. It would collect the weights in vectors, by gather
/// instructions or one by one, which takes longer than to use each by itself (1.1 to 1.2 times, AMD Zen 3).
template <typename Real>
inline void alone([[maybe_unused]] Real& x) {
#ifdef __SSE2__
  __asm__("" : "+x"(x));
#endif
}

template <typename Real>
double unrolled_dot(const std::int32_t* indices, const float* values, std::size_t stored, const Real* w) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  constexpr std::size_t size = 8;
  // Independent sums, so that additions overlap.
  Real total[size] = {};
  const auto add = [&](std::size_t place, std::size_t index, float value) {
    total[place] += w[index] * static_cast<Real>(value);
    alone(total[place]);
  };
  std::size_t p = 0;
  for (; p + size <= stored; p += size) {
    for (std::size_t k = 0; k < size; k += 2) {
      std::uint64_t pair;  // one load of two indices, the first in the lower half
      std::memcpy(&pair, indices + p + k, sizeof pair);
      add(k, pair & 0xffffffffU, values[p + k]);
      add(k + 1, pair >> 32, values[p + k + 1]);
    }
  }
  for (; p < stored; ++p) add(0, static_cast<std::size_t>(indices[p]), values[p]);
  return static_cast<double>(((total[0] + total[1]) + (total[2] + total[3])) +
                             ((total[4] + total[5]) + (total[6] + total[7])));
}

#endif

// Prefetches one or two lines per turn of the loop: more at once would stall it.
template <bool prefetching>
inline double dot_with(const float* x, const double* w, std::size_t d, [[maybe_unused]] const float* upcoming) {
  constexpr std::size_t line = 64 / sizeof(float);
  // Independent sums, so that additions overlap.
  Wide total[4] = {all(0.0), all(0.0), all(0.0), all(0.0)};
  std::size_t k = 0;
  for (; k + 4 * lanes <= d; k += 4 * lanes) {
    if constexpr (prefetching) {
      for (std::size_t part = 0; part < 4 * lanes; part += line) __builtin_prefetch(upcoming + k + part, 0, 2);
    }
    for (std::size_t part = 0; part < 4; ++part) {
      total[part] += load(w + k + part * lanes) * load(x + k + part * lanes);
    }
  }
  for (; k + lanes <= d; k += lanes) total[0] += load(w + k) * load(x + k);
  double result = sum((total[0] + total[1]) + (total[2] + total[3]));
  for (; k < d; ++k) result += w[k] * static_cast<double>(x[k]);
  return result;
}

void add(double* v, const float* x, double a, std::size_t n) {
  const Wide scale = all(a);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) store(v + j, load(v + j) + scale * load(x + j));
  for (; j < n; ++j) v[j] += a * static_cast<double>(x[j]);
}

double dot(const float* x, const double* w, std::size_t d) { return dot_with<false>(x, w, d, nullptr); }

double dot_and_prefetch(const float* x, const double* w, std::size_t d, const float* upcoming) {
  return dot_with<true>(x, w, d, upcoming);
}

double dot(const float* x, const float* w, std::size_t d) {
  Wide32 total = all32(0.0F);
  std::size_t k = 0;
  for (; k + 2 * lanes <= d; k += 2 * lanes) total += load32(w + k) * load32(x + k);
  float rest = 0.0F;
  for (; k < d; ++k) rest += w[k] * x[k];
  return sum(total) + static_cast<double>(rest);
}

double sparse_dot(const std::int32_t* indices, const float* values, std::size_t stored, const double* w) {
#ifdef __AVX512F__
  Wide a = all(0.0);
  Wide b = all(0.0);
  for (std::size_t p = 0; p < stored; p += 2 * lanes) {
    const std::size_t left = std::min(stored - p, 2 * lanes);
    const unsigned mask = (1U << left) - 1U;
    a += products(indices + p, values + p, w, static_cast<__mmask8>(mask));
    b += products(indices + p + lanes, values + p + lanes, w, static_cast<__mmask8>(mask >> lanes));
  }
  return sum(a + b);
#else
  return unrolled_dot(indices, values, stored, w);
#endif
}

double sparse_dot(const std::int32_t* indices, const float* values, std::size_t stored, const float* w) {
#ifdef __AVX512F__
  Wide32 a = all32(0.0F);
  Wide32 b = all32(0.0F);
  std::size_t p = 0;
  for (; p + 4 * lanes <= stored; p += 4 * lanes) {
    a += products(indices + p, values + p, w, __mmask16{0xffff});
    b += products(indices + p + 2 * lanes, values + p + 2 * lanes, w, __mmask16{0xffff});
  }
  for (; p < stored; p += 2 * lanes) {
    const std::size_t left = stored - p;
    const auto mask = static_cast<__mmask16>(left < 2 * lanes ? (1U << left) - 1U : 0xffffU);
    a += products(indices + p, values + p, w, mask);
  }
  return sum(a + b);
#else
  return unrolled_dot(indices, values, stored, w);
#endif
}

void add(float* w, const float* x, double a, std::size_t d) {
  const auto amount = static_cast<float>(a);
  for (std::size_t k = 0; k < d; ++k) w[k] += amount * x[k];
}

void sparse_add(double* w, const std::int32_t* indices, const float* values, std::size_t stored, double a) {
  for (std::size_t p = 0; p < stored; ++p) w[indices[p]] += a * static_cast<double>(values[p]);
}

void sparse_add(float* w, const std::int32_t* indices, const float* values, std::size_t stored, double a) {
  const auto amount = static_cast<float>(a);
  for (std::size_t p = 0; p < stored; ++p) w[indices[p]] = multiply_add(amount, values[p], w[indices[p]]);
}

void scale_split(double* q, std::size_t n, double level, double above, double others, double* sums) {
  const Wide levels = all(level);
  const Wide more = all(above);
  const Wide less = all(others);
  for (std::size_t j = 0; j < n; j += 2 * lanes) {
    const Wide a = load(q + j);
    const Wide b = load(q + j + lanes);
    const Wide x = a * choose(levels < a, more, less);
    const Wide y = b * choose(levels < b, more, less);
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

}  // namespace

void set_linear_loops(Loops& table) {
  table.add = add;
  table.dot = dot;
  table.dot_and_prefetch = dot_and_prefetch;
  table.sparse_dot = sparse_dot;
  table.sparse_add = sparse_add;
  table.dot32 = dot;
  table.sparse_dot32 = sparse_dot;
  table.add32 = add;
  table.sparse_add32 = sparse_add;
  table.scale_split = scale_split;
  table.sum_sixteens = sum_sixteens;
  table.sum_squared_sixteens = sum_squared_sixteens;
}

}  // namespace svm::simd::SVM_SIMD_NAME
