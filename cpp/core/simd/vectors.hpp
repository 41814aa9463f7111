// Vectors of eight float64 or sixteen float32, for the files that are compiled once per instruction set: in one
// register, or in halves of halves where registers are smaller (the compiler would leave a wider vector in memory).
// They are in an unnamed namespace: the linker must not merge the versions for different instruction sets.
#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "simd/loops.hpp"

namespace svm::simd {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif

/// n numbers.
template <typename T, std::size_t n, bool fits = n * sizeof(T) <= register_bytes>
struct Vector {
  static constexpr bool halved = true;
  static constexpr std::size_t size = n;
  using Half = Vector<T, n / 2>;
  Half low;
  Half high;
};

template <typename T, std::size_t n>
struct Vector<T, n, true> {
  static constexpr bool halved = false;
  static constexpr std::size_t size = n;
  using Element = T;
  using Register [[gnu::vector_size(n * sizeof(T))]] = T;
  Register whole;
};

/// The truth values of n comparisons of float64.
template <std::size_t n, bool fits = n * sizeof(double) <= register_bytes>
struct Truths {
  Truths<n / 2> low;
  Truths<n / 2> high;
};

template <std::size_t n>
struct Truths<n, true> {
#ifdef __AVX512F__
  __mmask8 whole;
#else
  using Register [[gnu::vector_size(n * sizeof(long long))]] = long long;
  Register whole;
#endif
};

using Wide = Vector<double, lanes>;
using Wide32 = Vector<float, 2 * lanes>;
using Mask = Truths<lanes>;

/// The numbers from p on; float32 may become float64.
template <typename V, typename T>
inline V load_as(const T* p) {
  if constexpr (V::halved) {
    return {load_as<typename V::Half>(p), load_as<typename V::Half>(p + V::size / 2)};
  } else if constexpr (std::is_same_v<typename V::Element, T>) {
    V x;
    std::memcpy(&x.whole, p, sizeof x.whole);
    return x;
  } else {
    // gcc 12 makes two halves of a __builtin_convertvector.
#if defined(__AVX512F__)
    return {_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p))};
#elif defined(__AVX__)
    return {_mm256_cvtps_pd(_mm_loadu_ps(p))};
#else
    typename Vector<T, V::size>::Register narrow;
    std::memcpy(&narrow, p, sizeof narrow);
    return {__builtin_convertvector(narrow, typename V::Register)};
#endif
  }
}

inline Wide load(const double* p) { return load_as<Wide>(p); }
inline Wide load(const float* p) { return load_as<Wide>(p); }
inline Wide32 load32(const float* p) { return load_as<Wide32>(p); }

template <typename T, typename V>
inline void store(T* p, const V& x) {
  if constexpr (V::halved) {
    store(p, x.low);
    store(p + V::size / 2, x.high);
  } else {
    std::memcpy(p, &x.whole, sizeof x.whole);
  }
}

template <typename V, typename T>
inline V all_as(T x) {
  if constexpr (V::halved) {
    return {all_as<typename V::Half>(x), all_as<typename V::Half>(x)};
  } else {
    return {x - typename V::Register{}};  // a number and a vector: the number is repeated
  }
}

inline Wide all(double x) { return all_as<Wide>(x); }
inline Wide32 all32(float x) { return all_as<Wide32>(x); }

template <typename V, typename Operation>
inline V each(const V& a, const V& b, const Operation& operation) {
  if constexpr (V::halved) {
    return {each(a.low, b.low, operation), each(a.high, b.high, operation)};
  } else {
    return {operation(a.whole, b.whole)};
  }
}

template <typename T, std::size_t n, bool fits>
inline auto operator+(const Vector<T, n, fits>& a, const Vector<T, n, fits>& b) {
  return each(a, b, [](auto x, auto y) { return x + y; });
}
template <typename T, std::size_t n, bool fits>
inline auto operator-(const Vector<T, n, fits>& a, const Vector<T, n, fits>& b) {
  return each(a, b, [](auto x, auto y) { return x - y; });
}
template <typename T, std::size_t n, bool fits>
inline auto operator*(const Vector<T, n, fits>& a, const Vector<T, n, fits>& b) {
  return each(a, b, [](auto x, auto y) { return x * y; });
}
template <typename T, std::size_t n, bool fits>
inline auto operator/(const Vector<T, n, fits>& a, const Vector<T, n, fits>& b) {
  return each(a, b, [](auto x, auto y) { return x / y; });
}
template <typename T, std::size_t n, bool fits>
inline void operator+=(Vector<T, n, fits>& a, const Vector<T, n, fits>& b) {
  a = a + b;
}

