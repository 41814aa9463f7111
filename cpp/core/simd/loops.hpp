// The inner loops (SIMD), compiled once for each instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svm::simd {

/// Elements per block of a scan.
inline constexpr std::size_t block = 64;
/// Elements that `compact` may write beyond its result.
inline constexpr std::size_t lanes = 8;
/// Sparse rows that are made dense at a time, for inner products.
inline constexpr std::size_t group = 16;

/// Result of a scan of one block. Bit k: v_k < low of the window; low <= v_k <= high.
struct BlockScan {
  std::uint64_t below;
  std::uint64_t inside;
};

/// Result of a scan of all blocks: the sum of the elements below the window, and how many are below and inside.
struct Scanned {
  double below_sum;
  std::size_t below;
  std::size_t inside;
};

/// A greedy choice among the coordinates of a range: the largest score and the block that holds it.
struct Best {
  double score;
  double violation;
  std::size_t block;
};

/// The range of coordinates that the sequential minimal optimisation loops run over, with C the box.
struct DualRange {
  double* responses;      ///< c_j = y_j f(x_j), updated
  const double* alpha;    ///< 0 <= alpha_j <= C
  const float* diagonal;  ///< K(x_j, x_j); null if all are 1
  std::size_t size;
  double C;
};

/// The largest gradient of a variable that may rise and the smallest of one that may fall, and the first variables that
/// have them. The index is n, and the gradient means nothing, where no variable may.
struct ViolatingPair {
  double top;
  double bottom;
  std::size_t rising;
  std::size_t falling;
};

inline constexpr std::size_t philox_blocks = 16;

/// A table of the loops for one instruction set.
struct Loops {
  const char* name;

  /// v += a x (float32 row, float64 state).
  void (*add)(double* v, const float* x, double a, std::size_t n);
  /// v += a x, then scans v: writes what it finds in each block of 64 to `blocks`.
  Scanned (*add_and_scan)(double* v, const float* x, double a, std::size_t n, double low, double high,
                          BlockScan* blocks);
  /// v += a x + b z, then scans v.
  Scanned (*add_two_and_scan)(double* v, const float* x, double a, const float* z, double b, std::size_t n, double low,
                              double high, BlockScan* blocks);
  /// Scans v.
  Scanned (*scan)(const double* v, std::size_t n, double low, double high, BlockScan* blocks);
  /// Writes the elements of v inside the window, and their indices counted from `first`, in order, after a scan.
  void (*take_inside)(const double* v, std::size_t first, const BlockScan* blocks, std::size_t count, double* values,
                      std::size_t* indices);
  /// The index of the k-th element below the window, or 64 count if there are not so many.
  std::size_t (*nth_below)(const BlockScan* blocks, std::size_t count, std::size_t k);

  /// Writes the elements of v with low <= v <= high in order; returns how many. The output needs room for `lanes` more.
  std::size_t (*compact)(const double* v, std::size_t n, double low, double high, double* values);

  /// responses += a x, then the largest gain of the dual by one clipped coordinate step, and the largest violation.
  Best (*add_and_best_gain)(const DualRange& range, const float* x, double a);
  /// The gain of one coordinate, exactly as add_and_best_gain computes it.
  double (*gain)(double response, double alpha, double diagonal, double C);

  /// responses += a x + b z, then the largest up-candidate and the smallest low-candidate of (sign)(1 - c) over the
  /// range. sign is +1 for the positive class and -1 for the negative; up: best.score; low: best.violation.
  Best (*add_two_and_best_up)(const DualRange& range, const float* x, double a, const float* z, double b, double sign);
  /// Second-order partner for an up-candidate of value `top` and row x: the largest (top - value)^2 / curvature over
  /// low candidates (Fan, Chen, Lin 2005, eq. 3), up to rounding.
  Best (*best_partner)(const DualRange& range, const float* x, double sign, double top, double diagonal);
  /// The score of one partner, exactly as best_partner computes it.
  double (*partner_score)(double response, double alpha, double diagonal, double entry, double C, double sign,
                          double top, double top_diagonal);

