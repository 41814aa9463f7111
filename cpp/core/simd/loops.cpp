// Compiled three times (x86-64-v2, -v3, -v4; SVM_SIMD_NAME is the name) with -ffast-math. The loops on float64 use
// explicit vectors of eight, so the order of summation is the same for all three.
#include <cfloat>
#include <cstring>

#include "simd/kernel_functions.hpp"
#include "simd/linear.hpp"
#include "simd/loops.hpp"
#include "simd/philox.hpp"
#include "simd/vectors.hpp"

namespace svm::simd {
namespace {

inline Wide larger(const Wide& a, const Wide& b) { return a > b ? a : b; }
inline Wide smaller(const Wide& a, const Wide& b) { return a < b ? a : b; }

inline double largest(const Wide& x) {
  double best = x[0];
  for (std::size_t k = 1; k < lanes; ++k) best = x[k] > best ? x[k] : best;
  return best;
}

void add(double* v, const float* x, double a, std::size_t n) {
  const Wide scale = all(a);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) store(v + j, load(v + j) + scale * load(x + j));
  for (; j < n; ++j) v[j] += a * static_cast<double>(x[j]);
}

// One pass: updates every element by `vector_step(j)` (8 elements) or `element_step(j)`, and counts as `Loops` says.
template <typename VectorStep, typename ElementStep>
inline double scan_with(std::size_t n, double low, double high, double* block_counts, const VectorStep& vector_step,
                        const ElementStep& element_step) {
  const Wide lows = all(low);
  const Wide highs = all(high);
  const Wide one = all(1.0);
  const Wide inside = all(inside_unit);
  const Wide zero{};
  Wide below{};
  std::size_t j = 0;
  for (; j + block <= n; j += block) {
    Wide code{};
    for (std::size_t k = 0; k < block; k += lanes) {
      const Wide x = vector_step(j + k);
      const Mask under = x < lows;
      below += under ? x : zero;
      code += under ? one : (x <= highs ? inside : zero);
    }
    *block_counts++ = sum(code);
  }
  double total = sum(below);
  if (j < n) {
    double code = 0.0;
    for (; j < n; ++j) {
      const double x = element_step(j);
      if (x < low) total += x;
      code += x < low ? 1.0 : (x <= high ? inside_unit : 0.0);
    }
    *block_counts = code;
  }
  return total;
}

double add_and_scan(double* v, const float* x, double a, std::size_t n, double low, double high, double* block_counts) {
  const Wide scale = all(a);
  return scan_with(
      n, low, high, block_counts,
      [&](std::size_t j) {
        const Wide updated = load(v + j) + scale * load(x + j);
        store(v + j, updated);
        return updated;
      },
      [&](std::size_t j) { return v[j] += a * static_cast<double>(x[j]); });
}

double add_two_and_scan(double* v, const float* x, double a, const float* z, double b, std::size_t n, double low,
                        double high, double* block_counts) {
  const Wide first = all(a);
  const Wide second = all(b);
  return scan_with(
      n, low, high, block_counts,
      [&](std::size_t j) {
        const Wide updated = load(v + j) + (first * load(x + j) + second * load(z + j));
        store(v + j, updated);
        return updated;
      },
      [&](std::size_t j) { return v[j] += a * static_cast<double>(x[j]) + b * static_cast<double>(z[j]); });
}

double scan(const double* v, std::size_t n, double low, double high, double* block_counts) {
  return scan_with(
      n, low, high, block_counts, [&](std::size_t j) { return load(v + j); }, [&](std::size_t j) { return v[j]; });
}

std::size_t compact(const double* v, std::size_t n, std::size_t first, double low, double high, double* values,
                    std::size_t* indices) {
  std::size_t kept = 0;
  std::size_t j = 0;
#ifdef __AVX512F__
  // Packing some of the lanes needs intrinsics.
  const __m512d lows = _mm512_set1_pd(low);
  const __m512d highs = _mm512_set1_pd(high);
  __m512i index =
      _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  const __m512i stride = _mm512_set1_epi64(lanes);
  for (; j + lanes <= n; j += lanes, index = _mm512_add_epi64(index, stride)) {
    const __m512d x = _mm512_loadu_pd(v + j);
    const __mmask8 above = _mm512_cmp_pd_mask(x, lows, _CMP_GE_OQ);
    const __mmask8 inside = _mm512_mask_cmp_pd_mask(above, x, highs, _CMP_LE_OQ);
    _mm512_storeu_pd(values + kept, _mm512_maskz_compress_pd(inside, x));
    _mm512_storeu_si512(indices + kept, _mm512_maskz_compress_epi64(inside, index));
    kept += static_cast<std::size_t>(__builtin_popcount(inside));
  }
#endif
  for (; j < n; ++j) {
    values[kept] = v[j];
    indices[kept] = first + j;
    kept += static_cast<std::size_t>((v[j] >= low) & (v[j] <= high));
  }
  return kept;
}

// A smaller curvature counts as zero.
constexpr double flat = 1e-100;

// Gain of the dual by the step of one coordinate to its maximum, clipped to [0, C]. A point of zero curvature (a zero
// row with the linear kernel) moves to the bound in the direction of its gradient.
inline double gain_of(double response, double alpha, double diagonal, double C) {
  const double gradient = 1.0 - response;
  const double curvature = diagonal > flat ? diagonal : flat;
  const double free = alpha + gradient / curvature;
  const double step = (free < 0.0 ? 0.0 : (free > C ? C : free)) - alpha;
  return step * (gradient - 0.5 * step * diagonal);
}

inline double violation_of(double response, double alpha, double C) {
  const double gradient = 1.0 - response;
  const double up = alpha < C ? gradient : 0.0;
  const double down = alpha > 0.0 ? -gradient : 0.0;
  return up > down ? up : down;
}

Best add_and_best_gain(const DualRange& range, const float* x, double a) {
  const Wide scale = all(a);
  const Wide one = all(1.0);
  const Wide half = all(0.5);
  const Wide zero{};
  const Wide box = all(range.C);
  const Wide tiny = all(flat);
  Best best{-1.0, 0.0, 0};
  Wide violation{};
  const std::size_t n = range.size;
  std::size_t j = 0;
  for (; j + block <= n; j += block) {
    Wide top = all(-1.0);
    for (std::size_t k = j; k < j + block; k += lanes) {
      const Wide response = load(range.responses + k) + scale * load(x + k);
      store(range.responses + k, response);
      const Wide alpha = load(range.alpha + k);
      const Wide diagonal = load(range.diagonal + k);
      const Wide gradient = one - response;
      const Wide free = alpha + gradient / larger(diagonal, tiny);
      const Wide step = smaller(larger(free, zero), box) - alpha;
      top = larger(top, step * (gradient - half * step * diagonal));
      violation = larger(violation, larger(alpha < box ? gradient : zero, alpha > zero ? -gradient : zero));
    }
    const double score = largest(top);
    if (score > best.score) best = {score, 0.0, j / block};
  }
  best.violation = largest(violation);
  for (const std::size_t tail = j; j < n; ++j) {
    const double response = range.responses[j] += a * static_cast<double>(x[j]);
    const double score = gain_of(response, range.alpha[j], static_cast<double>(range.diagonal[j]), range.C);
    const double violated = violation_of(response, range.alpha[j], range.C);
    if (score > best.score) best = {score, best.violation, tail / block};
    if (violated > best.violation) best.violation = violated;
  }
  return best;
}

Best add_two_and_best_up(const DualRange& range, const float* x, double a, const float* z, double b, double sign) {
  const Wide first = all(a);
  const Wide second = all(b);
  const Wide one = all(1.0);
  const Wide zero{};
  const Wide box = all(range.C);
  const Wide signs = all(sign);
  const Wide nothing = all(-DBL_MAX);
  const Wide ceiling = all(DBL_MAX);
  const bool positive = sign > 0.0;
  Best best{-DBL_MAX, DBL_MAX, 0};
  Wide lowest = ceiling;
  const std::size_t n = range.size;
  std::size_t j = 0;
  for (; j + block <= n; j += block) {
    Wide top = nothing;
    for (std::size_t k = j; k < j + block; k += lanes) {
      const Wide response = load(range.responses + k) + (first * load(x + k) + second * load(z + k));
      store(range.responses + k, response);
      const Wide alpha = load(range.alpha + k);
      const Wide value = signs * (one - response);
      const Mask rises = alpha < box;
      const Mask falls = alpha > zero;
      top = larger(top, (positive ? rises : falls) ? value : nothing);
      lowest = smaller(lowest, (positive ? falls : rises) ? value : ceiling);
    }
    const double score = largest(top);
    if (score > best.score) best = {score, DBL_MAX, j / block};
  }
  best.violation = -largest(-lowest);
  for (const std::size_t tail = j; j < n; ++j) {
    const double response = range.responses[j] += a * static_cast<double>(x[j]) + b * static_cast<double>(z[j]);
    const double value = sign * (1.0 - response);
    const bool rises = range.alpha[j] < range.C;
    const bool falls = range.alpha[j] > 0.0;
    if ((positive ? rises : falls) && value > best.score) best = {value, best.violation, tail / block};
    if ((positive ? falls : rises) && value < best.violation) best.violation = value;
  }
  return best;
}

// LIBSVM's constant for a direction of zero curvature.
constexpr double tau = 1e-12;

inline double partner_score_of(double response, double alpha, double diagonal, double entry, double C, double sign,
                               double top, double top_diagonal) {
  const bool low = sign > 0.0 ? alpha > 0.0 : alpha < C;
  const double descent = top - sign * (1.0 - response);
  if (!low || descent <= 0.0) return -1.0;
  const double curvature = top_diagonal + diagonal - 2.0 * entry;
  return descent * descent / (curvature > 0.0 ? curvature : tau);
}

Best best_partner(const DualRange& range, const float* x, double sign, double top, double diagonal) {
  const Wide one = all(1.0);
  const Wide two = all(2.0);
  const Wide zero{};
  const Wide box = all(range.C);
  const Wide signs = all(sign);
  const Wide tops = all(top);
  const Wide diagonals = all(diagonal);
  const Wide nothing = all(-1.0);
  const Wide taus = all(tau);
  const bool positive = sign > 0.0;
  Best best{-1.0, 0.0, 0};
  const std::size_t n = range.size;
  std::size_t j = 0;
  for (; j + block <= n; j += block) {
    Wide score = nothing;
    for (std::size_t k = j; k < j + block; k += lanes) {
      const Wide alpha = load(range.alpha + k);
      const Wide descent = tops - signs * (one - load(range.responses + k));
      const Wide curvature = diagonals + load(range.diagonal + k) - two * load(x + k);
      const Mask low = (positive ? (alpha > zero) : (alpha < box)) & (descent > zero);
      const Wide ratio = descent * descent / (curvature > zero ? curvature : taus);
      score = larger(score, low ? ratio : nothing);
    }
    const double block_best = largest(score);
    if (block_best > best.score) best = {block_best, 0.0, j / block};
  }
  for (const std::size_t tail = j; j < n; ++j) {
    const double score = partner_score_of(range.responses[j], range.alpha[j], static_cast<double>(range.diagonal[j]),
                                          static_cast<double>(x[j]), range.C, sign, top, diagonal);
    if (score > best.score) best = {score, 0.0, tail / block};
  }
  return best;
}

void dots(const float* x, const float* z, std::size_t n, std::size_t d, float* out) {
  for (std::size_t j = 0; j < n; ++j, z += d) {
    float total = 0.0F;
    for (std::size_t k = 0; k < d; ++k) total += x[k] * z[k];
    out[j] = total;
  }
}

// In strips that fit the first-level cache. Terms are added in the order of the columns, so <x, z> and <z, x> are the
// same bits.
void column_dots(const float* values, const std::uint32_t* which, std::size_t stored, const float* columns,
                 std::size_t n, float* out) {
  constexpr std::size_t strip = 4096;
  for (std::size_t begin = 0; begin < n; begin += strip) {
    const std::size_t count = n - begin < strip ? n - begin : strip;
    float total[strip];
    std::memset(total, 0, count * sizeof(float));
    for (std::size_t p = 0; p < stored; ++p) {
      const float* column = columns + which[p] * n + begin;
      for (std::size_t j = 0; j < count; ++j) total[j] += values[p] * column[j];
    }
    std::memcpy(out + begin, total, count * sizeof(float));
  }
}

// Uses the popcount instruction. For a few common widths (2 words: Adult's 123 features) `words` is a compile-time
// constant.
template <std::size_t fixed, bool distance>
inline void lookup(const std::uint64_t* x, const std::uint64_t* z, std::size_t n, std::size_t words, const float* table,
                   float* out) {
  const std::size_t count = fixed > 0 ? fixed : words;
  for (std::size_t j = 0; j < n; ++j, z += count) {
    int ones = 0;
    for (std::size_t k = 0; k < count; ++k) ones += __builtin_popcountll(distance ? x[k] ^ z[k] : x[k] & z[k]);
    out[j] = table[ones];
  }
}

template <bool distance>
inline void lookup_by_width(const std::uint64_t* x, const std::uint64_t* z, std::size_t n, std::size_t words,
                            const float* table, float* out) {
  switch (words) {
    case 1: return lookup<1, distance>(x, z, n, words, table, out);
    case 2: return lookup<2, distance>(x, z, n, words, table, out);
    case 5: return lookup<5, distance>(x, z, n, words, table, out);
    default: return lookup<0, distance>(x, z, n, words, table, out);
  }
}

void binary_lookup(const std::uint64_t* x, const std::uint64_t* z, std::size_t n, std::size_t words, bool distance,
                   const float* table, float* out) {
  if (distance) {
    lookup_by_width<true>(x, z, n, words, table, out);
  } else {
    lookup_by_width<false>(x, z, n, words, table, out);
  }
}

void sparse_dots(const std::int32_t* indices, const float* values, std::size_t stored, const float* dense, float* out) {
  float total[group] = {};
  for (std::size_t p = 0; p < stored; ++p) {
    const float* column = dense + static_cast<std::size_t>(indices[p]) * group;
    for (std::size_t k = 0; k < group; ++k) total[k] += values[p] * column[k];
  }
  std::memcpy(out, total, sizeof total);
}

}  // namespace