/// a b + c, rounded once where the processor can. It is written out: the compiler fuses a product and a sum in some
/// loops and builds only, and sums that are computed in two ways must have the same bits.
inline float multiply_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
template <std::size_t n, bool fits>
inline Vector<float, n, fits> multiply_add(const Vector<float, n, fits>& a, const Vector<float, n, fits>& b,
                                           const Vector<float, n, fits>& c) {
  if constexpr (!fits) {
    return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
  } else {
#if defined(__AVX512F__)
    return {_mm512_fmadd_ps(a.whole, b.whole, c.whole)};
#elif defined(__FMA__)
    return {_mm256_fmadd_ps(a.whole, b.whole, c.whole)};
#else
    return {a.whole * b.whole + c.whole};
#endif
  }
}
/// The larger number in each place, and the smaller one; that of b where one is NaN.
template <typename V>
inline V larger(const V& a, const V& b) {
  // gcc 12 makes a comparison and a choice of the expression.
  return each(a, b, [](auto x, auto y) -> decltype(x) {
#if defined(__AVX512F__)
    return _mm512_maskz_max_pd(0xff, x, y);
#elif defined(__AVX__)
    return _mm256_max_pd(x, y);
#else
    return x > y ? x : y;
#endif
  });
}
template <typename V>
inline V smaller(const V& a, const V& b) {
  return each(a, b, [](auto x, auto y) -> decltype(x) {
#if defined(__AVX512F__)
    return _mm512_maskz_min_pd(0xff, x, y);
#elif defined(__AVX__)
    return _mm256_min_pd(x, y);
#else
    return x < y ? x : y;
#endif
  });
}

template <std::size_t n, bool fits>
inline Truths<n> operator<(const Vector<double, n, fits>& a, const Vector<double, n, fits>& b) {
  if constexpr (!fits) {
    return {a.low < b.low, a.high < b.high};
  } else {
#ifdef __AVX512F__
    return {_mm512_cmp_pd_mask(a.whole, b.whole, _CMP_LT_OQ)};
#else
    return {a.whole < b.whole};
#endif
  }
}

template <std::size_t n, bool fits>
inline Truths<n> operator<=(const Vector<double, n, fits>& a, const Vector<double, n, fits>& b) {
  if constexpr (!fits) {
    return {a.low <= b.low, a.high <= b.high};
  } else {
#ifdef __AVX512F__
    return {_mm512_cmp_pd_mask(a.whole, b.whole, _CMP_LE_OQ)};
#else
    return {a.whole <= b.whole};
#endif
  }
}

template <std::size_t n, bool fits>
inline Truths<n> operator&(const Truths<n, fits>& a, const Truths<n, fits>& b) {
  if constexpr (!fits) {
    return {a.low & b.low, a.high & b.high};
  } else {
    return {static_cast<decltype(a.whole)>(a.whole & b.whole)};
  }
}

/// In each place a's number where true, else b's.
template <std::size_t n, bool fits>
inline Vector<double, n> choose(const Truths<n>& where, const Vector<double, n, fits>& a,
                                const Vector<double, n, fits>& b) {
  if constexpr (!fits) {
    return {choose(where.low, a.low, b.low), choose(where.high, a.high, b.high)};
  } else {
#ifdef __AVX512F__
    return {_mm512_mask_blend_pd(where.whole, b.whole, a.whole)};
#else
    return {where.whole ? a.whole : b.whole};
#endif
  }
}

/// Bit k: the k-th truth value.
template <std::size_t n, bool fits>
inline unsigned bits(const Truths<n, fits>& truths) {
  if constexpr (!fits) {
    return bits(truths.low) | bits(truths.high) << n / 2;
  } else {
#if defined(__AVX512F__)
    return truths.whole;
#elif defined(__AVX__)
    return static_cast<unsigned>(_mm256_movemask_pd(__m256d(truths.whole)));
#elif defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_pd(__m128d(truths.whole)));
#else
    unsigned set = 0;
    for (std::size_t k = 0; k < n; ++k) set |= static_cast<unsigned>(truths.whole[k] != 0) << k;
    return set;
#endif
  }
}

/// The operation on all numbers, in the same order for every size of registers: halves with each other first.
template <typename V, typename Operation>
inline auto reduce(const V& x, const Operation& operation) {
  if constexpr (V::halved) {
    return reduce(each(x.low, x.high, operation), operation);
  } else {
    typename V::Element left[V::size];
    std::memcpy(left, &x.whole, sizeof left);
    for (std::size_t size = V::size / 2; size > 0; size /= 2) {
      for (std::size_t k = 0; k < size; ++k) left[k] = operation(left[k], left[k + size]);
    }
    return left[0];
  }
}

inline double sum(const Wide& x) {
  return reduce(x, [](auto a, auto b) { return a + b; });
}
inline double sum(const Wide32& x) {
  return static_cast<double>(reduce(x, [](auto a, auto b) { return a + b; }));
}
inline double largest(const Wide& x) {
  return reduce(x, [](auto a, auto b) { return a > b ? a : b; });
}

/// Prefetches the block of a row that a pass reads eight blocks later. Rows are read in an order that the processor does
/// not foresee, and its own prefetching ends with each page.
inline void prefetch_ahead(const float* x) {
  constexpr std::size_t line = 64 / sizeof(float);
  for (std::size_t k = 0; k < block; k += line) __builtin_prefetch(x + 8 * block + k, 0, 2);
}

}  // namespace
}  // namespace svm::simd