  /// The most violating pair of n variables between low[j] and low[j] + C.
  ViolatingPair (*violating_pair)(const double* gradients, const double* alpha, const double* low, double C,
                                  std::size_t n);

  /// out[j] = <x, row j of z> for n dense rows of d columns.
  void (*dots)(const float* x, const float* z, std::size_t n, std::size_t d, float* out);
  /// out[j] = sum over p of values[p] columns[which[p] * stride + j], j < n: the inner products of one point with n
  /// others. Only the columns are read in which the point is not 0. Terms are added in the order of p, so <x, z> and
  /// <z, x> are the same bits. `out` is read and written once for a few columns: n is at most what a cache holds.
  void (*column_dots)(const float* values, const std::uint32_t* which, std::size_t stored, const float* columns,
                      std::size_t stride, std::size_t n, float* out);
  /// out[j] = table[number of ones of x op row j of z], op is exclusive or (the Hamming distance) or and (the inner
  /// product), for n binary rows packed in `words` words each; with `members`, row members[j] in place of row j.
  void (*binary_lookup)(const std::uint64_t* x, const std::uint64_t* z, const std::uint32_t* members, std::size_t n,
                        std::size_t words, bool distance, const float* table, float* out);
  /// out[0..16) = inner products of one sparse row with 16 densified rows (column-major: dense[column * 16 + row]).
  void (*sparse_dots)(const std::int32_t* indices, const float* values, std::size_t stored, const float* dense,
                      float* out);
  /// x[j] = exp(-gamma max(0, norm + norms[j] - 2 x[j])).
  void (*gaussian)(float* x, const float* norms, float norm, float gamma, std::size_t n);
  /// x[j] = (gamma x[j] + coef0)^degree.
  void (*polynomial)(float* x, float gamma, float coef0, int degree, std::size_t n);
  /// x[j] = exp(max(x[j], -708)) for x[j] <= 0, with a relative error below 1e-15; n is a multiple of `lanes`.
  void (*exponential)(double* x, std::size_t n);

  /// <x, w> with float32 features and float64 weights.
  double (*dot)(const float* x, const double* w, std::size_t d);
  /// The same; prefetches the d values from `upcoming` on into the second-level cache, for rows in random order.
  double (*dot_and_prefetch)(const float* x, const double* w, std::size_t d, const float* upcoming);
  /// <x, w> and w += a x for a sparse x: values[p] at indices[p].
  double (*sparse_dot)(const std::int32_t* indices, const float* values, std::size_t stored, const double* w);
  void (*sparse_add)(double* w, const std::int32_t* indices, const float* values, std::size_t stored, double a);
  /// The same for float32 weights, in float32.
  double (*dot32)(const float* x, const float* w, std::size_t d);
  double (*sparse_dot32)(const std::int32_t* indices, const float* values, std::size_t stored, const float* w);
  void (*add32)(float* w, const float* x, double a, std::size_t d);
  void (*sparse_add32)(float* w, const std::int32_t* indices, const float* values, std::size_t stored, double a);
  /// q_j *= above where q_j > level, else others; sums[b] = the sum of the b-th sixteen. n is a multiple of sixteen.
  void (*scale_split)(double* q, std::size_t n, double level, double above, double others, double* sums);
  /// sums[b] = the sum of the b-th sixteen values, or of their squares, for the `count` b in `which`.
  void (*sum_sixteens)(const double* values, const std::size_t* which, std::size_t count, double* sums);
  void (*sum_squared_sixteens)(const double* values, const std::size_t* which, std::size_t count, double* sums);

  /// 10 rounds of Philox4x32 on `philox_blocks` counter blocks: word k of block b is words[k * philox_blocks + b].
  void (*philox)(std::uint32_t* words, std::uint32_t low_key, std::uint32_t high_key);
};

/// The loops in use: for the best instruction set of this processor, or for the one that the environment variable
/// SVM_ISA names (v3, v4, v4a; empty: unset). Throws InvalidArgument if SVM_ISA is wrong, or if the processor has no AVX2 and
/// the build is not portable. The module calls it once at import; so later calls from noexcept functions cannot throw.
const Loops& loops();

}  // namespace svm::simd