#define SVM_TEXT_OF(name) #name
#define SVM_TEXT(name) SVM_TEXT_OF(name)
#define SVM_JOIN_OF(a, b) a##b
#define SVM_JOIN(a, b) SVM_JOIN_OF(a, b)
#define SVM_LOOP(name) SVM_SIMD_NAME::name

extern const Loops SVM_JOIN(loops_, SVM_SIMD_NAME);
// clang-format off
const Loops SVM_JOIN(loops_, SVM_SIMD_NAME) = {
    SVM_TEXT(SVM_SIMD_NAME),
    add, add_and_scan, add_two_and_scan, scan, compact,
    add_and_best_gain, gain_of, add_two_and_best_up, best_partner, partner_score_of,
    dots, column_dots, binary_lookup, sparse_dots, SVM_LOOP(gaussian), SVM_LOOP(polynomial),
    SVM_LOOP(dot), SVM_LOOP(dot_and_prefetch), SVM_LOOP(sparse_dot), SVM_LOOP(sparse_add),
    SVM_LOOP(dot), SVM_LOOP(sparse_dot), SVM_LOOP(add), SVM_LOOP(sparse_add), SVM_LOOP(scale_split),
    SVM_LOOP(sum_sixteens), SVM_LOOP(sum_squared_sixteens), SVM_LOOP(philox),
};
// clang-format on

}  // namespace svm::simd
