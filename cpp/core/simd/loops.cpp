// Compiled once for each instruction set (SVM_SIMD_NAME). The loops use explicit vectors of eight float64 or sixteen
// float32, so the order of summation is the same for all.
#include "simd/loops.hpp"

#include "simd/vectors.hpp"

namespace svm::simd::SVM_SIMD_NAME {
namespace {

// One pass: updates every element by `vector_step(j)` (8 elements) or `element_step(j)`, and scans as `Loops` says.
// `prefetch(j)` comes before each block.
template <typename Prefetch, typename VectorStep, typename ElementStep>
inline Scanned scan_with(std::size_t n, double low, double high, BlockScan* blocks, const Prefetch& prefetch,
                         const VectorStep& vector_step, const ElementStep& element_step) {
  const Wide lows = all(low);
  const Wide highs = all(high);
  const Wide zero = all(0.0);
  Wide below_sum = zero;
  Scanned scanned{0.0, 0, 0};
  Wide block_sum = zero;  // of each block separately, so that the additions of several blocks overlap
  const auto take_vector = [&](BlockScan& found, std::size_t j, std::size_t place) {
    const Wide x = vector_step(j);
    const Mask below = x < lows;
    block_sum += choose(below, x, zero);
    found.below |= std::uint64_t{bits(below)} << place;
    found.inside |= std::uint64_t{bits(x <= highs)} << place;
  };
  const auto finish = [&](BlockScan& found) {
    below_sum += block_sum;
    block_sum = zero;
    found.inside &= ~found.below;
    scanned.below += static_cast<std::size_t>(__builtin_popcountll(found.below));
    scanned.inside += static_cast<std::size_t>(__builtin_popcountll(found.inside));
    *blocks++ = found;
  };
  std::size_t j = 0;
  for (; j + block <= n; j += block) {
    prefetch(j);
    BlockScan found{0, 0};
    for (std::size_t k = 0; k < block; k += lanes) take_vector(found, j + k, k);
    finish(found);
  }
  if (j < n) {
    BlockScan found{0, 0};
    std::size_t k = 0;
    for (; j + k + lanes <= n; k += lanes) take_vector(found, j + k, k);
    for (; j + k < n; ++k) {
      const double x = element_step(j + k);
      if (x < low) scanned.below_sum += x;
      found.below |= std::uint64_t{x < low} << k;
      found.inside |= std::uint64_t{x <= high} << k;
    }
    finish(found);
  }
  scanned.below_sum += sum(below_sum);
  return scanned;
}

Scanned add_and_scan(double* v, const float* x, double a, std::size_t n, double low, double high, BlockScan* blocks) {
  const Wide scale = all(a);
  return scan_with(
      n, low, high, blocks, [&](std::size_t j) { prefetch_ahead(x + j); },
      [&](std::size_t j) {
        const Wide updated = load(v + j) + scale * load(x + j);
        store(v + j, updated);
        return updated;
      },
      [&](std::size_t j) { return v[j] += a * static_cast<double>(x[j]); });
}

Scanned add_two_and_scan(double* v, const float* x, double a, const float* z, double b, std::size_t n, double low,
                         double high, BlockScan* blocks) {
  const Wide first = all(a);
  const Wide second = all(b);
  return scan_with(
      n, low, high, blocks,
      [&](std::size_t j) {
        prefetch_ahead(x + j);
        prefetch_ahead(z + j);
      },
      [&](std::size_t j) {
        const Wide updated = load(v + j) + (first * load(x + j) + second * load(z + j));
        store(v + j, updated);
        return updated;
      },
      [&](std::size_t j) { return v[j] += a * static_cast<double>(x[j]) + b * static_cast<double>(z[j]); });
}

Scanned scan(const double* v, std::size_t n, double low, double high, BlockScan* blocks) {
  return scan_with(
      n, low, high, blocks, [](std::size_t) {}, [&](std::size_t j) { return load(v + j); },
      [&](std::size_t j) { return v[j]; });
}

void take_inside(const double* v, std::size_t first, const BlockScan* blocks, std::size_t count, double* values,
                 std::size_t* indices) {
  constexpr std::size_t strip = 256;
  std::size_t occupied[strip];  // the blocks with elements inside, listed without branches that are hard to predict
  for (std::size_t begin = 0; begin < count; begin += strip) {
    const std::size_t end = count - begin < strip ? count : begin + strip;
    std::size_t listed = 0;
    for (std::size_t b = begin; b < end; ++b) {
      occupied[listed] = b;
      listed += static_cast<std::size_t>(blocks[b].inside != 0);
    }
    for (std::size_t k = 0; k < listed; ++k) {
      const std::size_t origin = occupied[k] * block;
      for (std::uint64_t left = blocks[occupied[k]].inside; left != 0; left &= left - 1) {
        const std::size_t j = origin + static_cast<std::size_t>(__builtin_ctzll(left));
        *values++ = v[j];
        *indices++ = first + j;
      }
    }
  }
}

std::size_t nth_below(const BlockScan* blocks, std::size_t count, std::size_t k) {
  for (std::size_t b = 0; b < count; ++b) {
    const auto here = static_cast<std::size_t>(__builtin_popcountll(blocks[b].below));
    if (k >= here) {
      k -= here;
      continue;
    }
    std::uint64_t left = blocks[b].below;
    for (; k > 0; --k) left &= left - 1;
    return b * block + static_cast<std::size_t>(__builtin_ctzll(left));
  }
  return count * block;
}

std::size_t compact(const double* v, std::size_t n, double low, double high, double* values) {
  std::size_t kept = 0;
  std::size_t j = 0;
#ifdef __AVX512F__
  // Packing some of the lanes needs intrinsics.
  const __m512d lows = _mm512_set1_pd(low);
  const __m512d highs = _mm512_set1_pd(high);
  for (; j + lanes <= n; j += lanes) {
    const __m512d x = _mm512_loadu_pd(v + j);
    const __mmask8 above = _mm512_cmp_pd_mask(x, lows, _CMP_GE_OQ);
    const __mmask8 inside = _mm512_mask_cmp_pd_mask(above, x, highs, _CMP_LE_OQ);
    _mm512_storeu_pd(values + kept, _mm512_maskz_compress_pd(inside, x));
    kept += static_cast<std::size_t>(__builtin_popcount(inside));
  }
#endif
  for (; j < n; ++j) {
    values[kept] = v[j];
    kept += static_cast<std::size_t>((v[j] >= low) & (v[j] <= high));
  }
  return kept;
}

void dots(const float* x, const float* z, std::size_t n, std::size_t d, float* out) {
  for (std::size_t j = 0; j < n; ++j, z += d) {
    Wide32 total = all32(0.0F);
    std::size_t k = 0;
    for (; k + Wide32::size <= d; k += Wide32::size) total = multiply_add(load32(x + k), load32(z + k), total);
    auto rest = static_cast<float>(sum(total));
    for (; k < d; ++k) rest = multiply_add(x[k], z[k], rest);
    out[j] = rest;
  }
}

// Uses the popcount instruction. For a few common widths (2 words: Adult's 123 features) `words` is a compile-time
// constant.
template <std::size_t fixed, bool distance>
inline void lookup(const std::uint64_t* x, const std::uint64_t* z, const std::uint32_t* members, std::size_t n,
                   std::size_t words, const float* table, float* out) {
  const std::size_t count = fixed > 0 ? fixed : words;
  for (std::size_t j = 0; j < n; ++j) {
    const std::uint64_t* row = z + (members == nullptr ? j : members[j]) * count;
    int ones = 0;
    for (std::size_t k = 0; k < count; ++k) ones += __builtin_popcountll(distance ? x[k] ^ row[k] : x[k] & row[k]);
    out[j] = table[ones];
  }
}

template <bool distance>
inline void lookup_by_width(const std::uint64_t* x, const std::uint64_t* z, const std::uint32_t* members, std::size_t n,
                            std::size_t words, const float* table, float* out) {
  switch (words) {
    case 1: return lookup<1, distance>(x, z, members, n, words, table, out);
    case 2: return lookup<2, distance>(x, z, members, n, words, table, out);
    case 5: return lookup<5, distance>(x, z, members, n, words, table, out);
    default: return lookup<0, distance>(x, z, members, n, words, table, out);
  }
}

void binary_lookup(const std::uint64_t* x, const std::uint64_t* z, const std::uint32_t* members, std::size_t n,
                   std::size_t words, bool distance, const float* table, float* out) {
  if (distance) {
    lookup_by_width<true>(x, z, members, n, words, table, out);
  } else {
    lookup_by_width<false>(x, z, members, n, words, table, out);
  }
}

// Vectors of rows, one term of each sum at a time: terms are added in the order of the columns.
void sparse_dots(const std::int32_t* indices, const float* values, std::size_t stored, const float* dense, float* out) {
  static_assert(Wide32::size == group);
  Wide32 total = all32(0.0F);
  for (std::size_t p = 0; p < stored; ++p) {
    total = multiply_add(all32(values[p]), load32(dense + static_cast<std::size_t>(indices[p]) * group), total);
  }
  store(out, total);
}

}  // namespace

// Each enters the loops of its file.
void set_dual_loops(Loops& table);
void set_kernel_functions(Loops& table);
void set_linear_loops(Loops& table);
void set_philox(Loops& table);

Loops table() {
  Loops table{};
  table.add_and_scan = add_and_scan;
  table.add_two_and_scan = add_two_and_scan;
  table.scan = scan;
  table.take_inside = take_inside;
  table.nth_below = nth_below;
  table.compact = compact;
  table.dots = dots;
  table.binary_lookup = binary_lookup;
  table.sparse_dots = sparse_dots;
  set_dual_loops(table);
  set_kernel_functions(table);
  set_linear_loops(table);
  set_philox(table);
  return table;
}

}  // namespace svm::simd::SVM_SIMD_NAME
